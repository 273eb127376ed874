"""The replica equations of a convex loss of y z, for labels y = sign(nu + noise).

With the student's field omega = sqrt(q) xi, a training output is the proximal point x = omega + V f. Negative labels
follow from positive ones by symmetry. All averages are over xi.

Source: goldt2021, replica equations of convex losses.
"""

import math
from dataclasses import dataclass

import numpy as np

from twolayer.errors import NotConverged
from twolayer.theory.replica.label_channels import LabelChannel
from twolayer.theory.replica.margin_losses import MarginLoss
from twolayer.theory.replica.margin_nodes import margin_nodes, node_count
from twolayer.theory.replica.replica_equations import Overlaps, Spectrum, cosine_of


@dataclass(frozen=True, eq=False)
class MarginEquations:
    """The equations for one loss and one channel of labels.

    Attributes:
        loss: function of the margin. channel: channel of the labels.
    """

    loss: MarginLoss
    channel: LabelChannel

    def conjugates(
        self, spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
    ) -> tuple[float, float, float]:
        """Return V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""
        seen, scale = self.channel.seen_from(spectrum.power, angle), math.sqrt(q)
        xi, density = margin_nodes(self.loss, V, scale, step=1 / seen.steepest)
        f = self.loss.pull(scale * xi, V)
        share = density * seen.share(xi)
        return (
            sample_ratio * float(share @ self.loss.stiffness(f, V)),
            sample_ratio * float(share @ f**2),
            sample_ratio * float((density * seen.slope(xi)) @ f),
        )

    def cost(self, spectrum: Spectrum, q: float, angle: float) -> float:
        """Return the number of nodes of the averages."""
        seen = self.channel.seen_from(spectrum.power, angle)
        return node_count(self.loss, math.sqrt(q), 1 / seen.steepest) * len(seen.probabilities)

    def training_loss(self, spectrum: Spectrum, overlaps: Overlaps) -> float:
        """Return the mean loss on the training samples, of an estimator with these overlaps."""
        V, scale = overlaps.V, math.sqrt(overlaps.q)
        seen = self._seen(spectrum, overlaps)
        xi, density = margin_nodes(self.loss, V, scale, step=1 / seen.steepest)
        outputs = scale * xi + V * self.loss.pull(scale * xi, V)
        return float((density * seen.share(xi)) @ self.loss.value(outputs))

    def training_class_error(self, spectrum: Spectrum, overlaps: Overlaps) -> float:
        """Return the probability that a training output has another sign than its label.

        Before training on the sample, its output differs from the training output by the change that training makes.
        """
        return self._seen(spectrum, overlaps).below(overlaps.V * self.loss.pull_at_zero / math.sqrt(overlaps.q))

    def _seen(self, spectrum, overlaps):
        cosine = cosine_of(spectrum.power, overlaps.q, overlaps.m)
        if cosine >= 1:
            raise NotConverged("output and teacher are equal up to rounding: raise ridges or change sample_ratios")
        return self.channel.seen_from(spectrum.power, math.atanh(cosine))

    def test_loss(self, power: float, q: float, angle: float) -> float:
        """Return the mean loss on fresh samples, for an output of variance q.

        Args:
            power: variance of nu. angle: a, tanh a is the correlation of nu and the output.
        """
        if q == 0:
            return float(self.loss.value(np.zeros(1))[0])
        seen, scale = self.channel.seen_from(power, angle), math.sqrt(q)
        xi, density = margin_nodes(self.loss, 0.0, scale, step=1 / seen.steepest)
        return float((density * seen.share(xi)) @ self.loss.value(scale * xi))
