"""Parameters of the task on the Gaussian equivalence itself."""

from dataclasses import dataclass
from typing import Annotated, Literal

from twolayer.config.parsing import Bounds, Count, Positive, Seed


@dataclass(frozen=True)
class GaussianEquivalence:
    """How far local fields on inputs of one layer of sign units are from their Gaussian law, at several sizes.

    Attributes:
        cases: generic weights, and those for which the fields stay away from it, see `model.equivalence_cases`.
        sizes: N. latent_ratio: D / N.
        hidden_units: K. teacher_units: M.
        samples: inputs. directions: in the space of the fields, along which their law is looked at.
        seeds: number of draws of all weights.
        seed: of everything.
    """

    sizes: tuple[Count, ...]
    samples: Annotated[int, Bounds(at_least=100)]
    seeds: Annotated[int, Bounds(at_least=2)]
    seed: Seed
    cases: tuple[Literal["generic", "few_latents", "localised", "low_rank", "aligned"], ...] = (
        "generic",
        "few_latents",
        "localised",
        "low_rank",
        "aligned",
    )
    directions: Count = 64
    latent_ratio: Positive = 0.5
    hidden_units: Count = 2
    teacher_units: Count = 2
