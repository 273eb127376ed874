"""The state of a random stream as an array, which a checkpoint can hold."""

import numpy as np

_HALF = 2**64


def state_of(rng: np.random.Generator) -> np.ndarray:
    """Return the state of a PCG64 stream as six unsigned integers of 64 bits.

    Raises:
        TypeError: the stream is not a PCG64 stream.
    """
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise TypeError(f"the stream is {state['bit_generator']}: give one of PCG64")
    numbers = (state["state"]["state"], state["state"]["inc"])
    halves = [half for number in numbers for half in divmod(number, _HALF)]
    return np.array([*halves, state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def set_state(rng: np.random.Generator, state: np.ndarray) -> None:
    """Set a PCG64 stream to a state that `state_of` returned."""
    high, low, inc_high, inc_low, has_half, half = (int(number) for number in state)
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high * _HALF + low, "inc": inc_high * _HALF + inc_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
