"""Kinds are found by entry point, one at a time; what is broken is named."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

from worksmith.tools import registry
from worksmith.tools.errors import InputError
from worksmith.tools.registry import Registry


@dataclass(frozen=True)
class Thing:
    name: str


GOOD = Thing("good")
HERE = "tests.tools.test_registry"


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> Registry[Thing]:
    entries = [
        EntryPoint("good", f"{HERE}:GOOD", "things"),
        EntryPoint("other", f"{HERE}:GOOD", "things"),
        EntryPoint("gone", "no_such_module:IT", "things"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: [e for e in entries if e.group == group])
    return Registry("things", Thing, "thing")


def test_a_thing_is_found_by_name(things: Registry[Thing]) -> None:
    assert things.get("good") is GOOD
    assert things.names() == ("gone", "good", "other")
    assert "good" in things
    assert "bad" not in things
    assert things.all() == [GOOD]


def test_one_of_this_process_comes_before_an_installed_one(things: Registry[Thing]) -> None:
    mine = Thing("good")
    things.register(mine)

    assert things.get("good") is mine


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bad", "no thing 'bad' .there are gone, good, other"),
        ("gone", "the thing 'gone' cannot be imported .ModuleNotFoundError"),
        ("other", "this is no Thing called 'other'"),
    ],
)
def test_what_is_absent_or_broken_is_named(things: Registry[Thing], name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        things.get(name)


def test_the_first_that_has_a_part_gives_it(things: Registry[Thing]) -> None:
    things.register(Thing("a"))

    assert things.first(lambda thing: thing.name, "has a name") == "a"
    assert things.first(lambda thing: thing.name if thing.name > "a" else None, "has a late name") == "good"
    with pytest.raises(InputError, match="no installed thing has a number"):
        things.first(lambda _: None, "has a number")


def test_one_kind_is_loaded_without_the_others() -> None:
    code = (
        "import sys; from worksmith.evals.task_kind import task_kind; "
        "from worksmith.tools.world_kind import world_kind; task_kind('office'); world_kind('office'); "
        "others = ('worksmith.evals.kinds.crm', 'worksmith.tools.kinds.enterprise'); "
        "print([m for m in sys.modules if m.startswith(others)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
