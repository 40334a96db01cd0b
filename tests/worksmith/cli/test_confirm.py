"""Commands that would spend money ask before."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from tests.e2e.conftest import invoke
from worksmith.cli.worlds import suite as commands
from worksmith.tools.errors import InputError

PAID = ("--writer", "openai/gpt-4o-mini", "--reword", "mail")
FREE = ("--writer", "local/apprentice", "--reword", "mail")
SENT = re.compile(r"up to 4,500 requests to a model, for 0\.\d\d dollars at most")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings of builds, none of which is made."""
    found: list[Any] = []
    monkeypatch.setattr("worksmith.jobs.building.build", lambda settings, **_: found.append(settings))
    monkeypatch.setattr("worksmith.jobs.building.facts_of", lambda _: SimpleNamespace(to_json=dict))
    return found


def build(folder: Path, *options: str) -> Any:
    return invoke("suite", "build", "enterprise", "--out", folder / "made", "--json", *options)


def test_without_a_terminal_no_money_is_spent(built: list[Any], tmp_path: Path) -> None:
    result = build(tmp_path, *PAID)
    assert isinstance(result.exception, InputError)
    assert SENT.search(str(result.exception))
    assert "--yes" in str(result.exception)
    assert not built


@pytest.mark.parametrize("options", [(*PAID, "--yes"), FREE, ()])
def test_no_question_where_it_is_answered_or_costs_nothing(
    options: tuple[str, ...], built: list[Any], tmp_path: Path
) -> None:
    assert build(tmp_path, *options).exit_code == 0
    assert len(built) == 1


@pytest.mark.parametrize(("answer", "made"), [(True, 1), (False, 0)])
def test_a_terminal_is_asked(
    answer: bool, made: int, built: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(question: str, **given: Any) -> None:
        asked.append(question)
        if not answer:
            raise typer.Abort

    monkeypatch.setattr(commands, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(typer, "confirm", confirm)
    assert (build(tmp_path, *PAID).exit_code == 0) == answer
    assert SENT.search(asked[0])
    assert len(built) == made
