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

from twolayer.errors import ConfigError, shown
from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.model.random.torch_seeds import seeded
from twolayer.torch_defaults import torch_defaults

_TRIAL = 16  # number of latents for a trial of a module
_KEPT = 2  # number of latents whose inputs a result stores


class Generator(LatentGenerator):
    """A generator x = G(c) with latents c ~ N(0, identity), from any torch module or function, in evaluation mode.

    Functions take the object as `generator`, and also the results of `sign_generator`, `dense_generator`,
    `convolutional_generator`, `dense_flow`, `trained_generator` and `trained_flow`.

    Args:
        module: maps latents (b, D) to inputs, (b, N) or images (b, colours, height, width).
        latent_size: D.

    Raises:
        ConfigError: the module does not map these latents to finite inputs, one for each latent.

    Example:
        >>> import twolayer as tl
        >>> import torch
        >>> generator = tl.Generator(torch.nn.Linear(10, 20), latent_size=10)
        >>> tl.moments(generator, samples=1000).Omega.shape
        (20, 20)
    """

    @torch_defaults()
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
        """Map latents (B, D) to inputs (B, N).

        Raises:
            ConfigError: an input is not finite.
        """
        inputs = outputs_of(self.module, latents).flatten(1)
        if not torch.isfinite(inputs).all():
            raise ConfigError("the module gives NaN or infinity for some latents: its outputs must be finite")
        return inputs

    @torch.inference_mode()
    def _trial(self) -> Tensor:
        """Return the inputs of a fixed set of latents.

        Raises:
            ConfigError: the module does not map latents to inputs.
        """
        self.eval()
        latents = torch.randn(_TRIAL, self.latent_size, generator=torch.Generator().manual_seed(0))
        latents = latents.to(self.anchor)
        what = f"latents of latent_size {self.latent_size}"
        outputs_of(self.module, latents[:_KEPT].clone(), what, "set latent_size to the number of latents of the module")
        inputs = checked_outputs(self.module, latents)
        if same_outputs(inputs, inputs[:1].expand_as(inputs)):
            raise ConfigError("the module gives the same input for all latents: it must depend on them")
        return inputs


class NamedGenerator(Generator):
    """A generator with a name, `package.module:function`, which each job creates again.

    A result stores its weights and the inputs of some latents. A generator that is created again must give these
    inputs. So weights that are drawn at random must be parameters or buffers of the module.
    """

    def __init__(self, module: str, latent_size: int):
        super().__init__(named_module(module), latent_size)
        self.sizes = {"module": module, "latent_size": latent_size}
        self.register_buffer("trial", self._trial()[:_KEPT].clone())

    def load_state_dict(self, state: Mapping[str, Tensor], *args, **options):
        """Load weights, and check that they define the same generator.

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
                f"module {module} gives a different generator each time, or has changed since the result was "
                "computed: keep "
                "all weights as parameters or buffers of the module, or set the seed of random weights, and make "
                "the result again"
            )
        return loaded


_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_ROUNDING = 1e-3  # rounding error relative to the largest output; two methods of computation may differ by it
_ROWS = 16  # number of inputs for a trial of a module
_PRECISIONS = (torch.float32, torch.float64)
_DIGITS = 1e-2  # part of the spread of a feature that single precision may cost


def named_module(name: str) -> Callable[[Tensor], Tensor]:
    """Call the function with this name, and return its result in evaluation mode.

    Modules of the current folder are included.

    Raises:
        ConfigError: there is no such function, or it fails, or its result is not callable.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"module is {shown(name)}: give the name of a function as package.module:function")
    place, _, function = name.partition(":")
    maker = None
    sys.path.insert(0, str(Path.cwd()))
    try:
        maker = getattr(importlib.import_module(place), function)
        made = maker()
    except (Exception, SystemExit) as failure:
        message = " ".join(f"{type(failure).__name__}: {failure}".split())[:200]
        raise ConfigError(f"module {name} cannot be created ({message}): {_remedy(failure, maker)}") from failure
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(made):
        raise ConfigError(f"module {name} gives {shown(made)}: return a torch module, or a function of tensors")
    return made.eval() if isinstance(made, nn.Module) else made


def _remedy(failure, maker):
    """Return the remedy for a function that fails."""
    if maker is None:
        return "give a function of a file that can be imported from the project's folder"
    if not callable(maker) or _needs_arguments(maker):
        return "give a function without arguments"
    if re.search("cuda|nvidia", str(failure), re.IGNORECASE) and not torch.cuda.is_available():
        return "this machine has no GPU: create it on the CPU, and load weights with map_location='cpu'"
    return "correct the function"


def _needs_arguments(maker):
    empty, several = inspect.Parameter.empty, (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    try:
        arguments = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):  # a builtin function has no signature
        return False
    return any(one.default is empty and one.kind not in several for one in arguments)


def precision_of(module: Callable[[Tensor], Tensor]) -> Tensor:
    """Return a tensor with the device and the precision, single or double, of a module.

    Raises:
        ConfigError: its weights have another precision.
    """
    tensors = [*module.parameters(), *module.buffers()] if isinstance(module, nn.Module) else []
    floating = [one for one in tensors if one.dtype.is_floating_point]
    if other := [one for one in floating if one.dtype not in _PRECISIONS]:
        raise ConfigError(f"the module has weights of {_type(other[0])}: convert it by module.float()")
    if any(one.is_meta for one in tensors):
        raise ConfigError("the module has weights without values (on the meta device): load them")
    return torch.zeros((), dtype=floating[0].dtype, device=floating[0].device) if floating else torch.zeros(())


def _type(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def outputs_of(
    module: Callable[[Tensor], Tensor], inputs: Tensor, what: str = "", remedy: str = "correct it"
) -> Tensor:
    """Return the outputs (n, ...) of a module for some inputs (n, D).

    Args:
        what: description of the inputs for an error, by default their shape. remedy: remedy if the module fails.

    Raises:
        ConfigError: the module fails, or does not give a tensor with one row for each input.
    """
    try:
        outputs = module(inputs)
    except (Exception, SystemExit) as failure:
        message = " ".join(str(failure).split())[:100]
        raise ConfigError(
            f"the module fails on {what or f'{_shape(inputs)} inputs'} ({message}): {remedy}"
        ) from failure
    if not isinstance(outputs, Tensor) or outputs.layout is not torch.strided:
        raise ConfigError(f"the module gives {shown(outputs)}: give a dense tensor with one row for each input")
    if outputs.ndim < 2 or len(outputs) != len(inputs) or 0 in outputs.shape:
        raise ConfigError(
            f"the module gives {_shape(outputs) or 1} numbers for {len(inputs)} rows: it must give one row for each"
        )
    return outputs


def _shape(tensor):
    return " x ".join(map(str, tensor.shape))


@torch.inference_mode()
def checked_outputs(module: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """Return the outputs of a module for some inputs (n, D), n > 2, if each output depends only on its input.

    Raises:
        ConfigError: the outputs are not finite numbers of single or double precision with one row for each input, or
            they depend on more than this input.
    """
    with seeded(0):
        parts = [inputs.clone(), inputs.clone(), inputs[: len(inputs) // 2].clone()]
        outputs, again, fewer = (outputs_of(module, part) for part in parts)
    if not torch.equal(parts[0], inputs):
        raise ConfigError("the module changes its inputs: set inplace=False in its layers, or clone the inputs first")
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
            "the module gives different outputs for the same inputs: it must not draw random numbers or keep a state "
            "when it is called"
        )
    if not same_outputs(outputs[: len(fewer)], fewer):
        raise ConfigError(
            "the outputs of the module depend on other rows of inputs: each output must depend only on its row, "
            "as batch norms do in evaluation mode"
        )
    return outputs


def same_outputs(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors of outputs are equal up to rounding."""
    if one.shape != other.shape:
        return False
    return float((one - other).abs().max()) <= _ROUNDING * float(one.abs().max())


def module_features(module: Callable[[Tensor], Tensor]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a module as a map of arrays, from inputs (n, N) to features (n, F)."""
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
    """Raise an error for inputs that differ only in digits beyond the precision of the module."""
    lost = np.abs(rows.double().numpy(force=True) - inputs).max(axis=0)
    worst = int(np.argmax(lost - _DIGITS * inputs.std(axis=0)))
    if lost[worst] > _DIGITS * inputs[:, worst].std() > 0:
        raise ConfigError(
            f"feature {worst} (counted from 0) varies too little around its mean for the single precision of the "
            "module: subtract the mean from the data, or convert the module by module.double()"
        )
