"""A suite goes through a store to workers that do not see its folder; nobody else decides what they get."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.e2e.shared_servers import object_store
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.running.engines.processes import _Process
from worksmith.evals.running.engines.store import SuiteStore
from worksmith.evals.running.engines.worker_pool import WorkerPool
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.models.resolve import resolve
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InfrastructureError, InputError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/worksmith/suites"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return build_suite("office", tmp_path / "office", scale=0.05, per_intent=2)


@contextmanager
def in_folder(folder: Path) -> Iterator[str]:
    yield str(folder / "store")


@contextmanager
def in_memory(_: Path) -> Iterator[str]:
    yield f"memory://{uuid4()}"


@contextmanager
def in_bucket(_: Path) -> Iterator[str]:
    pytest.importorskip("s3fs")
    with object_store("suites") as found, pytest.MonkeyPatch.context() as environment:
        for name, value in found.items():
            environment.setenv(name.replace("MLFLOW_S3_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"), value)
        yield "s3://suites/team"


@pytest.mark.parametrize(
    "store", [in_folder, in_memory, pytest.param(in_bucket, id="in_bucket", marks=pytest.mark.slow)]
)
def test_a_suite_comes_out_as_it_went_in(
    store: Callable[[Path], AbstractContextManager[str]], suite: Suite, tmp_path: Path, cache: Path
) -> None:
    with store(tmp_path) as url:
        stored = SuiteStore(url).put(suite.path)
        again = SuiteStore(url).put(suite.path)
        shutil.rmtree(suite.path)

        found = SuiteStore(stored.url).get(stored.sha256)

    assert again == stored
    assert found == cache / stored.sha256
    assert Suite.open(found).digest == suite.digest


@pytest.mark.slow
def test_workers_need_no_folder_of_the_driver(suite: Suite, tmp_path: Path, cache: Path) -> None:
    store = SuiteStore(str(tmp_path / "store"))
    agent, tasks = Agent("react", env=suite.env), suite.tasks[:3]

    def run(engine: WorkerPool | None) -> EvalResult:
        settings = EvalSettings(env=suite.env, lm=resolve("gold", tasks=suite.tasks), engine=engine)
        return evaluate(agent, tasks, settings)

    here = run(None)
    store.put(suite.path)
    suite.path.rename(tmp_path / "elsewhere")
    with WorkerPool(_Process, 1, store) as pool:
        there = run(pool)

    assert [record.scores for record in there.records] == [record.scores for record in here.records]
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 1


def test_files_go_once_and_what_an_upload_left_half_done_goes_again(suite: Suite, tmp_path: Path) -> None:
    files = tmp_path / "store/files"
    SuiteStore(str(tmp_path / "store")).put(suite.path)
    whole = {path: path.read_bytes() for path in files.iterdir()}
    largest, *others = sorted(whole, key=lambda path: -len(whole[path]))
    times = {path: path.stat().st_mtime_ns for path in others}
    largest.write_bytes(whole[largest][:100])

    SuiteStore(str(tmp_path / "store")).put(suite.path)

    assert {path: path.read_bytes() for path in files.iterdir()} == whole
    assert {path: path.stat().st_mtime_ns for path in others} == times


@pytest.mark.parametrize("part", ["files", "suites"])
def test_a_changed_store_is_refused_and_leaves_nothing(
    part: str, suite: Suite, tmp_path: Path, cache: Path
) -> None:
    store = SuiteStore(str(tmp_path / "store"))
    stored = store.put(suite.path)
    file = max((tmp_path / "store" / part).iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)

    with pytest.raises(InputError, match="its content does not fit its name") as caught:
        store.get(stored.sha256)

    assert str(file) in str(caught.value)
    assert not (cache / stored.sha256).exists()


def test_a_list_that_leads_out_of_the_suite_is_refused(tmp_path: Path, cache: Path) -> None:
    data = b'[{"path": "../../outside", "sha256": "%s"}]' % hashlib.sha256(b"").hexdigest().encode()
    (tmp_path / "store/suites").mkdir(parents=True)
    sha256 = hashlib.sha256(data).hexdigest()
    (tmp_path / "store/suites" / sha256).write_bytes(data)

    with pytest.raises(InputError, match="its content does not fit its name"):
        SuiteStore(str(tmp_path / "store")).get(sha256)

    assert not (cache.parent / "outside").exists()


@pytest.mark.slow
def test_a_store_that_refuses_for_a_moment_is_asked_again(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.implementations.local import LocalFileSystem

    stored, get = SuiteStore(str(tmp_path / "store")).put(suite.path), LocalFileSystem.get_file
    failed: list[Any] = []

    def slow_down(self: LocalFileSystem, *places: Any, **options: Any) -> Any:
        if len(failed) < 2:
            failed.append(places)
            raise OSError("SlowDown")
        return get(self, *places, **options)

    monkeypatch.setattr(LocalFileSystem, "get_file", slow_down)
    assert SuiteStore(stored.url).get(stored.sha256).is_dir()
    assert len(failed) == 2


def test_a_file_is_under_its_name_when_it_is_whole(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.implementations.local import LocalFileSystem

    def torn(self: LocalFileSystem, source: str, target: str, **_: Any) -> None:
        Path(target).write_bytes(Path(source).read_bytes()[:3])
        raise PermissionError("the disk is gone")

    monkeypatch.setattr(LocalFileSystem, "put_file", torn)
    with pytest.raises(InfrastructureError):
        SuiteStore(str(tmp_path / "store")).put(suite.path)
    assert not [*(tmp_path / "store" / "files").iterdir()]


def test_a_store_that_fails_is_no_fault_of_the_user(tmp_path: Path, suite: Suite) -> None:
    store = SuiteStore(str(tmp_path / "store"))
    with pytest.raises(InfrastructureError, match=r"the store .* fails"):
        store.get("0" * 64)
    (tmp_path / "store").write_text("a file")
    with pytest.raises(InfrastructureError, match=r"the store .* fails"):
        store.put(suite.path)


def test_a_wrong_address_is_said_without_its_password() -> None:
    with pytest.raises(InputError, match="no store can be opened") as caught:
        SuiteStore("nowhere://user:a-password@host/path")
    assert "a-password" not in str(caught.value)
