"""Parameters of the tasks that test Gaussian equivalence: moments, equations, SGD, and distances."""

from typing import Annotated, Literal, get_args

from twolayer.errors import ConfigError, shown
from twolayer.experiments.generators.parameters import GENERATORS
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Bounds, Count, Device, Log2, Positive, Seed, Several, checked
from twolayer.results.layout import Layout
from twolayer.results.teacher_layouts import CURVE, CURVE_MEANINGS, OVERLAPS, RUNS

_SIZES = {"": "input_size latent_size"}
Case = Literal["generic", "few_latents", "localised", "low_rank", "aligned"]


@task(
    "equivalence_distance",
    result=Layout(
        {
            "seed case dimension": "distance kurtosis squared_kurtosis largest_distance largest_kurtosis",
            "case dimension": "variance_score",
            "seed": "null_distance null_kurtosis null_squared_kurtosis null_largest_distance null_largest_kurtosis",
            "case": "decay decay_sem",
        },
        labels={"case": "cases", "dimension": "sizes"},
        meanings={
            "distance": "mean distance of the pre-activations' distribution "
            "from the Gaussian one over directions, sliced Wasserstein-1"
        },
    ),
)
@checked
class EquivalenceDistance:
    """Measure the distance of pre-activations from a Gaussian at several sizes, for one layer of sign units.

    Attributes:
        cases: generic weights, and weights for which the distance does not vanish. See
            `model.teachers.equivalence_cases`.
        sizes: N. latent_ratio: D / N.
        hidden_units: K. teacher_units: M.
        samples: number of inputs. directions: number of directions in the space of the fields whose distribution is
            tested.
        seeds: number of draws of all weights.
        seed: seed of all random numbers.

    Example:
        >>> import twolayer as tl
        >>> found = tl.equivalence_distance(sizes=[32, 64, 128], samples=2000, seeds=2, cases=["generic", "localised"])
        >>> found.kurtosis.mean("seed").sel(dimension=128).round(1).values.tolist()
        [0.1, 0.6]

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    sizes: tuple[Count, ...]
    samples: Annotated[int, Bounds(at_least=100)]
    seeds: Several
    seed: Seed = 0
    cases: tuple[Case, ...] = get_args(Case)
    directions: Count = 64
    latent_ratio: Positive = 0.5
    hidden_units: Count = 2
    teacher_units: Count = 2

    def __post_init__(self):
        for name in ("sizes", "cases"):
            if len(set(getattr(self, name))) < len(getattr(self, name)):
                raise ConfigError(f"{name} is {shown(list(getattr(self, name)))}: give each value once")
        if len(self.sizes) < 2:
            raise ConfigError(f"sizes is {shown(list(self.sizes))}: give at least two, to fit the decay with size")


@task(
    "moments",
    inputs={"generator": GENERATORS},
    result=Layout(
        {
            "input": "mean",
            "latent": "latent_mean",
            "input other_input": "Omega",
            "input latent": "Phi",
            "": "Omega_error Phi_error",
        },
        meanings={"Omega": "covariance of the inputs", "Phi": "covariance of inputs and latents"},
    ),
    resumes=True,
)
@checked
class GeneratorMoments:
    """Compute the moments of the inputs from a generator, from samples or exactly.

    Attributes:
        samples: number of inputs for the estimate. null selects the exact values, known only for one layer of sign
            units.
        seed: of the latents.
        device: device of the generator; `auto` is the GPU if there is one.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> sampled, exact = tl.moments(generator, samples=2000), tl.moments(generator)
        >>> float(exact.Omega_error), bool(sampled.Omega_error > 0)
        (0.0, True)

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    seed: Seed = 0
    samples: Several | None = None
    device: Device = "auto"


@checked
class TeacherLearning:
    """The training of a student on generated inputs: sizes, start, and times of measurement.

    Attributes:
        hidden_units: K of the student.
        teacher_units: M.
        activation: activation of both.
        learning_rate: learning rate of the first layer; the second layer has learning_rate / N in each step.
        train_second_layer: if false, v keeps its initial values.
        first_time, last_time: times of the first and last measurement. The times are spaced evenly in the logarithm; a
            further measurement is at the start.
        measurements: number of these times.
        seed: of the initial weights and of the teacher.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.TeacherLearning(last_time=100, hidden_units=4)
        TeacherLearning(last_time=100.0, hidden_units=4)
    """

    last_time: Positive
    seed: Seed = 0
    hidden_units: Count = 2
    teacher_units: Count = 2
    activation: ActivationLike = "erf"
    learning_rate: Positive = 0.2
    train_second_layer: bool = True
    first_time: Positive = 0.1
    measurements: Several = 25

    def __post_init__(self):
        if self.first_time >= self.last_time:
            raise ConfigError(f"first_time is {self.first_time:g}: make it less than last_time, {self.last_time:g}")


@task("teacher_curve", inputs={"moments": "moments"}, result=Layout(CURVE, meanings=CURVE_MEANINGS))
@checked
class TeacherCurve:
    """Solve the equations of motion of a student of a teacher, on generated inputs.

    The teacher depends on the latents of the inputs.

    Attributes:
        learning: the training.
        nodes: number of nodes that replace all modes of the covariance; null keeps every mode.
        method: rk4, or euler as in the published code.
        step: largest step in time.
        log2_samples: binary logarithm of the first number of points, for averages without a closed form; erf, relu and
            polynomial units need none.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> moments = tl.moments(generator)
        >>> learning = tl.TeacherLearning(last_time=10, measurements=5)
        >>> theory = tl.teacher_curve(moments, learning)
        >>> bool(theory.pmse[-1] < theory.pmse[0])
        True

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    learning: TeacherLearning
    nodes: Annotated[int, Bounds(at_least=4)] | None = None
    method: Literal["rk4", "euler"] = "rk4"
    step: Positive = 0.1
    log2_samples: Log2 = 12


@task(
    "generator_sgd",
    inputs={"generator": GENERATORS, "moments": "moments"},
    result=Layout({"seed time": "pmse test_pmse"} | RUNS | _SIZES, meanings=OVERLAPS),
    resumes=True,
)
@checked
class GeneratorSGD:
    """Run online SGD of a student on generated inputs, with a teacher that depends on the latents.

    Attributes:
        learning: the training.
        seeds: number of runs, from the same initial weights.
        test_samples: number of fresh inputs that test each run.
        seed: seed of all inputs.
        device: device of the generator; `auto` is the GPU if there is one.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> moments = tl.moments(generator)
        >>> learning = tl.TeacherLearning(last_time=10, measurements=5)
        >>> runs = tl.generator_sgd(generator, moments, learning, seeds=3, test_samples=500, device="cpu")
        >>> dict(runs.test_pmse.sizes)
        {'seed': 3, 'time': 6}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    learning: TeacherLearning
    seeds: Several = 10
    seed: Seed = 0
    test_samples: Count = 10_000
    device: Device = "auto"


@task(
    "gaussian_equivalent_sgd",
    inputs={"moments": "moments"},
    result=Layout({"seed time": "pmse"} | RUNS | _SIZES, meanings=OVERLAPS),
)
@checked
class GaussianEquivalentSGD:
    """Run online SGD of a student on Gaussian inputs with the moments of a generator.

    Attributes:
        learning: the training.
        seeds: number of runs, from the same initial weights.
        seed: seed of all inputs.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> moments = tl.moments(generator)
        >>> learning = tl.TeacherLearning(last_time=10, measurements=5)
        >>> runs = tl.gaussian_equivalent_sgd(moments, learning, seeds=3)
        >>> dict(runs.pmse.sizes)
        {'seed': 3, 'time': 6}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    learning: TeacherLearning
    seeds: Several = 10
    seed: Seed = 0


@task(
    "local_fields",
    inputs={"generator": GENERATORS, "moments": "moments"},
    result=Layout(
        {
            "seed": "distance kurtosis largest_distance null_distance null_kurtosis null_largest_distance",
            "": "variance_score",
        },
        meanings={"distance": "distance of the pre-activations from their Gaussian distribution, mean over directions"},
    ),
)
@checked
class LocalFieldShape:
    """Measure the distance of the pre-activations of generic weights from Gaussian ones, on generated inputs.

    Attributes:
        samples: number of inputs, and of Gaussian samples. directions: number of directions of the pre-activations.
        hidden_units, teacher_units: numbers of units of student and teacher.
        seeds: number of draws of the weights. seed: seed of weights and inputs.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> moments = tl.moments(generator)
        >>> found = tl.local_fields(generator, moments, samples=2000, directions=8, seeds=2)
        >>> dict(found.distance.sizes)
        {'seed': 2}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    samples: Several = 20_000
    directions: Count = 32
    hidden_units: Count = 2
    teacher_units: Count = 2
    seeds: Several = 5
    seed: Seed = 0
