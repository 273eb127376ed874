"""Archives from other people: if the contents differ from the manifest, nothing is restored."""

import hashlib
import io as streams
import json
import os
import tarfile
import time

import numpy as np
import pytest
from forged import GENERATOR, MIXTURE, OTHER, VICTIM, altered, assert_sentence, catalogue_of, forge, with_attribute

from twolayer.errors import DataError, ResultError, TwolayerError
from twolayer.pipeline.jobs import archive


@pytest.fixture
def packed(root, tmp_path):
    """The archive of the project, whose results are taken away."""
    path = tmp_path / "a.tar"
    archive.pack(catalogue_of(root), "quick", path)
    for name in (MIXTURE, OTHER, GENERATOR):
        (root / name).unlink()
    return path


def members(path):
    with tarfile.open(path) as file:
        return {member.name: file.extractfile(member).read() for member in file}


def write(path, contents, manifest=None, change=lambda header: None):
    """An archive of these contents, with hashes that fit."""
    given = json.loads(contents.pop(archive.MANIFEST))
    given["sha256"] = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    given |= manifest or {}
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as file:
        for name, content in {archive.MANIFEST: json.dumps(given).encode(), **contents}.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            change(header)
            file.addfile(header, streams.BytesIO(content))


def refuse(root, path, match=None):
    with pytest.raises(TwolayerError, match=match) as caught:
        archive.restore(catalogue_of(root), path)
    assert_sentence(caught.value)
    assert not list((root / "results").rglob("*.nc"))


def test_an_honest_archive_is_taken(root, packed):
    assert len(archive.restore(catalogue_of(root), packed).taken) == 3


def test_a_member_is_a_result_of_its_run(root, made, packed, tmp_path):
    """The manifest is consistent with the members in each case."""
    contents = members(packed)
    other_parameters = contents | {MIXTURE: contents[OTHER]}
    another_task = contents | {MIXTURE: contents[GENERATOR]}
    nothing = contents | {MIXTURE: b"hello"}
    (tmp_path / "b.nc").write_bytes(contents[MIXTURE])
    forge(tmp_path / "b.nc", lambda file: file.pop("means"))
    for wrong in (other_parameters, another_task, nothing, contents | {MIXTURE: (tmp_path / "b.nc").read_bytes()}):
        write(packed, dict(wrong))
        refuse(root, packed, "nothing is taken from archive .*mixture.nc")


def test_what_is_restored_names_its_code(root, packed):
    restored = archive.restore(catalogue_of(root), packed)
    assert (restored.code, restored.drawn) == ([], [])


@pytest.mark.parametrize(
    "manifest",
    [
        {"sha256": []},
        {"sha256": {MIXTURE: []}},
        {"sha256": {MIXTURE: "a"}},
        {"sha256": 5},
        {"params": []},
        {"params": {MIXTURE: 5}},
        {"params": {MIXTURE: "["}},
        {"params": {MIXTURE: "[" * 100_000}},
        {"preset": []},
        {"preset": "../x"},
        {"format": None},
    ],
    ids=lambda manifest: str(manifest)[:40],
)
def test_manifests_that_nobody_has_written(root, packed, manifest):
    write(packed, members(packed), manifest)
    refuse(root, packed)


def size_field(kind, value):
    """An archive whose second header has that type and size."""

    def change(content, at=512 * 4):
        content = bytearray(content)
        start = next(n for n in range(512, len(content), 512) if content[n : n + 8] == b"results/")
        content[start + 124 : start + 136] = value
        content[start + 156 : start + 157] = kind
        content[start + 148 : start + 156] = b" " * 8
        total = sum(content[start : start + 512])
        content[start + 148 : start + 156] = b"%06o\0 " % total
        return bytes(content)

    return change


NEGATIVE, VAST = b"\xff" * 11 + b"\xf6", b"\x80" + (2**60).to_bytes(11, "big")


@pytest.mark.parametrize("kind", [b"0", b"L", b"K", b"x", b"g", b"S", b"1", b"2", b"3", b"6", b"7", b"A"])
@pytest.mark.parametrize("size", [NEGATIVE, VAST, b"a" * 12, b"0" * 12], ids=["negative", "vast", "text", "none"])
def test_headers_that_nobody_has_written(root, packed, kind, size):
    packed.write_bytes(size_field(kind, size)(packed.read_bytes()))
    refuse(root, packed)


def test_sparse_maps_that_are_no_numbers(root, packed):
    contents = members(packed)
    given = contents.pop(archive.MANIFEST)
    with tarfile.open(packed, "w", format=tarfile.PAX_FORMAT) as file:
        for name, content in {archive.MANIFEST: given, **contents}.items():
            header = tarfile.TarInfo(name)
            header.size, header.pax_headers = len(content), {"GNU.sparse.map": "a,b", "GNU.sparse.size": "x"}
            file.addfile(header, streams.BytesIO(content))
    refuse(root, packed)


def extended(content, kind, body, times=1):
    """An archive with further headers before its first result."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, len(body)
    block = header.tobuf(tarfile.GNU_FORMAT) + body + bytes(-len(body) % 512)
    at = next(n for n in range(512, len(content), 512) if content[n : n + 8] == b"results/")
    return content[:at] + times * block + content[at:]


@pytest.mark.parametrize(
    ("kind", "body", "times"),
    [
        (b"x", b"1" * 1_000_000, 1),  # the pattern in Python's tarfile takes minutes for this number
        (b"x", b"11 comment=\n" * 100_000, 1),
        (b"g", b"0 a=b\n", 1),
        (b"x", b"", 3000),
        (b"g", b"", 3000),
        (b"L", b"", 3000),
        (b"L", b"a" * 1_000_000, 1),
        (b"K", b"a", 3000),
    ],
)
def test_headers_that_take_long(root, packed, kind, body, times):
    packed.write_bytes(extended(packed.read_bytes(), kind, body, times))
    start = time.process_time()
    refuse(root, packed)
    assert time.process_time() - start < 1


def test_names_longer_than_a_header_are_read(root, packed):
    contents = members(packed)
    write(packed, contents | {"figures/quick/" + "a" * 200 + ".pdf": b"%PDF"})
    assert len(archive.restore(catalogue_of(root), packed).taken) == 3


def test_no_link_is_packed(root, victim, tmp_path):
    """A link to a key was packed once."""
    (root / "figures" / "quick").mkdir(parents=True)
    (root / "figures" / "quick" / "fig1.pdf").symlink_to(victim)
    with pytest.raises(ResultError) as caught:
        archive.pack(catalogue_of(root), "quick", tmp_path / "a.tar")
    assert_sentence(caught.value)
    assert not (tmp_path / "a.tar").exists()
    (root / "figures" / "quick" / "fig1.pdf").unlink()
    (root / "results" / "quick").rename(tmp_path / "elsewhere")
    (root / "results" / "quick").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ResultError, match="results/quick is a link"):
        archive.pack(catalogue_of(root), "quick", tmp_path / "a.tar")


@pytest.mark.parametrize("folder", ["results", "results/quick", "results/quick/mixtures", MIXTURE.rpartition("/")[0]])
def test_nothing_is_restored_into_a_linked_folder(root, packed, tmp_path, folder):
    (root / folder).rename(tmp_path / "elsewhere")
    (root / folder).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ResultError, match=f"{folder} is a link"):
        archive.restore(catalogue_of(root), packed)
    assert not list(tmp_path.glob("elsewhere/**/*.nc"))


def test_a_link_in_the_place_of_a_result_is_not_followed(root, packed, victim):
    (root / MIXTURE).symlink_to(victim)
    with pytest.raises(ResultError):
        archive.restore(catalogue_of(root), packed)
    assert victim.read_bytes() == VICTIM


def test_an_archive_that_changes_while_it_is_read(root, packed, monkeypatch):
    """What is written has the digest, not what was checked before: the archive changes after the last check."""
    check, checked = archive.check_result, []

    def change(content, name, run, path):
        check(content, name, run, path)
        checked.append(name)
        if len(checked) < 3:
            return
        text = packed.read_bytes()
        at = text.index(b"\x89HDF") + 3000
        packed.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])

    monkeypatch.setattr(archive, "check_result", change)
    with pytest.raises(DataError, match="does not have its digest, so it is damaged"):
        archive.restore(catalogue_of(root), packed)
    assert MIXTURE in checked
    assert not (root / MIXTURE).exists()


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_an_archive_is_a_file(root, tmp_path, kind):
    path = tmp_path / "b.tar"
    os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero")
    with pytest.raises(DataError) as caught:
        archive.restore(catalogue_of(root), path)
    assert_sentence(caught.value)


def test_altered_archives(root, packed, request):
    """Each is taken as it was packed, or refused in one sentence."""
    rng, original = np.random.default_rng(0), members(packed)
    content = packed.read_bytes()
    for _ in range(request.config.getoption("altered")):
        packed.write_bytes(altered(content, rng))
        try:
            taken = archive.restore(catalogue_of(root), packed).taken
        except TwolayerError as error:
            assert_sentence(error)
            taken = []
        found = [str(path.relative_to(root)) for path in (root / "results").rglob("*.nc")]
        assert sorted(found) == sorted(taken)
        for name in found:
            assert (root / name).read_bytes() == original[name]
            (root / name).unlink()


def test_a_changed_attribute_is_refused(root, packed, tmp_path):
    contents = members(packed)
    (tmp_path / "b.nc").write_bytes(contents[MIXTURE])
    forge(tmp_path / "b.nc", with_attribute("git_commit", "--output=x"))
    write(packed, contents | {MIXTURE: (tmp_path / "b.nc").read_bytes()})
    refuse(root, packed, "git_commit '--output=x'")
