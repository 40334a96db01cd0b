"""What the write tools change and refuse; `write_calls.toml` has the calls."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tests.tables import each_row
from tests.tools.kinds.enterprise.calls import call
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import HARI

EPISODES = tomllib.loads(Path(__file__).with_name("write_calls.toml").read_text("utf-8"))["episodes"]


@each_row("told", EPISODES)
def test_calls_change_what_they_name_and_no_more(as_: Open, told: dict[str, Any]) -> None:
    episode = as_(told["who"])
    for each in told["calls"]:
        observation = episode.call(each["call"], each["with"])
        assert (observation.status == "ok") == ("says" not in each), observation.text
        assert observation.text == each.get("says", observation.text)
    changes = [
        {made.operation: made.table, "cells": {name: cell or "" for name, cell in made.after.items()}}
        for made in episode.outcome().changes
    ]
    assert changes == [{"cells": {}, **change} for change in told.get("changes", [])]


def test_a_new_file_takes_no_licence_from_a_file_that_its_owner_may_not_read(as_: Open) -> None:
    director, episode = as_("emp_0004"), as_(HARI)
    call(director, "github.update", repo_name="pay/parser", path="src/parse.py", license="secret-1.0")
    episode.changeset = director.changeset
    assert episode.call("github.read", {"file_id": "pay/parser:src/parse.py"}).status == "denied"

    call(episode, "github.create", repo_name="pay/parser", path="src/greet.py", code="pass\n")

    assert "secret" not in episode.call("github.read", {"repo_name": "pay/parser"}).text
