"""Gaussian inputs of a student and its teacher, as a class of the library."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_student import GaussianInputs, InputMoments
from twolayer.parameters import Array, Count, checked
from twolayer.results.inputs import inputs_to_dataset


@checked
class Inputs:
    """Gaussian inputs x with mean 0 of a student that learns from a teacher.

    They are isotropic, or have a covariance, or the moments of a generator. The teacher's labels depend on the inputs,
    or on the latents c of a generator if Omega and Phi are given. Functions take the object as `inputs`, and also
    results of `isotropic_inputs` and `moments`.

    Args:
        dimension: N.
        covariance: (N, N) covariance of the inputs.
        Omega: (N, N) covariance of the inputs of a generator.
        Phi: (N, D) their covariance with its latents, which have the covariance 1.

    Raises:
        ConfigError: the arguments do not fit together.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> tl.Inputs(dimension=2000).dataset().input_dimension.item()
        2000
        >>> tl.Inputs(covariance=np.diag([1.0, 0.5])).dataset().covariance.shape
        (2, 2)
    """

    dimension: Count | None = None
    covariance: Array | None = None
    Omega: Array | None = None
    Phi: Array | None = None

    def __post_init__(self):
        if (self.Omega is None) != (self.Phi is None):
            raise ConfigError("Omega and Phi belong together: give both, or covariance")
        if self.covariance is not None and self.Omega is not None:
            raise ConfigError("covariance is given with Omega and Phi: give either covariance, or Omega and Phi")
        for name in ("covariance", "Omega"):
            self._check_covariance(name, getattr(self, name))
        if self.Phi is not None and (self.Phi.ndim != 2 or len(self.Phi) != len(self.Omega)):
            raise ConfigError(f"Phi has shape {self.Phi.shape}: it must be ({len(self.Omega)}, D)")
        if self.dimension is None and self.covariance is None and self.Omega is None:
            raise ConfigError("dimension is missing: give dimension, covariance, or Omega and Phi")

    def _check_covariance(self, name, matrix):
        if matrix is None:
            return
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise ConfigError(f"{name} has shape {matrix.shape}: it must be (N, N)")
        if self.dimension not in (None, len(matrix)):
            raise ConfigError(f"dimension is {self.dimension}, but {name} has shape {matrix.shape}: leave it out")
        if not np.allclose(matrix, matrix.T):
            raise ConfigError(f"{name} is not symmetric: make it equal to its transpose")

    def dataset(self) -> xr.Dataset:
        """Return the inputs as the result of a task."""
        return inputs_to_dataset(self._inputs())

    def _inputs(self):
        if self.covariance is not None:
            return GaussianInputs(len(self.covariance), covariance=self.covariance)
        if self.Omega is None:
            return GaussianInputs(self.dimension)
        N, D = self.Phi.shape
        return GaussianInputs(N, moments=InputMoments(np.zeros(N), np.zeros(D), self.Omega, self.Phi))
