"""Results as they are read against xarray's own way to read them."""

from io import BytesIO

import numpy as np
import pytest
import xarray as xr

from twolayer import netcdf

NUMBERS = np.linspace(0.1, 0.6, 6)
DATASETS = {
    "numbers of all kinds": xr.Dataset(
        {
            "double": (("row", "column"), NUMBERS.reshape(2, 3)),
            "single": ("column", NUMBERS[:3].astype(np.float32)),
            "count": ("row", np.array([3, 1 << 60])),
            "byte": ("row", np.array([3, 255], np.uint8)),
            "right": ("column", [True, False, True]),
            "alone": ((), 0.25),
            "infinite": ("row", [np.inf, -np.inf]),
        }
    ),
    "a square, whose sides are one dimension and another": xr.Dataset({"Omega": (("unit", "other"), np.eye(3))}),
    "dimensions with values, and of texts": xr.Dataset(
        {"loss": (("name", "time"), NUMBERS.reshape(2, 3))}, {"name": ["square", "λ"], "time": [0.1, 1.0, 10.0]}
    ),
    "coordinates beside dimensions": xr.Dataset(
        {"pmse": ("time", NUMBERS)}, {"steps": ("time", np.arange(6)), "optimizer": "sgd", "batch_size": 64}
    ),
    "attributes": xr.Dataset(
        {"pmse": ("time", NUMBERS, {"long_name": "half the squared error", "limits": [0.0, 1.0], "order": 2})},
        attrs={"kind": "Δ", "seconds": 1.5, "none": "", "seeds": 3},
    ),
    "nothing in a dimension": xr.Dataset({"empty": (("none", "two"), np.empty((0, 2)))}),
    "nothing": xr.Dataset(),
}


@pytest.mark.parametrize("dataset", DATASETS.values(), ids=DATASETS)
def test_reads_what_xarray_reads(dataset):
    stored = dataset.to_netcdf(engine="h5netcdf")
    ours, theirs = netcdf.load(BytesIO(stored)), xr.load_dataset(BytesIO(stored), engine="h5netcdf")
    xr.testing.assert_identical(ours, theirs)
    assert list(ours.data_vars) == list(theirs.data_vars)
    assert {n: v.dtype for n, v in ours.variables.items()} == {n: v.dtype for n, v in theirs.variables.items()}
    for one, other in zip((ours, *ours.variables.values()), (theirs, *theirs.variables.values()), strict=True):
        assert [type(value) for value in one.attrs.values()] == [type(value) for value in other.attrs.values()]
