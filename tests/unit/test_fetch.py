import hashlib
import socket
import stat
import tarfile
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest

from twolayer.errors import ConfigError, DataError
from twolayer.model.data.images import DATASETS, image_files
from twolayer.model.generators.published_files import PUBLISHED_FILES, blob_id
from twolayer.pipeline.jobs import download as module
from twolayer.pipeline.jobs.download import SOURCES, Publisher, fetch, unpack

NAME = "train-labels-idx1-ubyte.gz"
CONTENT = b"what the publisher issued"


class Answers(BaseHTTPRequestHandler):
    """Answers by the first folder of the path, and remembers what it was asked."""

    def do_GET(self):
        self.server.asked.append(self.path)
        folder = self.path.split("/")[1]
        body = {"good": CONTENT, "altered": b"something else", "short": CONTENT[:10]}.get(folder)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(CONTENT) if folder == "short" else len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def publisher(monkeypatch):
    """A server on this machine; the table of hashes knows what it should send."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setitem(module.SOURCES, "mnist", Publisher("http://127.0.0.1:9/", {NAME: sha256(CONTENT)}))
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.asked = []
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def assert_refused(target, base_url, *words):
    """The download fails with one sentence with these words and a remedy, and leaves no file."""
    with pytest.raises(DataError) as caught:
        fetch("mnist", NAME, target, base_url)
    message = str(caught.value)
    for word in (f"{base_url}/{NAME}", *words, "config/config.yaml", "TWOLAYER_DATA", f"mnist/{NAME}"):
        assert word in message
    assert "\n" not in message
    assert not target.parent.exists() or not list(target.parent.iterdir())


@pytest.mark.parametrize("slash", ["", "/"])
def test_download(publisher, tmp_path, slash):
    target = tmp_path / "data" / "mnist" / "renamed.gz"
    fetch("mnist", NAME, target, f"{publisher.url}/good{slash}")
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["renamed.gz"]
    assert publisher.asked == [f"/good/{NAME}"]


def test_others_may_read_the_file(publisher, tmp_path):
    fetch("mnist", NAME, tmp_path / NAME, f"{publisher.url}/good")
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o644


def test_base_url_defaults_to_the_publisher(publisher, tmp_path, monkeypatch):
    source = Publisher(f"{publisher.url}/good/", {NAME: sha256(CONTENT)})
    monkeypatch.setitem(module.SOURCES, "mnist", source)
    fetch("mnist", NAME, tmp_path / NAME)
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_right_file_is_not_downloaded_again(publisher, tmp_path):
    (tmp_path / NAME).write_bytes(CONTENT)
    fetch("mnist", NAME, tmp_path / NAME, f"{publisher.url}/good")
    assert publisher.asked == []


def test_wrong_file_is_replaced(publisher, tmp_path):
    (tmp_path / NAME).write_bytes(CONTENT[:5])
    fetch("mnist", NAME, tmp_path / NAME, f"{publisher.url}/good")
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_file_stays_when_its_replacement_fails(publisher, tmp_path):
    (tmp_path / NAME).write_bytes(CONTENT[:5])
    with pytest.raises(DataError):
        fetch("mnist", NAME, tmp_path / NAME, f"{publisher.url}/altered")
    assert (tmp_path / NAME).read_bytes() == CONTENT[:5]
    assert len(list(tmp_path.iterdir())) == 1


def test_wrong_hash(publisher, tmp_path):
    assert_refused(tmp_path / "data" / NAME, f"{publisher.url}/altered", sha256(CONTENT))


def test_connection_lost_halfway(publisher, tmp_path):
    assert_refused(tmp_path / "data" / NAME, f"{publisher.url}/short")


def test_file_not_on_server(publisher, tmp_path):
    assert_refused(tmp_path / "data" / NAME, f"{publisher.url}/absent", "404")


def test_no_server(publisher, tmp_path):
    with socket.socket() as closed:  # bound, but it does not listen: connections are refused
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        assert_refused(tmp_path / "data" / NAME, url, "ConnectionError")


def test_address_without_protocol(publisher, tmp_path):
    assert_refused(tmp_path / "data" / NAME, "mirror.example/mnist", "MissingSchema")


def test_target_folder_cannot_be_made(publisher, tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(DataError, match="cannot be downloaded to"):
        fetch("mnist", NAME, tmp_path / "data" / NAME, f"{publisher.url}/good")
    assert publisher.asked == []


@pytest.mark.parametrize(("dataset", "name"), [("cifar10", NAME), ("mnist", "absent.gz")])
def test_unknown_names(tmp_path, dataset, name):
    with pytest.raises(ConfigError, match="use one of"):
        fetch(dataset, name, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_every_image_file_has_a_source():
    assert tuple(SOURCES) == tuple(dataset for dataset in DATASETS if dataset != "cifar-10-subset")  # comes with us
    for dataset, source in SOURCES.items():
        if dataset != "cifar-10-batches-bin":  # an archive of them
            assert set(source.sha256) == {*image_files(dataset, "train"), *image_files(dataset, "test")}
        assert all(len(bytes.fromhex(value)) == 32 for value in source.sha256.values())
        assert source.base_url.startswith("https://")


CIFAR = "cifar-10-batches-bin"
BATCHES = [name for split in ("train", "test") for name in image_files(CIFAR, split)]


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A function that makes the archive of some members, which the table of hashes knows."""

    def make(*members):
        path = tmp_path / "cifar-10-binary.tar.gz"
        with tarfile.open(path, "w:gz") as file:
            for name, kind, content in members:
                member = tarfile.TarInfo(name)
                member.type, member.size = kind, len(content)
                member.linkname = "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
                file.addfile(member, BytesIO(content))
        monkeypatch.setitem(module.SOURCES, CIFAR, Publisher("https://it/", {path.name: sha256(path.read_bytes())}))
        return path

    return make


def regular(*names):
    return [(name, tarfile.REGTYPE, name.encode()) for name in names]


def test_unpacked_are_the_files_of_the_set_and_no_others(archive, tmp_path):
    others = regular("../outside", "/tmp/outside-of-all", f"{CIFAR}/readme.html")
    path = archive(*others, *regular(*(f"{CIFAR}/{name}" for name in BATCHES)))
    unpack(CIFAR, path, tmp_path / "deep" / "data")
    assert {file.name for file in (tmp_path / "deep" / "data").iterdir()} == set(BATCHES)
    assert (tmp_path / "deep" / "data" / BATCHES[0]).read_text() == f"{CIFAR}/{BATCHES[0]}"
    assert {file.name for file in (tmp_path / "deep").iterdir()} == {"data"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_links_and_devices_are_not_unpacked(archive, tmp_path, kind):
    path = archive((f"{CIFAR}/{BATCHES[0]}", kind, b""), *regular(*(f"{CIFAR}/{name}" for name in BATCHES[1:])))
    with pytest.raises(DataError, match="as a link or a device"):
        unpack(CIFAR, path, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_an_archive_without_a_file(archive, tmp_path):
    with pytest.raises(DataError, match=r"has no file cifar-10-batches-bin/data_batch_1\.bin: delete it"):
        unpack(CIFAR, archive(*regular("other")), tmp_path / "data")


def test_an_archive_that_changed_since_its_download(archive, tmp_path):
    path = archive(*regular(*(f"{CIFAR}/{name}" for name in BATCHES)))
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(DataError, match=r"does not have the SHA-256 [0-9a-f]{64}: delete it"):
        unpack(CIFAR, path, tmp_path / "data")
    assert not (tmp_path / "data").exists()


@pytest.fixture
def generator(monkeypatch):
    """The published generator of Fashion-MNIST is what the server sends."""
    entry = replace(PUBLISHED_FILES["fashion-mnist"], blob=blob_id(CONTENT))
    monkeypatch.setitem(PUBLISHED_FILES, "fashion-mnist", entry)
    return entry


def test_a_generator_is_downloaded_once_and_checked_by_its_blob(publisher, generator, tmp_path):
    target = tmp_path / "fashion-mnist" / generator.name
    for _ in range(2):
        fetch("fashion-mnist", generator.name, target, f"{publisher.url}/good")
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == [generator.name]
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert publisher.asked == [f"/good/{generator.name}"]


@pytest.mark.parametrize(("folder", "words"), [("altered", "does not have the git blob"), ("none", "HTTP status 404")])
def test_another_generator_is_not_kept(publisher, generator, tmp_path, folder, words):
    target = tmp_path / "fashion-mnist" / generator.name
    with pytest.raises(DataError, match=words) as caught:
        fetch("fashion-mnist", generator.name, target, f"{publisher.url}/{folder}")
    assert "generators: trained" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(target.parent.iterdir())


def test_a_damaged_generator_is_replaced(publisher, generator, tmp_path):
    (tmp_path / generator.name).write_bytes(b"damaged")
    fetch("fashion-mnist", generator.name, tmp_path / generator.name, f"{publisher.url}/good")
    assert (tmp_path / generator.name).read_bytes() == CONTENT
