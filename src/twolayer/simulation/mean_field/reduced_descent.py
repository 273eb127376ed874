"""Descent along the reduced risk by lagged projections, for features of any type on any device.

The outer weights solve (K + lambda) u = Phi^T y / N + lambda c by conjugate gradients. The matrix hardly changes from
one iteration to the next. So the inverse of an earlier matrix is the preconditioner, until its additional products cost
as much as a new inverse. The solver starts from the last two solutions, extrapolated. It stops when the risk exceeds
its minimum by at most a given fraction of its data term. The preconditioned residual gives this excess.

Source: barboni2025, section 6.1, for the model; own derivation of the algorithm.
"""

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from twolayer.errors import ConfigError, NotConverged

EXCESS = {"single": 1e-10, "double": 1e-18}  # excess of the risk over its minimum, relative to its data term
_MOST_PRODUCTS = 1000
# A descent is unstable if its risk exceeds this multiple of its initial value in more iterations than this, or at its
# end. The first steps of few features may be too long, so that the risk rises once or twice before it falls.
BLOW_UP, PATIENCE = 2.0, 20

Array = Any  # np.ndarray or torch.Tensor, depending on the features


class Features(Protocol):
    """The methods of features that the descent uses; `torus.TorusFeatures` describes them."""

    count: int
    width: int

    def array(self, values: np.ndarray) -> Array: ...
    def numpy(self, values: Array) -> np.ndarray: ...
    def place(self, weights: Array) -> Array: ...
    def evaluate(self, weights: Array, outer: Array) -> tuple[Array, Array]: ...
    def product(self, direction: Array) -> tuple[Array, Array]: ...
    def shifted_inverse(self, ridge: float) -> Array: ...
    def slopes(self, misfit: Array) -> Array: ...


class ReducedDescent:
    """A network during its descent; `project` and `move` alternate.

    Args:
        features: features at the inputs, with their targets. weights: (M, d), initial weights.
        ridge: lambda. offset: c, to which the regularisation pulls the outer weights.
        step: tau, flow time of one iteration. excess: see the module.

    Attributes:
        weights: (M, d), in double precision. outer: (M,), outer weights of the last projection.
        products: number of products with K so far. inverses: number of inverses.

    Raises:
        ConfigError: the ridge is not positive.
    """

    def __init__(
        self, features: Features, weights: np.ndarray, ridge: float, offset: float, step: float, excess: float
    ):
        if not ridge > 0:
            raise ConfigError(f"ridge is {ridge:g}: variable projection needs a positive ridge")
        self._features, self._ridge, self._offset, self._step = features, ridge, offset, step
        self._excess = excess
        self._patience = features.width / 8  # approximate number of products that cost as much as an inverse
        self.weights = features.place(weights)
        self.outer = self._previous = features.array(np.full(features.width, offset))
        self._inverse, self._fewest, self._debt = None, math.inf, 0
        self.iteration, self.products, self.inverses = 0, 0, 0
        self._initial, self._above = math.nan, 0

    def project(self, last: bool = False) -> float:
        """Project the outer weights, and return the risk.

        Args:
            last: whether the descent ends here.

        Raises:
            NotConverged: the projection does not converge, or the descent is unstable.
        """
        start = 2 * self.outer - self._previous
        self._previous = self.outer
        self._misfit, pull = self._features.evaluate(self.weights, start)
        if self._inverse is None or self._debt > self._patience:
            self._inverse = self._features.shifted_inverse(self._ridge)
            self._fewest, self._debt = math.inf, 0
            self.inverses += 1
        self.outer = self._solve(start, pull)
        if self.iteration == 0:
            self._previous = self.outer
        risk = self._risk()
        if self.iteration == 0:
            self._initial = risk
        high = not risk <= BLOW_UP * self._initial
        self._above += high
        if self._above > PATIENCE or (last and high):
            raise NotConverged(
                f"descent along the reduced risk is unstable at ridge {self._ridge:g} and step {self._step:g}: "
                f"risk {risk:.3g} at iteration {self.iteration} and {self._initial:.3g} at the start; use a larger "
                "ridge or a smaller step"
            )
        return risk

    def move(self) -> Array:
        """Do one gradient step of the features (M, d), with constant outer weights, by the envelope theorem."""
        rate = self._step / (self._ridge * self._features.count)
        slopes = self._features.slopes(self._misfit)
        step = rate * self.outer[:, None] * slopes
        self.weights = self._features.place(self.weights + step)
        self.iteration += 1
        return step

    def state(self) -> dict[str, np.ndarray]:
        """Return the state between two iterations, for `resume`. It includes the inverse, which affects the solver."""
        arrays = {"weights": self.weights, "outer": self.outer, "previous": self._previous, "inverse": self._inverse}
        counts = [self.iteration, self.products, self.inverses, self._fewest, self._debt, self._initial, self._above]
        return {name: self._features.numpy(array) for name, array in arrays.items()} | {"counts": np.array(counts)}

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state of a descent with the same arguments."""
        self.weights = self._features.place(state["weights"])
        self.outer, self._previous, self._inverse = (
            self._features.array(state[name]) for name in ("outer", "previous", "inverse")
        )
        self.iteration, self.products, self.inverses = (int(count) for count in state["counts"][:3])
        self._fewest, self._debt, self._initial, self._above = state["counts"][3:].tolist()

    def _solve(self, u, pull):
        """Solve by conjugate gradients from u, whose misfit is known, down to the excess."""
        residual = pull - self._ridge * (u - self._offset)
        preconditioned = self._inverse @ residual
        direction, square = preconditioned, float(residual @ preconditioned)
        scale, taken = self._features.count / self._features.width, 0
        while square * scale > self._excess * float(self._misfit @ self._misfit):
            image, curvature = self._features.product(direction)
            curvature = curvature + self._ridge * direction
            length = square / float(direction @ curvature)
            u = u + length * direction
            self._misfit = self._misfit - length * image
            residual = residual - length * curvature
            preconditioned = self._inverse @ residual
            before, square = square, float(residual @ preconditioned)
            direction = preconditioned + square / before * direction
            taken += 1
            if taken == _MOST_PRODUCTS or math.isnan(square):
                raise NotConverged(
                    f"the projection at iteration {self.iteration} did not converge at ridge {self._ridge:g}: use "
                    "double precision or a larger ridge"
                )
        self._fewest = min(self._fewest, taken)
        self._debt += taken - self._fewest
        self.products += taken
        return u

    def _risk(self):
        data = float(self._misfit @ self._misfit) / (2 * self._ridge * self._features.count)
        pull = self.outer - self._offset
        return data + float(pull @ pull) / (2 * self._features.width)
