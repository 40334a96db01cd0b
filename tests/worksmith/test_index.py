from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retrievers.errors import RetrievalError
from tools.enterprise.schema import POSTS, TABLES
from tools.persona import Persona
from tools.workshop import Workshop
from tools.world import write_world
from worksmith.cli import app

NOW = datetime(2022, 12, 31, 18)


def write(directory: Path, *bodies: str) -> None:
    rows = [
        [*(f"POST-{number:05}", "News", body), *[None] * (len(POSTS.columns) - 3)]
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


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["index", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_indexes_then_keeps_then_checks(tmp_path: Path) -> None:
    write(tmp_path, "Summer party", "New coffee machine")

    code, printed = run(str(tmp_path), "--embedder", "static", "--json")
    assert (code, json.loads(printed)["embedded"]) == (0, 2)
    assert Workshop.open(tmp_path).library is not None
    code, printed = run(str(tmp_path), "--embedder", "static", "--json")
    assert json.loads(printed)["kept"] == 2
    code, printed = run(str(tmp_path), "--check")
    assert (code, "2 records" in printed) == (0, True)


def test_a_changed_world_needs_its_index_again(tmp_path: Path) -> None:
    write(tmp_path, "Summer party")
    run(str(tmp_path), "--embedder", "static")
    write(tmp_path, "Winter party")

    with pytest.raises(RetrievalError, match="worksmith index"):
        Workshop.open(tmp_path)
    run(str(tmp_path), "--embedder", "static")
    Workshop.open(tmp_path)
