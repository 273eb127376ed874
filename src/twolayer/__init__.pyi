# Written by `python -m twolayer.library.stub`.
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, overload

import xarray as xr
from numpy.typing import ArrayLike

from twolayer.errors import ConfigError as ConfigError
from twolayer.errors import DataError as DataError
from twolayer.errors import NotConverged as NotConverged
from twolayer.errors import ResultError as ResultError
from twolayer.errors import SmallSample as SmallSample
from twolayer.errors import TwolayerError as TwolayerError
from twolayer.errors import UnconvergedPoint as UnconvergedPoint
from twolayer.experiments.circle.parameters import Descent as Descent
from twolayer.experiments.data.parameters import FeatureMap as FeatureMap
from twolayer.experiments.equivalence.parameters import TeacherLearning as TeacherLearning
from twolayer.experiments.generated_images.parameters import ImageAxes as ImageAxes
from twolayer.experiments.learned_features.parameters import MixtureProblem as MixtureProblem
from twolayer.experiments.mixture_inputs.geometry import Geometry as Geometry
from twolayer.experiments.mixtures.parameters import Schedule as Schedule
from twolayer.experiments.mixtures.parameters import Student as Student
from twolayer.experiments.one_step.parameters import Axes as Axes
from twolayer.experiments.one_step.parameters import GradientSteps as GradientSteps
from twolayer.experiments.one_step.parameters import SpikedData as SpikedData
from twolayer.experiments.replica.parameters import ConvexProblem as ConvexProblem
from twolayer.experiments.teacher_student.parameters import Start as Start
from twolayer.experiments.teacher_student.parameters import Teacher as Teacher
from twolayer.io import read as read
from twolayer.io import write as write
from twolayer.library.feature_covariances import FeatureCovariances as FeatureCovariances
from twolayer.library.inputs import Inputs as Inputs
from twolayer.library.mixture import Mixture as Mixture
from twolayer.library.prediction import predict as predict
from twolayer.model.generators.custom_generators import Generator as Generator
from twolayer.model.networks.activations import Activation as Activation
from twolayer.pipeline.report.figure_data import figure as figure

__version__: str
__all__: list[str]

def bayes_error(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    log2_nodes: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Compute the least class error of any classifier, by quadrature over the inputs."""

def circle_descent(
    diffusion: xr.Dataset,
    flow: xr.Dataset,
    *,
    gamma: float,
    ridge: float,
    widths: Sequence[int],
    regularization: Literal["unbiased", "biased"] = "unbiased",
    power: float = 2.0,
    algorithm: Literal["varpro", "two_timescale"] = "varpro",
    samples: int = 4096,
    teacher_width: int = 4096,
    descent: Descent = ...,
    snapshots: Sequence[int] = ...,
    seeds: int,
    seed: int = 0,
    stream: Literal["own", "published"] = "own",
) -> xr.Dataset:
    """Train networks of relu features on the circle on the outputs of a teacher of relu features."""

def class_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Train classifiers of several Gaussian classes on samples, and compute their errors."""

def class_mixture(
    *,
    means: Sequence[Sequence[float]],
    labels: Sequence[int],
    sigma: float,
    weights: Sequence[float] | None = None,
    spreads: Sequence[float] | None = None,
    input_dimension: int | None = None,
) -> xr.Dataset:
    """Define a mixture of several classes, with the same noise in every direction."""

def class_replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Solve the replica equations of learning several classes of Gaussian clusters."""

def class_statistics(
    generator: xr.Dataset,
    *,
    classes: Sequence[int],
    samples: int = 1000000,
    examples: int = 16,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
) -> xr.Dataset:
    """Estimate the moments of two classes of generated images, and draw examples."""

def conditional_gan(
    images: str | Path | None = None,
    *,
    epochs: int = 50,
    batch_size: int = 64,
    learning_rate: float = 0.0002,
    hidden: int = 1024,
    channels: int = 128,
    dataset: Literal["mnist", "fashion-mnist"] = "fashion-mnist",
    stored: str | None = None,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Train a conditional generator on the training images of an image set."""

def conditional_outputs(
    *,
    sizes: Sequence[int],
    structures: int,
    samples: int,
    beta: float = 0.74,
    alpha: float = 0.5,
    penalty: float = 0.1,
    activations: Sequence[str | Callable] = ...,
    seeds: int,
    seed: int = 0,
) -> xr.Dataset:
    """Measure how Gaussian a network after one gradient step is for given inputs along the structure."""

@overload
def convex_learning(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
    *,
    gaussian_equivalent: bool = False,
    generator: Generator | xr.Dataset | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int | None = 10000,
) -> xr.Dataset:
    """Train estimators by a convex loss on samples of the given features, and compute their errors."""

@overload
def convex_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Train classifiers of several Gaussian classes on samples, and compute their errors."""

@overload
def convex_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Train estimators of the labels -1 and 1 of Gaussian clusters on samples, and compute their errors."""

def convolutional_generator(
    *,
    latent_size: int = 100,
    width: int = 64,
    doublings: int = 3,
    colours: int = 3,
    seed: int = 0,
) -> xr.Dataset:
    """Create a convolutional generator of images, with random weights."""

def data_learning(
    data: xr.Dataset,
    problem: ConvexProblem,
    *,
    distributions: Sequence[Literal["data", "classes", "labels", "one", "shuffled"]] = ...,
    seeds: int = 10,
    test_samples: int = 1000,
    fit_to_data: bool = False,
    seed: int = 0,
) -> xr.Dataset:
    """Train estimators by a convex loss on samples of a set and of its surrogates, and compute their errors."""

def data_mixture(
    data: xr.Dataset,
    *,
    gaussians: Literal["classes", "labels", "one"] = "labels",
) -> xr.Dataset:
    """Compute the mixture of Gaussians with the moments of a set, and one covariance for all Gaussians."""

def data_samples(
    images: str | Path | None = None,
    *,
    dataset: Literal["digits", "mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] | None = None,
    file: str | None = None,
    features: str | None = None,
    labels: str | None = None,
    leave_out: Sequence[str] | None = None,
    positive: Sequence[str] | None = None,
    threshold: float | None = None,
    size: int | None = None,
    drop_constant: bool = False,
    standardize: bool | None = None,
    map: FeatureMap = ...,
    seed: int = 0,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Read features and labels of custom data block by block, and estimate their covariances."""

def data_sgd(
    data: xr.Dataset,
    mixture: xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    seeds: int = 10,
    test_samples: int = 400,
    fit_to_data: bool = False,
    directions: int = 16,
    seed: int = 0,
) -> xr.Dataset:
    """Run online SGD on the samples of a set, each used once, and test it on other samples of the set."""

def dense_flow(
    *,
    dimension: int,
    couplings: int = 6,
    seed: int = 0,
) -> xr.Dataset:
    """Create a dense normalising flow with random weights."""

def dense_generator(
    *,
    widths: Sequence[int],
    activation: Literal["erf", "relu", "tanh", "sigmoid", "softplus", "sign", "linear"] = "erf",
    seed: int = 0,
) -> xr.Dataset:
    """Create a random network of dense layers with any activation; one layer is x = s(F c)."""

def equivalence_distance(
    *,
    sizes: Sequence[int],
    samples: int,
    cases: Sequence[Literal["generic", "few_latents", "localised", "low_rank", "aligned"]] = ...,
    latent_ratio: float = 0.5,
    hidden_units: int = 2,
    teacher_units: int = 2,
    seeds: int,
    seed: int = 0,
    directions: int = 64,
) -> xr.Dataset:
    """Measure the distance of pre-activations from a Gaussian at several sizes, for one layer of sign units."""

def escape_time(
    *,
    activation: str | Callable,
    dimension: int,
    learning_rate: float,
    last_time: float,
    second_layer: float = 1.0,
    noise: float = 0.0,
    threshold: float = 0.7071067811865476,
    overlaps: Sequence[float] = ...,
    starts: Sequence[float] | None = None,
    seeds: int = 100,
    seed: int = 0,
    step: float = 0.01,
) -> xr.Dataset:
    """Compute the times at which one unit on the sphere finds its teacher, which is also one unit."""

def feature_cloud(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
    features_per_dimension: float,
    samples: int,
    activation: str | Callable = "relu",
    seed: int = 0,
) -> xr.Dataset:
    """Draw points of a mixture, and apply random features to them."""

def feature_covariances(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    standardize: bool = False,
) -> xr.Dataset:
    """Estimate the covariances of custom features and labels from samples."""

def feature_density(
    descent: xr.Dataset,
    flow: xr.Dataset,
    *,
    iterations: Sequence[int],
    bandwidth: float,
    points: int,
) -> xr.Dataset:
    """Smooth the densities of the features of a network on the circle, and of its mean-field limit."""

def feature_readout(
    mixture: Mixture | xr.Dataset,
    *,
    features_per_dimension: Sequence[float],
    activation: str | Callable = "relu",
    projections: int = 3,
    simulated_samples: int = 10000,
    seed: int = 0,
    overlap_order: int = 4,
) -> xr.Dataset:
    """Compute the optimal linear readout of random features of any mixture, in theory and on fresh inputs."""

def feature_step(
    problem: MixtureProblem,
    *,
    steps: Sequence[float] = ...,
    overlap_order: int = 12,
) -> xr.Dataset:
    """Take one gradient step of the first layer on a mixture, fit the second layer, and compute the theory of both."""

def feature_training(
    mixture: Mixture | xr.Dataset,
    schedule: Schedule,
    *,
    features_per_dimension: float,
    activation: str | Callable = "relu",
    seeds: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Train the readout of random features of any mixture online."""

def fixed_point(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    simulated_sigma: Sequence[float] | None = None,
    student: Student = ...,
    start: Literal["xor", "student"] | None = None,
    start_sigma: float | None = None,
    learning_rate: float = 0.1,
    weight_decay: float = 0.01,
    reduced: bool = False,
    simulated_dimension: int | None = None,
    simulated_relaxations: float = 10.0,
    simulated_seeds: int = 10,
    log2_nodes: int | None = None,
    seed: int = 0,
) -> xr.Dataset:
    """Find the limit of online learning of an isotropic mixture, in theory, at each noise level."""

def frozen_features(
    data: SpikedData,
    axes: Axes,
    *,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    nodes: int | None = 100,
) -> xr.Dataset:
    """Compute in theory the errors of networks whose features neither spikes nor step change."""

def gaussian_equivalent_sgd(
    moments: xr.Dataset,
    learning: TeacherLearning,
    *,
    seeds: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Run online SGD of a student on Gaussian inputs with the moments of a generator."""

def gaussian_feature_covariances(
    *,
    dimension: int,
    exponent: float = 0.0,
) -> xr.Dataset:
    """Define Gaussian and independent features, which teacher and student share."""

def generated_feature_covariances(
    generator: Generator | xr.Dataset,
    *,
    features: int,
    samples: int,
    activation: str | Callable = "erf",
    seed: int = 0,
) -> xr.Dataset:
    """Estimate the covariances of random features of generated inputs, with a teacher of the latents."""

def generator_sgd(
    generator: Generator | xr.Dataset,
    moments: xr.Dataset,
    learning: TeacherLearning,
    *,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Run online SGD of a student on generated inputs, with a teacher that depends on the latents."""

def giant_step_limit(
    data: SpikedData,
    axes: Axes,
    *,
    width: float = 1.0,
    ridge: float = 0.0001,
    step_per_unit: float = 1.0,
    activations: Sequence[str | Callable] = ...,
    second_batches: Sequence[Literal["same", "fresh"]] | None = None,
) -> xr.Dataset:
    """Compute the errors after one step of a size of order k, for n, k and m large in proportion."""

def image_feature_covariances(
    images: str | Path,
    *,
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"],
    features: int,
    labels: Literal["classes", "pixels", "signs", "network"] = "classes",
    activation: str | Callable = "erf",
    seed: int = 0,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Compute the covariances of random features of real grey images, drawn from a set with replacement."""

def image_mixture(
    images: str | Path,
    *,
    dataset: Literal["mnist", "fashion-mnist"],
    clusters: Literal["classes", "labels"] = "classes",
    ridge: float = 1e-05,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Compute the mixture with the moments of an image set."""

def image_sweep(
    generator: xr.Dataset,
    statistics: xr.Dataset,
    axes: ImageAxes,
    *,
    samples: int,
    keep_means: bool = False,
    width: float = 1.0,
    step_exponent: float = 0.0,
    activations: Sequence[str | Callable] = ...,
    ridge: float = 0.0001,
    degree: int = 4,
    seeds: int = 10,
    seed: int = 0,
    nodes: int | None = 100,
    draws: Literal["fresh", "shared"] = "fresh",
) -> xr.Dataset:
    """Train networks by one gradient step on noisy images of two classes, and fit their Hermite models."""

def image_theory(
    generator: xr.Dataset,
    statistics: xr.Dataset,
    axes: ImageAxes,
    *,
    samples: int,
    keep_means: bool = False,
    width: float = 1.0,
    step_exponent: float = 0.0,
    activations: Sequence[str | Callable] = ...,
    ridge: float = 0.0001,
    images: int = 3000,
    seeds: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Compute in theory the errors after one gradient step on noisy images of two classes."""

def image_training(
    images: str | Path | None = None,
    *,
    optimizer: Literal["varpro", "sgd", "shampoo"],
    batch_size: int,
    learning_rate: float,
    momentum: float = 0.0,
    epochs: int = 100,
    final_epochs: int = 10,
    ridge: float = 0.001,
    dataset: Literal["cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    layers: Literal[8, 14, 20, 32] = 20,
    stored: str | None = None,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    half_precision: bool = False,
    tf32: bool = False,
    compiled: bool = False,
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Train a ResNet on CIFAR-10."""

def isotropic_inputs(
    *,
    dimension: int,
) -> xr.Dataset:
    """Define Gaussian inputs with the covariance 1 in every direction."""

def isotropic_mixture(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
) -> xr.Dataset:
    """Define a mixture with the same noise in every direction."""

def kernel_regression(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    samples: Sequence[int],
    input_dimension: int | None = None,
    features: Sequence[int] | None = None,
    kernel: Literal["features", "tangent", "first_layer"] = "features",
    activation: Literal["relu", "erf"] = "relu",
    ridge: float = 0.001,
    seeds: int = 5,
    test_samples: int = 4000,
    seed: int = 0,
) -> xr.Dataset:
    """Run kernel ridge regression on samples of a mixture, and ridge regression on random features of these samples."""

def kernel_theory(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    samples: Sequence[int],
    input_dimension: int | None = None,
    features: Sequence[int] | None = None,
    kernel: Literal["features", "tangent", "first_layer"] = "features",
    activation: Literal["relu", "erf"] = "relu",
    ridge: float | None = None,
) -> xr.Dataset:
    """Solve the equations of kernel ridge regression on the paper's mixtures."""

@overload
def learning_curve(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    mean_in_noise: bool = True,
    start: xr.Dataset | None = None,
    seed: int = 0,
    log2_nodes: int | None = None,
    drift_log2_nodes: int | None = None,
    tolerance: float | None = None,
) -> xr.Dataset:
    """Solve the equations of motion of online SGD on a mixture, for large N."""

@overload
def learning_curve(
    inputs: Inputs | xr.Dataset,
    student: Student,
    schedule: Schedule,
    teacher: Teacher,
    *,
    start: Start | None = None,
    second_layer_rate: float | None = None,
    second_layer_decay: float | None = None,
    weights: Literal["free", "sphere"] = "free",
    gradient_noise: Literal["full", "labels", "none"] = "full",
    log2_points: int = 12,
    seed: int = 0,
    tolerance: float = 1e-08,
    step: float | None = None,
    nodes: int | None = None,
) -> xr.Dataset:
    """Solve the equations of motion of a student of a teacher, for large N."""

def local_fields(
    generator: Generator | xr.Dataset,
    moments: xr.Dataset,
    *,
    samples: int = 20000,
    hidden_units: int = 2,
    teacher_units: int = 2,
    directions: int = 32,
    seeds: int = 5,
    seed: int = 0,
) -> xr.Dataset:
    """Measure the distance of the pre-activations of generic weights from Gaussian ones, on generated inputs."""

def mean_field_flow(
    *,
    gamma: float,
    ridge: Sequence[float],
    regularization: Sequence[Literal["unbiased", "biased"]] = ...,
    power: float = 2.0,
    descent: Descent = ...,
    harmonics: int = 64,
    quantiles: int = 1024,
) -> xr.Dataset:
    """Compute the mean-field limit of the descent on the circle, for each ridge and regularisation."""

def mixture_feature_covariances(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
    features_per_dimension: float,
    activation: str | Callable = "relu",
    ridge: float = 1e-06,
    seed: int = 0,
    overlap_order: int = 4,
) -> xr.Dataset:
    """Compute the covariances of random features of an isotropic mixture, centred, with its labels."""

def mixture_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Train estimators of the labels -1 and 1 of Gaussian clusters on samples, and compute their errors."""

def mixture_replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Solve the replica equations of learning the labels -1 and 1 of Gaussian clusters."""

def mixture_sample(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    samples: int,
    seed: int = 0,
) -> xr.Dataset:
    """Draw points of an isotropic mixture in the space of its means."""

def moments(
    generator: Generator | xr.Dataset,
    *,
    samples: int | None = None,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Compute the moments of the inputs from a generator, from samples or exactly."""

def named_generator(
    *,
    latent_size: int,
    module: str | None = None,
    architecture: Literal["convolutional", "dense_flow"] | None = None,
    weights: str | None = None,
    width: int = 64,
    doublings: int = 3,
    colours: int = 3,
    couplings: int = 6,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Load a custom generator: a torch module by its name, or weights of an architecture of this package."""

def one_step_simulation(
    data: SpikedData,
    axes: Axes,
    *,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    degree: int | None = None,
    steps: GradientSteps = ...,
    seeds: int = 10,
    seed: int = 0,
    nodes: int | None = 100,
    draws: Literal["fresh", "shared"] = "fresh",
    stream: Literal["independent", "published"] = "independent",
    precision: Literal["double", "single"] = "single",
) -> xr.Dataset:
    """Train networks by one gradient step, and fit their Hermite models, along one or more axes."""

def one_step_theory(
    data: SpikedData,
    axes: Axes,
    *,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    hermite: bool = False,
    degree: int | None = None,
    steps: GradientSteps = ...,
    seeds: int,
    seed: int,
    nodes: int | None = 100,
) -> xr.Dataset:
    """Compute in theory the errors after one gradient step, for steps and spikes of any size."""

@overload
def online_sgd(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    start: xr.Dataset | None = None,
    seeds: int = 10,
    seed: int = 0,
    log2_nodes: int = 14,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Run online SGD in N dimensions, over several draws of the data."""

@overload
def online_sgd(
    inputs: Inputs | xr.Dataset,
    student: Student,
    schedule: Schedule,
    teacher: Teacher,
    *,
    start: Start | None = None,
    second_layer_rate: float | None = None,
    second_layer_decay: float | None = None,
    weights: Literal["free", "sphere"] = "free",
    seed: int = 0,
    seeds: int = 10,
) -> xr.Dataset:
    """Run online SGD of a student of a teacher in N dimensions, over several draws of the data."""

def optimal_ridge(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
    *,
    minimise: Literal["excess", "class_error", "class_error_clean", "test_loss"] | None = None,
) -> xr.Dataset:
    """Find the ridge with the least error of an estimator in theory."""

def order_parameter_sgd(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    fresh_students: bool = False,
    success_error: float = 0.05,
    start: xr.Dataset | None = None,
    seeds: int = 10,
    seed: int = 0,
    log2_nodes: int = 12,
) -> xr.Dataset:
    """Run online SGD in its order parameters, at a cost independent of N."""

@overload
def phase_row(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    along: Literal["learning_rate", "weight_decay", "sigma", "dimension", "hidden_units"],
    values: Sequence[float],
    sigma: float | None = None,
    part: float = 0.05,
    success_error: float = 0.05,
    seeds: int = 10,
    seed: int = 0,
    log2_nodes: int = 8,
    measurements: int = 200,
) -> xr.Dataset:
    """Compute a row of a phase diagram of online learning, along one parameter."""

@overload
def phase_row(
    inputs: Inputs | xr.Dataset,
    student: Student,
    teacher: Teacher,
    *,
    along: Literal["kappa", "delta"],
    values: Sequence[float],
    times: Sequence[float],
    kappa: float = 0.0,
    delta: float = 0.0,
    learning_rate: float = 1.0,
    start: Start | None = None,
    seeds: int = 8,
    seed: int = 0,
    tolerance: float = 1e-08,
) -> xr.Dataset:
    """Run online learning of a committee whose width and learning rate scale with the dimension N."""

def plane_density(
    descent: xr.Dataset,
    *,
    iterations: Sequence[int],
    points: int = 200,
) -> xr.Dataset:
    """Smooth the densities of the features of a network on the torus, by a kernel of Scott's bandwidth."""

def projected_features(
    problem: MixtureProblem,
    *,
    iterations: int = 200,
    rate: float = 0.1,
) -> xr.Dataset:
    """Run variable projection of a network on the samples on which `feature_step` fits its second layers."""

def published_conditional_gan(
    images: str | Path,
    *,
    dataset: Literal["fashion-mnist"] = "fashion-mnist",
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Load the conditional generator that the authors trained on Fashion-MNIST, from the published file."""

def published_generator(
    images: str | Path,
    *,
    dataset: Literal["cifar-10-batches-bin"] = "cifar-10-batches-bin",
    seed: int = 0,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Load the convolutional generator that the authors trained on CIFAR-10, from the published file."""

def random_covariances(
    *,
    input_dimension: int,
    clusters_per_class: int = 5,
    seed: int = 0,
) -> xr.Dataset:
    """Draw a mixture with random means, and an independent random covariance for each cluster."""

def random_feature_covariances(
    *,
    latent_dimension: int,
    features: int,
    activation: str | Callable = "erf",
    degree: int = 1,
    seed: int = 0,
) -> xr.Dataset:
    """Compute the covariances of random features of the Gaussian latents of a teacher."""

def random_features(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    input_dimension: int | None = None,
    features_per_dimension: Sequence[float],
    simulated_sigma: Sequence[float] | None = None,
    activation: str | Callable = "relu",
    weight_scale: float = 1.0,
    projections: int = 3,
    simulated_samples: int = 10000,
    seed: int = 0,
    overlap_order: int = 4,
) -> xr.Dataset:
    """Compute the optimal linear readout of random features of an isotropic mixture."""

def random_mixture(
    *,
    input_dimension: int,
    clusters_per_class: int = 5,
    seed: int = 0,
) -> xr.Dataset:
    """Draw a mixture with random means and a random covariance."""

def readout_curve(
    mixture: Mixture | xr.Dataset,
    schedule: Schedule,
    *,
    features_per_dimension: float,
    activation: str | Callable = "relu",
    seed: int = 0,
    overlap_order: int = 4,
) -> xr.Dataset:
    """Solve the equations of the online training of the readout of random features, for any mixture."""

def readout_training(
    mixture: Mixture | xr.Dataset,
    schedule: Schedule,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
    features_per_dimension: float,
    activation: str | Callable = "relu",
    seeds: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Train the readout of random features of an isotropic mixture online."""

@overload
def replica(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
) -> xr.Dataset:
    """Solve the replica equations of learning by a convex loss, for infinitely many features."""

@overload
def replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Solve the replica equations of learning several classes of Gaussian clusters."""

@overload
def replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Solve the replica equations of learning the labels -1 and 1 of Gaussian clusters."""

def scaling_row(
    inputs: Inputs | xr.Dataset,
    student: Student,
    teacher: Teacher,
    *,
    along: Literal["kappa", "delta"],
    values: Sequence[float],
    times: Sequence[float],
    kappa: float = 0.0,
    delta: float = 0.0,
    learning_rate: float = 1.0,
    start: Start | None = None,
    seeds: int = 8,
    seed: int = 0,
    tolerance: float = 1e-08,
) -> xr.Dataset:
    """Run online learning of a committee whose width and learning rate scale with the dimension N."""

def sign_generator(
    *,
    widths: Sequence[int],
    seed: int = 0,
) -> xr.Dataset:
    """Create a random network of sign units."""

def sliced_maximum(
    *,
    sizes: Sequence[int],
    samples: int,
    cases: Sequence[Literal["generic", "few_latents", "localised", "low_rank", "smooth", "smooth_positive"]] = ...,
    latent_ratio: float = 0.5,
    hidden_units: int = 2,
    teacher_units: int = 2,
    seeds: int,
    seed: int = 0,
) -> xr.Dataset:
    """Find the combination of pre-activations that is farthest from a normal distribution, at several sizes."""

def teacher_curve(
    moments: xr.Dataset,
    learning: TeacherLearning,
    *,
    nodes: int | None = None,
    method: Literal["rk4", "euler"] = "rk4",
    step: float = 0.1,
    log2_samples: int = 12,
) -> xr.Dataset:
    """Solve the equations of motion of a student of a teacher, on generated inputs."""

def teacher_distribution(
    *,
    gamma: Sequence[float],
    samples: int = 200000,
    seed: int = 0,
    bins: int = 100,
    cells: int = 4096,
) -> xr.Dataset:
    """Compute the distribution of the teacher's features on the circle, and the teacher's signal."""

def teacher_student_curve(
    inputs: Inputs | xr.Dataset,
    student: Student,
    schedule: Schedule,
    teacher: Teacher,
    *,
    start: Start | None = None,
    second_layer_rate: float | None = None,
    second_layer_decay: float | None = None,
    weights: Literal["free", "sphere"] = "free",
    gradient_noise: Literal["full", "labels", "none"] = "full",
    log2_points: int = 12,
    seed: int = 0,
    tolerance: float = 1e-08,
    step: float | None = None,
    nodes: int | None = None,
) -> xr.Dataset:
    """Solve the equations of motion of a student of a teacher, for large N."""

def teacher_student_sgd(
    inputs: Inputs | xr.Dataset,
    student: Student,
    schedule: Schedule,
    teacher: Teacher,
    *,
    start: Start | None = None,
    second_layer_rate: float | None = None,
    second_layer_decay: float | None = None,
    weights: Literal["free", "sphere"] = "free",
    seed: int = 0,
    seeds: int = 10,
) -> xr.Dataset:
    """Run online SGD of a student of a teacher in N dimensions, over several draws of the data."""

def torus_descent(
    *,
    gamma: float | None,
    ridge: float,
    width: int,
    regularization: Literal["unbiased", "biased"] = "unbiased",
    samples: int = 4096,
    teacher_width: int = 4096,
    descent: Descent = ...,
    snapshots: Sequence[int] = ...,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    precision: Literal["single", "double"] = "single",
    verified: int = 3,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Train a network of exponential features on the torus on the outputs of a teacher of the same features."""

def torus_teacher(
    *,
    gamma: float,
    teacher_width: int = 4096,
    seed: int = 0,
    points: int = 200,
) -> xr.Dataset:
    """Draw the features of a teacher on the torus, and compute its outputs."""

def trained_error(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    sigma: Sequence[float] | None = None,
    input_dimension: int | None = None,
    rate_per_power: bool = False,
    seeds: int = 10,
    seed: int = 0,
    log2_nodes: int = 10,
) -> xr.Dataset:
    """Compute the final error of networks that learn online from random initial weights, at each noise level."""

def trained_flow(
    images: str | Path | None = None,
    *,
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    size: Literal[8, 16, 32] = 32,
    grey: bool = False,
    epochs: int = 25,
    batch_size: int = 128,
    stored: str | None = None,
    width: int = 16,
    blocks: int = 2,
    learning_rate: float = 0.001,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Train a normalising flow of images by maximum likelihood."""

def trained_generator(
    images: str | Path | None = None,
    *,
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    size: Literal[8, 16, 32] = 32,
    grey: bool = False,
    epochs: int = 25,
    batch_size: int = 128,
    stored: str | None = None,
    latent_size: int = 100,
    width: int = 64,
    learning_rate: float = 0.0002,
    discriminator_rate: float = 0.0002,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Train a convolutional generator against a discriminator."""

def two_timescale(
    inputs: ArrayLike,
    targets: ArrayLike,
    *,
    width: int = 200,
    activation: str | Callable = "relu",
    ridge: float = 0.01,
    regularization: Literal["unbiased", "biased"] = "biased",
    weights: Literal["sphere", "free"] = "sphere",
    constant: bool = True,
    descent: Descent = ...,
    power: float = 2.0,
    test_inputs: ArrayLike | None = None,
    test_targets: ArrayLike | None = None,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
) -> xr.Dataset:
    """Train a mean-field network with any features on custom data, on two timescales."""

def ultrafast_diffusion(
    *,
    gamma: float,
    power: float = 2.0,
    descent: Descent = ...,
    cells: int = 4096,
) -> xr.Dataset:
    """Compute the ultra-fast diffusion towards a teacher on the circle."""

def variable_projection(
    inputs: ArrayLike,
    targets: ArrayLike,
    *,
    width: int = 200,
    activation: str | Callable = "relu",
    ridge: float = 0.01,
    regularization: Literal["unbiased", "biased"] = "biased",
    weights: Literal["sphere", "free"] = "sphere",
    constant: bool = True,
    descent: Descent = ...,
    power: float = 2.0,
    test_inputs: ArrayLike | None = None,
    test_targets: ArrayLike | None = None,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
) -> xr.Dataset:
    """Train a mean-field network with any features on custom data, by variable projection."""
