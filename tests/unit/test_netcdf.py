"""Results as they are read against xarray's own way to read them."""

from io import BytesIO

import h5py
import numpy as np
import pytest
import xarray as xr

from twolayer.storage import netcdf
from twolayer.storage.files import TooLarge

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


def encoded(encoding, values=NUMBERS, **attributes):
    """A file of a variable that is stored in another form than the dataset shows."""
    dataset = xr.Dataset({"x": ("time", values, attributes)})
    return bytes(dataset.to_netcdf(engine="h5netcdf", encoding={"x": encoding}))


def changed(change):
    """A file of two variables, after a change by h5py."""
    dataset = xr.Dataset({"x": ("time", NUMBERS), "y": (("time", "other"), np.ones((6, 2)))})
    file = BytesIO(dataset.to_netcdf(engine="h5netcdf"))
    with h5py.File(file, "r+") as content:
        change(content)
    return file.getvalue()


OTHERS = {
    "packed numbers": encoded({"dtype": "i2", "scale_factor": 0.1, "add_offset": 1.0, "_FillValue": -1}),
    "missing numbers": encoded({"dtype": "i2", "_FillValue": 7}, np.array([1.0, np.nan, 3, 4, 5, 6])),
    "dates": encoded({}, np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]")),
    "unsigned bytes": encoded({"dtype": "u1", "_FillValue": 255}, np.array([1.0, 250.0])),
    "another order of bytes": encoded({"dtype": ">f8"}),
    "texts of a fixed length": encoded({"dtype": "S1"}, np.array(["ab", "cd"])),
    "a fill value of floats": encoded({"_FillValue": 0.1}),
    "a mark of missing values": changed(lambda file: file["x"].attrs.__setitem__("missing_value", NUMBERS[2])),
}


@pytest.mark.parametrize("stored", OTHERS.values(), ids=OTHERS)
def test_files_of_another_form_are_read_as_xarray_reads_them(stored):
    expected = xr.load_dataset(BytesIO(stored), engine="h5netcdf", decode_timedelta=False)
    xr.testing.assert_identical(netcdf.load(BytesIO(stored)), expected)


def test_dimensions_have_names():
    stored = changed(lambda file: file.create_dataset("z", data=NUMBERS))
    with pytest.raises(ValueError, match="'z' has dimensions without a name"):
        netcdf.load(BytesIO(stored))


def test_own_files_are_read_without_xarray(monkeypatch):
    monkeypatch.setattr(xr, "load_dataset", None)
    for name in DATASETS.keys() - {"nothing in a dimension"}:  # an empty dimension is stored as an unlimited one
        dataset = DATASETS[name]
        netcdf.load(BytesIO(dataset.to_netcdf(engine="h5netcdf")))


def test_units_of_time_stay_numbers():
    """xarray made time spans of them, by default, in some versions."""
    stored = encoded({}, units="seconds")
    np.testing.assert_array_equal(netcdf.load(BytesIO(stored))["x"], NUMBERS)


def test_a_file_that_xarray_reads_is_within_the_limit(monkeypatch):
    monkeypatch.setenv("TWOLAYER_LARGEST_GB", "1e-7")
    packed = encoded({"dtype": "i1", "scale_factor": 0.1, "_FillValue": -1}, np.ones(20))
    with pytest.raises(TooLarge, match=r"has 3\.2e-07 GB"):
        netcdf.load(BytesIO(packed))
