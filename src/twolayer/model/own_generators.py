"""Custom torch modules as generators of inputs."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from twolayer.errors import ConfigError
from twolayer.model.latent_generators import LatentGenerator
from twolayer.model.own_modules import checked_outputs, named_module, precision_of, same_outputs
from twolayer.parameters import shown

_TRIAL = 16  # latents that show what a module does
_KEPT = 2  # whose inputs a result keeps


class Generator(LatentGenerator):
    """x = G(c) with latents c ~ N(0, identity), of any module or function of torch; it is used in evaluation mode.

    Functions take it as `generator`, and also the results of `sign_generator`, `convolutional_generator`, `dense_flow`,
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
        self.anchor = nn.Parameter(precision_of(module), requires_grad=False)
        self.module, self.latent_size = module, latent_size
        shape = self._trial().shape[1:]
        self.output_size, self.image_shape = shape.numel(), tuple(shape) if len(shape) == 3 else None

    def forward(self, latents: Tensor) -> Tensor:
        """Latents (B, D) to inputs (B, N)."""
        return self.module(latents).flatten(1)

    @torch.inference_mode()
    def _trial(self) -> Tensor:
        """The inputs of some latents, which are always the same.

        Raises:
            ConfigError: the module does not map latents to inputs.
        """
        self.eval()
        latents = torch.randn(_TRIAL, self.latent_size, generator=torch.Generator().manual_seed(0))
        latents = latents.to(self.anchor)
        try:
            first = self.module(latents[:_KEPT])
        except Exception as failure:
            message = " ".join(str(failure).split())[:100]
            raise ConfigError(
                f"module fails on latents of latent_size {self.latent_size} ({message}): set latent_size to the number "
                "of latents that it takes"
            ) from failure
        if not isinstance(first, Tensor) or first.ndim < 2 or len(first) != _KEPT:
            found = tuple(first.shape) if isinstance(first, Tensor) else shown(first)
            raise ConfigError(f"module makes {found} of {_KEPT} latents: it must give a tensor of {_KEPT} inputs")
        inputs = checked_outputs(self.module, latents)
        if same_outputs(inputs, inputs[:1].expand_as(inputs)):
            raise ConfigError("the module gives the same input for all latents: it must depend on them")
        return inputs


class NamedGenerator(Generator):
    """A generator that is named, `package.module:function`, and made again by each job that uses it.

    Its weights are kept with a result, together with the inputs of some latents. A generator that is made again must
    give these inputs: weights that are drawn at random must be parameters or buffers of the module.
    """

    def __init__(self, module: str, latent_size: int):
        super().__init__(named_module(module), latent_size)
        self.sizes = {"module": module, "latent_size": latent_size}
        self.register_buffer("trial", self._trial()[:_KEPT].clone())

    def load_state_dict(self, state: Mapping[str, Tensor], *args, **options):
        """Load weights, and check that they make the same generator.

        Raises:
            ConfigError: the module has other weights, or gives other inputs.
        """
        module = self.sizes["module"]
        try:
            loaded = super().load_state_dict(state, *args, **options)
        except RuntimeError as failure:
            message = " ".join(str(failure).split())[:200]
            raise ConfigError(
                f"module {module} does not have the weights of the result ({message}): make the result again"
            ) from failure
        if not same_outputs(self.trial, self._trial()[:_KEPT]):
            raise ConfigError(
                f"module {module} gives another generator each time, or has changed since the result was made: keep "
                "all weights as parameters or buffers of the module, or set the seed of those that are drawn, and make "
                "the result again"
            )
        return loaded
