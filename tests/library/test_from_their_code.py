"""The lines of docs/from_their_code.md run, and the codes' stored numbers have the deviations that the page states."""

import re
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.learning import LayerRates
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.teacher_student.isotropic_teacher import IsotropicTeacher
from twolayer.theory.teacher_student.signal_averages import Signals

PAGE = Path(__file__).parents[2] / "docs" / "from_their_code.md"
STORED = Path(__file__).parents[1] / "golden" / "field"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


def table(name):
    return np.loadtxt(STORED / f"{name}.csv", delimiter=",", comments="#", skiprows=name.startswith("onestep") * 2)


def deviations(found, stored):
    gaps = np.abs(found / stored - 1)
    return float(np.max(gaps)), float(np.median(gaps))


@pytest.mark.parametrize("name", SECTIONS)
def test_lines(name):
    names = {}
    exec("import numpy as np\nimport twolayer as tl", names)
    for block in re.findall(r"```python\n(.*?)```", SECTIONS[name], re.DOTALL):
        exec(compile(block, f"{PAGE.name}, {name}", "exec"), names)
        theory = names["theory"]
        assert all(np.isfinite(values).all() for values in theory.data_vars.values())
        if "class_error" in theory:
            assert (theory.class_error < 0.6).all()


def test_the_table_lists_all_codes():
    assert re.findall(r"^\| \[(\w+)\]", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == list(SECTIONS)
    assert len(SECTIONS) == 7


def test_dimensionless_dynamics():
    """The stored curve is a solution by Euler's method with steps of 1e-3."""
    start, (times, risk) = (
        np.load(STORED / "saad_solla_classic_limit_erf_start.npz"),
        table("saad_solla_classic_limit_erf").T,
    )
    order = OrderParameters(start["Q0"], start["M0"], start["P"])
    signals = Signals("erf", "erf", 1e-3**0.5, "labels")
    equations = IsotropicTeacher(signals, LayerRates(0.05), order, np.full(10, 0.1), np.full(2, 0.5))
    path = equations.solve((np.append(times, start["t_end"]) - start["t0"]) / 0.005, 1e-12)
    largest, median = deviations(path.pmse[:-1], risk)
    assert largest == pytest.approx(4.0e-4, rel=0.02)
    assert median == pytest.approx(1.5e-5, rel=0.02)
    np.testing.assert_allclose(path.order.Q[-1], start["Q_end"], atol=2e-5)
    np.testing.assert_allclose(path.order.R[-1], start["M_end"], atol=2e-5)


def test_escaping_mediocrity():
    """The stored curve is a solution by Euler's method, which is late during the escape; the same steps repeat it."""
    times, risk = table("escaping_mediocrity_ode_square_p1").T
    m, square = (1 - risk[0] / 2) ** 0.5, tl.Activation.of(np.square, lambda x: 2 * x, "square")
    order, one = OrderParameters(np.eye(1), np.array([[m]]), np.eye(1)), np.ones(1)
    equations = IsotropicTeacher(Signals(square, square, 0.01), LayerRates(0.1, sphere=True), order, one, one)
    largest, median = deviations(equations.solve((times - times[0]) / 0.1, 1e-11).pmse, risk)
    assert largest == pytest.approx(7.6e-3, rel=0.02)
    assert median == pytest.approx(1.7e-6, rel=0.02)
    repeated = []
    for _ in range(round((times[-1] - times[0]) / 1e-3) + 1):
        repeated.append(2 * (1 - m * m))
        m += 1e-3 / 0.1 * m * ((0.4 - 24 * 0.01) * (1 - m * m) - 2 * 0.01 * 1e-4)
    np.testing.assert_allclose(np.array(repeated)[np.round((times - times[0]) / 1e-3).astype(int)], risk, rtol=1e-8)


def test_one_step_asymptotics():
    """The limit is within 2.3 % of the mean over three stored simulations at each ratio."""
    ratio, _, error = table("onestep_spoc_simulation_tanh_tanh").T
    gaps = []
    for alpha in np.unique(ratio):
        m = round(alpha * 2000)
        data = tl.SpikedData(2000, m, step_samples=1000, ranks=[0], ratios=[1], teacher_function="tanh")
        options = {"step_per_unit": 1.0, "ridge": 0.01 / m, "activations": ["tanh"]}
        theory = tl.giant_step_limit(data, tl.Axes(width=[2000 / m]), **options).theory
        gaps.append(2 * float(theory.squeeze()) / error[ratio == alpha].mean() - 1)
    assert np.max(np.abs(gaps)) < 0.023
