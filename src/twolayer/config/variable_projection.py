"""Parameters of the tasks on variable projection."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from twolayer.config.parsing import Bounds, Count, NonNegative, Positive, Seed
from twolayer.errors import ConfigError

Regularization = Literal["unbiased", "biased"]
OFFSETS = {"unbiased": 1.0, "biased": 0.0}  # what the regularisation pulls the outer weights to


@dataclass(frozen=True)
class Descent:
    """How long a network descends, and when it is measured.

    Attributes:
        iterations: number of steps.
        step: tau, flow time of one iteration.
        every: iterations between two measurements; there are 24 more, log-spaced, from 10 to 1000.
    """

    iterations: Count = 32_000
    step: Positive = 2.0**-10
    every: Count = 50

    @property
    def measured(self) -> np.ndarray:
        """Iterations of the measurements, increasing; the first is 0 and the last is `iterations`."""
        early = np.rint(np.geomspace(10, 1000, 25)).astype(int)
        late = np.append(np.arange(0, self.iterations, self.every), self.iterations)
        return np.union1d(early[early < self.iterations], late)


def _check_snapshots(snapshots, descent):
    if missing := sorted(set(snapshots) - set(descent.measured.tolist())):
        raise ConfigError(f"snapshots has the iteration {missing[0]}, at which nothing is measured: see descent")


@dataclass(frozen=True)
class TeacherDistribution:
    """The distribution of the teacher's features on the circle.

    Attributes:
        gamma: concentrations.
        seed, samples: of a draw of features. bins: in which they are counted.
        cells: of the grid of the densities.
    """

    gamma: tuple[NonNegative, ...]
    seed: Seed
    samples: Count = 200_000
    bins: Count = 100
    cells: Count = 4096


@dataclass(frozen=True)
class UltrafastDiffusion:
    """The ultra-fast diffusion towards a teacher on the circle.

    Attributes:
        gamma: concentration of the teacher.
        cells: of the grid.
        descent: the iterations that it is compared with; one takes the time `step`.
    """

    gamma: NonNegative
    cells: Count = 4096
    descent: Descent = Descent()


@dataclass(frozen=True)
class MeanFieldFlow:
    """The mean-field limit of the descent on the circle, for all combinations of ridge and regularisation.

    Attributes:
        gamma: concentration of the teacher.
        ridge, regularization: of the risks.
        harmonics: wavenumber of the last harmonic kept. quantiles: features that follow the flow.
        descent: the iterations that it is compared with.
    """

    gamma: NonNegative
    ridge: tuple[Positive, ...]
    regularization: tuple[Regularization, ...] = ("unbiased",)
    harmonics: Count = 64
    quantiles: Count = 1024
    descent: Descent = Descent()


@dataclass(frozen=True)
class CircleDescent:
    """Networks of relu features on the circle that learn from a teacher of the same kind.

    Attributes:
        gamma: concentration of the teacher's features.
        ridge: lambda. regularization: of the outer weights.
        widths: numbers of features M.
        seeds: number of draws of teacher, data and students; `seed` is the first of them.
        algorithm: project the outer weights in every iteration, or let them descend as well.
        samples: N. teacher_width: M*.
        stream: `published` replays the random numbers of the published experiments.
        snapshots: iterations at which the features of the widest network are kept; 0 is always one of them.
    """

    gamma: NonNegative
    ridge: Positive
    widths: tuple[Count, ...]
    seeds: Count
    seed: Seed
    regularization: Regularization = "unbiased"
    algorithm: Literal["varpro", "two_timescale"] = "varpro"
    samples: Count = 4096
    teacher_width: Count = 4096
    stream: Literal["own", "published"] = "own"
    descent: Descent = Descent()
    snapshots: tuple[int, ...] = (0,)

    def __post_init__(self):
        _check_snapshots(self.snapshots, self.descent)


@dataclass(frozen=True)
class TorusDescent:
    """A network of exponential features on the torus that learns from a teacher of the same kind.

    Attributes:
        gamma: concentration of the teacher's features; null is an infinite one, which a configuration cannot name: all
            features on the two centres.
        ridge: lambda. regularization: of the outer weights.
        width: number of features M.
        seed: of teacher, data and student. device: `auto` is the GPU where there is one.
        samples: N. teacher_width: M*.
        precision: of everything but the features' positions and what is measured, which are double.
        snapshots: iterations at which the features are kept; 0 is always one of them.
        verified: at how many of the measurements the risk is also computed by dense linear algebra in double precision.
    """

    gamma: NonNegative | None
    ridge: Positive
    width: Count
    seed: Seed
    device: Literal["auto", "cpu", "cuda"]
    regularization: Regularization = "unbiased"
    samples: Count = 4096
    teacher_width: Count = 4096
    precision: Literal["single", "double"] = "single"
    descent: Descent = Descent()
    snapshots: tuple[int, ...] = (0,)
    verified: Annotated[int, Bounds(at_least=2)] = 3

    def __post_init__(self):
        _check_snapshots(self.snapshots, self.descent)
        if self.gamma is None and self.teacher_width % 2:
            raise ConfigError(
                f"teacher_width is {self.teacher_width}: with infinite gamma (null) the features share two places, so "
                "give an even number"
            )


@dataclass(frozen=True)
class TorusTeacher:
    """The features of a teacher on the torus, and what it answers.

    Attributes:
        gamma, teacher_width, seed: of the runs that learn from it.
        points: of the grid, along either axis.
    """

    gamma: NonNegative
    seed: Seed
    teacher_width: Annotated[int, Bounds(at_least=2)] = 4096
    points: Count = 200


@dataclass(frozen=True)
class PlaneDensity:
    """Smoothed densities of the features of a network on the torus, by a Gaussian kernel of Scott's bandwidth.

    Attributes:
        iterations: which snapshots.
        points: of the grid, along either axis.
    """

    iterations: tuple[int, ...]
    points: Count = 200


@dataclass(frozen=True)
class FeatureDensity:
    """Smoothed densities of the features of a network on the circle, and of its mean-field limit.

    Attributes:
        iterations: which snapshots.
        bandwidth: standard deviation of the Gaussian kernel, in radians. points: of the grid.
    """

    iterations: tuple[int, ...]
    bandwidth: Positive
    points: Count
