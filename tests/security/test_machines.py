"""Machines that others share: their links, folders and sockets."""

import array
import hashlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from forged import MIXTURE, VICTIM, assert_sentence, catalogue_of
from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure
from small_project import ROOT

from twolayer import compiled, io, private_folders
from twolayer.errors import ConfigError, DataError, ResultError
from twolayer.pipeline.commands import trusted_root
from twolayer.pipeline.jobs import archive, download, recovery
from twolayer.pipeline.jobs.worker_requests import Incoming, close_all
from twolayer.pipeline.report import drawings
from twolayer.private_folders import private_folder
from twolayer.storage.checksums import without_checksum
from twolayer.storage.files import opened, replacing, write_text
from twolayer_command import BEGUN, SIZE, STATUS, VARIABLE, ask, is_of_this_user, main

OTHER = 12345  # user id of somebody else


def test_no_link_is_followed_when_a_file_is_written(root, victim, monkeypatch):
    """The names of temporary files are random. A link with such a name raises an error."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "abc")
    name = f".partial-{socket.gethostname()[:64]}-{os.getpid()}-abc-a.nc"
    (root / name).symlink_to(victim)
    with pytest.raises(ResultError) as caught:
        write_text("mine", root / "a.nc")
    assert_sentence(caught.value)
    assert victim.read_bytes() == VICTIM
    assert not (root / "a.nc").exists()


@pytest.mark.parametrize("kind", ["hard link", "fifo", "file"])
def test_a_temporary_file_is_new(root, victim, monkeypatch, kind):
    """A hard link with its name would be another name of the victim's file, and a FIFO would block."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "abc")
    path = root / f".partial-{socket.gethostname()[:64]}-{os.getpid()}-abc-a.nc"
    {"hard link": lambda: os.link(victim, path), "fifo": lambda: os.mkfifo(path), "file": path.touch}[kind]()
    with pytest.raises(ResultError) as caught:
        write_text("mine", root / "a.nc")
    assert_sentence(caught.value)
    assert victim.read_bytes() == VICTIM
    assert not (root / "a.nc").exists()


def test_a_link_in_the_place_of_a_temporary_file_does_not_become_the_result(root, victim):
    def exchanged():
        with replacing(root / "a.nc") as temporary:
            temporary.unlink()
            temporary.symlink_to(victim)

    with pytest.raises(ResultError, match="replaced its temporary file by a link"):
        exchanged()
    assert not (root / "a.nc").exists()


def private(path, content=VICTIM):
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_a_download_changes_no_rights_behind_a_link(tmp_path, monkeypatch):
    """The link appears during the download, and the file behind it has the right content."""
    victim, name = private(tmp_path / "victim"), "train-images-idx3-ubyte.gz"
    published = download.Publisher("https://it/", {name: hashlib.sha256(VICTIM).hexdigest()})

    def exchange(url, file, _):
        (temporary,) = (tmp_path / "data").glob(".partial-*")
        temporary.unlink()
        temporary.symlink_to(victim)

    monkeypatch.setitem(download.SOURCES, "mnist", published)
    monkeypatch.setattr(download.pooch, "HTTPDownloader", lambda: exchange)
    with pytest.raises(DataError) as caught:
        download.fetch("mnist", name, tmp_path / "data" / name)
    assert_sentence(caught.value)
    assert victim.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "data" / name).exists()


def test_a_digest_is_appended_without_a_change_behind_a_link(root, tmp_path, monkeypatch):
    victim, content = private(tmp_path / "victim"), (root / MIXTURE).read_bytes()
    (root / MIXTURE).write_bytes(without_checksum(content, "it", ""))
    (root / MIXTURE).chmod(0o644)

    @contextmanager
    def exchanged(temporary):
        with opened(temporary) as file:
            yield file
        temporary.unlink()
        temporary.symlink_to(victim)

    monkeypatch.setattr(io, "opened", exchanged)
    with pytest.raises(ResultError, match="replaced its temporary file by a link"):
        io.append_checksum(root / MIXTURE)
    assert victim.stat().st_mode & 0o777 == 0o600


def test_an_archive_and_an_animation_are_not_written_through_a_link(root, victim, monkeypatch):
    monkeypatch.setattr("twolayer.storage.files.create", lambda path: path.symlink_to(victim))
    with pytest.raises(ResultError) as caught:
        archive.pack(catalogue_of(root), "quick", root / "a.tar")
    assert_sentence(caught.value)
    (root / "a.gif").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        drawings.write_gif(FuncAnimation(Figure(), lambda _: None, frames=1), root / "a.gif")
    assert victim.read_bytes() == VICTIM


def test_temporary_names_differ_and_tell_host_and_process(tmp_path):
    names = set()
    for _ in range(2):
        with replacing(tmp_path / "a.nc") as temporary:
            names.add(temporary.name)
    assert len(names) == 2
    start = f".partial-{socket.gethostname()[:64]}-{os.getpid()}-"
    assert all(name.startswith(start) and name.endswith("-a.nc") for name in names)


def test_a_file_of_ours_is_as_open_as_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write_text("a", tmp_path / "a")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_stamps_follow_no_link(root, victim, monkeypatch):
    (root / "results" / ".dry_run_records").symlink_to(victim)
    write_text("state", root / "results" / ".dry_run_records")  # as `dry_run_once` writes it
    assert victim.read_bytes() == VICTIM
    note = recovery.note_path(root)
    note.parent.mkdir(parents=True)
    note.symlink_to(root / "made-by-a-link")
    recovery.note_start(root)
    assert not (root / "made-by-a-link").exists()


def test_recovery_leaves_folders(root, monkeypatch):
    (root / "results" / ".partial-x").mkdir()
    (root / "results" / ".partial-y").touch()
    done = subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(recovery.subprocess, "run", lambda *_, **__: done)
    assert recovery.recover(root) == 1
    assert (root / "results" / ".partial-x").is_dir()


@pytest.fixture
def owned(root, monkeypatch):
    """Return a function that makes paths of the project look as if they belonged to another user."""
    theirs, lstat = set(), Path.lstat

    def seen(path):
        found = lstat(path)
        fields = [*found]
        fields[4] = OTHER if path in theirs else os.geteuid()
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "lstat", seen)
    return lambda *parts: theirs.update(root / part for part in parts)


@pytest.mark.parametrize("part", ["", "Snakefile", "config", "config/config.yaml", "workflow"])
def test_a_project_of_somebody_else_above_is_asked_for(root, owned, monkeypatch, part):
    """Its Snakefile is a program."""
    (root / "below").mkdir()
    (root / "workflow").mkdir()
    monkeypatch.chdir(root / "below")
    assert trusted_root.trusted_root(None) == root
    owned(part)
    with pytest.raises(ConfigError, match=r"belongs to another user .*--root") as caught:
        trusted_root.trusted_root(None)
    assert_sentence(caught.value)
    assert trusted_root.trusted_root(root) == root


def test_two_users_in_one_clone(root, owned, monkeypatch):
    owned("", "Snakefile", "config", "config/config.yaml")
    monkeypatch.chdir(root)
    assert trusted_root.trusted_root(None) == root
    root.chmod(0o1777)  # as /tmp
    with pytest.raises(ConfigError, match="--root"):
        trusted_root.trusted_root(None)


def test_a_root_that_is_none(tmp_path):
    with pytest.raises(ConfigError, match="is not a twolayer project"):
        trusted_root.trusted_root(tmp_path)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707])
def test_what_others_could_write_is_not_loaded(tmp_path, mode):
    folder = tmp_path / "twolayer" / "numba"
    assert private_folder(folder) == folder
    (folder / "poison.nbi").touch()
    folder.chmod(mode)
    assert private_folder(folder) == folder
    assert not list(folder.iterdir())
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "mine.nbi").touch()
    assert list(private_folder(folder).iterdir()) == [folder / "mine.nbi"]


def test_a_cache_of_somebody_else(tmp_path, monkeypatch):
    for name in ("cache", "cache/twolayer", "cache/twolayer/numba"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(private_folders.os, "geteuid", lambda: OTHER)
    found = private_folder(tmp_path / "cache" / "twolayer" / "numba")
    assert found == private_folders.temporary_folder()
    assert found.stat().st_mode & 0o777 == 0o700


def test_a_cache_folder_in_which_everybody_may_exchange_folders(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    folder = tmp_path / "cache" / "twolayer" / "numba"
    assert private_folder(folder) == private_folders.temporary_folder()
    (tmp_path / "cache").chmod(0o1777)
    assert private_folder(folder) == folder


def test_the_users_own_folder_is_respected_if_it_is_private(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "mine").mkdir(mode=0o700)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    for _ in range(2):  # the second time as in a child, which finds what was set
        compiled.cache_compiled_code()
        assert Path(os.environ["NUMBA_CACHE_DIR"]).parent == tmp_path / "mine" / "twolayer" / "numba"
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == str(tmp_path / "mine" / "twolayer" / "torch")
    (tmp_path / "mine").chmod(0o777)
    compiled.cache_compiled_code()
    assert Path(os.environ["NUMBA_CACHE_DIR"]).parent == tmp_path / "cache" / "twolayer" / "numba"


def test_the_library_guards_its_caches_when_it_is_imported(tmp_path):
    script = "import os, twolayer; print(os.environ['NUMBA_CACHE_DIR'], os.environ['TORCHINDUCTOR_CACHE_DIR'])"
    (tmp_path / "twolayer" / "numba").mkdir(parents=True)
    (tmp_path / "twolayer" / "numba" / "poison.nbi").touch()
    (tmp_path / "twolayer" / "numba").chmod(0o777)
    names = ("NUMBA_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    numba, torch = map(Path, done.stdout.split())
    assert (numba.parent, torch) == (tmp_path / "twolayer" / "numba", tmp_path / "twolayer" / "torch")
    assert not (tmp_path / "twolayer" / "numba" / "poison.nbi").exists()
    assert torch.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def listener(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "worker"))
        listener.listen(64)
        yield listener, str(tmp_path / "worker")


def connected(path):
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    return line


def test_nothing_is_told_to_a_socket_of_somebody_else(listener, monkeypatch):
    line = connected(listener[1])
    assert is_of_this_user(line)
    monkeypatch.setattr("twolayer_command.os.geteuid", lambda: OTHER)
    assert not is_of_this_user(line)
    line.close()


def test_nothing_is_told_where_the_user_is_unknown_simulated(listener, monkeypatch, capsys):
    """As on macOS: the command runs in its own process, even if the environment names a socket."""
    line = connected(listener[1])
    monkeypatch.delattr(socket, "SO_PEERCRED")
    assert not is_of_this_user(line)
    line.close()
    monkeypatch.setenv(VARIABLE, listener[1])
    monkeypatch.setattr("twolayer_command.ask", lambda *_: pytest.fail("the environment was sent"))
    monkeypatch.setattr(sys, "argv", ["twolayer", "completion"])
    assert main() == 0
    assert "COMPREPLY" in capsys.readouterr().out


def test_an_interrupted_command_prints_no_traceback(listener, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("twolayer_command.ask", interrupted)
    monkeypatch.setenv(VARIABLE, listener[1])
    assert main() == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_nobody_else_is_served(listener, monkeypatch):
    incoming, line = Incoming(), connected(listener[1])
    monkeypatch.setattr("twolayer_command.os.geteuid", lambda: OTHER)
    incoming.accept(listener[0])
    assert not incoming.lines
    line.close()


@pytest.mark.parametrize(
    "said", [b"", b"\x08", SIZE.pack(1000) + b"{", SIZE.pack(2**31) + b"{", SIZE.pack(50_000) + b"[" * 50_000]
)
def test_a_silent_or_broken_client_holds_nobody_up(listener, said):
    """And a request that comes later is served at once."""
    incoming, silent, other = Incoming(), connected(listener[1]), connected(listener[1])
    silent.sendall(said)
    status = []
    client = threading.Thread(target=lambda: status.append(ask(other, ["--version"])))
    client.start()
    for _ in range(2):
        incoming.accept(listener[0])
    start, found = time.perf_counter(), []
    while not found and time.perf_counter() - start < 5:
        ready, _, _ = select.select(incoming.lines, [], [], 0.1)
        found = list(incoming.arrived(ready))
    ((line, request, streams),) = found
    assert request["arguments"] == ["--version"]
    assert len(streams) == 3
    close_all(streams)
    line.sendall(BEGUN + STATUS.pack(3))
    line.close()
    client.join()
    assert status == [3]
    other.close()
    silent.close()


@pytest.mark.parametrize("said", [b"[" * 50_000, b"[" * 50_000 + b"]" * 50_000, b"\xff", b'"a', b""])
def test_a_request_that_cannot_be_parsed_is_dropped(listener, said):
    """It comes with three streams, as a request does."""
    incoming, line = Incoming(), connected(listener[1])
    streams = array.array("i", [0, 1, 2])
    line.sendmsg([SIZE.pack(len(said))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    line.sendall(said)
    incoming.accept(listener[0])
    for _ in range(3):
        ready, _, _ = select.select(incoming.lines, [], [], 0.1)
        assert not list(incoming.arrived(ready))
    assert not incoming.lines
    line.close()


def test_only_so_many_wait(listener):
    incoming, lines = Incoming(), []
    for _ in range(70):
        lines.append(connected(listener[1]))
        incoming.accept(listener[0])
    assert len(incoming.lines) == 64
    for line in [*lines, *incoming.lines]:
        line.close()


def test_shell_scripts_make_new_folders():
    """Not such as anybody could have made before, in /tmp."""
    for path in [*(ROOT / "tests").rglob("*.sh"), ROOT / ".ci" / "run", ROOT / "Makefile"]:
        assert "/tmp" not in path.read_text(), path


def test_a_result_of_this_user_is_read(root):
    assert json.loads(io.read(root / MIXTURE).attrs["params"])["sigma"] == 0.5
