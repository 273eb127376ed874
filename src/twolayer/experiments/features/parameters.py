"""Parameters of the tasks on random features of mixtures."""

from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.parameters import MIXTURES
from twolayer.experiments.mixtures.parameters import Schedule
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.networks.feature_count import feature_count
from twolayer.parameters import Count, Positive, Seed, Several, checked
from twolayer.results.layout import Layout


@task(
    "random_features",
    result=Layout(
        {
            "ratio projection sigma": "converged pmse class_error",
            "ratio projection closed_sigma": "closed_converged? closed_pmse? closed_class_error? simulated_pmse? "
            "simulated_pmse_sem? simulated_class_error? simulated_class_error_sem?",
            "": "input_dimension",
            "sigma": "bayes_error? bayes_error_sem?",
        },
        labels={"closed_sigma": "simulated_sigma", "ratio": "features_per_dimension"},
    ),
)
@checked
class RandomFeatures:
    """Compute the optimal linear readout of random features of an isotropic mixture.

    Attributes:
        sigma: noise levels.
        input_dimension: D.
        features_per_dimension: ratios F / D.
        projections: number of independent random projections.
        simulated_sigma: noise levels at which a readout is also tested on fresh samples; null for none.
        simulated_samples: number of fresh samples.
        seed: of projections and samples.
        geometry: arrangement of the clusters.
        activation: of the features.
        overlap_order: order of the feature covariance in the overlap of two projections; 1 is the paper's formula.
        weight_scale: standard deviation of a coordinate of the projections.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.2, dimension=50)
        >>> errors = tl.random_features(mixture, sigma=[0.1, 0.2], features_per_dimension=[4])
        >>> errors.class_error.mean("projection").round(2).values.ravel().tolist()
        [0.0, 0.02]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: tuple[Positive, ...]
    input_dimension: Count
    features_per_dimension: tuple[Positive, ...]
    projections: Count = 3
    simulated_sigma: tuple[Positive, ...] | None = None
    simulated_samples: Several = 10_000
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"
    overlap_order: Count = 4
    weight_scale: Positive = 1.0

    def __post_init__(self):
        for ratio in self.features_per_dimension:
            feature_count(ratio, self.input_dimension)


@task(
    "feature_cloud",
    result=Layout(
        {
            "cluster sample axis": "points",
            "cluster axis": "means sampled_means sampled_means_sem",
            "cluster axis other_axis": "covariances",
            "cluster": "labels",
            "": "sigma input_dimension features closed_class_error simulated_class_error simulated_class_error_sem",
        },
        meanings={
            "closed_class_error": "class error of the best linear readout of the points, in theory",
            "simulated_class_error": "class error of that readout on the points",
            "means": "means of the features of each cluster, in the space that they span",
            "covariances": "covariance of the features of each cluster",
        },
    ),
)
@checked
class FeatureSample:
    """Draw points of a mixture, and apply random features to them.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        samples: points of each cluster.
        seed: of projection and points.
        geometry: arrangement of the clusters.
        activation: of the features.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=50)
        >>> cloud = tl.feature_cloud(mixture, features_per_dimension=2, samples=100)
        >>> int(cloud.features), dict(cloud.points.sizes)
        (100, {'cluster': 4, 'sample': 100, 'axis': 3})

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    samples: Several
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)


@task(
    "readout_training", result=Layout({"seed time": "pmse class_error", "": "optimum_pmse optimum_class_error sigma"})
)
@checked
class ReadoutTraining:
    """Train the readout of random features of an isotropic mixture online.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        schedule: times in steps / D; the readout starts at zero.
        seeds: number of independent data streams, all with the same features.
        seed: of projection and streams.
        geometry: arrangement of the clusters.
        activation: of the features.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=50)
        >>> schedule = tl.Schedule(learning_rate=0.1, last_time=20, measurements=5)
        >>> runs = tl.readout_training(mixture, schedule, features_per_dimension=1, seeds=3)
        >>> bool(runs.pmse[:, -1].mean() > runs.optimum_pmse)
        True

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)


@task(
    "feature_readout",
    inputs={"mixture": MIXTURES},
    result=Layout(
        {
            "ratio projection": "converged pmse class_error simulated_pmse simulated_pmse_sem "
            "simulated_class_error simulated_class_error_sem",
            "": "input_dimension bayes_error bayes_error_sem",
        },
        labels={"ratio": "features_per_dimension"},
    ),
)
@checked
class FeatureReadout:
    """Compute the optimal linear readout of random features of any mixture, in theory and on fresh inputs.

    The class error in closed form assumes that the output is Gaussian within each cluster.

    Attributes:
        features_per_dimension: ratios F / D, with D the dimension of the mixture.
        projections: number of independent random projections.
        simulated_samples: number of fresh inputs.
        seed: of projections and inputs.
        activation: of the features.
        overlap_order: order of the feature covariance in the overlap of two projections.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.random_mixture(input_dimension=50, clusters_per_class=1)
        >>> errors = tl.feature_readout(mixture, features_per_dimension=[0.5, 2], projections=2)
        >>> errors.pmse.mean("projection").round(2).values.tolist()
        [0.41, 0.28]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    features_per_dimension: tuple[Positive, ...]
    projections: Count = 3
    simulated_samples: Several = 10_000
    seed: Seed = 0
    activation: ActivationLike = "relu"
    overlap_order: Count = 4


@task(
    "feature_training",
    inputs={"mixture": MIXTURES},
    result=Layout({"seed time": "pmse class_error", "": "input_dimension optimum_pmse optimum_class_error"}),
)
@checked
class FeatureTraining:
    """Train the readout of random features of any mixture online.

    Attributes:
        features_per_dimension: F / D, with D the dimension of the mixture.
        schedule: times in steps / D; the readout starts at zero.
        seeds: number of independent data streams, all with the same features.
        seed: of projection and streams.
        activation: of the features.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.random_mixture(input_dimension=50, clusters_per_class=1)
        >>> schedule = tl.Schedule(learning_rate=0.1, last_time=20, measurements=5)
        >>> runs = tl.feature_training(mixture, schedule, features_per_dimension=1, seeds=3)
        >>> bool(runs.pmse[:, -1].mean() > runs.optimum_pmse)
        True

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    features_per_dimension: Positive
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    activation: ActivationLike = "relu"


@task(
    "readout_curve",
    inputs={"mixture": MIXTURES},
    result=Layout(
        {
            "time": "pmse mean_pmse mean_class_error",
            "": "input_dimension features optimum_pmse optimum_class_error stationary_pmse?",
        },
        meanings={
            "pmse": "half the mean squared error in theory, averaged over data streams",
            "mean_pmse": "half the mean squared error of the readout whose weights are averaged over data streams",
            "mean_class_error": "class error of the readout whose weights are averaged over data streams",
        },
    ),
)
@checked
class ReadoutCurve:
    """Solve the equations of the online training of the readout of random features, for any mixture.

    The weights averaged over data streams are exact. The averaged error neglects correlations between the fluctuations
    of the weights along different eigenvectors of the features' second moment. This changes it by a few parts in a
    thousand. `feature_training` with the same parameters has the same features and mixture. Each step costs O(F).

    Attributes:
        features_per_dimension: F / D, with D the dimension of the mixture.
        schedule: times in steps / D; the readout starts at zero.
        seed: of the projection.
        activation: of the features.
        overlap_order: order of the feature covariance in the overlap of two projections.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", regime="mixed", sigma=1.0, dimension=50)
        >>> schedule = tl.Schedule(learning_rate=0.3, last_time=10_000, measurements=5)
        >>> theory = tl.readout_curve(mixture, schedule, features_per_dimension=2)
        >>> bool(theory.pmse[-1] > theory.mean_pmse[-1])
        True

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    features_per_dimension: Positive
    schedule: Schedule
    seed: Seed = 0
    activation: ActivationLike = "relu"
    overlap_order: Count = 4
