"""The theory of learning by a convex loss: equations and errors for every loss, type of labels and penalty."""

import math
from dataclasses import dataclass, replace

from twolayer.errors import ConfigError
from twolayer.model.networks.learning import Performance
from twolayer.theory.replica.field_equations import FieldEquations
from twolayer.theory.replica.label_channels import LabelChannel, label_channel
from twolayer.theory.replica.margin_equations import MarginEquations
from twolayer.theory.replica.margin_losses import HINGE, margin_loss
from twolayer.theory.replica.overlap_solver import solve_overlaps
from twolayer.theory.replica.replica_equations import (
    Labels,
    Overlaps,
    Spectrum,
    class_error,
    cosine_of,
    explained_power,
    mode_overlaps,
    ridge_overlaps,
    square_losses,
    square_test_loss,
)
from twolayer.theory.replica.ridgeless import ridgeless_overlaps, separable_sample_ratio
from twolayer.theory.replica.sparse_modes import sparse_mode_overlaps

_ROUNDING = 1e-9  # rounding error of a power, relative to the power


@dataclass(frozen=True)
class ConvexErrors:
    """Errors of an estimator. An error is None if it is not defined.

    Attributes:
        training_loss, test_loss: mean losses, without the ridge.
        training_class_error, class_error: probabilities that the output has another sign than the label.
        class_error_clean: probability that the output has another sign than the teacher's field.
        excess: mean square of output minus field.
    """

    training_loss: float
    test_loss: float
    training_class_error: float | None
    class_error: float | None
    class_error_clean: float
    excess: float | None


@dataclass(frozen=True, eq=False)
class ConvexTheory:
    """The theory of one loss.

    Attributes:
        spectrum: spectrum of the features and the teacher.
        loss: `square`, `logistic`, `hinge` or `huber`.
        labels: `sign`, `probit`, `logit` or `linear`.
        noise: noise of the labels. penalty: `l2` or `l1`. huber_delta: residual or margin at which the Huber loss is
            linear.
    """

    spectrum: Spectrum
    loss: str
    labels: str = "sign"
    noise: float = 0.0
    penalty: str = "l2"
    huber_delta: float = 1.0

    @property
    def channel(self) -> LabelChannel:
        """The channel of labels with two values."""
        return label_channel(self.labels, self.noise)

    @property
    def moments(self) -> Labels:
        """The moments of the labels that the square loss needs."""
        power = self.spectrum.power
        return Labels(power + self.noise**2, 1.0) if self.labels == "linear" else self.channel.moments(power)

    def solve(self, sample_ratio: float, ridge: float, near: Overlaps | None = None) -> Overlaps:
        """Return the overlaps of the estimator; V is infinite if it interpolates or separates without a ridge.

        Args:
            near: the overlaps at a similar sample ratio, or None.

        Raises:
            ConfigError: sample ratio or ridge is not allowed.
            NotConverged: the equations have no solution in double precision.
        """
        if ridge == 0:
            return self._without_ridge(sample_ratio, near)
        if self.loss == "square" and self.penalty == "l2":
            return ridge_overlaps(self.spectrum, self.moments, sample_ratio, ridge)
        if self.loss == "huber" and self.labels == "linear" and self.penalty == "l2":
            square = ridge_overlaps(self.spectrum, self.moments, sample_ratio, ridge)
            if self._equations.are_square(self.spectrum, square):
                return square
        modes = sparse_mode_overlaps if self.penalty == "l1" else mode_overlaps
        return solve_overlaps(self._equations, self.spectrum, sample_ratio, ridge, modes=modes, near=near)

    def reported(self, overlaps: Overlaps) -> Overlaps:
        """Return the overlaps, which are infinite if the weights of logistic regression grow without limit."""
        if self.loss == "logistic" and math.isinf(overlaps.V):
            return replace(overlaps, q=math.inf, m=math.copysign(math.inf, overlaps.m))
        return overlaps

    def errors(self, overlaps: Overlaps) -> ConvexErrors:
        """Return the errors of the estimator with these overlaps."""
        known = self.performance(overlaps.q, overlaps.m)
        if overlaps.q == 0:  # without weights, training samples are as good as fresh ones
            wrong, excess = (None, known.excess) if self.labels == "linear" else (known.class_error, None)
            return ConvexErrors(known.loss, known.loss, wrong, wrong, known.class_error_clean, excess)
        test = math.inf if self.loss == "logistic" and math.isinf(overlaps.V) else known.loss
        if self.loss == "square":
            training = square_losses(self.moments, overlaps)[0]
        else:
            training = 0.0 if math.isinf(overlaps.V) else self._equations.training_loss(self.spectrum, overlaps)
        if self.labels == "linear":
            return ConvexErrors(training, test, None, None, known.class_error_clean, known.excess)
        wrong = self._equations.training_class_error(self.spectrum, overlaps)
        return ConvexErrors(training, test, wrong, known.class_error, known.class_error_clean, None)

    def performance(self, q: float, m: float) -> Performance:
        """Return the errors on fresh samples of an output of variance q and covariance m with the field."""
        power = self.spectrum.power
        cosine = cosine_of(power, q, m)
        clean, angle = class_error(cosine), math.atanh(cosine) if abs(cosine) < 1 else math.copysign(math.inf, cosine)
        if self.loss == "square":
            loss = square_test_loss(self.moments, q, m)
        elif self.labels == "linear":
            loss = self._equations.test_loss(power, q, m)
        else:
            loss = self._equations.test_loss(power, q, angle)
        wrong = clean if self.labels == "linear" else self.channel.class_error(power, angle)
        return Performance(loss, wrong, q, m, clean, 2 * square_test_loss(Labels(power, 1.0), q, m))

    @property
    def _equations(self):
        if self.labels == "linear":
            return FieldEquations(self.huber_delta if self.loss == "huber" else math.inf, self.noise)
        return MarginEquations(margin_loss(self.loss, self.huber_delta), self.channel)

    @property
    def _labels_are_exact(self):
        """Whether a linear function of the features is equal to the labels, so that no residual remains."""
        spectrum = self.spectrum
        unexplained = spectrum.power - explained_power(spectrum)
        return self.labels == "linear" and self.noise == 0 and unexplained <= _ROUNDING * spectrum.power

    def _without_ridge(self, sample_ratio, near):
        """Return the limit of a vanishing ridge."""
        if self.penalty == "l1":
            raise ConfigError("ridges has 0, which is no penalty: with penalty 'l1' give positive ridges")
        rank = float(self.spectrum.weights @ (self.spectrum.eigenvalues > 0))
        if self.loss == "square" or (self.loss == "huber" and (sample_ratio <= rank or self._labels_are_exact)):
            return ridgeless_overlaps(self.spectrum, self.moments, sample_ratio)
        if self.loss == "huber" or sample_ratio >= separable_sample_ratio(self.spectrum, self.channel):
            return solve_overlaps(self._equations, self.spectrum, sample_ratio, 0.0, near=near)
        # The direction of the largest margin is the limit of logistic regression as its weights grow.
        margin = solve_overlaps(MarginEquations(HINGE, self.channel), self.spectrum, sample_ratio, 0.0)
        return replace(margin, V=math.inf, V_hat=0.0, q_hat=0.0, m_hat=0.0)
