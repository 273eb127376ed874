"""Parameters of the tasks on Gaussian mixtures."""

from dataclasses import dataclass
from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.parameters import Bounds, Count, Fraction, NonNegative, Positive, Seed
from twolayer.results.layout import Layout
from twolayer.tasks import task


@dataclass(frozen=True)
class Geometry:
    """Where the clusters of an isotropic mixture lie.

    Attributes:
        shape: `circle`, with labels alternating (two clusters per class are the XOR mixture); `three_clusters` on a
            line; or `own`, given by means (one row a cluster, orthonormal coordinates), labels (-1 or 1) and weights.
        clusters_per_class: of a circle.
        regime: of the signal-to-noise ratio; the means of the low one have length 1.
        positive_fraction: prior probability of label +1, where no weights are given.
    """

    shape: Literal["circle", "three_clusters", "own"] = "circle"
    clusters_per_class: Count = 2
    regime: Literal["low", "high", "mixed"] = "low"
    positive_fraction: Fraction = 0.5
    means: tuple[tuple[float, ...], ...] | None = None
    labels: tuple[Literal[-1, 1], ...] | None = None
    weights: tuple[NonNegative, ...] | None = None

    def __post_init__(self):
        given = [name for name in ("means", "labels", "weights") if getattr(self, name) is not None]
        if self.shape == "own" and len(given) < 3:
            raise ConfigError("shape is 'own': give means, labels and weights")
        if self.shape != "own" and given:
            raise ConfigError(f"{given[0]} is given, but shape is {self.shape!r}: set shape to 'own'")


@task(
    "isotropic_mixture",
    result=Layout(
        {
            "cluster axis": "means",
            "cluster": "labels weights",
            "": "variance input_dimension",
        },
    ),
)
@dataclass(frozen=True)
class IsotropicClusters:
    """A mixture with the same noise in every direction.

    Attributes:
        sigma: noise of a coordinate; in the low regime 1/sigma is the signal-to-noise ratio.
        input_dimension: N, of simulations in this mixture.
    """

    sigma: Positive
    input_dimension: Count
    geometry: Geometry = Geometry()


@task(
    "mixture_sample",
    result=Layout(
        {
            "cluster sample axis": "points",
            "cluster axis": "means",
            "cluster": "labels",
            "": "sigma",
        },
    ),
)
@dataclass(frozen=True)
class MixtureSample:
    """Points of an isotropic mixture in the space of its means.

    Attributes:
        samples: points of each cluster.
        seed: of the draw.
    """

    sigma: Positive
    samples: Count
    seed: Seed
    geometry: Geometry = Geometry()


@task(
    "fixed_point",
    result=Layout(
        {
            "sigma": "pmse pmse_sem class_error class_error_sem zero_probability oracle residual leading_eigenvalue",
            "sigma unit other_unit": "Q",
            "sigma axis unit": "R",
            "sigma unit": "v",
            "closed_sigma": "closed_pmse closed_pmse_sem closed_class_error closed_class_error_sem",
            "closed_sigma seed": "simulated_pmse simulated_class_error",
        },
        labels={"closed_sigma": "simulated_sigma"},
    ),
)
@dataclass(frozen=True)
class FixedPointSweep:
    """Stationary states of online learning with relu units, continued in the noise level.

    Attributes:
        sigma: noise levels.
        start_sigma: noise level at which the continuation starts, one of `sigma` or any other.
        hidden_units: K.
        learning_rate, weight_decay: of online SGD.
        log2_nodes: binary logarithm of the number of Sobol points.
        simulated_sigma: noise levels at which the network also goes on learning, in simulations that start there.
        simulated_dimension, simulated_time, simulated_seeds: N, time in steps / N, and number of these simulations.
        seed: of the scrambling and the simulations.
    """

    sigma: tuple[Positive, ...]
    simulated_sigma: tuple[Positive, ...]
    seed: Seed
    simulated_dimension: Count = 2000
    simulated_time: Positive = 500.0
    simulated_seeds: Annotated[int, Bounds(at_least=2)] = 10
    start_sigma: Positive = 0.3
    hidden_units: Count = 4
    learning_rate: Positive = 0.1
    weight_decay: Positive = 0.01
    log2_nodes: Count = 12


@task(
    "random_mixture",
    result=Layout(
        {
            "cluster mode": "means",
            "cluster": "labels weights",
            "mode": "eigenvalues",
        },
    ),
)
@dataclass(frozen=True)
class RandomMixture:
    """A mixture with random means and a random covariance.

    Attributes:
        input_dimension: N.
        clusters_per_class: 1 or more.
        seed: of means and covariance.
    """

    input_dimension: Count
    seed: Seed
    clusters_per_class: Count = 5


@task(
    "image_mixture",
    images=("train",),
    result=Layout(
        {
            "cluster mode": "means",
            "cluster": "labels weights",
            "mode": "eigenvalues",
            "": "images",
        },
    ),
)
@dataclass(frozen=True)
class ImageMixture:
    """The mixture with the moments of an image set.

    Attributes:
        dataset: the image set.
        clusters: one for each class of images, or one for each label (odd and even digits, Fashion-MNIST 0-4 and 5-9).
        ridge: added to the diagonal of the covariance, in units of the pixel variance.
    """

    dataset: Literal["mnist", "fashion-mnist"]
    clusters: Literal["classes", "labels"] = "classes"
    ridge: NonNegative = 1e-5


@dataclass(frozen=True)
class Student:
    """A two-layer network at initialisation: all weights iid N(0, scale^2).

    Attributes:
        activation: of the hidden units.
        hidden_units: K.
        scale: standard deviation of the initial weights.
        seed: of the initial weights.
    """

    activation: Literal["erf", "relu", "linear"]
    hidden_units: Count
    scale: Positive = 1.0
    seed: Seed = 0


@dataclass(frozen=True)
class Schedule:
    """How a student learns online, and when it is measured.

    Attributes:
        learning_rate: of both layers (lr / N for the second).
        weight_decay: of both layers, in units of the learning rate.
        train_second_layer: else v keeps its initial value.
        first_time, last_time, measurements: log-spaced times, in steps / N; t = 0 comes in addition.
    """

    learning_rate: Positive
    last_time: Positive
    first_time: Positive = 0.1
    measurements: Count = 40
    weight_decay: NonNegative = 0.0
    train_second_layer: bool = True

    def __post_init__(self):
        if self.first_time >= self.last_time:
            raise ConfigError(f"first_time is {self.first_time:g}: it must be below last_time, {self.last_time:g}")


@task(
    "online_sgd",
    inputs=("mixture",),
    result=Layout(
        {
            "seed time": "pmse class_error zero_probability",
            "seed time cluster unit": "M",
            "seed time unit": "v",
            "": "images?",
            "seed time unit other_unit": "field_covariance Q?",
        },
    ),
)
@dataclass(frozen=True)
class OnlineSGD:
    """Learning curves of online SGD in N dimensions, over several draws of the data.

    Attributes:
        student, schedule: see there; all runs start from the same initial weights.
        seeds: number of independent data streams.
        seed: of the data streams.
    """

    student: Student
    schedule: Schedule
    seeds: Count
    seed: Seed
    log2_nodes: Count = 14


@task(
    "order_parameter_chain",
    inputs=("mixture",),
    result=Layout(
        {
            "seed time": "pmse class_error zero_probability",
            "seed time cluster unit": "M",
            "seed time unit": "v",
            "seed time axis unit": "R",
            "seed": "success",
            "": "success_rate",
            "seed time unit other_unit": "field_covariance Q",
        },
    ),
)
@dataclass(frozen=True)
class OrderParameterChain:
    """The same learning curves in law, at a cost independent of N; for isotropic mixtures.

    Attributes:
        student, schedule: see there; all runs start from the same initial weights, unless `fresh_students`.
        fresh_students: draw new initial weights for each run.
        success_error: class error at the last time below which a run is a success.
        seeds: number of independent runs.
        seed: of the runs.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.
    """

    student: Student
    schedule: Schedule
    seeds: Count
    seed: Seed
    fresh_students: bool = False
    success_error: Fraction = 0.05
    log2_nodes: Count = 12


@task(
    "learning_curve",
    inputs=("mixture",),
    result=Layout(
        {
            "time": "pmse pmse_sem class_error class_error_sem zero_probability",
            "time cluster unit": "M",
            "time unit": "v",
            "time unit other_unit": "field_covariance Q?",
        },
    ),
)
@dataclass(frozen=True)
class LearningCurve:
    """The ordinary differential equations of the same learning curve.

    Attributes:
        student, schedule: as of the simulation.
        mean_in_noise: keep the squared mean of the inputs in the gradient noise; the paper's equations drop it.
        log2_nodes: binary logarithm of the number of Sobol points.
        seed: of the scrambling.
    """

    student: Student
    schedule: Schedule
    seed: Seed
    mean_in_noise: bool = True
    log2_nodes: Count = 14


@task(
    "trained_error",
    result=Layout(
        {
            "sigma seed": "class_error",
            "sigma": "best_class_error oracle? oracle_sem?",
        },
    ),
)
@dataclass(frozen=True)
class TrainedError:
    """Where networks end that learn online from random initial weights, against the noise level.

    Attributes:
        sigma: noise levels.
        input_dimension: N.
        student: drawn anew for each run. schedule: see there; only the last time is measured.
        seeds: number of runs at each noise level.
        seed: of all runs.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.
    """

    sigma: tuple[Positive, ...]
    input_dimension: Count
    student: Student
    schedule: Schedule
    seeds: Count
    seed: Seed
    geometry: Geometry = Geometry()
    log2_nodes: Count = 10
