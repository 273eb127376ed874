"""Names of activations and kernels, which parameters list without loading NumPy or torch."""

from typing import Literal

LayerActivation = Literal["erf", "relu", "tanh", "sigmoid", "softplus", "sign", "linear"]  # of dense generators
KernelName = Literal["features", "tangent", "first_layer"]
KernelActivation = Literal["relu", "erf"]
