"""Reading of our own NetCDF files, which xarray writes through h5netcdf.

Both ask a file for all there is to know of a variable, time and again, which is most of what it takes to read a result.
Here are its numbers, the names of its dimensions and its attributes, and nothing twice.
"""

import re
from typing import BinaryIO

import h5py
import xarray as xr

from twolayer import hdf5
from twolayer.files import check_size

_BARE = b"This is a netCDF dimension but not a netCDF variable"  # how the title of such a dimension begins
_NETCDF = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_NCProperties", "_Netcdf4Coordinates", "_Netcdf4Dimid"}
_WITHOUT = _NETCDF | {"coordinates", "_FillValue", "dtype"}  # which are no attributes to xarray
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,199}")  # of a variable
_MOST = 10_000  # variables, and values of an attribute


def load(file: BinaryIO, name: object = "it") -> xr.Dataset:
    """A dataset as `xarray.load_dataset` has it, but for how its variables were encoded.

    Args:
        file: one that xarray wrote, without groups, times, and numbers that are missing.
        name: of the file, for an error.

    Raises:
        TooLarge: its variables are larger than the limit.
        Exception: whatever h5py stumbles over, where the file is damaged; a ValueError where it refers to other files.
    """
    with h5py.File(file) as content:
        stored = _stored(content)
        kept = {key: one for key, one in stored.items() if not _get(one, "NAME", b"").startswith(_BARE)}
        check_size(sum(hdf5.check_stored(one) for one in kept.values()), name)
        variables = {
            key: (_dimensions(key, one, stored), _values(one, name, file), _attributes(one))
            for key, one in kept.items()
        }
        named = {key for one in (content, *kept.values()) for key in _get(one, "coordinates", "").split()}
        return xr.Dataset(variables, attrs=_attributes(content)).set_coords(named)


def _stored(content):
    """All variables and dimensions."""
    if len(content) > _MOST:
        raise ValueError(f"it has more than {_MOST:,} variables")
    stored = hdf5.members(content)
    for key, one in stored.items():
        if not isinstance(one, h5py.Dataset) or not _NAME.fullmatch(key):
            raise ValueError(f"{key[:80]!r} is not a variable of a result")
    return stored


def _dimensions(key, one, stored):
    """Their names, or that of the variable itself where it holds the values of a dimension."""
    scales = [h5py.h5r.get_name(scale, one.id) or b"" for (scale,) in _get(one, "DIMENSION_LIST", ())]
    names = [scale.decode().removeprefix("/") for scale in scales] or [key] * one.ndim
    if not stored.keys() >= set(names):
        raise ValueError(f"{key!r} has a dimension that is not in the file")
    return names


def _values(one, name, file):
    if h5py.check_string_dtype(one.dtype):
        return hdf5.read_texts(one, name, file)
    return one[()].astype(bool, copy=False) if _get(one, "dtype", None) == "bool" else one[()]


def _attributes(one):
    """A single number stands in a list of one."""
    kept = {key: _get(one, key, None) for key in one.attrs if key not in _WITHOUT}
    return {key: value[0] if getattr(value, "shape", ()) == (1,) else value for key, value in kept.items()}


def _get(one, key, default):
    """An attribute, which is small; the default where there is none."""
    if key not in one.attrs:
        return default
    if (size := one.attrs.get_id(key).get_storage_size()) > _MOST:
        raise ValueError(f"its attribute {key[:80]!r} has {size} bytes")
    return one.attrs[key]
