"""Arrays as arguments: what is read, what is refused, and when objects that hold arrays are equal."""

import dataclasses
import importlib
import inspect
import pkgutil
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
import xarray as xr

import twolayer as tl
from twolayer import io
from twolayer.experiments import TASKS
from twolayer.parameters import read_array

NUMBERS = np.array([[1.0, 0.0], [0.0, 2.0]])
MEANS = {"means": [[1.0, 0.0], [-1.0, 0.0]], "labels": [1, -1], "weights": [0.5, 0.5]}
MASKED = np.ma.masked_array(NUMBERS, mask=[[True, False], [False, False]])
BAD = {
    "masked": (MASKED, "masked"),
    "masked in a list": ([[1.0, np.ma.masked], [0.0, 1.0]], "has nan"),
    "complex": (NUMBERS + 1j, "complex"),
    "complex without an imaginary part": (NUMBERS + 0j, "complex"),
    "complex tensor": (torch.tensor(NUMBERS) + 1j, "complex"),
    "texts": (NUMBERS.astype(str), "array of numbers"),
    "texts as objects": (NUMBERS.astype(str).astype(object), "array of numbers"),
    "bytes": (NUMBERS.astype("S"), "array of numbers"),
    "dates": (NUMBERS.astype("M8[s]"), "array of numbers"),
    "durations": (NUMBERS.astype("m8[s]"), "array of numbers"),
    "None": ([[1.0, None], [0.0, 1.0]], "array of numbers"),
    "missing": (pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": [0, 1]}), "array of numbers"),
    "complex objects": (NUMBERS.astype(complex).astype(object), "array of numbers"),
    "records": (np.zeros(2, [("a", float), ("b", float)]), "array of numbers"),
    "sparse": (scipy.sparse.csr_array(NUMBERS), "sparse"),
    "dataset": (xr.Dataset({"a": 1.0}), "array of numbers"),
    "set": ({1.0, 2.0}, "array of numbers"),
    "generator": ((row for row in NUMBERS), "array of numbers"),
    "too large for a double": (np.array([[2**53 + 1, 0], [0, 1]]), "above 2"),
    "unsigned": (np.array([[2**64 - 1, 0], [0, 1]], np.uint64), "above 2"),
    "large objects": (np.array([[10**400, 0], [0, 1]], object), "array of numbers"),
    "squares overflow": (NUMBERS * 1e200, "at most 1e"),
    "long double": (NUMBERS.astype(np.longdouble) * np.longdouble(10) ** 400, "has inf"),
}
GOOD = {
    "list": NUMBERS.tolist(),
    "float32": NUMBERS.astype(np.float32),
    "float16": NUMBERS.astype(np.float16),
    "bytes": NUMBERS.astype(np.uint8),
    "truth values": NUMBERS.astype(bool) * 1 + np.diag([0, 1]),
    "masked nowhere": np.ma.masked_array(NUMBERS, mask=False),
    "matrix": np.asmatrix(NUMBERS),
    "frame": pd.DataFrame(NUMBERS),
    "xarray": xr.DataArray(NUMBERS),
    "tensor": torch.tensor(NUMBERS, requires_grad=True),
    "bfloat16": torch.tensor(NUMBERS, dtype=torch.bfloat16),
    "conjugate view": torch.tensor(NUMBERS).T,
    "fractions": [[Fraction(1), Decimal(0)], [0, 2.0]],
    "big endian": NUMBERS.astype(">f8"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_conversion_would_change_is_refused(case):
    value, message = BAD[case]
    with pytest.raises(tl.ConfigError, match=f"^covariance .*{message}"):
        read_array(value, "covariance")


@pytest.mark.parametrize("case", GOOD)
def test_what_is_read(case):
    found = read_array(GOOD[case], "covariance")
    assert (found.dtype, type(found)) == (float, np.ndarray)
    np.testing.assert_array_equal(found, NUMBERS)


def test_every_argument_that_is_an_array():
    """In the functions, in a mixture, in numbers of a list, and in an activation."""
    arrays = [(name, one.rstrip("?")) for name, task in TASKS.items() for one in task.arrays]
    assert len(arrays) > 5
    for name, argument in arrays:
        others = {one: NUMBERS for one in TASKS[name].arrays if not one.endswith("?")}
        rest = {"width": 4, "ridge": 0.1} if "width" in inspect.signature(getattr(tl, name)).parameters else {}
        for bad, message in (BAD["masked"], BAD["complex"], BAD["texts"]):
            with pytest.raises(tl.ConfigError, match=f"{name}: {argument} .*{message}"):
                getattr(tl, name)(**others | rest | {argument: bad})
    for bad in (MASKED, NUMBERS + 0j, NUMBERS.astype(str)):
        with pytest.raises(tl.ConfigError, match="covariance"):
            tl.Mixture(**MEANS, covariance=bad)
    for bad in (MASKED, NUMBERS + 0j):
        with pytest.raises(tl.ConfigError, match="means"):
            tl.Mixture(**MEANS | {"means": bad}, sigma=1)
    for bad in (lambda x: np.ma.masked_array(x, x > 3), lambda x: x.astype(object), lambda x: x.astype(str)):
        with pytest.raises(tl.ConfigError, match="activation"):
            tl.Student(bad, 2)


@pytest.mark.parametrize("case", ["complex", "texts", "dates", "records", "squares overflow"])
def test_files_of_arrays(case, tmp_path):
    np.save(tmp_path / "x.npy", BAD[case][0])
    with pytest.raises(tl.ConfigError, match=r"array .*x\.npy"):
        io.read_array(tmp_path / "x.npy")


def test_files_that_hold_no_array(tmp_path):
    np.savez(tmp_path / "x.npz", a=NUMBERS)
    (tmp_path / "empty.npy").write_bytes(b"")
    np.save(tmp_path / "nan.npy", [np.nan])
    for name, error in (("x.npz", tl.ResultError), ("empty.npy", tl.ResultError), ("nan.npy", tl.ConfigError)):
        with pytest.raises(error, match=name):
            io.read_array(tmp_path / name)


class TestEquality:
    def test_mixtures_of_other_covariances_differ(self):
        one, same, other = (tl.Mixture(**MEANS, covariance=C) for C in (NUMBERS, NUMBERS.tolist(), 2 * NUMBERS))
        assert one == same
        assert hash(one) == hash(same)
        assert one != other
        assert len({one, same, other}) == 2
        assert one != tl.Mixture(**MEANS, sigma=1)
        assert tl.Mixture(**MEANS, sigma=1) == tl.Mixture(**MEANS, sigma=1)
        assert one == tl.Mixture(**MEANS, covariance=NUMBERS * [[1, -1], [1, 1]])  # -0

    def test_a_mixture_keeps_its_numbers(self):
        numbers = NUMBERS.copy()
        mixture = tl.Mixture(**MEANS, covariance=numbers)
        before = hash(mixture)
        numbers[0, 0] = 5.0
        assert hash(mixture) == before
        assert mixture.covariance[0, 0] == 1.0
        with pytest.raises(ValueError, match="read-only"):
            mixture.covariance[0, 0] = 5.0

    def test_no_class_compares_arrays_by_accident(self):
        """The default equality and hash of a dataclass raise an error if fields are arrays."""
        for found in pkgutil.walk_packages(tl.__path__, "twolayer."):
            if not found.name.startswith(("twolayer.model", "twolayer.theory", "twolayer.simulation")):
                continue
            for one in vars(importlib.import_module(found.name)).values():
                if not (inspect.isclass(one) and dataclasses.is_dataclass(one) and one.__module__ == found.name):
                    continue
                types = [str(field.type) for field in dataclasses.fields(one)]
                holds = any(("ndarray" in each or "Tensor" in each) and "Callable" not in each for each in types)
                assert not (holds and one.__dataclass_params__.eq), one


@pytest.mark.parametrize("measurements", [1, 2, 3])
def test_the_last_measurement_is_at_the_last_time(measurements):
    schedule = tl.Schedule(learning_rate=0.1, last_time=2.0, measurements=measurements)
    student = tl.Student("erf", 2, dimension=20)
    curve = tl.learning_curve(tl.Mixture(**MEANS, sigma=1), student, schedule, log2_nodes=6)
    assert curve.time.values[-1] == 2.0
    assert curve.sizes["time"] == measurements + 1


class TestDensities:
    @pytest.mark.parametrize("gamma", [0.0, 10.0, 1e4, 1e8, 1e30])
    def test_a_teacher_of_any_concentration(self, gamma):
        found = tl.teacher_distribution(gamma=[gamma], samples=100, cells=500)
        assert float(found.density.mean()) * 2 * np.pi == pytest.approx(1)
        assert float(found.mass.sum()) == pytest.approx(1)

    def test_a_grid_that_does_not_resolve_the_teacher(self):
        with pytest.raises(tl.ConfigError, match=r"cells is 16: .* gamma 1e\+08 need at least 31416 cells"):
            tl.ultrafast_diffusion(gamma=1e8, cells=16)

    @pytest.mark.parametrize("gamma", [1.0, 1e3])
    def test_the_density_that_the_diffusion_approaches(self, gamma):
        found = tl.ultrafast_diffusion(gamma=gamma, cells=128, descent=tl.Descent(iterations=1))
        assert float(found.teacher_density.mean()) * 2 * np.pi == pytest.approx(1)
