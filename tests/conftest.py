"""For all tests."""

from hypothesis import settings

# The same examples in every run; and no deadline, since the first call of a compiled function compiles it.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
