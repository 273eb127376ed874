"""For all tests."""

from twolayer.dependencies import cache_compiled_code

cache_compiled_code()
