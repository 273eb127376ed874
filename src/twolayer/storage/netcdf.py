"""Read result files, which xarray writes through h5netcdf.

xarray and h5netcdf query a file repeatedly for all properties of a variable, which takes most of the time for a small
result. This reader queries once. It reads the files that it supports completely, and leaves all others to xarray.
"""

import re
from typing import BinaryIO, NamedTuple

import h5py
import numpy as np
import xarray as xr

from twolayer.storage import hdf5
from twolayer.storage.files import check_size
from twolayer.storage.heaps import Heaps

_BARE = (
    b"This is a netCDF dimension but not a netCDF variable"  # the beginning of the title of a dimension without values
)
_UNUSED = {"REFERENCE_LIST", "_NCProperties", "_Netcdf4Coordinates", "_Netcdf4Dimid"}
_NETCDF = _UNUSED | {"CLASS", "NAME", "DIMENSION_LIST"}
_WITHOUT = _NETCDF | {"coordinates", "_FillValue", "dtype"}  # xarray does not treat these as attributes
_DECODED = {"scale_factor", "add_offset", "missing_value", "_Unsigned", "_Encoding"}
_LARGEST_ITEM = 16  # bytes
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,199}")  # name of a variable
_MOST = 10_000  # largest number of variables


def load(file: BinaryIO, name: object = "it") -> xr.Dataset:
    """Read a dataset as `xarray.load_dataset` does, without the encoding of its variables.

    Args:
        file: a NetCDF 4 file without groups.
        name: name of the file, for errors.

    Raises:
        TooLarge: the variables are larger than the limit.
        ValueError: the file refers to other files, or has groups.
        Exception: the file is damaged. h5py and xarray raise errors of many types.
    """
    file.seek(0)
    heaps = Heaps(file.read())
    with h5py.File(file) as content:
        stored = _stored(content, heaps)
        kept = {key: one for key, one in stored.items() if not one.attributes.get("NAME", b"").startswith(_BARE)}
        check_size(sum(hdf5.check_stored(one.values) for one in kept.values()), name)
        if all(_is_understood(one) for one in kept.values()):
            return _dataset(_read_attributes(content, heaps), stored, kept, name, heaps)
        _read_attributes(content, heaps)
        _check_decoded(kept, name, heaps)
    file.seek(0)
    return xr.load_dataset(file, engine="h5netcdf", decode_timedelta=False)


class _Stored(NamedTuple):
    """A variable or a dimension as it is stored. Each attribute is read once, because a query takes long."""

    values: h5py.Dataset
    attributes: dict


def _dataset(attributes, stored, kept, name, heaps):
    variables = {
        key: (_dimensions(key, one, stored), _values(one, name, heaps), _plain(one.attributes))
        for key, one in kept.items()
    }
    described = (attributes, *(one.attributes for one in kept.values()))
    named = {key for one in described for key in one.get("coordinates", "").split()}
    return xr.Dataset(variables, attrs=_plain(attributes)).set_coords(named)


def _check_decoded(kept, name, heaps):
    """Check before xarray reads: dimensions have names, texts are short, and decoded numbers are within the limit."""
    check_size(sum(_LARGEST_ITEM * one.values.size for one in kept.values()), name)
    for key, one in kept.items():
        if one.values.ndim and not {"DIMENSION_LIST", "CLASS"} & one.attributes.keys():
            raise ValueError(f"{key!r} has dimensions without a name")
        if one.values.dtype.kind == "O":
            hdf5.read_texts(one.values, name, heaps)


def _is_understood(one):
    """Return whether a variable has a plain type, one name for each dimension, and nothing that xarray decodes."""
    values, attributes = one
    dtype = values.dtype
    text = h5py.check_string_dtype(dtype)
    plain = text.length is None if text else dtype.isnative and h5py.check_enum_dtype(dtype) is None
    scales = attributes.get("DIMENSION_LIST")
    named = values.ndim == (1 if "CLASS" in attributes else 0) if scales is None else all(len(s) == 1 for s in scales)
    decoded = _DECODED & attributes.keys() or " since " in str(attributes.get("units", ""))
    fill = attributes.get("_FillValue", np.nan)  # NaN marks values that are NaN in any case
    whole = values.maxshape == values.shape
    return bool(plain and named and whole and not decoded and dtype.kind in "fiubO" and np.all(fill != fill))


def _stored(content, heaps):
    """Return all variables and dimensions."""
    if len(content) > _MOST:
        raise ValueError(f"it has more than {_MOST:,} variables")
    members = hdf5.members(content)
    for key, one in members.items():
        if not isinstance(one, h5py.Dataset) or not _NAME.fullmatch(key):
            raise ValueError(f"{key[:80]!r} is not a variable of a result")
    return {key: _Stored(one, _read_attributes(one, heaps)) for key, one in members.items()}


def _dimensions(key, one, stored):
    """Return the names of its dimensions, or its own name if it has the values of a dimension."""
    values, attributes = one
    scales = [h5py.h5r.get_name(scale, values.id) or b"" for (scale,) in attributes.get("DIMENSION_LIST", ())]
    names = [scale.decode().removeprefix("/") for scale in scales] or [key] * values.ndim
    if not stored.keys() >= set(names):
        raise ValueError(f"{key!r} has a dimension that is not in the file")
    return names


def _values(one, name, heaps):
    if h5py.check_string_dtype(one.values.dtype):
        return hdf5.read_texts(one.values, name, heaps)
    values = one.values[()]
    return values.astype(bool, copy=False) if one.attributes.get("dtype") == "bool" else values


def _plain(attributes):
    """Return the attributes that xarray returns, with the single number of a list of length one."""
    kept = {key: value for key, value in attributes.items() if key not in _WITHOUT}
    return {key: value[0] if getattr(value, "shape", ()) == (1,) else value for key, value in kept.items()}


def _read_attributes(one, heaps):
    """Return the attributes of a file, a variable or a dimension. All must be small, except for unused ones."""
    for key in _UNUSED & one.attrs.keys():  # xarray may read these
        heaps.check_attribute(one.attrs.get_id(key))
    return {key: hdf5.read_attribute(one, key, heaps) for key in one.attrs if key not in _UNUSED}
