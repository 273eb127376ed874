"""Wrong versions of the physics, each with the test or the outcome that must notice it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """A change of one file that makes the physics wrong.

    Attributes:
        name: what is wrong, in words.
        file: below src/twolayer. old, new: the text that is there, and what it is changed to.
        test: the test that must fail, as pytest names it; or
        figure: the figure of which a check must fail, once its runs are made anew.
        runs: names of these runs at the quick preset, in the order in which they are made; others stay as they are.
    """

    name: str
    file: str
    old: str
    new: str
    test: str | None = None
    figure: str | None = None
    runs: tuple[str, ...] = ()
