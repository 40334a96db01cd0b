"""Rules for the course of an episode: which calls break them, and where a user sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from worksmith.evals.authoring.checking.check import task_findings
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.plain import episode_text
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.constraints import broken, constraints
from worksmith.evals.scoring.procedure import ProcedureScorer
from worksmith.evals.task_kind import scorers_for
from worksmith.tools.errors import InputError

READ_FIRST = {"tool": "close", "needs": "read", "same": ["ticket"]}
ASKED = {"tool": "close", "needs": "ask", "reply": "Yes.", "each": True}
NAMED = {"tool": "close", "needs": "ask", "named": ["ticket"]}

Call = tuple[str, dict[str, Any]]


def shop(folder: Path, *rules: dict[str, Any]) -> ws.Environment:
    tickets = [{"id": f"T-{number}", "status": "open"} for number in (1, 2)]
    env = ws.Environment.from_tables({"tickets": tickets}, now="2026-01-05 09:00", folder=folder)

    @env.tool(writes=False)
    def read(ctx: ws.Context, ticket: str) -> dict[str, Any]:
        """Read a ticket."""
        return ctx["tickets"].get(ticket)

    @env.tool(writes=False)
    def ask(ctx: ws.Context, question: str) -> str:
        """Ask the user."""
        return "yes" if question.startswith("Close") else "no"

    @env.tool
    def close(ctx: ws.Context, ticket: str) -> None:
        """Close a ticket."""
        ctx["tickets"].update(ticket, status="closed")

    env.use_procedure(rules)
    return env


def read(ticket: str) -> Call:
    return "tools.read", {"ticket": ticket}


def close(ticket: str) -> Call:
    return "tools.close", {"ticket": ticket}


def ask(question: str = "Close it?") -> Call:
    return "tools.ask", {"question": question}


def suite(env: ws.Environment, *more: dict[str, Any], plan: list[Call] | None = None) -> ws.Suite:
    steps = [{"tool": tool, "arguments": given} for tool, given in plan or [read("T-1"), close("T-1")]]
    return ws.Suite(env, [{"query": "Close T-1.", "plan": steps, "procedure": [*more], "split": "test"}])


def record_of(suite: ws.Suite, calls: list[Call]) -> EpisodeRecord:
    """The record of an episode with these calls."""

    def program(task: Any) -> dspy.Prediction:
        episode = suite.env.episode()
        for tool, arguments in calls:
            episode.call(tool, arguments)
        return dspy.Prediction(episode=episode.finished("done"))

    (record,) = evaluate(program, suite.tasks, EvalSettings(env=suite.env, workers=1)).records
    return record


@pytest.mark.parametrize(
    ("rule", "calls", "step"),
    [
        (READ_FIRST, [read("T-1"), close("T-1"), close("T-1")], None),
        (READ_FIRST, [close("T-1"), read("T-1")], 1),
        (READ_FIRST, [read("T-1"), close("T-2")], 2),
        (READ_FIRST, [read("T-9"), close("T-9")], None),  # no call that did anything
        (READ_FIRST, [], None),
        (ASKED, [ask(), close("T-1"), ask(), close("T-2")], None),
        (ASKED, [ask(), ask(), close("T-1"), close("T-2")], 4),
        (ASKED, [ask("Why?"), close("T-1")], 2),
        (NAMED, [ask("Close this:\nt-1, or not?"), close("T-1")], None),
        (NAMED, [ask("Close T-12?"), close("T-1")], 2),
        ({"tool": "close", "at_most": 1}, [close("T-1")], None),
        ({"tool": "close", "at_most": 1}, [close("T-1"), read("T-1"), close("T-2")], 3),
        ({"tool": "close", "never_with": "ask"}, [close("T-1"), close("T-2")], None),
        ({"tool": "close", "never_with": "ask"}, [ask(), read("T-1"), close("T-1")], 3),
        ({"tool": "close", "never_with": "ask"}, [close("T-1"), ask()], 2),
    ],
)
@pytest.mark.parametrize("of_task", [False, True])
def test_a_rule_is_broken_by_the_first_call_that_does_not_keep_it(
    rule: dict[str, Any], calls: list[Call], step: int | None, of_task: bool, tmp_path: Path
) -> None:
    env = shop(tmp_path, *([] if of_task else [rule]))
    record = record_of(suite(env, *([rule] if of_task else [])), calls)

    assert [each.step for each in record.broken_rules] == ([] if step is None else [step])
    assert record.scores["procedure"] == float(step is None)
    assert bool(broken(constraints(["procedure=1"]), [record])) == (step is not None)


def test_a_user_reads_which_rule_was_broken_where(tmp_path: Path) -> None:
    env = shop(tmp_path, {**READ_FIRST, "why": "people close what they have not seen"})
    text = episode_text(ShownEpisode("act", record_of(suite(env), [close("T-1")])))
    assert "broken by call 1: tools.close needs tools.read before it with the same ticket (people" in text


def test_without_rules_there_is_no_such_score(tmp_path: Path) -> None:
    assert "procedure" not in record_of(suite(shop(tmp_path)), []).scores


def test_a_gold_plan_has_to_keep_the_procedure(tmp_path: Path) -> None:
    env = shop(tmp_path, READ_FIRST)
    for plan, wrong in (([read("T-1"), close("T-1")], []), ([close("T-1")], ["call 1 breaks the procedure"])):
        (task,) = suite(env, plan=plan).tasks
        said = [each.said for each in task_findings(env, scorers_for(env), task)]
        assert [text.partition(":")[0] for text in said] == wrong


@pytest.mark.parametrize(
    ("rule", "where", "said"),
    [
        ({"tool": "close"}, "procedure.0", "give one of needs, at_most and never_with"),
        ({"tool": "close", "at_most": 1, "needs": "read"}, "procedure.0", "give one of"),
        ({"tool": "close", "at_most": 1, "each": True}, "procedure.0", "go with needs"),
        ({**NAMED, "named": ["id"]}, "procedure.0.named", "no argument 'id'"),
        ({"tool": "close", "at_most": 0}, "procedure.0.at_most", "greater than 0"),
        ({"tool": "clos", "needs": "read"}, "procedure.0", "no tool 'clos'"),
        ({"tool": "close", "needs": "reed"}, "procedure.0", "no tool 'reed'"),
        ({"tool": "close", "needs": "read", "run": "x"}, "procedure.0.run", "not permitted"),
        ({"tool": "close", "needs": "close"}, "procedure.0", "bound by itself"),
        ({"tool": "close", "never_with": "tools.close"}, "procedure.0", "bound by itself"),
        ({**READ_FIRST, "same": ["tickets"]}, "procedure.0.same", "tools.close has no argument 'tickets'"),
        ({**READ_FIRST, "same": {"ticket": "id"}}, "procedure.0.same", "tools.read has no argument 'id'"),
        ("close", "procedure.0", "dictionary"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(rule: Any, where: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as error:
        suite(shop(tmp_path, rule))
    assert (error.value.where or "").endswith(where)
    with pytest.raises(InputError, match=said):
        suite(shop(tmp_path / "of a task"), rule)


def test_a_reply_is_what_the_tool_returned_without_the_note_on_what_may_be_read(tmp_path: Path) -> None:
    tables = {"people": [{"id": "ann"}], "votes": [{"id": "1", "by": "ann", "said": "yes"}]}
    env = ws.Environment.from_tables(tables, personas="people", now="2026-01-05 09:00", folder=tmp_path)

    @env.tool(writes=False)
    def ask(ctx: ws.Context) -> str:
        """Ask."""
        return str(ctx["votes"].find()[0]["said"])

    @env.tool(writes=False)
    def close(ctx: ws.Context) -> None:
        """Close."""

    rule = {"id": "OWN", "operations": ["read"], "when": {"self": "by"}}
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"sources": {"votes": {"rules": [rule], "announce": True}}}))
    env.use_policy(policy)
    env.use_procedure([{"tool": "close", "needs": "ask", "reply": "yes"}])
    episode = env.episode(persona="ann")
    assert episode.call("tools.ask", {}).text.endswith("votes")
    episode.call("tools.close", {})
    suite = ws.Suite(env, [{"query": "Close.", "persona": "ann", "plan": [], "split": "test"}])
    [scores] = [
        scorer(suite.tasks[0], episode.finished("done"))
        for scorer in scorers_for(env)
        if isinstance(scorer, ProcedureScorer)
    ]
    assert scores == {"procedure": 1.0}
