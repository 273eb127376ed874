"""Custom torch modules as generators of inputs."""

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from twolayer.errors import ConfigError
from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.parameters import shown

_TRIAL = 16  # latents that show what a module does
_KEPT = 2  # whose inputs a result keeps


class Generator(LatentGenerator):
    """x = G(c) with latents c ~ N(0, identity), of any module or function of torch; it is used in evaluation mode.

    Functions take it as `generator`, and also the results of `sign_generator`, `dense_generator`,
    `convolutional_generator`, `dense_flow`, `trained_generator` and `trained_flow`.

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
        """Latents (B, D) to inputs (B, N).

        Raises:
            ConfigError: an input is not finite.
        """
        inputs = outputs_of(self.module, latents).flatten(1)
        if not torch.isfinite(inputs).all():
            raise ConfigError("the module gives NaN or infinity for some latents: its outputs must be finite")
        return inputs

    @torch.inference_mode()
    def _trial(self) -> Tensor:
        """The inputs of some latents, which are always the same.

        Raises:
            ConfigError: the module does not map latents to inputs.
        """
        self.eval()
        latents = torch.randn(_TRIAL, self.latent_size, generator=torch.Generator().manual_seed(0))
        latents = latents.to(self.anchor)
        what = f"latents of latent_size {self.latent_size}"
        outputs_of(self.module, latents[:_KEPT].clone(), what, "set latent_size to the number of latents that it takes")
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


_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_ROUNDING = 1e-3  # of the largest output: two ways to compute it may differ by that
_ROWS = 16  # inputs that show what a module does
_PRECISIONS = (torch.float32, torch.float64)
_DIGITS = 1e-2  # of the spread of a feature, which single precision may cost


def named_module(name: str) -> Callable[[Tensor], Tensor]:
    """Call the function of that name, and return its result in evaluation mode; modules of the current folder count.

    Raises:
        ConfigError: there is no such function, or it fails, or returns nothing that can be called.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"module is {shown(name)}: name a function as package.module:function")
    place, _, function = name.partition(":")
    maker = None
    sys.path.insert(0, str(Path.cwd()))
    try:
        maker = getattr(importlib.import_module(place), function)
        made = maker()
    except (Exception, SystemExit) as failure:
        message = " ".join(f"{type(failure).__name__}: {failure}".split())[:200]
        raise ConfigError(f"module {name} cannot be made ({message}): {_remedy(failure, maker)}") from failure
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(made):
        raise ConfigError(f"module {name} gives {shown(made)}: return a torch module, or a function of tensors")
    return made.eval() if isinstance(made, nn.Module) else made


def _remedy(failure, maker):
    """What to do about a function that fails."""
    if maker is None:
        return "name a function of a file that can be imported from the project's folder"
    if not callable(maker) or _needs_arguments(maker):
        return "name a function that takes no arguments"
    if re.search("cuda|nvidia", str(failure), re.IGNORECASE) and not torch.cuda.is_available():
        return "this machine has no GPU, so make it on the CPU, and load weights with map_location='cpu'"
    return "correct the function"


def _needs_arguments(maker):
    empty, several = inspect.Parameter.empty, (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    try:
        arguments = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):  # of a builtin
        return False
    return any(one.default is empty and one.kind not in several for one in arguments)


def precision_of(module: Callable[[Tensor], Tensor]) -> Tensor:
    """A tensor of the device and of the precision, single or double, that a module takes.

    Raises:
        ConfigError: its weights have another precision.
    """
    tensors = [*module.parameters(), *module.buffers()] if isinstance(module, nn.Module) else []
    floating = [one for one in tensors if one.dtype.is_floating_point]
    if other := [one for one in floating if one.dtype not in _PRECISIONS]:
        raise ConfigError(f"the module has weights of {_type(other[0])}: convert it by module.float()")
    if any(one.is_meta for one in tensors):
        raise ConfigError("the module has weights without values, on the meta device: load them")
    return torch.zeros((), dtype=floating[0].dtype, device=floating[0].device) if floating else torch.zeros(())


def _type(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def outputs_of(
    module: Callable[[Tensor], Tensor], inputs: Tensor, what: str = "", remedy: str = "correct it"
) -> Tensor:
    """The outputs (n, ...) of a module for some inputs (n, D).

    Args:
        what: the inputs, in an error, by default their shape. remedy: what to do where it fails.

    Raises:
        ConfigError: it fails, or gives no tensor with a row for each input.
    """
    try:
        outputs = module(inputs)
    except (Exception, SystemExit) as failure:
        message = " ".join(str(failure).split())[:100]
        raise ConfigError(
            f"the module fails on {what or f'{_shape(inputs)} inputs'} ({message}): {remedy}"
        ) from failure
    if not isinstance(outputs, Tensor) or outputs.layout is not torch.strided:
        raise ConfigError(f"the module gives {shown(outputs)}: give a dense tensor with a row for each input")
    if outputs.ndim < 2 or len(outputs) != len(inputs) or 0 in outputs.shape:
        raise ConfigError(
            f"the module makes {_shape(outputs) or 1} numbers of {len(inputs)} rows: it must give a row for each"
        )
    return outputs


def _shape(tensor):
    return " x ".join(map(str, tensor.shape))


@torch.inference_mode()
def checked_outputs(module: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """The outputs of a module for some inputs (n, D), n > 2, if each output is a function of its own input only.

    Raises:
        ConfigError: they are no finite numbers of single or double precision, one row for each input, or depend on
            anything else than this input.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        parts = [inputs.clone(), inputs.clone(), inputs[: len(inputs) // 2].clone()]
        outputs, again, fewer = (outputs_of(module, part) for part in parts)
    if not torch.equal(parts[0], inputs):
        raise ConfigError("the module changes its inputs: set inplace=False in its layers, or let it clone them")
    if outputs.dtype not in _PRECISIONS:
        raise ConfigError(f"the module gives {_type(outputs)} numbers: it must give float32 or float64")
    if outputs.shape[1:] != fewer.shape[1:]:
        raise ConfigError(
            f"the module gives outputs of shape {tuple(outputs.shape[1:])} for {len(inputs)} rows and of shape "
            f"{tuple(fewer.shape[1:])} for {len(fewer)}: their shape must not depend on the number of rows"
        )
    if not torch.isfinite(outputs).all():
        raise ConfigError("the module gives NaN or infinity: its outputs must be finite")
    if not same_outputs(outputs, again):
        raise ConfigError(
            "the module gives other outputs for the same inputs: it must not draw random numbers, nor keep a state, "
            "when it is called"
        )
    if not same_outputs(outputs[: len(fewer)], fewer):
        raise ConfigError(
            "the module gives other outputs where other rows come with an input: each must depend on its own row only, "
            "as batch norms do in evaluation mode"
        )
    return outputs


def same_outputs(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors of outputs are equal up to rounding."""
    if one.shape != other.shape:
        return False
    return float((one - other).abs().max()) <= _ROUNDING * float(one.abs().max())


def module_features(module: Callable[[Tensor], Tensor]) -> Callable[[np.ndarray], np.ndarray]:
    """A module as a map of arrays, from inputs (n, N) to features (n, F)."""
    like, checked = precision_of(module), False

    @torch.inference_mode()
    def features(inputs):
        nonlocal checked
        rows = torch.as_tensor(inputs).to(like)
        _check_digits(inputs, rows)
        if not checked and len(rows) > 2:
            checked_outputs(module, rows[:_ROWS])
            checked = True
        return outputs_of(module, rows).flatten(1).numpy(force=True)

    return features


def _check_digits(inputs, rows):
    """Refuse inputs that differ only in digits that the precision of the module does not have."""
    lost = np.abs(rows.double().numpy(force=True) - inputs).max(axis=0)
    worst = int(np.argmax(lost - _DIGITS * inputs.std(axis=0)))
    if lost[worst] > _DIGITS * inputs[:, worst].std() > 0:
        raise ConfigError(
            f"feature {worst} (counted from 0) varies too little around its mean for the single precision of the "
            "module: subtract the mean from the data, or convert the module by module.double()"
        )
