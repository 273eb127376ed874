"""Parameters of the tasks on Gaussian mixtures."""

from dataclasses import dataclass
from typing import Literal

from twolayer.config.parsing import Count, NonNegative, Positive, Seed
from twolayer.errors import ConfigError


@dataclass(frozen=True)
class MixtureSample:
    """Draw points of a circle mixture.

    Attributes:
        clusters_per_class: 2 is the XOR mixture.
        sigma: noise of a coordinate; the means have length 1, so 1/sigma is the signal-to-noise ratio.
        samples: points of each cluster.
        seed: of the draw.
    """

    sigma: Positive
    samples: Count
    seed: Seed
    clusters_per_class: Count = 2


@dataclass(frozen=True)
class FixedPointSweep:
    """Stationary states of online learning on the XOR mixture, continued in the noise level.

    Attributes:
        sigma: noise levels.
        start_sigma: noise level at which the continuation starts, one of `sigma` or any other.
        learning_rate, weight_decay: of online SGD.
        log2_nodes: binary logarithm of the number of Sobol points.
        seed: of the scrambling.
    """

    sigma: tuple[Positive, ...]
    seed: Seed
    start_sigma: Positive = 0.3
    learning_rate: Positive = 0.1
    weight_decay: NonNegative = 0.01
    log2_nodes: Count = 12


@dataclass(frozen=True)
class RandomFeatures:
    """Optimal linear readout of random features on the XOR mixture.

    Attributes:
        sigma: noise levels.
        input_dimension: D.
        features_per_dimension: F / D.
        projections: number of independent random projections.
        overlap_order: order of the feature covariance in the overlap of two projections; 1 is the paper's formula.
        simulated_sigma: noise levels at which a readout is also tried on fresh samples.
        simulated_samples: number of fresh samples.
        seed: of projections and samples.
    """

    sigma: tuple[Positive, ...]
    input_dimension: Count
    features_per_dimension: Positive
    projections: Count
    simulated_sigma: tuple[Positive, ...]
    simulated_samples: Count
    seed: Seed
    overlap_order: Count = 4


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


@dataclass(frozen=True)
class ImageMixture:
    """The mixture with one cluster for each of the ten classes of an image set.

    Attributes:
        dataset: the image set.
        ridge: added to the diagonal of the covariance, in units of the pixel variance.
    """

    dataset: Literal["mnist", "fashion-mnist"]
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
