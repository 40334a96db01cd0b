"""Training data: chats as an agent has them, pairs, the split, the card, and nothing of tasks held back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy import lm15

from tests.e2e.conftest import invoke
from tests.programs.office import EVENTS, NOW
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Step, Task
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep
from worksmith.exports.training import dpo, sft
from worksmith.exports.training.card import read_data_card
from worksmith.models.resolve import resolve
from worksmith.optimizers.demos.showing import give_demonstrations
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import BRIEF_CALL, BRIEF_PLAN
from worksmith.programs.replaying.scripted import TranscriptEngine, scripted_lm
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world
from worksmith.training.rows import read_data

SEARCH, DELETE = "calendar.search_events", "calendar.delete_event"
CANARY = "zq-canary-zq"


def cancel(number: int, split: Any = "train", query: str = "", **more: Any) -> Task:
    """Cancel a meeting: one search, one deletion."""
    event_id, title = EVENTS[number][:2]
    plan = (
        Step(tool=SEARCH, arguments={"query": title}, why="Find it."),
        Step(tool=DELETE, arguments={"event_id": event_id}, why="Delete it."),
    )
    return Task(
        id=f"cancel-{number}-{split}",
        query=query or f"Cancel the meeting '{title}'",
        domains=("calendar",),
        gold_plan=plan,
        expected=plan[1:],
        intent=f"cancel.{number}",
        split=split,
        **more,
    )


def make_suite(folder: Path, tasks: Sequence[Task]) -> Suite:
    rows: dict[str, list[tuple[str, ...]]] = {"calendar": EVENTS, "directory": [("kim.lee@atlas.com",)]}
    world = write_world(folder, OFFICE.tables, rows, kind="office", origin="tests", now=NOW, persona=SAM)
    return write_suite(world, tasks)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return make_suite(tmp_path / "office", [*(cancel(number) for number in range(3)), cancel(3, "test")])


Calls = list[tuple[str, dict[str, str]]]


def run(suite: Suite, log: Path, split: Any, calls: Callable[[Task], Calls], **settings: Any) -> Path:
    """The log of an agent that makes the given calls, in the order of a list."""
    tasks = suite.select(split=split)
    scripts = [
        Transcript(task.query, tuple(TranscriptStep(*call) for call in calls(task)), final="Done.")
        for task in tasks
    ]
    agent = Agent("act", env=suite.env, **settings)
    with EpisodeLog.open(log) as opened:
        lm = scripted_lm(TranscriptEngine(scripts))
        evaluate(agent, tasks, EvalSettings(env=suite.env, lm=lm, workers=2), log=opened)
    return log


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def wrong_event(task: Task) -> Calls:
    """The search that is right, then the deletion of another event."""
    assert task.gold_plan
    search, delete = task.gold_plan
    other = f"{(int(delete.arguments['event_id']) + 1) % 4:08}"
    return [(SEARCH, search.arguments), (DELETE, {"event_id": other})]


class Overhearing:
    """Follows gold plans, and keeps what it is asked."""

    digest = "overhearing"

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._gold = resolve("gold", tasks=tasks).engine
        self.heard: list[list[dict[str, str]]] = []

    def complete(self, request: lm15.Request) -> lm15.Response:
        turns = [{"role": turn.role, "content": turn.text} for turn in request.messages]
        self.heard.append([{"role": "system", "content": request.system}, *turns])
        reply: lm15.Response = self._gold.complete(request)
        return reply


@pytest.mark.parametrize(("prompt", "strategy"), [("compact", "act"), ("text", "act"), ("compact", "react")])
def test_rows_are_the_prompts_of_an_agent_and_its_replies(
    suite: Suite, tmp_path: Path, prompt: str, strategy: str
) -> None:
    tasks = suite.select(split="train")
    engine = Overhearing(tasks)
    lm = dspy.LM("scripted/overhearing", engine=engine, cache=False, num_retries=0)
    agent = Agent(strategy, env=suite.env, prompt=prompt, toolset="all")
    evaluate(agent, tasks, EvalSettings(env=suite.env, lm=lm, workers=1))

    out = tmp_path / "turns.jsonl"
    sft(suite.path, out=out, each_turn=True, prompt=prompt, strategy=strategy)
    whole = tmp_path / "whole.jsonl"
    sft(suite.path, out=whole, prompt=prompt, strategy=strategy)

    assert sorted(map(str, engine.heard)) == sorted(str(row["prompt"]) for row in rows_of(out))
    assert (len(read_data(whole, preferences=False).rows), len(rows_of(whole))) == (3, 3)
    for row in rows_of(whole):
        said = [message["content"] for message in row["messages"] if message["role"] == "assistant"]
        assert said == [
            r["completion"][0]["content"]
            for r in rows_of(out)
            if r["origin"]["task"] == row["origin"]["task"]
        ]
        assert "finish" in said[-1]
        assert ("Find it." in said[0]) == (strategy == "react")


def test_where_a_model_plans_the_chat_of_the_plan_is_a_row_of_its_own(suite: Suite, tmp_path: Path) -> None:
    out, turns = tmp_path / "sft.jsonl", tmp_path / "turns.jsonl"
    sft(suite.path, out=out, strategy="plan")
    sft(suite.path, out=turns, strategy="plan", each_turn=True)

    plans = [row["messages"] for row in rows_of(out) if row["messages"][0]["content"] == BRIEF_PLAN]
    calls = [row["messages"] for row in rows_of(out) if row["messages"][0]["content"] == BRIEF_CALL]
    assert (len(plans), len(calls)) == (3, 3)
    for planned, called in zip(plans, calls, strict=True):
        assert [message["role"] for message in planned] == ["system", "user", "assistant"]
        assert called[1]["content"] == f"{planned[1]['content']}\nPlan:\n{planned[2]['content']}"
    every = [row["completion"][0] for row in rows_of(turns)]
    assert sum(planned[2] in every for planned in plans) == 3


def test_data_and_card_depend_on_sources_and_settings_alone(suite: Suite, tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "sft.jsonl", tmp_path / "b" / "sft.jsonl"
    data = sft(suite.path, out=first, workers=1)
    sft(suite.path, out=second, workers=8)

    assert first.read_bytes() == second.read_bytes()
    assert read_data_card(first) == data.card
    assert (tmp_path / "a" / "sft.card.json").read_bytes() == (tmp_path / "b" / "sft.card.json").read_bytes()
    (file,) = data.card.files
    assert (file.rows, file.tasks, file.personas) == (3, 3, 1)
    assert file.intents == {f"office/cancel.{number}": 1 for number in range(3)}
    assert file.tokens is not None
    assert file.tokens.median <= file.tokens.p95 <= file.tokens.max < file.tokens.total
    assert data.card.licences == ("MIT",)
    assert data.card.held_back.tasks == 1
    assert "sft.jsonl" in str(data)

    bank = tmp_path / "bank.jsonl"
    assert invoke("bank", "build", suite.path, "--from", "gold", "-o", bank).exit_code == 0
    rows = []
    for number, source in enumerate((bank, suite.path)):
        sft(source, out=(out := tmp_path / f"{number}.jsonl"), tasks_of=[suite.path], format="paper")
        rows.append(rows_of(out))
    assert rows[0] == rows[1] == [{"messages": row["messages"]} for row in rows_of(first)]

    card = tmp_path / "a" / "sft.card.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"note": "trust me"}))
    with pytest.raises(InputError, match="card of training data"):
        read_data_card(first)


def test_a_pair_parts_where_the_failed_trajectory_leaves_the_successful_one(
    suite: Suite, tmp_path: Path
) -> None:
    log = run(suite, tmp_path / "bad.jsonl", "train", wrong_event)
    out = tmp_path / "dpo.jsonl"
    data = dpo([suite.path, log], out=out)

    assert data.card.faults == {"unwanted side effects": 3}
    for row in rows_of(out):
        assert [message["role"] for message in row["prompt"]] == ["system", "user", "assistant", "user"]
        assert SEARCH in row["prompt"][2]["content"]
        (chosen,), (rejected,) = row["chosen"], row["rejected"]
        assert DELETE in chosen["content"]
        assert DELETE in rejected["content"]
        assert chosen != rejected
        assert row["origin"]["source"] == str(suite.path)
        assert row["origin"]["rejected_source"] == str(log)

    found = read_data(out, preferences=True)
    assert (len(found.rows), found.digest) == (3, data.card.files[0].sha256)
    rest = tmp_path / "rest.jsonl"
    dpo([suite.path, log], out=rest, rest=True)
    for row in rows_of(rest):
        assert [message["role"] for message in row["chosen"]] == ["assistant", "user", "assistant"]
    # An agent that was stopped after the right first call said nothing that is worse than the plan.
    stopped = run(suite, tmp_path / "stopped.jsonl", "train", wrong_event, max_steps=1)
    with pytest.raises(InputError, match="never parts from a successful one"):
        dpo([suite.path, stopped], out=tmp_path / "none.jsonl")


def test_the_same_call_with_its_arguments_in_another_order_is_not_rejected(tmp_path: Path) -> None:
    found = {"query": EVENTS[0][1], "time_min": "2000-01-01 00:00:00"}
    plan = (Step(tool=SEARCH, arguments=found, why=""), *(cancel(0).gold_plan or ())[1:])
    task = cancel(0).model_copy(update={"gold_plan": plan})
    suite = make_suite(tmp_path / "office", [task])
    turned = dict(reversed(found.items()))
    log = run(suite, tmp_path / "bad.jsonl", "train", lambda task: [(SEARCH, turned), wrong_event(task)[1]])
    out = tmp_path / "dpo.jsonl"
    dpo([suite.path, log], out=out)

    (row,) = rows_of(out)
    assert DELETE in row["chosen"][0]["content"]
    assert DELETE in row["rejected"][0]["content"]


def test_samples_of_one_model_make_pairs_without_a_gold_plan(suite: Suite, tmp_path: Path) -> None:
    def gold(task: Task) -> Calls:
        return [(step.tool, step.arguments) for step in task.gold_plan or ()]

    good = run(suite, tmp_path / "logs" / "good.jsonl", "train", gold)
    run(suite, tmp_path / "logs" / "bad.jsonl", "train", wrong_event)
    out = tmp_path / "dpo.jsonl"
    dpo(tmp_path / "logs", out=out, tasks_of=[suite.path])

    assert {row["origin"]["source"] for row in rows_of(out)} == {f"{tmp_path / 'logs'}: good"}
    assert len(rows_of(out)) == 3
    with pytest.raises(InputError, match="the sources give no row: 3 nobody did the task"):
        dpo(tmp_path / "logs" / "bad.jsonl", out=tmp_path / "none.jsonl", tasks_of=[suite.path])
    sft(good, out=tmp_path / "sft.jsonl", tasks_of=[suite.path])
    assert len(rows_of(tmp_path / "sft.jsonl")) == 3


def test_a_denied_call_is_named_as_the_fault(tmp_path: Path) -> None:
    assert invoke("new", tmp_path / "helpdesk").exit_code == 0
    suite = Suite.open(tmp_path / "helpdesk")
    closing: Calls = [("tools.close_ticket", {"ticket_id": "T-1002", "resolution": "Done"})]
    log = run(suite, tmp_path / "bad.jsonl", "train", lambda _: closing)
    out = tmp_path / "dpo.jsonl"
    data = dpo([suite.path, log], out=out, rest=True)

    rows = rows_of(out)
    denied = {
        row["origin"]["task"] for row in rows if row["rejected"][1]["content"].startswith("Access denied")
    }
    assert 0 < len(denied) < len(rows)
    assert {row["origin"]["task"] for row in rows if row["origin"]["fault"] == "denied call"} == denied
    assert data.card.faults["denied call"] == len(denied)


def test_a_row_has_what_its_episode_shows_here_and_nothing_that_a_log_says(
    suite: Suite, tmp_path: Path
) -> None:
    log = run(suite, tmp_path / "log.jsonl", "train", wrong_event)
    forged = [
        record.model_copy(
            update={
                "answer": record.answer,
                "calls": tuple(call.model_copy(update={"observation": CANARY}) for call in record.calls),
                "plan": CANARY,
                "expected_changes": (),
            }
        )
        for record in read_log(log)
    ]
    log.write_bytes(b"".join(map(log_line, forged)))
    out = tmp_path / "dpo.jsonl"
    dpo([suite.path, log], out=out, rest=True, format="paper")

    assert CANARY in log.read_text()
    assert CANARY not in out.read_text()
    assert [tuple(row) for row in rows_of(out)] == [("prompt", "chosen", "rejected")] * 3


def test_a_run_or_bank_of_tasks_held_back_is_refused(suite: Suite, tmp_path: Path) -> None:
    log = run(suite, tmp_path / "test.jsonl", "test", wrong_event)
    bank = tmp_path / "bank.jsonl"
    assert invoke("bank", "build", suite.path, "--from", "gold", "--split", "all", "-o", bank).exit_code == 0
    for source in (log, bank):
        out = tmp_path / "out.jsonl"
        for write in (sft, dpo):
            with pytest.raises(InputError, match=r"tasks held back: cancel-3-test \(test\)"):
                write([suite.path, source], out=out, leave_out=True)
        assert not out.exists()
    elsewhere = make_suite(tmp_path / "other", [cancel(0), cancel(1, "test")])
    with pytest.raises(InputError, match="in no suite that is named: cancel-3-test"):
        sft([elsewhere.path, log], out=tmp_path / "out.jsonl")
    with pytest.raises(InputError, match="no suite is named"):
        sft(log, out=tmp_path / "out.jsonl")


LONG = "Please look through my calendar for the meeting that is called 'Retro', and cancel it for all of us"


@pytest.mark.parametrize("query", [LONG, LONG.upper() + " ", LONG + " a lot"])
def test_a_planted_test_task_is_refused_and_can_be_left_out(tmp_path: Path, query: str) -> None:
    planted = cancel(3, query=query)
    suite = make_suite(tmp_path / "office", [cancel(0), planted])
    measured = make_suite(tmp_path / "measured", [cancel(1), cancel(3, "test", query=LONG)])
    out = tmp_path / "sft.jsonl"

    result = invoke("export", "sft", suite.path, "--exclude", measured.path, "--out", out)
    assert isinstance(result.exception, InputError)
    assert "office:cancel-3-train" in str(result.exception)
    assert "measured:cancel-3-test" in str(result.exception)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["measured", "office"]

    data = sft(suite.path, out=out, exclude=[measured.path], leave_out=True)
    assert [row["origin"]["task"] for row in rows_of(out)] == ["cancel-0-train"]
    assert data.card.held_back.left_out == ("office:cancel-3-train",)
    assert data.card.held_back.same + data.card.held_back.near == 1
    held = cancel(3, "test", query=query).model_copy(update={"context": "It is June."})
    other = make_suite(tmp_path / "other", [cancel(0), planted, held])
    assert sft(other.path, out=out, force=True).card.files[0].rows == 2, "another context, another request"


def test_all_tasks_of_a_published_suite_are_held_back(tmp_path: Path) -> None:
    rows: dict[str, list[tuple[str, ...]]] = {"calendar": EVENTS, "directory": [("kim.lee@atlas.com",)]}
    tables = OFFICE.tables
    world = write_world(
        tmp_path / "wb", tables, rows, kind="office", origin="workbench", now=NOW, persona=SAM
    )
    published = write_suite(world, [cancel(1)])
    suite = make_suite(tmp_path / "office", [cancel(0), cancel(1)])

    with pytest.raises(InputError, match="wb:cancel-1-train"):
        sft(suite.path, out=tmp_path / "sft.jsonl", exclude=[published.path])


def test_whole_intents_are_put_aside_and_the_same_for_both_methods(tmp_path: Path) -> None:
    tasks = [cancel(number) for number in range(4)]
    more = [each.model_copy(update={"id": f"{each.id}-2", "query": f"{each.query} now"}) for each in tasks]
    suite = make_suite(tmp_path / "office", [*tasks, *more])
    log = run(suite, tmp_path / "bad.jsonl", "train", wrong_event)
    data = sft(suite.path, out=tmp_path / "sft.jsonl", validation=0.5)
    pairs = dpo([suite.path, log], out=tmp_path / "dpo.jsonl", validation=0.5)

    assert [file.name for file in data.files] == ["sft.jsonl", "sft.validation.jsonl"]
    for made in (data, pairs):
        train, aside = (set(file.intents) for file in made.card.files)
        assert len(train) == len(aside) == 2
        assert not train & aside
    assert set(data.card.files[1].intents) == set(pairs.card.files[1].intents)

    few = sft(suite.path, out=tmp_path / "few.jsonl", limit_per_intent=1)
    assert set(few.card.files[0].intents.values()) == {1}


def test_the_command_forecasts_writes_and_does_not_overwrite(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "sft.jsonl"
    planned = invoke("export", "sft", suite.path, "--out", out, "--dry-run", "--json")
    assert json.loads(planned.stdout)["episodes"] == 3
    assert not out.exists()
    written = invoke("export", "sft", suite.path, "--out", out, "--json")
    assert json.loads(written.stdout)["card"]["files"][0]["rows"] == 3
    assert isinstance(invoke("export", "sft", suite.path, "--out", out).exception, InputError)
    assert invoke("export", "sft", suite.path, "--out", out, "--force").exit_code == 0
    native = invoke("export", "sft", suite.path, "--out", out, "--force", "--prompt", "native")
    assert isinstance(native.exception, InputError)


def test_a_document_is_the_prompt_that_shows_its_conversations_as_demonstrations(tmp_path: Path) -> None:
    tasks = [cancel(number, context=f"House rule {number}.") for number in range(4)]
    suite = make_suite(tmp_path / "office", [*tasks, cancel(0, "test", query=LONG)])
    out, bank = tmp_path / "sft.jsonl", tmp_path / "bank.jsonl"
    settings: dict[str, Any] = {"conversations": 3, "documents": 12, "near": 1}
    (file,) = sft(suite.path, out=out, **settings).card.files
    assert sum(file.conversations.values()) == len(rows_of(out)) <= 12
    assert set(file.conversations) == {1, 2, 3}

    built = invoke("bank", "build", suite.path, "--from", "gold", "--prompt", "compact", "-o", bank)
    assert built.exit_code == 0, built.output
    shown = {each.task_id: each for each in TraceBank.read(bank).demonstrations}
    for row in rows_of(out):
        (task,) = (each for each in tasks if each.id == row["origin"]["task"])
        before = row["origin"].get("before", "").split()
        assert task.id not in before
        engine = Overhearing([task])
        agent = give_demonstrations(
            Agent("act", env=suite.env, prompt="compact", toolset="all"), [shown[each] for each in before]
        )
        lm = dspy.LM("scripted/overhearing", engine=engine, cache=False, num_retries=0)
        evaluate(agent, [task], EvalSettings(env=suite.env, lm=lm, workers=1))
        assert engine.heard[-1] == (row["prompt"] + row["completion"])[:-1]
        taught = sum(turn["role"] == "assistant" for turn in row["completion"])
        assert taught == 3 * max(1, len(before))  # the tools of the first one are not known yet

    sft(suite.path, out=tmp_path / "short.jsonl", document_tokens=64, **settings)
    assert {len(row["prompt"]) for row in rows_of(tmp_path / "short.jsonl")} == {2}


def test_names_are_new_and_the_same_in_all_of_a_document(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "sft.jsonl"
    options: dict[str, Any] = {"conversations": 3, "documents": 30, "renamed": 0.5, "seed": 2}
    card = sft(suite.path, out=out, **options).card
    names = set()
    for row in rows_of(out):
        messages = row["prompt"] + row["completion"]
        calls = [json.loads(each["content"]) for each in messages if each["role"] == "assistant"]
        made = [(call["tool"], *call["arguments"]) for call in calls if call["tool"] != "finish"]
        assert {*made[::2]} == {made[0]}
        assert {*made[1::2]} == {made[1]}
        renamed = "renamed" in row["origin"]
        assert renamed == (made[0] != (SEARCH, "query")) == (SEARCH not in str(messages))
        names |= {made[0]} if renamed else set()
    assert 5 < len(names) == card.files[0].renamed < 25
    sft(suite.path, out=tmp_path / "again.jsonl", workers=1, **options)
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()
    wrongs: tuple[dict[str, Any], ...] = ({"renamed": 0.5}, {"conversations": 2, "prompt": "full"})
    for wrong in wrongs:
        with pytest.raises(InputError, match="conversation"):
            sft(suite.path, out=tmp_path / "wrong.jsonl", **wrong)


@pytest.mark.slow
def test_trl_knows_the_rows(suite: Suite, tmp_path: Path) -> None:
    from datasets import load_dataset
    from trl.data_utils import extract_prompt, is_conversational

    log = run(suite, tmp_path / "bad.jsonl", "train", wrong_event)
    kinds: list[tuple[Any, dict[str, Any]]] = [
        (sft, {"format": "trl"}),
        (sft, {"format": "paper", "each_turn": True}),
        (dpo, {"format": "trl", "rest": True}),
        (dpo, {"format": "paper"}),
    ]
    for number, (write, settings) in enumerate(kinds):
        out = tmp_path / f"{number}.jsonl"
        write([suite.path, log], out=out, **settings)
        data = load_dataset("json", data_files=str(out), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(data) > 0
        assert all(is_conversational(row) for row in data)
        if write is dpo:
            first = data[0]
            whole = {name: first["prompt"] + first[name] for name in ("chosen", "rejected")}
            assert extract_prompt(whole)["prompt"] == first["prompt"]
