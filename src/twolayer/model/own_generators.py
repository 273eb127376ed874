"""Torch modules of one's own as generators of inputs."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from twolayer.errors import ConfigError
from twolayer.model.latent_generators import LatentGenerator
from twolayer.model.own_modules import named_module
from twolayer.parameters import shown

_TRIAL = 2  # latents that tell the shape of the inputs


class Generator(LatentGenerator):
    """x = G(c) with latents c ~ N(0, identity), of any module or function of torch; it is used in evaluation mode.

    Verbs take it as `generator`, and just so the results of `sign_generator`, `convolutional_generator`, `dense_flow`,
    `trained_generator` and `trained_flow`.

    Args:
        module: from latents (b, D) to inputs, (b, N) or images (b, colours, height, width).
        latent_size: D.

    Raises:
        ConfigError: the module does not map such latents to finite inputs, one for each.
    """

    def __init__(self, module: Callable[[Tensor], Tensor], latent_size: int):
        super().__init__()
        if not callable(module):
            raise ConfigError(f"module is {shown(module)}: give a torch module, or a function of torch tensors")
        if isinstance(latent_size, bool) or not isinstance(latent_size, int) or latent_size < 1:
            raise ConfigError(f"latent_size is {shown(latent_size)}: it must be a whole number of at least 1")
        weights = list(module.parameters()) if isinstance(module, nn.Module) else []
        like = weights[0] if weights else torch.zeros(())
        self.anchor = nn.Parameter(torch.zeros((), dtype=like.dtype, device=like.device), requires_grad=False)
        self.module, self.latent_size = module, latent_size
        shape = self._shape_of_inputs()
        self.output_size, self.image_shape = shape.numel(), tuple(shape) if len(shape) == 3 else None

    def forward(self, latents: Tensor) -> Tensor:
        """Latents (B, D) to inputs (B, N)."""
        return self.module(latents).flatten(1)

    @torch.inference_mode()
    def _shape_of_inputs(self):
        self.eval()
        latents = torch.randn(_TRIAL, self.latent_size, generator=torch.Generator().manual_seed(0))
        try:
            inputs = self.module(latents.to(self.anchor))
        except Exception as failure:
            message = " ".join(str(failure).split())[:100]
            raise ConfigError(f"module fails on latents of latent_size {self.latent_size} ({message})") from failure
        if not isinstance(inputs, Tensor) or inputs.ndim < 2 or len(inputs) != _TRIAL:
            found = tuple(inputs.shape) if isinstance(inputs, Tensor) else shown(inputs)
            raise ConfigError(f"module makes {found} of {_TRIAL} latents: it must give a tensor of {_TRIAL} inputs")
        if not torch.isfinite(inputs).all():
            raise ConfigError("module gives NaN or infinity: its inputs must be finite")
        return inputs.shape[1:]


class NamedGenerator(Generator):
    """The same of a module that is named, `package.module:function`, and made anew wherever it is used.

    Its weights are kept with a result, so that a function that draws them at random gives the same generator again.
    """

    def __init__(self, module: str, latent_size: int):
        super().__init__(named_module(module), latent_size)
        self.sizes = {"module": module, "latent_size": latent_size}
