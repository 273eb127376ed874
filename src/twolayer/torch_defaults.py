"""The global state of torch during a computation."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_DEVICES = ("cpu", "cuda")
_FULL = "ieee"  # products of single precision without shorter numbers


@contextmanager
def torch_defaults() -> Iterator[None]:
    """Give torch its defaults, whatever the caller has set, and restore the caller's state at the end.

    These are the default type and device, gradients, autocasting, the precision of products, and deterministic
    algorithms. The caller's random stream on the CPU is not used up. The number of threads remains the caller's: it
    changes results by rounding only.
    """
    with contextlib.ExitStack() as state:
        state.enter_context(torch.random.fork_rng(devices=[]))
        state.enter_context(torch.inference_mode(False))
        state.enter_context(torch.enable_grad())
        for device in _DEVICES:
            state.enter_context(torch.autocast(device, enabled=False))
        if torch.get_default_device().type != "cpu":  # the context costs time in every call of torch
            state.enter_context(torch.device("cpu"))
        state.enter_context(_default_type())
        state.enter_context(_any_algorithms())
        state.enter_context(_full_precision())
        yield


@contextmanager
def _default_type():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _any_algorithms():
    """Allow algorithms that torch does not list as deterministic."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(False)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])


@contextmanager
def _full_precision():
    products = torch.backends.mkldnn.matmul, torch.backends.mkldnn.conv, torch.backends.cuda.matmul
    before = [product.fp32_precision for product in products]
    for product in products:
        product.fp32_precision = _FULL
    try:
        yield
    finally:
        for product, precision in zip(products, before, strict=True):
            product.fp32_precision = precision
