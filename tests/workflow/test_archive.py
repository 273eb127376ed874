"""A scale in one file, and back."""

import hashlib
import io
import json
import tarfile

import pytest

from twolayer.errors import DataError, ResultError
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.jobs import archive

SGD = "results/quick/mixtures/online_sgd/sgd.nc"
FIGURE = "figures/quick/fig1.pdf"


@pytest.fixture(scope="session")
def packed(made_project, tmp_path_factory):
    """The archive of a made project."""
    path = tmp_path_factory.mktemp("archive") / "quick.tar"
    archive.pack(Catalogue.load(made_project.root, environment={}), "quick", path)
    return path


def restored(project, path):
    return archive.restore(Catalogue.load(project.root, environment={}), path)


@pytest.mark.slow
def test_the_same_files_make_the_same_archive(project, packed, tmp_path):
    done = project.run("twolayer", "archive", "--preset", "quick", "--output", str(tmp_path / "again.tar"))
    assert done.returncode == 0, done.stderr
    assert "again.tar: 8 files" in done.stdout
    assert (tmp_path / "again.tar").read_bytes() == packed.read_bytes()
    with tarfile.open(packed) as members:
        manifest = json.load(members.extractfile(archive.MANIFEST))
        for name, digest in manifest["sha256"].items():
            assert hashlib.sha256(members.extractfile(name).read()).hexdigest() == digest
    assert {SGD, FIGURE, "results/quick/checks/fig1.json"} < set(manifest["sha256"])


@pytest.mark.slow
def test_figures_are_drawn_from_an_archive_without_computing(fresh_project, packed, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    done = project.run("twolayer", "restore", str(packed))
    assert done.returncode == 0, done.stderr
    assert "6 results are restored: draw their figures with `snakemake quick`" in done.stdout
    assert project.stale(FIGURE) == {"fig1"}  # its check result and its drawing
    done = project.snakemake(FIGURE)
    assert done.returncode == 0, done.stderr
    assert (project.root / FIGURE).exists()


@pytest.mark.slow
def test_what_snakemake_knew_of_other_results_there_is_forgotten(project, packed):
    def change(hidden_units):
        project.edit("config/mixtures.yaml", lambda one: one["runs"]["sgd"]["params"]["student"].update(hidden_units))

    change({"hidden_units": 3})
    assert project.snakemake(SGD).returncode == 0
    change({"hidden_units": 2})
    (project.root / SGD).unlink()
    done = project.run("twolayer", "restore", str(packed))
    assert done.returncode == 0, done.stderr
    assert "sgd" not in project.stale(SGD)


@pytest.mark.slow
def test_results_of_other_parameters_are_left_out(fresh_project, packed, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"]["params"].update(seeds=3))
    found = restored(project, packed)
    assert (found.unknown, len(found.taken)) == ([SGD], 5)
    assert not (project.root / SGD).exists()


@pytest.mark.slow
def test_another_result_is_not_replaced(project, packed):
    (project.root / SGD).write_bytes(b"mine")
    with pytest.raises(ResultError, match=r"sgd\.nc differs from the result in the archive: move it to another folder"):
        restored(project, packed)
    assert (project.root / SGD).read_bytes() == b"mine"


def test_nothing_made_is_nothing_to_pack(fresh_project, tmp_path):
    with pytest.raises(ResultError, match="no result of the paper preset has been made: make them with `snakemake"):
        archive.pack(Catalogue.load(fresh_project.root, environment={}), "paper", tmp_path / "a.tar")


def rewritten(packed, path, change):
    """A copy of an archive whose members, {name: header and content}, were changed."""
    with tarfile.open(packed) as members:
        content = {member.name: (member, members.extractfile(member).read()) for member in members}
    with tarfile.open(path, "w") as members:
        for header, data in change(content):
            header.size = len(data) if header.isreg() else 0
            members.addfile(header, io.BytesIO(data))
    return path


def with_member(name, kind=tarfile.REGTYPE):
    """A change that adds a member to an archive, and its digest to the manifest."""

    def change(content):
        header, text = content[archive.MANIFEST]
        manifest = json.loads(text)
        manifest["sha256"][name] = hashlib.sha256(b"x").hexdigest()
        added = tarfile.TarInfo(name)
        added.type, added.linkname = kind, "/etc/passwd"
        rest = [one for key, one in content.items() if key != archive.MANIFEST]
        return [(header, json.dumps(manifest).encode()), (added, b"x"), *rest]

    return change


def flipped(content):
    header, data = content[SGD]
    content[SGD] = header, data[:-100] + bytes([data[-100] ^ 1]) + data[-99:]
    return content.values()


BAD = {
    "a changed byte": (flipped, "sgd.nc in archive .* does not have its digest, so it is damaged"),
    "one too few": (lambda content: list(content.values())[:-1], "lacks '.*', so it is truncated"),
    "one twice": (lambda content: [*content.values(), content[SGD]], "has '.*sgd.nc' twice, or without a digest"),
    "no manifest": (lambda content: list(content.values())[1:], "is not an archive from `twolayer archive`"),
    "outside": (with_member("results/../../x.nc"), "which is not a file of a project: do not trust it"),
    "absolute": (with_member("/tmp/x.nc"), "which is not a file of a project: do not trust it"),
    "hidden": (with_member("results/.dry_run_records"), "which is not a file of a project: do not trust it"),
    "program": (with_member("src/twolayer/io.py"), "which is not a file of a project: do not trust it"),
    "link": (with_member("results/quick/x.nc", tarfile.SYMTYPE), "'results/quick/x.nc' is not a file"),
    "hard link": (with_member("results/quick/x.nc", tarfile.LNKTYPE), "'results/quick/x.nc' is not a file"),
    "device": (with_member("results/quick/x.nc", tarfile.CHRTYPE), "'results/quick/x.nc' is not a file"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
def test_nothing_is_taken_from_a_bad_archive(kind, fresh_project, packed, tmp_path):
    change, message = BAD[kind]
    bad = rewritten(packed, tmp_path / "bad.tar", change)
    project = fresh_project.copy(tmp_path / "project")
    with pytest.raises(DataError, match=message) as caught:
        restored(project, bad)
    assert "\n" not in str(caught.value)
    assert not list(project.root.rglob("*.nc"))


@pytest.mark.parametrize("content", [b"", b"no tar" * 500, b'{"format": 1}'])
def test_what_is_no_archive(content, fresh_project, tmp_path):
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(DataError, match=r"a\.tar"):
        restored(fresh_project, tmp_path / "a.tar")
