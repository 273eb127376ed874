"""The lines of docs/from_their_code.md run, and give the numbers that the page states."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "from_their_code.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", SECTIONS)
def test_lines(name):
    names = {}
    exec("import numpy as np\nimport twolayer as tl", names)
    for block in re.findall(r"```python\n(.*?)```", SECTIONS[name], re.DOTALL):
        exec(compile(block, f"{PAGE.name}, {name}", "exec"), names)
        theory = names["theory"]
        assert all(np.isfinite(values).all() for values in theory.data_vars.values())
        assert (theory.class_error < 0.6).all()
