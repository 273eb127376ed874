"""Parameters of the tasks on a student that learns from a teacher."""

import itertools
from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Schedule, Student
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Bounds, Count, Fraction, Log2, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout
from twolayer.results.teacher_layouts import CURVE, CURVE_MEANINGS, OVERLAPS, RUNS

MOST_STEPS = 1e11  # steps of a run; more take days
INPUTS = "isotropic_inputs moments"  # the tasks that create them
_PMSE = {"pmse": "half the mean squared error, without label noise"}
_UNITS = {"time": "steps / N"} | dict.fromkeys(("pmse", "pmse_compression", "pmse_sem", "Q", "R", "T", "v"), "1")

Row = tuple[float, ...]
Matrix = tuple[Row, ...]


@task("isotropic_inputs", result=Layout({"": "input_dimension"}))
@checked
class IsotropicInputs:
    """Define Gaussian inputs with the covariance 1 in every direction.

    Attributes:
        dimension: N.

    Example:
        >>> import twolayer as tl
        >>> inputs = tl.isotropic_inputs(dimension=100)
        >>> int(inputs.input_dimension)
        100

    References:
        saad1995: Saad and Solla, Physical Review E 52.
        riegler1995: Riegler and Biehl, Journal of Physics A 28.
    """

    dimension: Count


@checked
class Teacher:
    """A two-layer network that defines the labels: sum_m A_m h(B_m . x / sqrt N) + noise z.

    Attributes:
        activation: h, the activation of the hidden units.
        hidden_units: M.
        second_layer: A, one number for all units or one number for each.
        noise: standard deviation of the noise of the labels.
        seed: seed of the first layer B, whose weights are N(0, 1) unless the start sets them.

    Raises:
        ConfigError: a value is not allowed, or second_layer has another length than hidden_units.

    Example:
        >>> import twolayer as tl
        >>> tl.Teacher("erf", hidden_units=4, second_layer=0.25, noise=1e-3).second_layer
        0.25
    """

    activation: ActivationLike
    hidden_units: Count
    second_layer: float | Row = 1.0
    noise: NonNegative = 0.0
    seed: Seed = 0

    def __post_init__(self):
        if isinstance(self.second_layer, tuple) and len(self.second_layer) != self.hidden_units:
            raise ConfigError(
                f"second_layer of the teacher has {len(self.second_layer)} weights: give one number, or one for each "
                f"of its {self.hidden_units} units"
            )


@checked
class Start:
    """The initial condition of learning: order parameters, weights, or weights that overlap with the teacher.

    Attributes:
        Q: (K, K) covariance of the student's pre-activations.
        R: (K, M) covariance of the student's and the teacher's pre-activations.
        T: (M, M) covariance of the teacher's pre-activations; null means the identity.
        v: (K,) second layer; null selects the second layer of the student.
        W: (K, N) first layer of the student.
        B: (M, D) first layer of the teacher. null draws it at random.
        overlap: a, from -1 to 1, in w_k = a B_m + sqrt(1 - a^2) z, with m = k modulo M and the drawn weights z.

    Raises:
        ConfigError: order parameters and weights are given, or one of Q and R is missing.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> tl.Start(Q=np.eye(2), R=[[0.1], [0.2]]).R
        ((0.1,), (0.2,))
    """

    Q: Matrix | None = None
    R: Matrix | None = None
    T: Matrix | None = None
    v: Row | None = None
    W: Matrix | None = None
    B: Matrix | None = None
    overlap: Annotated[float, Bounds(at_least=-1, at_most=1)] | None = None

    def __post_init__(self):
        if (self.Q is None) != (self.R is None) or (self.T is not None and self.Q is None):
            raise ConfigError("Q and R belong together in start: give both, and T if it is not the identity")
        if self.Q is not None and (self.W, self.B, self.overlap) != (None, None, None):
            raise ConfigError("start has both order parameters and weights: give Q and R, or W, B or overlap")
        if self.W is not None and self.overlap is not None:
            raise ConfigError("start has both W and overlap: give one of them")


@checked
class _TeacherStudent:
    """The parameters that theory and simulation share."""

    student: Student
    schedule: Schedule
    teacher: Teacher
    start: Start | None = None
    second_layer_rate: NonNegative | None = None
    second_layer_decay: NonNegative | None = None
    weights: Literal["free", "sphere"] = "free"
    seed: Seed = 0

    def __post_init__(self):
        unknown = {"bias": self.student.bias, "start": self.student.start != "random"}
        for name, stated in unknown.items():
            if stated:
                raise ConfigError(f"{name} of the student is defined only for mixtures: leave it out")
        if not self.schedule.train_second_layer and self.second_layer_rate:
            raise ConfigError("second_layer_rate is given, but train_second_layer is false: leave out one of them")


@task(
    "teacher_student_curve",
    inputs={"inputs": INPUTS},
    function="learning_curve",
    result=Layout(CURVE, meanings=CURVE_MEANINGS | _PMSE, units=_UNITS),
)
@checked
class TeacherStudentCurve(_TeacherStudent):
    """Solve the equations of motion of a student of a teacher, for large N.

    Averages of erf, relu and polynomial units have closed forms, except for a relu student of a polynomial teacher and
    for a polynomial student of another teacher. All other averages are computed at quasi-random points. The number of
    points doubles until pmse changes by less than 1 %.

    Attributes:
        student, schedule, teacher: student, training and teacher.
        start: order parameters {"Q": ..., "R": ...} or weights {"W": ..., "B": ...}; null draws all weights.
        second_layer_rate: learning rate of the second layer, per N steps; null uses the schedule.
        second_layer_decay: weight decay of the second layer, in units of its rate; null uses the schedule.
        weights: `sphere` keeps the norm of each row of the first layer.
        gradient_noise: `full` is SGD; `none` is gradient flow; `labels` keeps only the noise from noisy labels.
        tolerance: relative tolerance of the integration on isotropic inputs.
        step: largest step in time, for inputs with a covariance; null means 0.05, or 0.1 if averages have no closed
            form, and a smaller step if the fastest mode requires it.
        nodes: number of nodes that replace the modes of the covariance; null keeps all modes.
        log2_points: binary logarithm of the first number of points.
        seed: seed of the points.

    Example:
        >>> import twolayer as tl
        >>> student = tl.Student("linear", hidden_units=1, second_layer=1.0)
        >>> schedule = tl.Schedule(learning_rate=0.5, last_time=100, train_second_layer=False)
        >>> teacher = tl.Teacher("linear", hidden_units=1, noise=0.1)
        >>> theory = tl.learning_curve(tl.Inputs(dimension=500), student, schedule, teacher=teacher)
        >>> float(theory.pmse[-1].round(6))  # learning_rate noise^2 / (4 - 2 learning_rate)
        0.001667

    References:
        saad1995: Saad and Solla, Physical Review E 52.
        riegler1995: Riegler and Biehl, Journal of Physics A 28.
    """

    gradient_noise: Literal["full", "labels", "none"] = "full"
    tolerance: Annotated[float, Bounds(at_least=1e-13, at_most=1e-2)] = 1e-8
    step: Positive | None = None
    nodes: Annotated[int, Bounds(at_least=4)] | None = None
    log2_points: Log2 = 12


@task(
    "teacher_student_sgd",
    inputs={"inputs": INPUTS},
    function="online_sgd",
    result=Layout({"seed time": "pmse"} | RUNS, meanings=OVERLAPS | _PMSE, units=_UNITS),
)
@checked
class TeacherStudentSGD(_TeacherStudent):
    """Run online SGD of a student of a teacher in N dimensions, over several draws of the data.

    Attributes:
        student, schedule, teacher: student, training and teacher.
        start: order parameters {"Q": ..., "R": ...} or weights {"W": ..., "B": ...}; null draws all weights.
        second_layer_rate: learning rate of the second layer, per N steps; null uses the schedule.
        second_layer_decay: weight decay of the second layer, in units of its rate; null uses the schedule.
        weights: `sphere` keeps the norm of each row of the first layer.
        seeds: number of independent data streams; all runs start from the same weights.
        seed: seed of the data streams.

    Example:
        >>> import twolayer as tl
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=0.5, last_time=2)
        >>> start = {"Q": [[1, 0], [0, 1]], "R": [[0.1], [0.2]]}
        >>> teacher = tl.Teacher("erf", hidden_units=1)
        >>> runs = tl.online_sgd(tl.Inputs(dimension=100), student, schedule, teacher=teacher, start=start, seeds=3)
        >>> runs.R[:, 0, :, 0].values.round(6).tolist()
        [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]]

    References:
        saad1995: Saad and Solla, Physical Review E 52.
        riegler1995: Riegler and Biehl, Journal of Physics A 28.
    """

    seeds: Count = 10


@task(
    "scaling_row",
    inputs={"inputs": "isotropic_inputs"},
    function="phase_row",
    result=Layout(
        {
            "value time": "pmse_theory pmse_theory_sem pmse_limit pmse_limit_sem",
            "value seed time": "pmse",
            "value": "converged exponent ratio time_unit hidden_units",
        },
        labels={"value": "values", "time": "times", "seed": "seeds"},
        meanings=_PMSE
        | {
            "pmse_theory": "half the mean squared error by the equations of motion at this dimension",
            "pmse_theory_sem": "change of pmse_theory with half the points, 0 in closed form",
            "pmse_limit": "half the mean squared error in the limit of large dimension",
            "pmse_limit_sem": "change of pmse_limit with half the points, 0 in closed form",
            "converged": "1 if the equations hold and converge, 0 if the values are NaN",
            "exponent": "kappa + delta",
            "ratio": "learning rate over hidden units, rho",
            "time_unit": "scaled time over steps / N",
            "hidden_units": "number K of hidden units of the student",
            "time": "scaled time: rho steps / N for kappa + delta above 0, rho^2 steps / N below 0, steps / N at 0",
            "value": "value of kappa or delta",
        },
    ),
)
@checked
class ScalingRow:
    """Run online learning of a committee whose width and learning rate scale with the dimension N.

    The student has K = K_0 N^kappa units with the second layer 1 / K and learns at the rate gamma_0 N^-delta. The sum
    kappa + delta defines the regime: gradient flow above 0, the noise of SGD next to the drift at 0, and only the noise
    between -1/2 and 0. Equations of motion do not hold at -1/2 and below; such values are NaN. Averages without a
    closed form are computed at quasi-random points, as in `teacher_student_curve`.

    Attributes:
        along: the varied exponent. values: values of this exponent.
        student: student with K_0 hidden units; its second layer is 1 / K. teacher: its teacher.
        times: scaled times, increasing.
        kappa: exponent of the width. delta: exponent of the learning rate. `along` replaces one of them.
        learning_rate: gamma_0.
        start: order parameters {"Q": ..., "R": ...} or weights; null draws all weights.
        seeds: number of runs of SGD in order parameters at each value, all from the same start.
        seed: seed of the runs.
        tolerance: relative tolerance of the integration.

    Example:
        >>> import twolayer as tl
        >>> student, teacher = tl.Student("erf", hidden_units=4), tl.Teacher("erf", hidden_units=2, second_layer=0.5)
        >>> inputs, row = tl.Inputs(dimension=300), {"along": "delta", "values": [-0.2, 0.2], "times": [0, 1]}
        >>> row = tl.phase_row(inputs, student, teacher=teacher, seeds=2, **row)
        >>> row.exponent.values.tolist()
        [-0.2, 0.2]

    References:
        veiga2022: Veiga et al., arXiv 2202.00293.
    """

    along: Literal["kappa", "delta"]
    values: tuple[Annotated[float, Bounds(at_least=-3, at_most=3)], ...]
    student: Student
    teacher: Teacher
    times: tuple[NonNegative, ...]
    kappa: Annotated[float, Bounds(at_least=-3, at_most=3)] = 0.0
    delta: Annotated[float, Bounds(at_least=-3, at_most=3)] = 0.0
    learning_rate: Positive = 1.0
    start: Start | None = None
    seeds: Several = 8
    seed: Seed = 0
    tolerance: Annotated[float, Bounds(at_least=1e-13, at_most=1e-2)] = 1e-8

    def __post_init__(self):
        if any(later <= earlier for earlier, later in itertools.pairwise(self.times)):
            raise ConfigError("times do not increase: sort them, and give each time once")
        if self.start is not None and self.start.v is not None:
            raise ConfigError("start has v, but the second layer is 1 / K: leave v out")


@task(
    "escape_time",
    result=Layout(
        {
            "seed": "start ode_time sde_time sgd_time",
            "overlap": "drift drift_sem flow_drift flow_drift_sem diffusion diffusion_sem",
        },
        labels={"seed": "seeds", "overlap": "overlaps"},
        meanings={
            "start": "overlap m of the unit and its teacher at the start",
            "ode_time": "time of escape without the noise of SGD; infinite if the overlap does not reach the threshold",
            "sde_time": "time of escape of the stochastic differential equation; infinite if later than the last time",
            "sgd_time": "time of escape of SGD; infinite if later than the last time",
            "drift": "mean change of the overlap per unit of time",
            "flow_drift": "mean change of the overlap per unit of time by gradient flow, without the square of the "
            "learning rate",
            "diffusion": "mean square of the overlap's change in a step, times the square of the dimension; the "
            "variance is this minus the square of the drift",
            "overlap": "overlap m of the unit and its teacher",
            "drift_sem": "error of drift by quadrature",
            "flow_drift_sem": "error of flow_drift by quadrature",
            "diffusion_sem": "error of diffusion by quadrature",
        },
        units=dict.fromkeys(("ode_time", "sde_time", "sgd_time"), "steps / N")
        | dict.fromkeys(("start", "overlap"), "1")
        | {name + end: "1" for name in ("drift", "flow_drift", "diffusion") for end in ("", "_sem")},
    ),
)
@checked
class EscapeTime:
    """Compute the times at which one unit on the sphere finds its teacher, which is also one unit.

    Student and teacher are v g(w . x / sqrt N) with |w| = sqrt N. Near m = 0 gradient flow has the speed m^(l - 1),
    with the information exponent l: the order of the first Hermite polynomial in g.

    Attributes:
        activation: g. dimension: N, d in the literature.
        learning_rate: eta. second_layer: v of student and teacher. noise: standard deviation of the labels' noise.
        threshold: overlap |m| at which a run escapes.
        last_time: last time of SGD and of the stochastic differential equation.
        overlaps: values of m at which drift and diffusion are computed.
        starts: initial values of m, one for each run; null draws them from N(0, 1 / N). A draw beyond -1 or 1 becomes
            -1 or 1, which is likely only for N below 20.
        seeds: number of runs. seed: seed of starts and runs.
        step: time step of the stochastic differential equation.

    Example:
        >>> import twolayer as tl
        >>> times = tl.escape_time(activation="hermite2", dimension=200, learning_rate=0.1, last_time=50, seeds=20)
        >>> bool(times.sgd_time.median() < 50)
        True

    References:
        arnaboldi2023escaping: Arnaboldi et al., arXiv 2305.18502.
    """

    activation: ActivationLike
    dimension: Annotated[int, Bounds(at_least=3, at_most=10**9)]
    learning_rate: Positive
    last_time: Positive
    second_layer: float = 1.0
    noise: NonNegative = 0.0
    threshold: Fraction = 0.5**0.5
    overlaps: tuple[Annotated[float, Bounds(at_least=-1, at_most=1)], ...] = (0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 0.99)
    starts: tuple[Annotated[float, Bounds(above=-1, below=1)], ...] | None = None
    seeds: Several = 100
    seed: Seed = 0
    step: Positive = 0.01

    def __post_init__(self):
        for name, steps in (("step", self.last_time / self.step), ("dimension", self.last_time * self.dimension)):
            if steps > MOST_STEPS:
                raise ConfigError(
                    f"last_time is {self.last_time:g} and {name} is {getattr(self, name):g}, which takes {steps:.2g} "
                    f"steps, above {MOST_STEPS:g}: lower last_time"
                )
        if self.starts is not None and len(self.starts) != self.seeds:
            raise ConfigError(f"starts has {len(self.starts)} values for {self.seeds} seeds: give one for each")
