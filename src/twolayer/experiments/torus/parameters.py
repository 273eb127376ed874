"""Parameters of the tasks on variable projection on the torus."""

from typing import Literal

from twolayer.errors import ConfigError
from twolayer.experiments.circle.parameters import Descent, Regularization, check_snapshots, check_step
from twolayer.experiments.tasks import task
from twolayer.parameters import Count, Device, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout


@task(
    "torus_descent",
    resumes=True,
    training=True,
    result=Layout(
        {
            "iteration": "risk mmd_teacher dissipated",
            "snapshot index axis": "feature",
            "verified": "verified_risk dense_risk",
        },
        labels={"iteration": "descent.measured", "snapshot": "snapshots"},
        scalars=("gamma", "ridge", "regularization", "width", "samples"),
    ),
)
@checked
class TorusDescent:
    """Train a network of exponential features on the torus on the outputs of a teacher of the same features.

    Attributes:
        gamma: concentration of the teacher's features. null means infinite, with all features on the two centres; a
            configuration cannot contain an infinite number.
        ridge: lambda. regularization: type of the regularisation of the outer weights.
        width: number of features M.
        seed: seed of teacher, data and student. device: `auto` is the GPU if there is one.
        samples: N. teacher_width: M*.
        precision: precision of all quantities except positions and measurements, which have double precision.
        descent: number and size of steps, and times of measurement.
        snapshots: iterations at which the features are stored; 0 is always included.
        verified: number of measurements at which the risk is also computed by dense linear algebra in double precision.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=20, step=0.01, every=10)
        >>> sizes = {"width": 16, "samples": 64, "teacher_width": 32}
        >>> run = tl.torus_descent(gamma=10, ridge=0.1, descent=descent, device="cpu", **sizes)
        >>> bool(run.risk[-1] < run.risk[0])
        True

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: NonNegative | None
    ridge: Positive
    width: Count
    seed: Seed = 0
    device: Device = "auto"
    regularization: Regularization = "unbiased"
    samples: Count = 4096
    teacher_width: Count = 4096
    precision: Literal["single", "double"] = "single"
    descent: Descent = Descent()
    snapshots: tuple[int, ...] = (0,)
    verified: Several = 3

    def __post_init__(self):
        check_step(self.descent)
        check_snapshots(self.snapshots, self.descent)
        if self.gamma is None and self.teacher_width % 2:
            raise ConfigError(
                f"teacher_width is {self.teacher_width}: with infinite gamma (null), the features are at two places: "
                "give an even number"
            )


@task(
    "torus_teacher",
    result=Layout(
        {
            "index axis": "feature",
            "centre axis": "spread spread_sem",
            "": "theory_spread mean_signal theory_mean_signal peak_distance",
            "x y": "signal",
        },
        scalars=("gamma",),
    ),
)
@checked
class TorusTeacher:
    """Draw the features of a teacher on the torus, and compute its outputs.

    Attributes:
        gamma, teacher_width, seed: parameters of the runs with this teacher.
        points: number of points of the grid along either axis.

    Example:
        >>> import twolayer as tl
        >>> teacher = tl.torus_teacher(gamma=10, teacher_width=500, points=20)
        >>> float(teacher.theory_spread.round(3))
        0.373

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    gamma: NonNegative
    seed: Seed = 0
    teacher_width: Several = 4096
    points: Count = 200


@task(
    "plane_density",
    inputs={"descent": "torus_descent"},
    result=Layout(
        {
            "iteration x y": "density",
            "iteration": "mean_density pair_density",
            "iteration axis": "centre feature_centre",
        },
        labels={"iteration": "iterations"},
    ),
)
@checked
class PlaneDensity:
    """Smooth the densities of the features of a network on the torus, by a kernel of Scott's bandwidth.

    Attributes:
        iterations: iterations of the snapshots.
        points: number of points of the grid along either axis.

    Example:
        >>> import twolayer as tl
        >>> descent = tl.Descent(iterations=20, step=0.01, every=10)
        >>> sizes = {"width": 16, "samples": 64, "teacher_width": 32}
        >>> run = tl.torus_descent(gamma=10, ridge=0.1, descent=descent, snapshots=[0, 20], device="cpu", **sizes)
        >>> dict(tl.plane_density(run, iterations=[0, 20], points=30).density.sizes)
        {'iteration': 2, 'x': 30, 'y': 30}

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    iterations: tuple[int, ...]
    points: Several = 200
