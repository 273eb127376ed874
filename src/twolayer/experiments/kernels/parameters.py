"""Parameters of the tasks on kernel regression of mixtures."""

from twolayer.errors import ConfigError
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.tasks import task
from twolayer.model.networks.names import KernelActivation, KernelName
from twolayer.parameters import Annotated, Bounds, Count, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

SphereDimension = Annotated[int, Bounds(at_least=3, at_most=10**6)]
_SMALLEST_NOISE = 1e-5  # of strong means


def _check_features(parameters):
    """Raise an error if numbers of random features are given for another kernel than `features`."""
    if parameters.features is not None and parameters.kernel != "features":
        raise ConfigError(
            f"features is given for the kernel {parameters.kernel!r}: leave it out, or use kernel 'features'"
        )


@task(
    "kernel_theory",
    result=Layout(
        {
            "sigma samples": "pmse class_error best_ridge effective_ridge",
            "sigma features": "feature_pmse? feature_class_error?",
            "sigma": "converged limit_pmse limit_class_error bayes_error",
            "": "input_dimension",
        },
        meanings={
            "feature_pmse": "half the mean squared error of random features with infinitely many samples",
            "feature_class_error": "class error of random features with infinitely many samples",
        },
    ),
)
@checked
class KernelTheory:
    """Solve the equations of kernel ridge regression on the paper's mixtures.

    The equations hold for a large input dimension D. Inputs are then on a sphere, and the kernel learns polynomials of
    the input, whose degree grows with the number of samples. If the means have length 1, a quadratic polynomial carries
    the labels. It needs samples of the order of D^2. Relative corrections are of the order of 1 / (D sigma^2) if the
    means have length 1, and 1 / D otherwise.

    Attributes:
        sigma: noise levels.
        samples: numbers n of training samples.
        input_dimension: D.
        features: numbers F of random features. The errors of their best readout with infinitely many samples are also
            computed; null for none. Only for the kernel `features`.
        kernel: `features` for infinitely many random features; `tangent` for the neural tangent kernel at
            initialisation; `first_layer` for the part of the tangent kernel from the first layer, which is the whole
            kernel with the learning rates of the papers.
        activation: activation of the units.
        ridge: added to the diagonal of the kernel matrix; null for the ridge with the least pmse.
        geometry: arrangement of the clusters: XOR in any regime, or three clusters in the low regime. In the high
            regime, means count as strong for sigma below 2, and as weak above.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=200)
        >>> theory = tl.kernel_theory(mixture, samples=[400, 2500], ridge=1e-3)
        >>> theory.pmse.round(3).values.tolist()
        [[0.665, 0.399]]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
        jacot2018: Jacot, Gabriel and Hongler, arXiv 1806.07572.
        bordelon2020: Bordelon, Canatar and Pehlevan, arXiv 2002.02561.
    """

    sigma: tuple[Positive, ...]
    samples: tuple[Count, ...]
    input_dimension: SphereDimension
    features: tuple[Count, ...] | None = None
    kernel: KernelName = "features"
    activation: KernelActivation = "relu"
    ridge: NonNegative | None = None
    geometry: Geometry = Geometry()

    def __post_init__(self):
        place = self.geometry
        xor = place.shape == "circle" and place.clusters_per_class == 2
        three = place.shape == "three_clusters" and place.regime == "low"
        if not (xor or three) or place.positive_fraction != 0.5 or place.spreads is not None:
            raise ConfigError(
                f"the mixture has shape {place.shape!r} in the {place.regime} regime: kernel_theory is for XOR, or for "
                "three clusters in the low regime, with equal classes and one noise; use kernel_regression"
            )
        if place.regime != "low" and min(self.sigma) < _SMALLEST_NOISE:
            raise ConfigError(
                f"sigma has {min(self.sigma):g}: with means of a length of sqrt D, kernel_theory needs at least "
                f"{_SMALLEST_NOISE:g}, because the modes within a cluster are below rounding errors"
            )
        _check_features(self)


@task(
    "kernel_regression",
    result=Layout(
        {
            "sigma samples seed": "pmse class_error",
            "sigma samples features seed": "feature_pmse? feature_class_error?",
            "sigma": "bayes_error bayes_error_sem?",
            "": "input_dimension",
        },
        labels={"seed": "seeds"},
        meanings={
            "feature_pmse": "half the mean squared error of ridge regression on random features of the same samples",
            "feature_class_error": "class error of ridge regression on random features of the same samples",
        },
    ),
)
@checked
class KernelRegression:
    """Run kernel ridge regression on samples of a mixture, and ridge regression on random features of these samples.

    Attributes:
        sigma: noise levels.
        samples: numbers n of training samples.
        input_dimension: D.
        features: numbers F of random features, whose regression uses the same samples and ridge; null for none. Only
            for the kernel `features`.
        kernel: as for `kernel_theory`.
        activation: activation of the units.
        ridge: added to the diagonal of the kernel matrix.
        seeds: number of independent sets of samples.
        test_samples: fresh samples of each set.
        seed: seed of samples and features.
        geometry: arrangement of the clusters.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=20)
        >>> runs = tl.kernel_regression(mixture, samples=[50], features=[100], seeds=3)
        >>> sorted(runs.feature_pmse.sizes.items())
        [('features', 1), ('samples', 1), ('seed', 3), ('sigma', 1)]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
        jacot2018: Jacot, Gabriel and Hongler, arXiv 1806.07572.
        bordelon2020: Bordelon, Canatar and Pehlevan, arXiv 2002.02561.
    """

    sigma: tuple[Positive, ...]
    samples: tuple[Count, ...]
    input_dimension: Count
    features: tuple[Count, ...] | None = None
    kernel: KernelName = "features"
    activation: KernelActivation = "relu"
    ridge: Positive = 1e-3
    seeds: Count = 5
    test_samples: Several = 4000
    seed: Seed = 0
    geometry: Geometry = Geometry()

    def __post_init__(self):
        _check_features(self)
