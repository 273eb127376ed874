"""Parameters of the tasks on Gaussian mixtures."""

from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.parameters import MIXTURES
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import (
    Bounds,
    Count,
    Fraction,
    Log2,
    NonNegative,
    Positive,
    Seed,
    Several,
    checked,
    fill,
)
from twolayer.results.layout import Layout

_SIMULATED_DIMENSION = 2000
StepTolerance = Annotated[float, Bounds(at_least=1e-12, at_most=1e-2)]
STARTS = "order_parameter_sgd learning_curve fixed_point online_sgd"  # whose results hold Q, R and v, or weights


@checked
class Student:
    """A two-layer network at initialisation: all weights iid N(0, scale^2).

    Attributes:
        activation: of the hidden units.
        hidden_units: K.
        dimension: N; null takes the dimension of the mixture.
        scale: standard deviation of the initial weights.
        seed: of the initial weights.
        bias: whether hidden units have biases, which learn as the weights of an input that is always 1. It counts as
            one of the N, and is the last axis of R. Only for isotropic mixtures.
        start: `random`, or informed of the mixture: `xor`, where each of its clusters has units of its own.
        second_layer: `random`; `unit`, where all weights are 1; a number for all weights; or a number for each. To keep
            them, set train_second_layer to false.
    """

    activation: ActivationLike
    hidden_units: Count
    dimension: Count | None = None
    scale: Positive = 1.0
    seed: Seed = 0
    bias: bool = False
    start: Literal["random", "xor"] = "random"
    second_layer: float | tuple[float, ...] | Literal["random", "unit"] = "random"

    def __post_init__(self):
        if isinstance(self.second_layer, tuple) and len(self.second_layer) != self.hidden_units:
            raise ConfigError(
                f"second_layer of the student has {len(self.second_layer)} weights: give one number, or one for each "
                f"of its {self.hidden_units} units"
            )


def _check_dimension(student: Student, name: str, dimension: int) -> None:
    if student.dimension not in (None, dimension):
        raise ConfigError(f"dimension of the student is {student.dimension}, {name} {dimension}: make them equal")


@task(
    "fixed_point",
    result=Layout(
        {
            "sigma": "pmse pmse_sem class_error class_error_sem zero_probability bayes_error? bayes_error_sem? "
            "residual leading_eigenvalue flat_directions reduced_pmse? reduced_class_error?",
            "sigma unit other_unit": "Q",
            "sigma axis unit": "R",
            "sigma unit": "v flat_units",
            "closed_sigma": "closed_pmse? closed_pmse_sem? closed_class_error? closed_class_error_sem?",
            "closed_sigma seed": "simulated_pmse? simulated_class_error?",
            "": "input_dimension?",
        },
        labels={"closed_sigma": "simulated_sigma"},
    ),
)
@checked
class FixedPoints:
    """Where online learning of an isotropic mixture ends, in theory, followed over the noise level.

    Attributes:
        sigma: noise levels.
        simulated_sigma: noise levels at which the network also goes on learning, in simulations that start with all
            weights 10 % larger; null for none.
        student: activation, units, and initial weights where they are the start.
        start: of the flow to the first fixed point: `xor`, where every cluster of the XOR mixture has units of its own,
            or `student`, its initial weights. By default `xor` for the XOR mixture.
        start_sigma: noise level of the first fixed point, one of `sigma` or any other; by default 0.3 times the largest
            distance of a mean from the centre of all.
        simulated_dimension: N of the simulations; by default the dimension of the student, or 2000.
        simulated_relaxations: time of a simulation, in units of the time that the slowest mode takes to decay by a
            factor e; errors are averaged over its second half.
        simulated_seeds: number of the simulations.
        learning_rate, weight_decay: of online SGD.
        reduced: also solve the reduced equations that the authors' code has for four relu units on the XOR mixture, for
            comparison; they leave the noise of SGD out.
        log2_nodes: binary logarithm of the number of Sobol points of the equations; class errors take 16 times as many.
            By default 8 and 11 (points of class errors) for relu units, 10 and 15 for others.
        seed: of the scrambling and the simulations.
        geometry: where the clusters lie.
    """

    sigma: tuple[Positive, ...]
    simulated_sigma: tuple[Positive, ...] | None = None
    student: Student = Student("relu", 4)
    start: Literal["xor", "student"] | None = None
    start_sigma: Positive | None = None
    simulated_dimension: Count | None = None
    simulated_relaxations: Positive = 10.0
    simulated_seeds: Several = 10
    learning_rate: Positive = 0.1
    weight_decay: Positive = 0.01
    reduced: bool = False
    log2_nodes: Log2 | None = None
    seed: Seed = 0
    geometry: Geometry = Geometry()

    def __post_init__(self):
        is_xor, named = self._is_xor(), self.geometry == Geometry()
        if self.start == "xor" and not is_xor:
            raise ConfigError("start is 'xor', which is defined only for the XOR mixture: set it to 'student'")
        if self.reduced and not (named and self.student.hidden_units == 4 and not self.student.bias):
            raise ConfigError(
                "reduced is true: it is known for 4 units without biases on the XOR mixture, set it to false"
            )
        fill(self, start="xor" if is_xor else "student")
        fill(self, simulated_dimension=self.student.dimension or _SIMULATED_DIMENSION)
        _check_dimension(self.student, "simulated_dimension", self.simulated_dimension)

    def _is_xor(self):
        """Whether the mixture is XOR, whatever its coordinates and the order of its clusters."""
        from twolayer.experiments.mixture_inputs.shapes import build  # loads numpy
        from twolayer.model.mixtures.gaussian_mixtures import xor_axes

        dimension = self.simulated_dimension or self.student.dimension or _SIMULATED_DIMENSION
        return xor_axes(build(self.geometry, 1.0, dimension)) is not None


@task(
    "random_covariances",
    result=Layout(
        {
            "cluster coordinate": "means",
            "cluster": "labels weights",
            "cluster mode": "eigenvalues",
            "cluster coordinate mode": "bases",
        },
        meanings={"bases": "eigenvectors of the covariance of each cluster"},
    ),
)
@checked
class RandomCovariances:
    """A mixture with random means, and an independent random covariance for each cluster.

    The covariances do not commute. The equations of motion describe them in the space of the weights.

    Attributes:
        input_dimension: N.
        clusters_per_class: 1 or more.
        seed: of means and covariances.
    """

    input_dimension: Several
    seed: Seed = 0
    clusters_per_class: Count = 5


@checked
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
    inputs={"mixture": MIXTURES, "start?": STARTS},
    resumes=True,
    result=Layout(
        {
            "seed time": "pmse class_error zero_probability",
            "time": "quadrature_error",
            "seed time cluster unit": "M",
            "seed time unit": "v",
            "": "images?",
            "seed time unit other_unit": "field_covariance Q?",
            "seed time cluster unit other_unit": "cluster_covariance?",
            "seed unit input": "W",
        },
        meanings={"W": "first-layer weights at the last time, in the coordinates of the inputs"},
    ),
)
@checked
class OnlineSGD:
    """Learning curves of online SGD in N dimensions, over several draws of the data.

    The result holds the weights at the last time. `tl.predict` applies them to inputs, and `start` continues from them.

    Attributes:
        student, schedule: what learns, and how; all runs start from the same initial weights.
        seeds: number of independent data streams.
        seed: of the data streams.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.
    """

    student: Student
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    log2_nodes: Log2 = 14


@task(
    "order_parameter_sgd",
    inputs={"mixture": "isotropic_mixture", "start?": STARTS},
    result=Layout(
        {
            "seed time": "pmse class_error zero_probability",
            "time": "quadrature_error",
            "seed time cluster unit": "M",
            "seed time unit": "v",
            "seed time axis unit": "R",
            "seed": "success",
            "": "success_rate",
            "seed time unit other_unit": "field_covariance Q",
            "seed time cluster unit other_unit": "cluster_covariance?",
        },
    ),
)
@checked
class OrderParameterSGD:
    """Learning curves of online SGD from the chain of its order parameters, at a cost independent of N.

    It has the distribution of online SGD at any N, for isotropic mixtures.

    Attributes:
        student, schedule: what learns, and how; all runs start from the same initial weights, unless `fresh_students`.
        fresh_students: draw new initial weights for each run.
        success_error: class error at the last time below which a run is a success.
        seeds: number of independent runs.
        seed: of the runs.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.
    """

    student: Student
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    fresh_students: bool = False
    success_error: Fraction = 0.05
    log2_nodes: Log2 = 12


@task(
    "learning_curve",
    inputs={"mixture": MIXTURES, "start?": STARTS},
    result=Layout(
        {
            "time": "pmse pmse_sem class_error class_error_sem zero_probability",
            "time cluster unit": "M",
            "time unit": "v",
            "time axis unit": "R?",
            "time unit other_unit": "field_covariance Q?",
            "time cluster unit other_unit": "cluster_covariance?",
        },
    ),
)
@checked
class LearningCurve:
    """Learning curve of online SGD by the equations of motion of its order parameters, for large N.

    Attributes:
        student, schedule: what learns, and how; N sets the times and the initial weights.
        mean_in_noise: keep the squared mean of the inputs in the gradient noise; the paper's equations drop it.
        log2_nodes: binary logarithm of the number of Sobol points in each of two sets, for the classification error; by
            default 13, or 9 for relu units, which need fewer.
        drift_log2_nodes: binary logarithm of the number for the equations, where they have no closed form; by default
            it is raised until the error of pmse is 0.2 % or less, up to 13, or 11 for relu units.
        tolerance: relative error of a component in a step of the integration; by default 1e-7, or 1e-6 and 1e-4 where
            the equations rest on quadrature. The length of the steps follows from it.
        seed: of the scrambling.
    """

    student: Student
    schedule: Schedule
    seed: Seed = 0
    mean_in_noise: bool = True
    log2_nodes: Log2 | None = None
    drift_log2_nodes: Log2 | None = None
    tolerance: StepTolerance | None = None


@task(
    "trained_error",
    result=Layout(
        {
            "sigma seed": "class_error",
            "sigma": "best_class_error quadrature_error bayes_error? bayes_error_sem?",
        },
    ),
)
@checked
class TrainedError:
    """Where networks end that learn online from random initial weights, against the noise level.

    Attributes:
        sigma: noise levels.
        input_dimension: N; null takes the dimension of the student.
        student: drawn again for each run. schedule: learning rate and times; only the last time is measured.
        rate_per_power: divide the learning rate by the mean square of an input's coordinates, where strong inputs make
            SGD unstable.
        seeds: number of runs at each noise level.
        seed: of all runs.
        geometry: where the clusters lie.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.
    """

    sigma: tuple[Positive, ...]
    student: Student
    schedule: Schedule
    input_dimension: Count | None = None
    rate_per_power: bool = False
    seeds: Count = 10
    seed: Seed = 0
    geometry: Geometry = Geometry()
    log2_nodes: Log2 = 10

    def __post_init__(self):
        fill(self, input_dimension=self.student.dimension)
        if self.input_dimension is None:
            raise ConfigError("neither the student nor the mixture has a dimension: give it to one of them")
        _check_dimension(self.student, "input_dimension", self.input_dimension)


@task(
    "phase_row",
    result=Layout(
        {
            "value seed": "pmse class_error success diverged escape_time",
            "value": "quadrature_error escape_rate? median_escape_time? escape_probability?",
        },
        labels={"value": "values"},
    ),
)
@checked
class PhaseRow:
    """A row of a phase diagram: where online learning ends, and when it finds the means, along one parameter.

    A second layer that is kept is 1 and -1 in turns, and learning starts on the plateau that a network is on until it
    sees the means; theory then gives the rate at which it leaves that, and when. One that trains starts at random, as
    the first does. A run that diverges has an infinite error, and finds nothing.

    Attributes:
        along: the parameter that has the values; whatever is stated for it elsewhere does not count.
        values: of it.
        sigma: noise level. student: drawn again for each run. schedule: learning rate and times.
        part: fraction of tr Q (all squared weights) in tr R^T R (in the space of the means) when the means are found.
        success_error: class error at the last time below which a run is a success.
        seeds: number of runs at each value.
        seed: of all runs.
        geometry: where the clusters lie.
        log2_nodes: binary logarithm of the number of Sobol points, for the class error.
        measurements: times at which the weights are looked at.
    """

    along: Literal["learning_rate", "weight_decay", "sigma", "dimension", "hidden_units"]
    values: tuple[Positive, ...]
    sigma: Positive
    student: Student
    schedule: Schedule
    part: Fraction = 0.05
    success_error: Fraction = 0.05
    seeds: Several = 10
    seed: Seed = 0
    geometry: Geometry = Geometry()
    log2_nodes: Log2 = 8
    measurements: Several = 200

    def __post_init__(self):
        whole = self.along in ("dimension", "hidden_units")
        if whole and (odd := [value for value in self.values if value != round(value)]):
            raise ConfigError(f"values of {self.along} hold {odd[0]:g}: they are whole numbers")
        if self.along != "dimension" and self.student.dimension is None:
            raise ConfigError("the student has no dimension: give it one")
        if not self.schedule.train_second_layer:
            self._check_plateau()

    def _check_plateau(self):
        """That there is a plateau to start on, and no other start."""
        if self.student.bias:
            raise ConfigError("bias is true: a plateau is known without biases, or let train_second_layer be true")
        if self.geometry.spreads:
            raise ConfigError("spreads is given: a plateau is known for one noise, or let train_second_layer be true")
        if (self.student.start, self.student.second_layer) != ("random", "random"):
            raise ConfigError(
                "start or second_layer is not 'random', but learning starts on the plateau: leave both out, or let "
                "train_second_layer be true"
            )
