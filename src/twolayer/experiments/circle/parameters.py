"""Parameters of the tasks on variable projection on the circle."""

from typing import TYPE_CHECKING, Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.tasks import task
from twolayer.parameters import Bounds, Count, NonNegative, Positive, Seed, checked, require_published_seed
from twolayer.results.layout import Layout

if TYPE_CHECKING:
    import numpy as np

Regularization = Literal["unbiased", "biased"]
# power of the regularisation of unbiased risks, see `model.networks.power_entropies`: 1 is the entropy, 2 is the
# quadratic function of the paper
Power = Annotated[float, Bounds(at_least=1, at_most=2)]


_MOST_MEASUREMENTS = 1_000_000


@checked
class Descent:
    """Length and step of the descent of a network, and times of measurement.

    Attributes:
        iterations: number of steps.
        step: tau, flow time of one iteration; `auto` chooses it by backtracking, in `variable_projection` and
            `two_timescale`.
        every: iterations between two measurements; there are 24 more, log-spaced, from 10 to 1000.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.Descent(iterations=100, every=50).measured.tolist()[-3:]
        [68, 83, 100]
    """

    iterations: Count = 32_000
    step: Positive | Literal["auto"] = 2.0**-10
    every: Count = 50

    def __post_init__(self):
        if self.iterations > _MOST_MEASUREMENTS * self.every:
            raise ConfigError(
                f"every is {self.every:,}, but there are {self.iterations:,} iterations: at most "
                f"{_MOST_MEASUREMENTS:,} measurements are stored, raise every to "
                f"{-(-self.iterations // _MOST_MEASUREMENTS):,}"
            )

    @property
    def measured(self) -> "np.ndarray":
        """Iterations of the measurements, increasing; the first is 0 and the last is `iterations`."""
        from twolayer.model.networks.descent import measured_iterations  # loads numpy

        return measured_iterations(self.iterations, self.every)


def check_power(power, regularizations):
    if power != 2 and "biased" in regularizations:
        raise ConfigError(f"power is {power:g}: use 2, or the unbiased regularization")


def check_step(descent):
    if descent.step == "auto":
        raise ConfigError("step is 'auto', which needs variable_projection or two_timescale: give a number")


def check_snapshots(snapshots, descent):
    if missing := sorted(set(snapshots) - set(descent.measured.tolist())):
        raise ConfigError(
            f"snapshots has the iteration {missing[0]}, which is not measured: choose iterations that descent measures"
        )


@task(
    "teacher_distribution",
    result=Layout(
        {"gamma angle": "density signal", "gamma": "highest lowest", "gamma bin": "frequency frequency_sem mass"},
        meanings={
            "density": "density of the teacher's features, averaged over each cell of the grid",
            "signal": "output of a teacher of infinitely many features, at inputs of length one",
        },
    ),
)
@checked
class TeacherDistribution:
    """Compute the distribution of the teacher's features on the circle, and the teacher's signal.

    Attributes:
        gamma: concentrations.
        seed, samples: seed and size of a sample of features. bins: number of bins of its histogram.
        cells: number of cells of the grid of the densities.

    Example:
        >>> import twolayer as tl
        >>> found = tl.teacher_distribution(gamma=[1, 10], samples=1000, cells=256)
        >>> found.highest.round(3).values.tolist()
        [0.209, 0.392]

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: tuple[NonNegative, ...]
    seed: Seed = 0
    samples: Count = 200_000
    bins: Count = 100
    cells: Count = 4096


@task(
    "ultrafast_diffusion",
    result=Layout(
        {
            "iteration angle": "density",
            "angle": "teacher_density",
            "iteration": "mass_error lowest_density mode_amplitude",
            "": "relaxation_rate",
        },
        labels={"iteration": "descent.measured", "step": "descent.step"},
        scalars=("gamma", "power", "step"),
        meanings={"step": "time of one iteration"},
    ),
)
@checked
class UltrafastDiffusion:
    """Compute the ultra-fast diffusion towards a teacher on the circle.

    Attributes:
        gamma: concentration of the teacher.
        cells: number of cells of the grid.
        power: power of the regularisation.
        descent: iterations of the comparison; one iteration takes the time `step`.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=100, step=0.01, every=50)
        >>> diffusion = tl.ultrafast_diffusion(gamma=1, cells=64, descent=descent)
        >>> dict(diffusion.density.sizes), float(diffusion.relaxation_rate.round(3))
        ({'iteration': 15, 'angle': 64}, 1.005)

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: NonNegative
    cells: Count = 4096
    power: Power = 2.0
    descent: Descent = Descent()

    def __post_init__(self):
        check_step(self.descent)


@task(
    "mean_field_flow",
    result=Layout(
        {
            "regularization ridge iteration order": "quantile",
            "regularization ridge iteration": "risk",
            "regularization ridge": "converged",
        },
        labels={"iteration": "descent.measured", "step": "descent.step"},
        scalars=("gamma", "power", "step"),
        meanings={"step": "time of one iteration"},
    ),
)
@checked
class MeanFieldFlows:
    """Compute the mean-field limit of the descent on the circle, for each ridge and regularisation.

    Attributes:
        gamma: concentration of the teacher.
        ridge, regularization, power: parameters of the risks.
        harmonics: wavenumber of the last harmonic. quantiles: number of features that follow the flow.
        descent: iterations of the comparison.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=100, step=0.01, every=50)
        >>> flow = tl.mean_field_flow(gamma=1, ridge=[0.1], harmonics=8, quantiles=32, descent=descent)
        >>> flow.risk.sel(iteration=[0, 100]).round(3).values.ravel().tolist()
        [0.011, 0.004]

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: NonNegative
    ridge: tuple[Positive, ...]
    regularization: tuple[Regularization, ...] = ("unbiased",)
    power: Power = 2.0
    harmonics: Count = 64
    quantiles: Count = 1024
    descent: Descent = Descent()

    def __post_init__(self):
        check_power(self.power, self.regularization)
        check_step(self.descent)


@task(
    "circle_descent",
    inputs={"diffusion": "ultrafast_diffusion", "flow": "mean_field_flow"},
    result=Layout(
        {"width seed iteration": "risk mmd_teacher mmd_diffusion mmd_flow", "seed snapshot feature": "feature_angle"},
        labels={"width": "widths", "iteration": "descent.measured", "snapshot": "snapshots"},
        scalars=("gamma", "ridge", "regularization"),
    ),
)
@checked
class CircleDescent:
    """Train networks of relu features on the circle on the outputs of a teacher of relu features.

    Attributes:
        gamma: concentration of the teacher's features.
        ridge: lambda. regularization, power: type and power of the regularisation of the outer weights.
        widths: numbers of features M.
        seeds: number of draws of teacher, data and students. seed: seed of the first draw.
        algorithm: `varpro` projects the outer weights in every iteration; the others let them descend as well.
        samples: N. teacher_width: M*.
        stream: `published` replays the random numbers of the published experiments.
        descent: number of steps, their size, and the times of measurement.
        snapshots: iterations at which the features of the widest network are stored; 0 is always included.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=100, step=0.01, every=50)
        >>> diffusion = tl.ultrafast_diffusion(gamma=1, cells=64, descent=descent)
        >>> flow = tl.mean_field_flow(gamma=1, ridge=[0.1], harmonics=8, quantiles=32, descent=descent)
        >>> sizes = {"widths": [16], "samples": 64, "teacher_width": 32, "seeds": 2}
        >>> runs = tl.circle_descent(diffusion, flow, gamma=1, ridge=0.1, descent=descent, **sizes)
        >>> runs.risk.mean("seed").sel(width=16, iteration=[0, 100]).round(2).values.tolist()
        [0.06, 0.01]

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: NonNegative
    ridge: Positive
    widths: tuple[Count, ...]
    seeds: Count
    seed: Seed = 0
    regularization: Regularization = "unbiased"
    power: Power = 2.0
    algorithm: Literal["varpro", "two_timescale"] = "varpro"
    samples: Count = 4096
    teacher_width: Count = 4096
    stream: Literal["own", "published"] = "own"
    descent: Descent = Descent()
    snapshots: tuple[int, ...] = (0,)

    def __post_init__(self):
        check_step(self.descent)
        check_snapshots(self.snapshots, self.descent)
        check_power(self.power, [self.regularization])
        if self.stream == "published":
            require_published_seed(self.seed + self.seeds - 1)


@task(
    "feature_density",
    inputs={"descent": "circle_descent", "flow": "mean_field_flow"},
    result=Layout(
        {"seed iteration angle": "density", "iteration angle": "flow_density"}, labels={"iteration": "iterations"}
    ),
)
@checked
class FeatureDensity:
    """Smooth the densities of the features of a network on the circle, and of its mean-field limit.

    Attributes:
        iterations: iterations of the snapshots.
        bandwidth: standard deviation of the Gaussian kernel, in radians. points: number of points of the grid.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=100, step=0.01, every=50)
        >>> diffusion = tl.ultrafast_diffusion(gamma=1, cells=64, descent=descent)
        >>> flow = tl.mean_field_flow(gamma=1, ridge=[0.1], harmonics=8, quantiles=32, descent=descent)
        >>> sizes = {"widths": [16], "samples": 64, "teacher_width": 32, "seeds": 2}
        >>> runs = tl.circle_descent(diffusion, flow, gamma=1, ridge=0.1, descent=descent, snapshots=[0, 100], **sizes)
        >>> smooth = tl.feature_density(runs, flow, iterations=[0, 100], bandwidth=0.3, points=50)
        >>> dict(smooth.density.sizes)
        {'seed': 2, 'iteration': 2, 'angle': 50}

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    iterations: tuple[int, ...]
    bandwidth: Positive
    points: Count
