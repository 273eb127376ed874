"""Names of kernels and of their units, which parameters list without loading NumPy."""

from typing import Literal

KernelName = Literal["features", "tangent", "first_layer"]
KernelActivation = Literal["relu", "erf"]
