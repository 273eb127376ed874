"""Every wrong version of the physics turns a test or a check red.

`make sensitivity` tries them all; `pytest tests/sensitivity --sensitivity 10` tries a tenth of them. Those that a check
detects need quick results of a figure. Missing results are computed.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from custom_mixture import WRONG as OWN
from gaussian_equivalence import WRONG as GET
from mixture_labels import WRONG as MIXTURE_LABELS
from mixtures import WRONG as MIXTURES
from one_step import WRONG as ONE_STEP
from scratch import ROOT, Scratch
from standard_errors import WRONG as STANDARD_ERRORS
from statements import WRONG as STATEMENTS
from theory_comparison import WRONG as MEETING
from varpro import WRONG as VARPRO
from wrong import Wrong, find

WRONG = [*MIXTURES, *VARPRO, *ONE_STEP, *GET, *OWN, *MEETING, *MIXTURE_LABELS, *STATEMENTS, *STANDARD_ERRORS]


@pytest.fixture(scope="session")
def scratch():
    return Scratch.of_project()


@pytest.mark.sensitivity
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_it_is_noticed(scratch, wrong):
    scratch.write(wrong)
    try:
        if wrong.test:
            assert not scratch.passes(wrong.test), f"{wrong.test} does not detect it"
        else:
            assert scratch.failures(wrong.figure, wrong.runs), f"no check of {wrong.figure} detects it"
    finally:
        scratch.restore(wrong)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_an_entry_changes_one_place_of_one_function(wrong):
    wrong.module()
    assert bool(wrong.test) != bool(wrong.figure), "an entry names either a test or a figure"
    if wrong.test:
        file, *names = wrong.test.split("::")
        assert (ROOT / file).is_file(), f"{file} is missing: correct the entry"
        defined = (ROOT / file).read_text()
        for name in names:
            assert f" {name.partition('[')[0]}" in defined, f"{file} has no {name}: correct the entry"


def test_an_entry_that_no_longer_fits_is_reported():
    with pytest.raises(ValueError, match="contains 'no such text' 0 times, expected once: correct the entry 'a name'"):
        Wrong("a name", "theory.hermite_series", "no such text", "").module()
    with pytest.raises(ValueError, match=r"'theory.no_such_function' names no function"):
        find("theory.no_such_function")
    with pytest.raises(ValueError, match=r"'experiments.run' names .* functions, for instance .*: add the module"):
        find("experiments.run")
