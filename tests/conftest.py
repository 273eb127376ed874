"""For all tests."""

from pathlib import Path

import twolayer
from twolayer.dependencies import cache_compiled_code

_PACKAGE = Path(twolayer.__file__).parent

cache_compiled_code(
    *(
        ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        for path in _PACKAGE.glob("*/*.py")
        if path.stem != "__init__"
    )
)
