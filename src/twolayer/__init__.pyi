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
from twolayer.experiments.circle.parameters import Descent as Descent
from twolayer.experiments.data.parameters import FeatureMap as FeatureMap
from twolayer.experiments.equivalence.parameters import TeacherLearning as TeacherLearning
from twolayer.experiments.features.parameters import MixtureProblem as MixtureProblem
from twolayer.experiments.mixture_inputs.geometry import Geometry as Geometry
from twolayer.experiments.mixtures.parameters import Schedule as Schedule
from twolayer.experiments.mixtures.parameters import Student as Student
from twolayer.experiments.one_step.parameters import Axes as Axes
from twolayer.experiments.one_step.parameters import GradientSteps as GradientSteps
from twolayer.experiments.one_step.parameters import ImageAxes as ImageAxes
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
    """The least class error of any classifier, by quadrature over the inputs."""

def circle_descent(
    diffusion: xr.Dataset,
    flow: xr.Dataset,
    *,
    gamma: float,
    ridge: float,
    widths: Sequence[int],
    seeds: int,
    seed: int = 0,
    regularization: Literal["unbiased", "biased"] = "unbiased",
    power: float = 2.0,
    algorithm: Literal["varpro", "two_timescale"] = "varpro",
    samples: int = 4096,
    teacher_width: int = 4096,
    stream: Literal["own", "published"] = "own",
    descent: Descent = ...,
    snapshots: Sequence[int] = ...,
) -> xr.Dataset:
    """Networks of relu features on the circle that learn from a teacher of relu features."""

def class_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Errors of classifiers of several Gaussian classes, trained on samples."""

def class_mixture(
    *,
    means: Sequence[Sequence[float]],
    labels: Sequence[int],
    sigma: float,
    weights: Sequence[float] | None = None,
    spreads: Sequence[float] | None = None,
    input_dimension: int | None = None,
) -> xr.Dataset:
    """A mixture of several classes, with the same noise in every direction."""

def class_replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
) -> xr.Dataset:
    """Errors of learning several classes of Gaussian clusters, in theory, with a bias."""

def class_statistics(
    generator: xr.Dataset,
    *,
    classes: Sequence[int],
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    samples: int = 1000000,
    examples: int = 16,
) -> xr.Dataset:
    """Moments of two classes of generated images, and examples of them."""

def conditional_gan(
    images: str | Path,
    *,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    epochs: int = 50,
    batch_size: int = 64,
    learning_rate: float = 0.0002,
    hidden: int = 1024,
    channels: int = 128,
    dataset: Literal["mnist", "fashion-mnist"] = "fashion-mnist",
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Training of a conditional generator on the training images of Fashion-MNIST."""

@overload
def convex_learning(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
    *,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int | None = 10000,
    gaussian_equivalent: bool = False,
    generator: Generator | xr.Dataset | None = None,
) -> xr.Dataset:
    """Errors of estimators that are trained by a convex loss on samples of these covariates."""

@overload
def convex_learning(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    dimension: int | None = None,
    seeds: int = 10,
    seed: int = 0,
    test_samples: int = 10000,
) -> xr.Dataset:
    """Errors of classifiers of several Gaussian classes, trained on samples."""

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
    """Errors of estimators of the labels -1 and 1 of Gaussian clusters, trained on samples."""

def convolutional_generator(
    *,
    seed: int = 0,
    latent_size: int = 100,
    width: int = 64,
    doublings: int = 3,
    colours: int = 3,
) -> xr.Dataset:
    """Convolutional generator of images, with random weights."""

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
    """Learning by a convex loss from samples of a set and from samples of its surrogates."""

def data_mixture(
    data: xr.Dataset,
    *,
    gaussians: Literal["classes", "labels", "one"] = "labels",
) -> xr.Dataset:
    """The mixture of Gaussians with the moments of a set, and one covariance for all Gaussians."""

def data_samples(
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
    images: str | Path | None = None,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Features and labels of custom data, read block by block, with their covariances."""

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
    """Learning curves of online SGD on the samples of a set, each used once, and the errors on other samples of it."""

def dense_flow(
    *,
    dimension: int,
    seed: int = 0,
    couplings: int = 6,
) -> xr.Dataset:
    """Dense normalising flow with random weights."""

def dense_generator(
    *,
    widths: Sequence[int],
    activation: Literal["erf", "relu", "tanh", "sigmoid", "softplus", "sign", "linear"] = "erf",
    seed: int = 0,
) -> xr.Dataset:
    """Random network of dense layers with any activation; one layer is x = s(F c)."""

def equivalence_distance(
    *,
    sizes: Sequence[int],
    samples: int,
    seeds: int,
    seed: int = 0,
    cases: Sequence[Literal["generic", "few_latents", "localised", "low_rank", "aligned"]] = ...,
    directions: int = 64,
    latent_ratio: float = 0.5,
    hidden_units: int = 2,
    teacher_units: int = 2,
) -> xr.Dataset:
    """The distance of pre-activations from a Gaussian at several sizes, on inputs of one layer of sign units."""

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
    """Times at which one unit on the sphere finds its teacher, which is also one unit, from random starts."""

def feature_cloud(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
    features_per_dimension: float,
    samples: int,
    seed: int = 0,
    activation: str | Callable = "relu",
) -> xr.Dataset:
    """A mixture after random features."""

def feature_covariances(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    standardize: bool = False,
) -> xr.Dataset:
    """Covariances of custom features and labels, estimated from samples."""

def feature_density(
    descent: xr.Dataset,
    flow: xr.Dataset,
    *,
    iterations: Sequence[int],
    bandwidth: float,
    points: int,
) -> xr.Dataset:
    """Smoothed densities of the features of a network on the circle, and of its mean-field limit."""

def feature_readout(
    mixture: Mixture | xr.Dataset,
    *,
    features_per_dimension: Sequence[float],
    projections: int = 3,
    simulated_samples: int = 10000,
    seed: int = 0,
    activation: str | Callable = "relu",
    overlap_order: int = 4,
) -> xr.Dataset:
    """Optimal linear readout of random features of any mixture: in closed form, and on fresh inputs."""

def feature_step(
    problem: MixtureProblem,
    *,
    steps: Sequence[float] = ...,
    overlap_order: int = 12,
) -> xr.Dataset:
    """One gradient step of the first layer on a mixture, ridge regression on other samples, and the theory of both."""

def feature_training(
    mixture: Mixture | xr.Dataset,
    schedule: Schedule,
    *,
    features_per_dimension: float,
    seeds: int = 10,
    seed: int = 0,
    activation: str | Callable = "relu",
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
    simulated_dimension: int | None = None,
    simulated_relaxations: float = 10.0,
    simulated_seeds: int = 10,
    learning_rate: float = 0.1,
    weight_decay: float = 0.01,
    reduced: bool = False,
    log2_nodes: int | None = None,
    seed: int = 0,
) -> xr.Dataset:
    """The limit of online learning of an isotropic mixture, in theory, followed over the noise level."""

def frozen_features(
    data: SpikedData,
    axes: Axes,
    *,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    nodes: int | None = 100,
) -> xr.Dataset:
    """Theory of the same errors if neither spikes nor step change the features, along one or more axes."""

def gaussian_equivalent_sgd(
    moments: xr.Dataset,
    learning: TeacherLearning,
    *,
    seeds: int = 10,
    seed: int = 0,
) -> xr.Dataset:
    """Learning curves of the same student by online SGD on Gaussian inputs with the generator's moments."""

def gaussian_feature_covariances(
    *,
    dimension: int,
    exponent: float = 0.0,
) -> xr.Dataset:
    """Gaussian and independent features, which teacher and student share."""

def generated_feature_covariances(
    generator: Generator | xr.Dataset,
    *,
    features: int,
    samples: int,
    seed: int = 0,
    activation: str | Callable = "erf",
) -> xr.Dataset:
    """Random features of generated inputs, with a teacher of the latents."""

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
    """Learning curves of a student by online SGD on generated inputs, with a teacher that depends on the latents."""

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
    """Theory of the errors after one step of a size of order k, for n, k and m large in proportion."""

def image_feature_covariances(
    images: str | Path,
    *,
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"],
    features: int,
    seed: int = 0,
    labels: Literal["classes", "pixels", "signs"] = "classes",
    activation: str | Callable = "erf",
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Random features of real grey images, drawn from a finite set of them with replacement."""

def image_mixture(
    images: str | Path,
    *,
    dataset: Literal["mnist", "fashion-mnist"],
    clusters: Literal["classes", "labels"] = "classes",
    ridge: float = 1e-05,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """The mixture with the moments of an image set."""

def image_sweep(
    generator: xr.Dataset,
    statistics: xr.Dataset,
    axes: ImageAxes,
    *,
    samples: int,
    seeds: int = 10,
    seed: int = 0,
    keep_means: bool = False,
    width: float = 1.0,
    step_exponent: float = 0.0,
    activations: Sequence[str | Callable] = ...,
    ridge: float = 0.0001,
    degree: int = 4,
    nodes: int | None = 100,
    draws: Literal["fresh", "shared"] = "fresh",
) -> xr.Dataset:
    """Errors of networks after one gradient step on noisy images of two classes, and of their Hermite models."""

def image_theory(
    generator: xr.Dataset,
    statistics: xr.Dataset,
    axes: ImageAxes,
    *,
    samples: int,
    seeds: int = 10,
    seed: int = 0,
    keep_means: bool = False,
    width: float = 1.0,
    step_exponent: float = 0.0,
    activations: Sequence[str | Callable] = ...,
    ridge: float = 0.0001,
    images: int = 3000,
) -> xr.Dataset:
    """Theory of the errors after one gradient step on noisy images of two classes, for each drawn first layer."""

def image_training(
    images: str | Path,
    *,
    optimizer: Literal["varpro", "sgd", "shampoo"],
    batch_size: int,
    learning_rate: float,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    momentum: float = 0.0,
    epochs: int = 100,
    final_epochs: int = 10,
    ridge: float = 0.001,
    dataset: Literal["cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    half_precision: bool = False,
    tf32: bool = False,
    layers: Literal[8, 14, 20, 32] = 20,
    compiled: bool = False,
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """ResNet-20, or ResNet-32, on CIFAR-10."""

def isotropic_inputs(
    *,
    dimension: int,
) -> xr.Dataset:
    """Gaussian inputs with the covariance 1 in every direction."""

def isotropic_mixture(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
) -> xr.Dataset:
    """A mixture with the same noise in every direction."""

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
    seed: int = 0,
    mean_in_noise: bool = True,
    log2_nodes: int | None = None,
    drift_log2_nodes: int | None = None,
    tolerance: float | None = None,
    start: xr.Dataset | None = None,
) -> xr.Dataset:
    """Learning curve of online SGD by the equations of motion of its order parameters, for large N."""

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
    seed: int = 0,
    gradient_noise: Literal["full", "labels", "none"] = "full",
    tolerance: float = 1e-08,
    step: float | None = None,
    nodes: int | None = None,
    log2_points: int = 12,
) -> xr.Dataset:
    """Learning curve of a student of a teacher by the equations of motion of the order parameters, for large N."""

def local_fields(
    generator: Generator | xr.Dataset,
    moments: xr.Dataset,
    *,
    samples: int = 20000,
    directions: int = 32,
    hidden_units: int = 2,
    teacher_units: int = 2,
    seeds: int = 5,
    seed: int = 0,
) -> xr.Dataset:
    """The distance of the pre-activations of generic weights from Gaussian ones, on the inputs of a generator."""

def mean_field_flow(
    *,
    gamma: float,
    ridge: Sequence[float],
    regularization: Sequence[Literal["unbiased", "biased"]] = ...,
    power: float = 2.0,
    harmonics: int = 64,
    quantiles: int = 1024,
    descent: Descent = ...,
) -> xr.Dataset:
    """The mean-field limit of the descent on the circle, for all combinations of ridge and regularisation."""

def mixture_feature_covariances(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    input_dimension: int | None = None,
    features_per_dimension: float,
    seed: int = 0,
    activation: str | Callable = "relu",
    overlap_order: int = 4,
    ridge: float = 1e-06,
) -> xr.Dataset:
    """Random features of an isotropic mixture, centred, with its labels."""

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
    """Errors of estimators of the labels -1 and 1 of Gaussian clusters, trained on samples."""

def mixture_replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Errors of learning the labels -1 and 1 of Gaussian clusters, in theory."""

def mixture_sample(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: float | None = None,
    samples: int,
    seed: int = 0,
) -> xr.Dataset:
    """Points of an isotropic mixture in the space of its means."""

def moments(
    generator: Generator | xr.Dataset,
    *,
    seed: int = 0,
    samples: int | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Moments of the inputs from a generator."""

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
    """A custom generator: a torch module by its name, or an architecture of this package with weights from a file."""

def one_step_simulation(
    data: SpikedData,
    axes: Axes,
    *,
    seeds: int = 10,
    seed: int = 0,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    degree: int | None = None,
    nodes: int | None = 100,
    draws: Literal["fresh", "shared"] = "fresh",
    stream: Literal["independent", "published"] = "independent",
    precision: Literal["double", "single"] = "single",
    steps: GradientSteps = ...,
) -> xr.Dataset:
    """Errors of networks after one gradient step, and of their Hermite models, along one or more axes."""

def one_step_theory(
    data: SpikedData,
    axes: Axes,
    *,
    seeds: int,
    seed: int,
    width: float = 1.0,
    ridge: float = 0.0001,
    activations: Sequence[str | Callable] = ...,
    hermite: bool = False,
    degree: int | None = None,
    nodes: int | None = 100,
    steps: GradientSteps = ...,
) -> xr.Dataset:
    """Theory of the errors after one gradient step, for steps and spikes of any size, for each drawn first layer."""

@overload
def online_sgd(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    seeds: int = 10,
    seed: int = 0,
    log2_nodes: int = 14,
    start: xr.Dataset | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Learning curves of online SGD in N dimensions, over several draws of the data."""

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
    """Learning curves of a student of a teacher by online SGD in N dimensions, over several draws of the data."""

def optimal_ridge(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
    *,
    minimise: Literal["excess", "class_error", "class_error_clean", "test_loss"] | None = None,
) -> xr.Dataset:
    """The ridge with the least error of an estimator in theory, with its errors."""

def order_parameter_sgd(
    mixture: Mixture | xr.Dataset,
    student: Student,
    schedule: Schedule,
    *,
    seeds: int = 10,
    seed: int = 0,
    fresh_students: bool = False,
    success_error: float = 0.05,
    log2_nodes: int = 12,
    start: xr.Dataset | None = None,
) -> xr.Dataset:
    """Learning curves of online SGD from SGD in its order parameters, at a cost independent of N."""

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
    """A row of a phase diagram of online learning, along one parameter."""

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
    """Online learning of a committee whose width and learning rate scale with the dimension N."""

def plane_density(
    descent: xr.Dataset,
    *,
    iterations: Sequence[int],
    points: int = 200,
) -> xr.Dataset:
    """Smoothed densities of the features of a network on the torus, by a Gaussian kernel of Scott's bandwidth."""

def projected_features(
    problem: MixtureProblem,
    *,
    iterations: int = 200,
    rate: float = 0.1,
) -> xr.Dataset:
    """Variable projection of a network on the samples on which `feature_step` fits its second layers."""

def published_conditional_gan(
    images: str | Path,
    *,
    dataset: Literal["fashion-mnist"] = "fashion-mnist",
    largest_gb: float | None = None,
) -> xr.Dataset:
    """The conditional generator that the authors trained on Fashion-MNIST, from the published file."""

def published_generator(
    images: str | Path,
    *,
    seed: int = 0,
    dataset: Literal["cifar-10-batches-bin"] = "cifar-10-batches-bin",
    largest_gb: float | None = None,
) -> xr.Dataset:
    """The convolutional generator that the authors trained on CIFAR-10, from the published file."""

def random_covariances(
    *,
    input_dimension: int,
    seed: int = 0,
    clusters_per_class: int = 5,
) -> xr.Dataset:
    """A mixture with random means, and an independent random covariance for each cluster."""

def random_feature_covariances(
    *,
    latent_dimension: int,
    features: int,
    seed: int = 0,
    activation: str | Callable = "erf",
    degree: int = 1,
) -> xr.Dataset:
    """Random features of the Gaussian latents of a teacher."""

def random_features(
    mixture: Mixture | xr.Dataset,
    *,
    sigma: Sequence[float] | None = None,
    input_dimension: int | None = None,
    features_per_dimension: Sequence[float],
    projections: int = 3,
    simulated_sigma: Sequence[float] | None = None,
    simulated_samples: int = 10000,
    seed: int = 0,
    activation: str | Callable = "relu",
    overlap_order: int = 4,
    weight_scale: float = 1.0,
) -> xr.Dataset:
    """Optimal linear readout of random features."""

def random_mixture(
    *,
    input_dimension: int,
    seed: int = 0,
    clusters_per_class: int = 5,
) -> xr.Dataset:
    """A mixture with random means and a random covariance."""

def readout_curve(
    mixture: Mixture | xr.Dataset,
    schedule: Schedule,
    *,
    features_per_dimension: float,
    seed: int = 0,
    activation: str | Callable = "relu",
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
    seeds: int = 10,
    seed: int = 0,
    activation: str | Callable = "relu",
) -> xr.Dataset:
    """Train the readout of random features online."""

@overload
def replica(
    feature_covariances: FeatureCovariances | xr.Dataset,
    problem: ConvexProblem,
) -> xr.Dataset:
    """Errors of learning by a convex loss in theory, for infinitely many features of these covariances."""

@overload
def replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
) -> xr.Dataset:
    """Errors of learning several classes of Gaussian clusters, in theory, with a bias."""

@overload
def replica(
    mixture: Mixture | xr.Dataset,
    problem: ConvexProblem,
    *,
    bias: bool = True,
) -> xr.Dataset:
    """Errors of learning the labels -1 and 1 of Gaussian clusters, in theory."""

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
    """Online learning of a committee whose width and learning rate scale with the dimension N."""

def sign_generator(
    *,
    widths: Sequence[int],
    seed: int = 0,
) -> xr.Dataset:
    """Random network of sign units."""

def sliced_maximum(
    *,
    sizes: Sequence[int],
    samples: int,
    seeds: int,
    seed: int = 0,
    cases: Sequence[Literal["generic", "few_latents", "localised", "low_rank", "smooth", "smooth_positive"]] = ...,
    latent_ratio: float = 0.5,
    hidden_units: int = 2,
    teacher_units: int = 2,
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
    """Learning curve by the equations of motion, of a student of a teacher, on generated inputs."""

def teacher_distribution(
    *,
    gamma: Sequence[float],
    seed: int = 0,
    samples: int = 200000,
    bins: int = 100,
    cells: int = 4096,
) -> xr.Dataset:
    """The distribution of the teacher's features on the circle, and the teacher's signal."""

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
    seed: int = 0,
    gradient_noise: Literal["full", "labels", "none"] = "full",
    tolerance: float = 1e-08,
    step: float | None = None,
    nodes: int | None = None,
    log2_points: int = 12,
) -> xr.Dataset:
    """Learning curve of a student of a teacher by the equations of motion of the order parameters, for large N."""

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
    """Learning curves of a student of a teacher by online SGD in N dimensions, over several draws of the data."""

def torus_descent(
    *,
    gamma: float | None,
    ridge: float,
    width: int,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    regularization: Literal["unbiased", "biased"] = "unbiased",
    samples: int = 4096,
    teacher_width: int = 4096,
    precision: Literal["single", "double"] = "single",
    descent: Descent = ...,
    snapshots: Sequence[int] = ...,
    verified: int = 3,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """A network of exponential features on the torus that learns from a teacher of exponential features."""

def torus_teacher(
    *,
    gamma: float,
    seed: int = 0,
    teacher_width: int = 4096,
    points: int = 200,
) -> xr.Dataset:
    """The features of a teacher on the torus, and its outputs."""

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
    """The final error of networks that learn online from random initial weights, against the noise level."""

def trained_flow(
    images: str | Path,
    *,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    size: Literal[8, 16, 32] = 32,
    grey: bool = False,
    epochs: int = 25,
    batch_size: int = 128,
    width: int = 16,
    blocks: int = 2,
    learning_rate: float = 0.001,
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Training of a normalising flow of images by maximum likelihood."""

def trained_generator(
    images: str | Path,
    *,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin",
    size: Literal[8, 16, 32] = 32,
    grey: bool = False,
    epochs: int = 25,
    batch_size: int = 128,
    latent_size: int = 100,
    width: int = 64,
    learning_rate: float = 0.0002,
    discriminator_rate: float = 0.0002,
    largest_gb: float | None = None,
    checkpoint: str | Path | None = None,
) -> xr.Dataset:
    """Training of a convolutional generator against a discriminator."""

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
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    power: float = 2.0,
    test_inputs: ArrayLike | None = None,
    test_targets: ArrayLike | None = None,
) -> xr.Dataset:
    """Descent of a mean-field network with any features on custom data, on two timescales."""

def ultrafast_diffusion(
    *,
    gamma: float,
    cells: int = 4096,
    power: float = 2.0,
    descent: Descent = ...,
) -> xr.Dataset:
    """The ultra-fast diffusion towards a teacher on the circle."""

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
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    power: float = 2.0,
    test_inputs: ArrayLike | None = None,
    test_targets: ArrayLike | None = None,
) -> xr.Dataset:
    """Descent of a mean-field network with any features on custom data, by variable projection."""
