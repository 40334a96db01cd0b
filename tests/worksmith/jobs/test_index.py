from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.worksmith.commands import called, printed, shown
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import write_world

NOW = datetime(2022, 12, 31, 18)


def write(directory: Path, *bodies: str) -> None:
    rows = [
        [
            *(f"POST-{number:05}", "News", body),
            *[None] * (len(next(table.columns for table in TABLES if table.name == "posts")) - 3),
        ]
        for number, body in enumerate(bodies, start=1)
    ]
    write_world(
        directory,
        TABLES,
        {"posts": rows},
        kind="enterprise",
        origin="generated",
        now=NOW,
        persona=Persona(id="emp_0001", name="Ada"),
    )


@pytest.mark.slow
def test_indexes_then_keeps_then_checks(tmp_path: Path) -> None:
    write(tmp_path, "Summer party", "New coffee machine")

    assert printed("index", tmp_path, "--embedder", "static")["embedded"] == 2
    assert Environment.open(tmp_path).library is not None
    assert printed("index", tmp_path, "--embedder", "static")["kept"] == 2
    assert "2 records" in shown("index", tmp_path, "--check")


def test_says_what_it_did_where_results_go(tmp_path: Path) -> None:
    write(tmp_path, "Summer party", "New coffee machine")
    result = called("index", tmp_path, "--embedder", "static")

    assert result.stdout.startswith("Indexed 2 records in 2 passages (")
    assert result.stdout.endswith("): 2 embedded, 0 kept, 0 removed\n")
    assert result.stderr == ""


@pytest.mark.slow
def test_a_model_that_cannot_be_had_is_named_at_once_and_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    suite = tmp_path / "suite"
    with pytest.raises(RetrievalError, match="magic: is not on this machine"):
        called("suite", "build", "enterprise", "--index", "magic", "--out", suite)

    assert not suite.exists()


@pytest.mark.slow
def test_a_damaged_store_is_named_and_built_again(tmp_path: Path) -> None:
    write(tmp_path, "Summer party")
    shown("index", tmp_path, "--embedder", "static")
    (tmp_path / "index" / "chroma" / "chroma.sqlite3").write_bytes(b"not a database" * 100)

    with pytest.raises(RetrievalError, match=r"is damaged.*build the index again"):
        shown("index", tmp_path, "--check")
    shown("index", tmp_path)
    shown("index", tmp_path, "--check")


@pytest.mark.slow
def test_a_damaged_file_is_named_and_built_again(tmp_path: Path) -> None:
    write(tmp_path, "Summer party")
    shown("index", tmp_path, "--embedder", "static")
    [file] = (tmp_path / "index" / "arrays").glob("posts-*.npz")
    file.write_bytes(file.read_bytes()[:-1])

    with pytest.raises(RetrievalError, match="npz: is damaged"):
        shown("index", tmp_path, "--check")
    assert printed("index", tmp_path)["embedded"] == 0
    shown("index", tmp_path, "--check")


def test_the_model_of_a_foreign_index_is_not_loaded_unless_named(tmp_path: Path) -> None:
    write(tmp_path, "Summer party")
    shown("index", tmp_path, "--embedder", "static")
    file = tmp_path / "index" / "index.json"
    manifest = json.loads(file.read_text())
    manifest["embedder"]["name"] = str(tmp_path / "index" / "model")
    file.write_text(json.dumps(manifest))

    with pytest.raises(RetrievalError, match="does not come with worksmith"):
        Environment.open(tmp_path)
    with pytest.raises(RetrievalError, match="does not come with worksmith"):
        shown("index", tmp_path)
    shown("index", tmp_path, "--embedder", "static")
    Environment.open(tmp_path)


@pytest.mark.slow
def test_a_changed_world_needs_its_index_again(tmp_path: Path) -> None:
    write(tmp_path, "Summer party")
    shown("index", tmp_path, "--embedder", "static")
    write(tmp_path, "Winter party")

    with pytest.raises(RetrievalError, match="worksmith index"):
        Environment.open(tmp_path)
    shown("index", tmp_path, "--embedder", "static")
    Environment.open(tmp_path)
