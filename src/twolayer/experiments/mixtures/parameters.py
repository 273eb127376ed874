"""Parameters of the tasks on Gaussian mixtures."""

from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.parameters import MIXTURES
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Bounds, Count, Fraction, Log2, NonNegative, Positive, Seed, Several, checked, fill
from twolayer.results.layout import Layout

_SIMULATED_DIMENSION = 2000
StepTolerance = Annotated[float, Bounds(at_least=1e-12, at_most=1e-2)]
STARTS = "order_parameter_sgd learning_curve fixed_point online_sgd"  # tasks whose results have Q, R and v, or weights


@checked
class Student:
    """A two-layer network at initialisation: all weights iid N(0, scale^2).

    Attributes:
        activation: activation of the hidden units.
        hidden_units: K.
        dimension: N; null selects the dimension of the mixture.
        scale: standard deviation of the initial weights.
        seed: seed of the initial weights.
        bias: whether hidden units have biases, which are learned like the weights of an input that is always 1. This
            input counts as one of the N, and is the last axis of R. Only for isotropic mixtures.
        start: `random`, or adapted to the mixture: with `xor`, each cluster of the XOR mixture has its own units,
            in any coordinates.
        second_layer: `random`; `unit`, all weights are 1; a number for all weights; or a number for each weight. To
            keep them constant, set train_second_layer to false.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.Student("relu", hidden_units=4, seed=1)
        Student(activation='relu', hidden_units=4, seed=1)
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
        raise ConfigError(f"the student has dimension {student.dimension}, but {name} is {dimension}: make them equal")


@task(
    "fixed_point",
    result=Layout(
        {
            "sigma": "converged pmse pmse_sem class_error class_error_sem zero_probability bayes_error? "
            "bayes_error_sem? residual leading_eigenvalue flat_directions reduced_pmse? reduced_class_error?",
            "sigma unit other_unit": "Q",
            "sigma axis unit": "R",
            "sigma unit": "v flat_units",
            "closed_sigma": "closed_converged? closed_pmse? closed_pmse_sem? closed_class_error? "
            "closed_class_error_sem?",
            "closed_sigma seed": "simulated_pmse? simulated_class_error?",
            "": "input_dimension?",
        },
        labels={"closed_sigma": "simulated_sigma"},
    ),
)
@checked
class FixedPoints:
    """Find the limit of online learning of an isotropic mixture, in theory, at each noise level.

    Attributes:
        sigma: noise levels.
        simulated_sigma: noise levels at which simulations of the network also continue learning, from weights that are
            10 % larger; null for none.
        student: activation, units, and initial weights if the flow starts from them.
        start: start of the flow to the first fixed point: `xor`, in which each cluster of the XOR mixture has its own
            units, or `student`, the initial weights. The default for the XOR mixture is `xor`.
        start_sigma: noise level of the first fixed point, one of `sigma` or another level; by default 0.3 times the
            largest distance of a mean from the centre of all means.
        simulated_dimension: N of the simulations; by default the dimension of the student, or 2000.
        simulated_relaxations: time of a simulation, in units of the time in which the slowest mode decays by a factor
            e; errors are averaged over its second half.
        simulated_seeds: number of simulations.
        learning_rate, weight_decay: parameters of online SGD.
        reduced: whether to solve also the reduced equations of the authors' code for four relu units on the XOR
            mixture, for comparison; they neglect the noise of SGD.
        log2_nodes: binary logarithm of the number of Sobol points of the equations; class errors use 16 times as many.
            The defaults are 8 and 11 (points of class errors) for relu units, 10 and 15 for others.
        seed: seed of the scrambling and the simulations.
        geometry: arrangement of the clusters.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.3)
        >>> found = tl.fixed_point(mixture, sigma=[0.3, 0.5])
        >>> found.class_error.round(3).values.tolist()
        [0.019, 0.149]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
                "reduced is true: the reduced equations need 4 units without biases and the XOR mixture: set it to "
                "false"
            )
        fill(self, start="xor" if is_xor else "student")
        fill(self, simulated_dimension=self.student.dimension or _SIMULATED_DIMENSION)
        _check_dimension(self.student, "simulated_dimension", self.simulated_dimension)

    def _is_xor(self):
        """Return whether the mixture is XOR, in any coordinates and any order of the clusters."""
        from twolayer.experiments.mixture_inputs.shapes import build  # loads numpy
        from twolayer.model.mixtures.gaussian_mixtures import xor_axes

        dimension = self.simulated_dimension or self.student.dimension or _SIMULATED_DIMENSION
        return xor_axes(build(self.geometry, 1.0, dimension)) is not None


@checked
class Schedule:
    """The learning rates of online learning, and the times of measurement.

    Attributes:
        learning_rate: learning rate of both layers (lr / N for the second).
        weight_decay: weight decay of both layers, in units of the learning rate.
        train_second_layer: if false, v keeps its initial value.
        first_time, last_time, measurements: log-spaced times, in steps / N; a further measurement is at t = 0.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.Schedule(learning_rate=0.5, last_time=100)
        Schedule(learning_rate=0.5, last_time=100.0)
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
    """Run online SGD in N dimensions, over several draws of the data.

    The result contains the weights at the last time. `tl.predict` applies them to inputs, and `start` continues from
    them.

    Attributes:
        student, schedule: network and training; all runs start from the same initial weights.
        seeds: number of independent data streams.
        seed: seed of the data streams.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=0.5, last_time=10)
        >>> runs = tl.online_sgd(mixture, student, schedule, seeds=3)
        >>> runs.class_error.mean("seed").sel(time=10, method="nearest").round(2).item()
        0.04

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
        }
    ),
)
@checked
class OrderParameterSGD:
    """Run online SGD in its order parameters, at a cost independent of N.

    The order parameters have the distribution of online SGD at any N, for isotropic mixtures.

    Attributes:
        student, schedule: network and training; all runs start from the same initial weights, unless `fresh_students`
            is true.
        fresh_students: draw new initial weights for each run.
        success_error: class error at the last time below which a run is a success.
        seeds: number of independent runs.
        seed: seed of the runs.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=0.5, last_time=10)
        >>> runs = tl.order_parameter_sgd(mixture, student, schedule, seeds=3)
        >>> runs.class_error.mean("seed").sel(time=10, method="nearest").round(2).item()
        0.04

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
        }
    ),
)
@checked
class LearningCurve:
    """Solve the equations of motion of online SGD on a mixture, for large N.

    Attributes:
        student, schedule: network and training; N sets the times and the initial weights.
        mean_in_noise: whether to keep the squared mean of the inputs in the gradient noise; the paper's equations
            neglect it.
        log2_nodes: binary logarithm of the number of Sobol points in each of four sets, for the classification error;
            by default 12, or 8 for relu units, which need fewer.
        drift_log2_nodes: binary logarithm of the number of points for the equations, if they have no closed form; by
            default it is raised until the error of pmse is 0.2 % or less, up to 13, or 11 for relu units.
        tolerance: relative error of a component in a step of the integration, which determines the length of the steps;
            by default 1e-7, or 1e-6 and 1e-4 if the equations need quadrature.
        seed: seed of the scrambling.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=0.5, last_time=10)
        >>> theory = tl.learning_curve(mixture, student, schedule)
        >>> theory.class_error.sel(time=[0, 10], method="nearest").round(3).values.tolist()
        [0.535, 0.039]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
            "sigma": "converged best_class_error quadrature_error bayes_error? bayes_error_sem?",
        }
    ),
)
@checked
class TrainedError:
    """Compute the final error of networks that learn online from random initial weights, at each noise level.

    Attributes:
        sigma: noise levels.
        input_dimension: N; null selects the dimension of the student.
        student: drawn again for each run. schedule: learning rate and times; only the last time is measured.
        rate_per_power: whether to divide the learning rate by the mean square of an input's coordinates, since strong
            inputs make SGD unstable.
        seeds: number of runs at each noise level.
        seed: seed of all runs.
        geometry: arrangement of the clusters.
        log2_nodes: binary logarithm of the number of Sobol points, for the classification error.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=0.5, last_time=20)
        >>> errors = tl.trained_error(mixture, student, schedule, sigma=[0.5, 1.0], seeds=3)
        >>> errors.best_class_error.round(2).values.tolist()
        [0.03, 0.17]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
            "value": "converged quadrature_error escape_rate? median_escape_time? escape_probability?",
        },
        labels={"value": "values"},
    ),
)
@checked
class PhaseRow:
    """Compute a row of a phase diagram of online learning, along one parameter.

    It has the final errors, and the times at which learning finds the means.

    A second layer that is kept has the weights 1 and -1 in alternation, and learning starts on the plateau before the
    network finds the means. Theory then gives the rate and the time of the escape from the plateau. A second layer that
    is trained starts at random, like the first layer. A run that diverges has an infinite error, and does not find the
    means.

    Attributes:
        along: the varied parameter, whose other settings are ignored.
        values: values of this parameter.
        sigma: noise level. student: drawn again for each run. schedule: learning rate and times.
        part: fraction of tr Q (all squared weights) in tr R^T R (in the space of the means) at which the means count as
            found.
        success_error: class error at the last time below which a run is a success.
        seeds: number of runs at each value.
        seed: seed of all runs.
        geometry: arrangement of the clusters.
        log2_nodes: binary logarithm of the number of Sobol points, for the class error.
        measurements: number of times at which the weights are measured.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.2, dimension=200)
        >>> student = tl.Student("relu", hidden_units=8, dimension=200)
        >>> schedule = tl.Schedule(learning_rate=0.5, last_time=50)
        >>> row = tl.phase_row(mixture, student, schedule, along="sigma", values=[0.2, 1.0], seeds=3)
        >>> row.success.mean("seed").values.tolist()
        [1.0, 0.0]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
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
            raise ConfigError(f"values of {self.along} contain {odd[0]:g}: give whole numbers")
        if self.along != "dimension" and self.student.dimension is None:
            raise ConfigError("the student has no dimension: give it a dimension")
        if not self.schedule.train_second_layer:
            self._check_plateau()

    def _check_plateau(self):
        """Check that there is a plateau on which learning can start, and that no other start is set."""
        if self.student.bias:
            raise ConfigError(
                "bias is true: the theory of the plateau is without biases: set it to false, or train_second_layer "
                "to true"
            )
        if self.geometry.spreads:
            raise ConfigError(
                "spreads is given: the theory of the plateau is for equal noise: leave it out, or set "
                "train_second_layer to true"
            )
        if (self.student.start, self.student.second_layer) != ("random", "random"):
            raise ConfigError(
                "start or second_layer is not 'random', but learning starts on the plateau: leave both out, or set "
                "train_second_layer to true"
            )
