"""Folders of pictures as samples: a folder for each class, whose name is the label."""

import logging
from pathlib import Path

import numpy as np

from twolayer.errors import DataError, shown
from twolayer.model.data.foreign_files import read_picture
from twolayer.model.data.sample_layout import BLOCK, Blocks, Layout
from twolayer.storage.files import check_size

log = logging.getLogger("twolayer")

_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"}
_OF_FILE_MANAGERS = {"thumbs.db", "desktop.ini"}
_SIZE = 28  # height and width of images


def pictures(folder: Path) -> dict[str, list[Path]]:
    """Return the images of each class, in the order in which they are read."""
    classes = [one for one in sorted(folder.iterdir()) if one.is_dir() and not one.name.startswith(".")]
    return {one.name: [file for file in sorted(one.iterdir()) if _is_picture(file)] for one in classes}


def picture_blocks(folder: Path, layout: Layout) -> Blocks:
    """Yield the grey levels of the pictures, and their labels, see `sample_blocks`."""
    size = layout.size or _SIZE
    files = pictures(folder)
    if empty := [name for name, found in files.items() if not found] or not files:
        what = f"the folder {empty[0]!r} in {folder} has no images" if files else f"{folder} has no folders"
        raise DataError(f"{what}: give it a folder for each class, with images of that class")
    if others := _others(folder):
        log.warning(
            "%s has %d files or folders that are not read, such as %s: a picture is in the folder of its class and "
            "ends in %s",
            folder,
            len(others),
            shown(str(others[0].relative_to(folder))),
            ", ".join(sorted(_PICTURES)),
        )
    check_size(4 * size**2 * sum(map(len, files.values())), folder)
    units = {}  # unit of the pixels -> the first file that has it
    for name, found in files.items():
        for start in range(0, len(found), BLOCK):
            block = found[start : start + BLOCK]
            pixels = np.stack([_grey(file, size, units) for file in block])
            yield pixels, np.full(len(block), name)


def _is_picture(file):
    return file.suffix.lower() in _PICTURES and not file.name.startswith(".") and file.is_file()


def _others(folder):
    """Return the files in a folder of classes that are no pictures of a class, without hidden files."""
    visible = [one for one in sorted(folder.iterdir()) if not one.name.startswith(".")]
    inside = [one for of_class in visible if of_class.is_dir() for one in sorted(of_class.iterdir())]
    others = [one for one in visible if one.is_file()] + [one for one in inside if not _is_picture(one)]
    return [one for one in others if not one.name.startswith(".") and one.name.lower() not in _OF_FILE_MANAGERS]


def _grey(file: Path, size: int, units: dict[str, Path]) -> np.ndarray:
    """Return the grey levels (size * size,) of a picture.

    Pictures with 8 and 16 bits have levels from 0 to 1; others keep the numbers in the file.
    """
    from PIL import Image, ImageOps

    def read(picture):
        if getattr(picture, "is_animated", False):  # the number of pictures would take long to count
            raise DataError(f"{file} has several pictures in one file: save one")
        if picture.has_transparency_data and picture.convert("RGBA").getextrema()[3][0] < 255:
            raise DataError(f"{file} {_TRANSPARENT}")
        _check_numbers(picture, file)
        upright = ImageOps.exif_transpose(picture)
        if picture.mode == "F" or picture.mode.startswith("I"):
            sixteen = picture.mode.startswith("I;16") or (picture.mode, picture.format) == ("I", "PNG")
            top = 65535 if sixteen else None
            upright = Image.fromarray(np.asarray(upright, np.float32))
        else:
            top, upright = 255, upright.convert("L")
        return np.asarray(upright.resize((size, size)), float).ravel(), top

    levels, top = read_picture(file, read, "replace it, or remove it")
    units.setdefault("levels" if top else "numbers", file)
    if len(units) > 1:
        raise DataError(
            f"{units['numbers']} has numbers without a largest value, but {units['levels']} has grey levels: convert "
            "all "
            "pictures to one type"
        )
    return levels / (top or 1)


def _check_numbers(picture, file):
    """Check properties of pixels that Pillow ignores."""
    tags, grey = getattr(picture, "tag_v2", {}), picture.mode in ("1", "L")
    if tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO and not grey:
        raise DataError(f"{file} stores white as 0 in more than 8 bits: save it with black as 0")
    if _SIGNED in np.ravel(tags.get(_SAMPLE_FORMAT, ())) and grey:
        raise DataError(f"{file} has signed numbers of 8 bits: save it with unsigned numbers")
    clear = picture.info.get("transparency")
    if picture.mode.startswith("I") and clear is not None and (np.asarray(picture) == clear).any():
        raise DataError(f"{file} {_TRANSPARENT}")


_TRANSPARENT = "has transparent pixels, whose grey level is not defined: give it a background"
_PHOTOMETRIC, _SAMPLE_FORMAT = 262, 339  # tags of TIFF
_WHITE_IS_ZERO, _SIGNED = 0, 2  # their values
