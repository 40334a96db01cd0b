"""A person in the agent's place, in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.worksmith.commands import called
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.suite import Suite


def typed(suite: Suite, *lines: str, options: tuple[str, ...] = ()) -> Any:
    command = ["run", suite.path, suite.select(split="test")[0].id, "--lm", "human", "--json", *options]
    done = called(*command, input="".join(f"{line}\n" for line in lines))
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), done.stderr


def gold_lines(suite: Suite) -> list[str]:
    plan = suite.select(split="test")[0].gold_plan or ()
    return [f"{step.tool} {json.dumps(step.arguments)}" for step in plan]


def test_the_calls_of_a_person_are_scored_and_recorded_like_any_agents(suite: Suite, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    for lines in (["finish done"], [*gold_lines(suite), "finish done"]):
        told, _ = typed(suite, *lines, options=("--log", str(log)))
    assert told["scores"]["outcome"] == 1
    assert told["answer"] == "done"
    assert typed(suite, "finish partial some of it")[0]["answer"] == "some of it"
    assert {record.strategy for record in read_log(log)} == {"human"}


def test_help_mistakes_and_the_end_of_input_make_no_call(suite: Suite) -> None:
    tool = gold_lines(suite)[0].partition(" ")[0]
    told, shown = typed(suite, "tools", f"help {tool}", "fly away", f"{tool} nonsense", f"{tool} {{broken")
    assert told["calls"] == []
    assert told["answer"] == ""
    assert tool in shown
    assert "'fly' is not a tool" in shown
    assert shown.count("not understood") == 2


def test_values_may_be_written_as_words(suite: Suite) -> None:
    told, _ = typed(suite, "calendar.search_events query='no such thing'", "quit")
    assert [call["arguments"] for call in told["calls"]] == [{"query": "no such thing"}]
