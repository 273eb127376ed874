"""Reading of our own NetCDF files, which xarray writes through h5netcdf.

Both ask a file for all there is to know of a variable, time and again, which is most of what it takes to read a result.
Here are its numbers, the names of its dimensions and its attributes, and nothing twice.
"""

from typing import BinaryIO

import h5py
import numpy as np
import xarray as xr

_BARE = b"This is a netCDF dimension but not a netCDF variable"  # how the title of such a dimension begins
_NETCDF = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_NCProperties", "_Netcdf4Coordinates", "_Netcdf4Dimid"}
_WITHOUT = _NETCDF | {"coordinates", "_FillValue", "dtype"}  # which are no attributes to xarray


def load(file: BinaryIO) -> xr.Dataset:
    """A dataset as `xarray.load_dataset` has it, but for how its variables were encoded.

    Args:
        file: one that xarray wrote, without groups, times, and numbers that are missing.

    Raises:
        Exception: whatever h5py stumbles over, where the file is damaged.
    """
    with h5py.File(file) as content:
        stored = {name: one for name, one in content.items() if not one.attrs.get("NAME", b"").startswith(_BARE)}
        variables = {name: (_dimensions(one), _values(one), _attributes(one)) for name, one in stored.items()}
        named = {name for one in (content, *stored.values()) for name in one.attrs.get("coordinates", "").split()}
        return xr.Dataset(variables, attrs=_attributes(content)).set_coords(named)


def _dimensions(one):
    """Their names, or that of the variable itself where it holds the values of a dimension."""
    scales = [one.file[scale] for (scale,) in one.attrs.get("DIMENSION_LIST", ())] or [one] * one.ndim
    return [scale.name.removeprefix("/") for scale in scales]


def _values(one):
    if h5py.check_string_dtype(one.dtype):
        return np.array(one.asstr()[()], dtype=str)
    return one[()].astype(one.attrs.get("dtype", one.dtype), copy=False)


def _attributes(one):
    """A single number stands in a list of one."""
    kept = {key: one.attrs[key] for key in one.attrs if key not in _WITHOUT}
    return {key: value[0] if getattr(value, "shape", ()) == (1,) else value for key, value in kept.items()}
