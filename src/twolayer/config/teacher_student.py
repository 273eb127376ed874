"""Parameters of the tasks on learning a teacher that sees the latents of generated inputs."""

from dataclasses import dataclass
from typing import Annotated, Literal

from twolayer.config.parsing import Bounds, Count, Positive, Seed
from twolayer.errors import ConfigError


@dataclass(frozen=True)
class InputMoments:
    """Moments of the inputs that a generator gives.

    Attributes:
        samples: inputs that they are estimated from. null takes their exact values, known for one layer of sign units.
        seed: of the latents.
    """

    seed: Seed
    samples: Annotated[int, Bounds(at_least=2)] | None = None


@dataclass(frozen=True)
class TeacherLearning:
    """What is learnt from generated inputs, from which start, and when it is measured.

    Attributes:
        hidden_units: K of the student. teacher_units: M.
        activation: of both.
        learning_rate: of the first layer; the second has learning_rate / N a step.
        train_second_layer: false keeps v as it starts.
        first_time, last_time: of the measurements, which are spaced evenly in the logarithm; and one at the start.
        measurements: their number.
        seed: of the initial weights and of the teacher.
    """

    last_time: Positive
    seed: Seed
    hidden_units: Count = 2
    teacher_units: Count = 2
    activation: Literal["erf", "linear", "relu"] = "erf"
    learning_rate: Positive = 0.2
    train_second_layer: bool = True
    first_time: Positive = 0.1
    measurements: Annotated[int, Bounds(at_least=2)] = 25

    def __post_init__(self):
        if self.first_time >= self.last_time:
            raise ConfigError(f"first_time is {self.first_time:g}: make it less than last_time, {self.last_time:g}")


@dataclass(frozen=True)
class TeacherCurve:
    """Learning curve by the equations of motion.

    Attributes:
        learning: what is learnt.
        nodes: that stand for all modes of the covariance; null takes every mode.
        method: rk4, or euler as in the original.
        step: of time, at most.
        log2_samples: relu units' averages without a closed form take 2^log2_samples quasi-random points.
    """

    learning: TeacherLearning
    nodes: Annotated[int, Bounds(at_least=4)] | None = None
    method: Literal["rk4", "euler"] = "rk4"
    step: Positive = 0.1
    log2_samples: Count = 12


@dataclass(frozen=True)
class GeneratorSGD:
    """The same learning curve by online SGD, a fresh input each step.

    Attributes:
        learning: what is learnt.
        seeds: number of runs, from the same initial weights.
        test_samples: fresh inputs that test each run.
        seed: of all inputs.
    """

    learning: TeacherLearning
    seeds: Annotated[int, Bounds(at_least=2)]
    seed: Seed
    test_samples: Count = 10_000
