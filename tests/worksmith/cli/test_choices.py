"""Shells complete what only a world knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tools.kinds.crm.worlds import ROLES, env
from worksmith.cli.app import app
from worksmith.tools.kinds.crm.schema import OBJECTS


def completed(line: str) -> list[str]:
    """What bash offers for the last word of `line`, which is empty."""
    words = f"worksmith {line}"
    environment = {
        "_WORKSMITH_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split())),
    }
    return CliRunner().invoke(app, prog_name="worksmith", env=environment).stdout.split()


def test_roles_and_objects_of_a_suite_are_offered() -> None:
    suite = env().world.path
    assert completed(f"access check {suite} --as ") == list(ROLES)
    assert completed(f"serve crm {suite} --as ") == list(ROLES)
    assert completed(f"access check {suite} --source ") == list(OBJECTS)


@pytest.mark.parametrize("damage", ["", "{"])
def test_nothing_is_offered_where_there_is_no_sound_world(tmp_path: Path, damage: str) -> None:
    if damage:
        (tmp_path / "world.json").write_text(damage)
    assert not {*completed(f"access check {tmp_path} --as ")} & {*ROLES}


def test_categories_and_kinds_are_offered() -> None:
    assert "calculation-dependent" in completed("compare suite --without-tools ")
    assert {"crm", "enterprise"} < {*completed("access validate rules.json --kind ")}
