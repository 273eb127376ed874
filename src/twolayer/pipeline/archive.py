"""The results, verdicts and figures of a scale in one file, and its results back from there.

An archive is a tar whose first member, `MANIFEST.json`, names every other with its SHA-256. The same files make the
same archive, to the bit. What a figure is drawn from is restored; verdicts and figures are made from that in a minute.
"""

import hashlib
import io as streams
import json
import os
import re
import subprocess
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twolayer import __version__, io
from twolayer.errors import DataError, ResultError
from twolayer.pipeline import verdicts
from twolayer.pipeline.catalogue import SCALES, Catalogue

MANIFEST = "MANIFEST.json"
_FORMAT = "twolayer archive 1"
_NAME = re.compile(r"(?:results|figures)(?:/[A-Za-z0-9][A-Za-z0-9_.+-]*)+")  # of a member: it stays in the project
_LARGEST = 2**32  # bytes of a member: more than any result has
_REMEDY = "get it once more from where it came"


@dataclass(frozen=True)
class Restored:
    """What became of the results in an archive.

    Attributes:
        scale: theirs. taken: names of those that lie in the project now.
        unknown: names of those that the configuration has not, or has with other parameters; they are left out.
    """

    scale: str
    taken: list[str]
    unknown: list[str]


def pack(catalogue: Catalogue, scale: str, path: Path) -> tuple[list[str], list[str]]:
    """Write the archive of what has been made of a scale.

    Returns: names of the files in it, and of the results that have not been made.

    Raises:
        ResultError: nothing has been made, a result is damaged, or the archive cannot be written.
    """
    runs = [run for (at, *_), run in catalogue.runs.items() if at == scale]
    made = [run for run in runs if (catalogue.root / run.path).exists()]
    if not made:
        raise ResultError(f"no result of the {scale} preset has been made: make them with `snakemake {scale}`")
    params = {run.path: io.read(catalogue.root / run.path, task=run.task).attrs["params"] for run in made}
    names = sorted({run.path for run in made} | set(_drawn(catalogue, scale)))
    contents = {name: (catalogue.root / name).read_bytes() for name in names}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    manifest = {"format": _FORMAT, "scale": scale, "version": __version__, "params": params, "sha256": hashes}
    with io.replacing(path) as temporary, tarfile.open(temporary, "w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in {MANIFEST: json.dumps(manifest, indent=1).encode(), **contents}.items():
            member = tarfile.TarInfo(name)  # of nobody, of no time
            member.size = len(content)
            archive.addfile(member, streams.BytesIO(content))
    return names, [run.path for run in runs if not (catalogue.root / run.path).exists()]


def _drawn(catalogue: Catalogue, scale: str) -> Iterator[str]:
    """Verdicts, figures and animations of a scale that exist."""
    folder = catalogue.root / catalogue.folders.figures(scale)
    for name, figure in catalogue.figures.items():
        files = [verdicts.path_of(catalogue, name, scale)]
        files += [folder / file for file in (f"{name}.pdf", *map("{}.gif".format, figure.animations))]
        yield from (str(file.relative_to(catalogue.root)) for file in files if file.exists())


def restore(catalogue: Catalogue, path: Path) -> Restored:
    """Take the results of an archive into the project, once every member has been found to be as its manifest says.

    Raises:
        DataError: it is no archive of ours, damaged, or one of its members would lie outside the project.
        ResultError: another result lies there already.
    """
    try:
        with tarfile.open(path, "r:") as archive:
            manifest = _checked(archive, path)
            runs = {run.path: run for (scale, *_), run in catalogue.runs.items() if scale == manifest["scale"]}
            results = manifest["params"]
            suited = [name for name in results if name in runs and json.loads(runs[name].params) == results[name]]
            _check_free(catalogue.root, suited, manifest["sha256"])
            for name in suited:
                io.write_bytes(archive.extractfile(name).read(), catalogue.root / name)
    except (OSError, tarfile.TarError) as error:
        raise DataError(f"archive {path} cannot be read ({str(error)[:100]}): {_REMEDY}") from None
    _count_as_made(catalogue.root, suited)
    return Restored(manifest["scale"], suited, sorted(set(results) - set(suited)))


def _checked(archive: tarfile.TarFile, path: Path) -> dict[str, Any]:
    """The manifest of an archive all of whose members are as it says."""
    manifest = _manifest(archive, path)
    hashes = manifest["sha256"]
    waiting = set(hashes)
    while (member := archive.next()) is not None:
        if not _NAME.fullmatch(member.name) or not member.isreg() or member.issparse() or member.size > _LARGEST:
            raise DataError(
                f"archive {path} holds {member.name[:100]!r}, which is no file of a project: do not trust it"
            )
        if member.name not in waiting:
            raise DataError(f"archive {path} holds {member.name!r} twice, or without a digest: do not trust it")
        waiting.remove(member.name)
        if hashlib.sha256(archive.extractfile(member).read()).hexdigest() != hashes[member.name]:
            raise DataError(f"{member.name} in archive {path} does not have its digest, it is damaged: {_REMEDY}")
    if waiting:
        raise DataError(f"archive {path} lacks {min(waiting)!r}, it is truncated: {_REMEDY}")
    return manifest


def _manifest(archive: tarfile.TarFile, path: Path) -> dict[str, Any]:
    first = archive.next()
    try:
        if first is None or first.name != MANIFEST or not first.isreg() or first.size > _LARGEST:
            raise ValueError
        manifest = json.loads(archive.extractfile(first).read())
        if manifest["format"] != _FORMAT or manifest["scale"] not in SCALES:
            raise ValueError
        params = {name: json.loads(text) for name, text in manifest["params"].items()}
        if not set(params) <= set(manifest["sha256"]):
            raise ValueError
        return manifest | {"params": params}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"{path} is no archive that `twolayer archive` wrote: name one") from None


def _check_free(root: Path, names: list[str], hashes: dict[str, str]) -> None:
    for name in names:
        if (root / name).exists() and io.digest(root / name) != hashes[name]:
            raise ResultError(f"{name} is another result than the archive's: move it out of the way, or keep yours")


def _count_as_made(root: Path, names: list[str]) -> None:
    """No restored result is older than another, or than the program; what Snakemake knew and measured of a file at its
    place before does not hold any more."""
    now = time.time()
    for name in names:
        os.utime(root / name, (now, now))
        results, scale, *rest = Path(name).with_suffix(".tsv").parts
        root.joinpath(results, scale, "benchmarks", *rest).unlink(missing_ok=True)
    if names and (root / ".snakemake" / "metadata").is_dir():
        done = subprocess.run(["snakemake", "--cleanup-metadata", *names], cwd=root, capture_output=True, text=True)
        if done.returncode and "metadata was not present" not in done.stderr:
            raise ResultError(
                "the results lie in their places, but Snakemake did not forget what it knew of those that were there "
                f"before ({done.stderr.strip().splitlines()[-1][:200]}): see to that, and restore once more"
            )
