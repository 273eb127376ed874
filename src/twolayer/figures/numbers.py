"""Format of parameters in titles, labels and names of checks."""

import math

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(count: int) -> str:
    """Return a small number as a word: 4 -> four, 13 -> 13."""
    return _WORDS[count] if 0 <= count < len(_WORDS) else str(count)


def plain(value: float) -> str:
    """Return a number as text: 0.003 -> 3e-3, 0.01 -> 0.01, 20000 -> 20000."""
    if isinstance(value, int):
        return str(value)
    mantissa, _, exponent = (f"{value:e}" if 0 < abs(value) < 0.01 else f"{value:g}").partition("e")
    return f"{float(mantissa):g}e{int(exponent)}" if exponent else mantissa


def mathematical(value: float) -> str:
    r"""Return a number for mathematical text: 0.01 -> 10^{-2}, 0.03 -> 0.03, 20000 -> 20\,000."""
    if isinstance(value, int):
        return f"{value:,}".replace(",", r"\,")
    power = round(math.log10(value)) if value > 0 else 0
    if value < 0.1 and math.isclose(value, 10.0**power):
        return f"10^{{{power}}}"
    mantissa, _, exponent = f"{value:g}".partition("e")
    return rf"{mantissa}\times 10^{{{int(exponent)}}}" if exponent else mantissa
