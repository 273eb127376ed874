"""The processor of this machine: its name, and its widest vector instructions.

The libraries choose their routines by these instructions. So two machines with one architecture can round differently.
"""

import platform
import re
from functools import cache
from pathlib import Path

_CPUS = Path("/proc/cpuinfo")
_VECTORS = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"), ("sve", "SVE"), ("asimd", "NEON"))


def processor() -> str:
    """Return the name of this machine's processor."""
    names = re.findall(r"^model name\s*:\s*(.+)$", _described(), re.MULTILINE)
    return names[0].strip() if names else platform.processor() or platform.machine()


def instructions() -> str:
    """Return the widest vector instructions of this machine's processor, or an empty text if the system does not list
    them.
    """
    flags = set(" ".join(re.findall(r"^(?:flags|Features)\s*:\s*(.+)$", _described(), re.MULTILINE)[:1]).split())
    return next((name for flag, name in _VECTORS if flag in flags), "")


@cache
def _described() -> str:
    return _CPUS.read_text() if _CPUS.exists() else ""
