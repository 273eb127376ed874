"""An archive file of the results, check results and figures of a preset, and restoration of its results.

An archive is a tar file. Its first member, `MANIFEST.json`, lists all others with their SHA-256. The same files give an
identical archive. Every result is restored only after it was read as a result of its task with the parameters of the
configuration. Check results and figures are not restored: Snakemake makes them from the results in a minute.
"""

import hashlib
import io as streams
import json
import os
import re
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twolayer import __version__, io
from twolayer.errors import DataError, ResultError
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.folders import config_option
from twolayer.pipeline.project import snakemake_command
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.snakemake_adapter import has_records
from twolayer.pipeline.studies.runs import Run
from twolayer.storage.files import check_size, open_regular, opened, replacing, write_bytes

MANIFEST = "MANIFEST.json"
_FORMAT = "twolayer archive 1"
# name of a member, which stays in the project
_NAME = re.compile(r"(?:results|figures)(?:/[A-Za-z0-9][A-Za-z0-9_.+-]*)+")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LARGEST_MANIFEST = 2 * 10**7  # in bytes
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
_LONGEST_NAME = 1000  # in characters
# Errors of tarfile for invalid headers, for example with negative, very large or textual numbers.
_BROKEN = (tarfile.TarError, ValueError, LookupError, OverflowError, TypeError, AttributeError)
_BROKEN += (EOFError, MemoryError, RecursionError)
_REMEDY = "copy it again from its source"


class _Header(tarfile.TarInfo):
    """A header of a type that `pack` writes: a file, or a long name. Other headers may take hours to read."""

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> "_Header":
        """Parse a header.

        Raises:
            TarError: it is damaged, or has another type.
        """
        header = super().frombuf(buf, encoding, errors)
        is_name = header.type == tarfile.GNUTYPE_LONGNAME and 0 <= header.size <= _LONGEST_NAME
        if header.type not in _FILES and not is_name:
            raise tarfile.ReadError(f"{header.name[:80]!r} is not a file")
        return header


@dataclass(frozen=True)
class Restored:
    """The outcome of restoring the results of an archive.

    Attributes:
        preset: preset of the results. taken: names of the restored results.
        unknown: names of the results that the configuration lacks, or has with other parameters; they are left out.
        code: names of the restored results whose parameters contain a module, which is imported when they are used.
        drawn: names of figures and check results, which stay in the archive.
    """

    preset: str
    taken: list[str]
    unknown: list[str]
    code: list[str]
    drawn: list[str]


def pack(catalogue: Catalogue, preset: str, path: Path) -> tuple[list[str], list[str]]:
    """Write the archive of the existing files of a preset.

    Returns: names of the files in it, and of the missing results.

    Raises:
        ResultError: there are no results, a result is damaged, or the archive cannot be written.
    """
    runs = [run for (at, *_), run in catalogue.runs.items() if at == preset]
    made = [run for run in runs if (catalogue.root / run.path).exists()]
    if not made:
        raise ResultError(
            f"no result of the {preset} preset has been made: make them with `snakemake {preset}{config_option()}`"
        )
    names = sorted({run.path for run in made} | set(_drawn(catalogue, preset)))
    contents = {name: _content(catalogue.root, name) for name in names}
    params = {run.path: io.parse(contents[run.path], run.path, task=run.task).attrs["params"] for run in made}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    manifest = {"format": _FORMAT, "preset": preset, "version": __version__, "params": params, "sha256": hashes}
    with (
        replacing(path) as temporary,
        opened(temporary) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name, content in {MANIFEST: json.dumps(manifest, indent=1).encode(), **contents}.items():
            member = tarfile.TarInfo(name)  # without owner and time
            member.size = len(content)
            archive.addfile(member, streams.BytesIO(content))
    return names, [run.path for run in runs if not (catalogue.root / run.path).exists()]


def _content(root: Path, name: str) -> bytes:
    """Return the content of a file of the project, which is not a link and not in a linked folder.

    Raises:
        ResultError: it is a link, or in a linked folder.
    """
    _check_folders(root, name)
    return io.read_bytes(root / name, follow=False)


def _check_folders(root: Path, name: str) -> None:
    """Check that no folder between the project and one of its files is a link.

    Raises:
        ResultError: a folder is a link.
    """
    for folder in [*Path(name).parents][:-1]:
        if (root / folder).is_symlink():
            raise ResultError(
                f"{folder} is a link, and {name} would be outside the project: replace the link by a folder"
            )


def _drawn(catalogue: Catalogue, preset: str) -> Iterator[str]:
    """Yield the existing check results, figures and animations of a preset."""
    folder = catalogue.root / catalogue.folders.figures(preset)
    for name, figure in catalogue.figures.items():
        files = [check_results.path_of(catalogue, name, preset)]
        files += [folder / file for file in (f"{name}.pdf", *map("{}.gif".format, figure.animations))]
        yield from (str(file.relative_to(catalogue.root)) for file in files if file.exists())


def restore(catalogue: Catalogue, path: Path) -> Restored:
    """Restore the results of an archive to the project.

    Before the first result is restored, every member is compared with its digest, and every result is read. It must
    have the task and the parameters of the configuration under its name.

    Raises:
        DataError: it is not an archive of this package, or is damaged, or a member would be outside the project.
        ResultError: a member is not the result of its name, or there is another result at its place.
        TooLarge: a member is larger than the limit.
    """
    path = Path(path)
    try:
        with open_regular(path) as file, tarfile.open(fileobj=file, mode="r:", tarinfo=_Header) as archive:
            manifest = _checked(archive, path)
            runs = {run.path: run for (preset, *_), run in catalogue.runs.items() if preset == manifest["preset"]}
            results, hashes = manifest["params"], manifest["sha256"]
            suited = [name for name in results if name in runs and json.loads(runs[name].params) == results[name]]
            _check_free(catalogue.root, suited, hashes)
            for name in suited:
                check_result(_content_of(archive, name, hashes, path), name, runs[name], path)
            for name in suited:
                write_bytes(_content_of(archive, name, hashes, path), catalogue.root / name)
    except OSError as error:
        raise DataError(f"archive {path} cannot be read ({error.strerror or str(error)[:100]}): {_REMEDY}") from None
    except _BROKEN as error:
        raise DataError(f"archive {path} is damaged ({' '.join(str(error).split())[:100]}): {_REMEDY}") from None
    _count_as_made(catalogue.root, suited)
    code = [name for name in suited if getattr(runs[name].parameters, "module", None)]
    drawn = [name for name in hashes if name not in results]
    return Restored(manifest["preset"], suited, sorted(set(results) - set(suited)), code, drawn)


def _content_of(archive: tarfile.TarFile, name: str, hashes: Mapping[str, str], path: Path) -> bytes:
    """Return the content of a member by its name, see `_member`."""
    return _member(archive, archive.getmember(name), hashes, path)


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo, hashes: Mapping[str, str], path: Path) -> bytes:
    """Return the content of a member, which is hashed at every read, because the archive may change in the meantime."""
    name = member.name
    if not member.isreg():
        raise tarfile.TarError(f"{name} is not a file")
    check_size(member.size, f"{name} in archive {path}")
    content = archive.extractfile(member).read()
    if hashlib.sha256(content).hexdigest() != hashes[name]:
        raise DataError(f"{name} in archive {path} does not have its digest, so it is damaged: {_REMEDY}")
    return content


def check_result(content: bytes, name: str, run: Run, path: Path) -> None:
    """Check that a member is a result of its run.

    Raises:
        ResultError: the member is not a result of its run.
    """
    try:
        TASKS[run.task].result.complete(io.parse(content, name, task=run.task, params=run.params), run.parameters)
    except ResultError as error:
        raise ResultError(f"nothing is taken from archive {path} because of {name}: {error}") from None


def _checked(archive: tarfile.TarFile, path: Path) -> dict[str, Any]:
    """Return the manifest of an archive, after comparing all members with it."""
    manifest = _manifest(archive, path)
    hashes = manifest["sha256"]
    waiting = set(hashes)
    while (member := archive.next()) is not None:
        if not _NAME.fullmatch(member.name) or not member.isreg() or member.issparse() or member.size < 0:
            raise DataError(
                f"archive {path} has {member.name[:100]!r}, which is not a file of a project: do not trust it"
            )
        if member.name not in waiting:
            raise DataError(f"archive {path} has {member.name!r} twice, or without a digest: do not trust it")
        waiting.remove(member.name)
        _member(archive, member, hashes, path)
    if waiting:
        raise DataError(f"archive {path} lacks {min(waiting)!r}, so it is truncated: {_REMEDY}")
    return manifest


def _manifest(archive: tarfile.TarFile, path: Path) -> dict[str, Any]:
    first = archive.next()
    try:
        if first is None or first.name != MANIFEST or not first.isreg() or not 0 <= first.size <= _LARGEST_MANIFEST:
            raise ValueError
        manifest = json.loads(archive.extractfile(first).read())
        if manifest["format"] != _FORMAT or manifest["preset"] not in PRESETS:
            raise ValueError
        params = {name: json.loads(text) for name, text in manifest["params"].items()}
        hashes = manifest["sha256"]
        if not isinstance(hashes, dict) or not set(params) <= set(hashes):
            raise ValueError
        if not all(isinstance(one, str) and _DIGEST.fullmatch(one) for one in hashes.values()):
            raise ValueError
        return {"preset": manifest["preset"], "params": params, "sha256": hashes}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"{path} is not an archive from `twolayer archive`: give such an archive") from None


def _check_free(root: Path, names: list[str], hashes: dict[str, str]) -> None:
    for name in names:
        _check_folders(root, name)
        if os.path.lexists(root / name) and hashlib.sha256(_content(root, name)).hexdigest() != hashes[name]:
            raise ResultError(f"{name} differs from the result in the archive: move it to another folder, or keep it")


def _count_as_made(root: Path, names: list[str]) -> None:
    """Set the time stamps of restored results, and remove Snakemake's records of the files that they replace.

    No restored result may be older than another, or than the program.
    """
    now = time.time()
    for name in names:
        os.utime(root / name, (now, now), follow_symlinks=False)
        results, preset, *rest = Path(name).with_suffix(".tsv").parts
        root.joinpath(results, preset, "benchmarks", *rest).unlink(missing_ok=True)
    if names and has_records(root):
        command = [*snakemake_command(root), "--cleanup-metadata", *names]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode and "metadata was not present" not in done.stderr:
            raise ResultError(
                "the results are in their places, but Snakemake did not forget the results that were there "
                f"before ({done.stderr.strip().splitlines()[-1][:200]}): see to that, and restore once more"
            )
