"""The geometry of an isotropic mixture, that is, the arrangement of its clusters."""

from typing import Literal

from twolayer.errors import ConfigError, shown
from twolayer.parameters import Count, Fraction, NonNegative, Positive, checked, fill


@checked
class Geometry:
    """Arrangement of the clusters of an isotropic mixture.

    Attributes:
        shape: a name of `shapes.SHAPES`: `xor`; `circle`, with labels alternating (two clusters per class are the XOR
            mixture); `three_clusters` on a line; or `custom`, given by means, labels and weights. The default is
            `custom` if means are given, else `circle`.
        clusters_per_class: number of clusters of each class on a circle.
        regime: regime of the signal-to-noise ratio; the means of the low regime have length 1.
        positive_fraction: prior probability of label +1, if no weights are given.
        means: one row for each cluster, in orthonormal coordinates of any space that contains the means.
        labels: labels of the clusters, -1 or 1.
        weights: prior probabilities of the clusters; by default equal.
        spreads: standard deviation of the noise of each cluster in units of sigma; null means 1 for all.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.Geometry(shape="three_clusters")
        Geometry(shape='three_clusters')
    """

    shape: str | None = None
    clusters_per_class: Count = 2
    regime: Literal["low", "high", "mixed"] = "low"
    positive_fraction: Fraction = 0.5
    means: tuple[tuple[float, ...], ...] | None = None
    labels: tuple[Literal[-1, 1], ...] | None = None
    weights: tuple[NonNegative, ...] | None = None
    spreads: tuple[Positive, ...] | None = None

    def __post_init__(self):
        given = [name for name in ("means", "labels", "weights") if getattr(self, name) is not None]
        fill(self, shape="custom" if given else "circle")
        from twolayer.experiments.mixture_inputs.shapes import SHAPES  # loads numpy

        if self.shape not in SHAPES:
            raise ConfigError(f"shape is {shown(self.shape)}: choose one of {', '.join(SHAPES)}")
        if self.shape == "custom" and not (self.means and self.labels):
            raise ConfigError("shape is 'custom': give means and labels, and weights if they are not equal")
        if self.shape != "custom" and given:
            raise ConfigError(f"{given[0]} is given, but shape is {self.shape!r}: set shape to 'custom'")
        if self.shape == "xor":
            self._name_circle()
        if given:
            fill(self, weights=(1 / len(self.means),) * len(self.means))
            self._check_clusters()
        if self.spreads:
            self._check_spreads()

    def _check_clusters(self):
        from twolayer.model.mixtures.standard_mixtures import from_means

        from_means(self.means, self.labels, self.weights, variance=1.0)

    def _check_spreads(self):
        from twolayer.experiments.mixture_inputs.shapes import build  # loads numpy

        build(self, sigma=1.0, dimension=1)

    def _name_circle(self):
        """Replace XOR by the circle with two clusters per class."""
        if self.clusters_per_class != 2:
            raise ConfigError(
                f"clusters_per_class is {self.clusters_per_class}, but shape is 'xor', which has 2: use shape 'circle'"
            )
        object.__setattr__(self, "shape", "circle")
