"""Names of the activations of dense generators, which parameters list without loading torch."""

from typing import Literal

LayerActivation = Literal["erf", "relu", "tanh", "sigmoid", "softplus", "sign", "linear"]
