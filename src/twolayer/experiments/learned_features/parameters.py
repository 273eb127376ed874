"""Parameters of the tasks on networks whose features learn a mixture."""

from twolayer.errors import ConfigError
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.networks.feature_count import feature_count
from twolayer.parameters import Count, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout


@checked
class MixtureProblem:
    """Two-layer networks that learn the labels of a mixture from samples.

    Attributes:
        sigma: noise levels.
        sample_ratios: m / D, samples of a data set per input dimension.
        input_dimension: D.
        features_per_dimension: k / D, hidden units per input dimension.
        ridge: lambda of the second layer, in units of m.
        seeds: number of networks. All noise levels and sample ratios share them.
        seed: seed of the first network and its data; the seeds of further networks count up from it.
        test_samples: number of fresh samples that test a network.
        geometry: arrangement of the clusters.
        activation: of the hidden units.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.MixtureProblem(sigma=[0.5], sample_ratios=[4], input_dimension=50)
        MixtureProblem(sigma=(0.5,), sample_ratios=(4.0,), input_dimension=50)
    """

    sigma: tuple[Positive, ...]
    sample_ratios: tuple[Positive, ...]
    input_dimension: Count
    features_per_dimension: Positive = 2.0
    ridge: Positive = 1e-3
    seeds: Several = 5
    seed: Seed = 0
    test_samples: Several = 5000
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)
        if self.geometry.spreads:
            raise ConfigError(
                "spreads is given: the theory of networks after a step needs the same noise in all clusters: leave "
                "it out"
            )


@task(
    "feature_step",
    result=Layout(
        {
            "sigma sample_ratio seed step": "converged theory theory_misclassified network network_misclassified",
            "": "input_dimension",
        },
        labels={
            "sigma": "problem.sigma",
            "sample_ratio": "problem.sample_ratios",
            "seed": "problem.seeds",
            "step": "steps",
        },
    ),
)
@checked
class FeatureStep:
    """Take one gradient step of the first layer on a mixture, fit the second layer, and compute the theory of both.

    Attributes:
        problem: the networks and the mixture.
        steps: sizes of the gradient step. A step of 1 moves a weight by about its own length times the overlap of the
            gradient with the means; 0 leaves random features.
        overlap_order: order of the series of two features' covariance.

    Example:
        >>> import twolayer as tl
        >>> problem = tl.MixtureProblem(sigma=[0.5], sample_ratios=[4], input_dimension=50, seeds=2, test_samples=1000)
        >>> errors = tl.feature_step(problem, steps=[0, 3])
        >>> errors.theory.mean("seed").round(2).values.ravel().tolist()
        [0.52, 0.41]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    problem: MixtureProblem
    steps: tuple[NonNegative, ...] = (0.0, 3.0)
    overlap_order: Count = 12


@task(
    "projected_features",
    result=Layout(
        {
            "sigma sample_ratio seed": "converged start_pmse start_ridge_pmse pmse class_error first_risk last_risk",
            "": "input_dimension",
        },
        labels={"sigma": "problem.sigma", "sample_ratio": "problem.sample_ratios", "seed": "problem.seeds"},
        meanings={
            "start_pmse": "pmse of the random features that the descent starts from, projected",
            "start_ridge_pmse": "the same by ridge regression",
            "first_risk": "regularised risk where the descent starts",
            "last_risk": "regularised risk where the descent ends",
        },
    ),
)
@checked
class ProjectedFeatures:
    """Run variable projection of a network on the samples on which `feature_step` fits its second layers.

    Attributes:
        problem: as for `feature_step`.
        iterations: iterations of gradient descent along the reduced risk. rate: step, in units of the ridge.

    Example:
        >>> import twolayer as tl
        >>> problem = tl.MixtureProblem(sigma=[0.5], sample_ratios=[4], input_dimension=50, seeds=2, test_samples=1000)
        >>> runs = tl.projected_features(problem, iterations=20)
        >>> bool((runs.last_risk < runs.first_risk).all())
        True

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    problem: MixtureProblem
    iterations: Count = 200
    rate: Positive = 0.1
