from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import Clerk, lm, make_context
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.suite import Suite
from worksmith.optimizers.demos.trace_bank import TraceBank, count_reasons
from worksmith.optimizers.optimizer import CompileContext
from worksmith.tools.errors import InputError
from worksmith.tools.persona import Persona


def context(suite: Suite, folder: Path, *verbs: str, **settings: Any) -> CompileContext:
    return make_context(suite, folder, teacher=lm(*verbs), student=lm(), **settings)


def test_successes_become_whole_trajectories(suite: Suite, tmp_path: Path) -> None:
    bank = context(suite, tmp_path, "Cancel", "Rename", "Shift").bank()

    assert [d.task_id for d in bank.demonstrations] == [t.id for t in suite.select(split="train")]
    first = bank.demonstrations[0]
    assert first.tools == ("calendar.search_events", "calendar.delete_event")
    assert first.records == ("calendar/00000000",)
    part = first.parts["step"]
    assert part["task"] == "Cancel 'alpha sync'"
    assert [step["tool"] for step in part["trajectory"]] == list(first.tools)
    assert part["tool"] == "finish"


def test_demonstration_is_what_stock_bootstrapping_would_store(suite: Suite, tmp_path: Path) -> None:
    import dspy

    bank = context(suite, tmp_path, "Cancel").bank()
    program = Clerk(suite.env)
    with dspy.context(lm=lm("Cancel"), trace=[]):
        program(task=suite.task("cancel-00"))
        _, inputs, outputs = dspy.settings.trace[-1]

    records = list(bank.demonstrations[0].records)
    stored = dspy.Example(augmented=True, **{NOTES: {"records": records}}, **inputs, **outputs)
    assert bank.demonstrations[0].example("step") == stored


def test_report_says_why_a_task_gave_nothing(suite: Suite, tmp_path: Path) -> None:
    bank = context(suite, tmp_path, "Cancel").bank()

    assert (len(bank), count_reasons(bank.gaps)) == (4, {"wrong outcome": 8})


def test_tasks_held_back_are_recognised_by_their_words(suite: Suite, tmp_path: Path) -> None:
    bank = context(suite, tmp_path, "Cancel").bank()
    twin = suite.task("cancel-00").model_copy(update={"id": "other", "query": "cancel  'Alpha Sync'"})

    assert [d.task_id for d in bank.usable([twin]).demonstrations] == ["cancel-01", "cancel-02", "cancel-03"]
    for other in (
        {"persona": Persona(id="bo", name="Bo")},
        {"context": "Soon."},
        {"now": datetime(2030, 1, 1)},
    ):
        assert len(bank.usable([twin.model_copy(update=other)])) == 4
    old = replace(
        bank, demonstrations=tuple(d.model_copy(update={"request": ""}) for d in bank.demonstrations)
    )
    assert len(old.usable([twin.model_copy(update={"context": "Soon."})])) == 3


def test_resume_pays_for_nothing_twice_and_gives_the_same(suite: Suite, tmp_path: Path) -> None:
    first = context(suite, tmp_path, "Cancel")
    bank = first.bank()
    log = tmp_path / "teacher" / "teacher.jsonl"
    traces = tmp_path / "teacher" / "traces.jsonl"
    # As after a kill: two episodes are lost, a third is torn.
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:9]) + b'{"key": "to')
    traces.write_bytes(traces.read_bytes()[:-30])
    second = context(suite, tmp_path, "Cancel")
    second.teacher.resume = True

    assert second.bank().digest == bank.digest
    assert len(second.teacher.lm.engine.requests) == 3  # the three lost ones, of a verb it does not know


def test_traces_of_another_program_or_teacher_are_not_mixed_in(suite: Suite, tmp_path: Path) -> None:
    context(suite, tmp_path, "Cancel").bank()
    other = context(suite, tmp_path, "Rename")
    other.teacher.resume = True

    assert {d.intent for d in other.bank().demonstrations} == {"Rename"}


def test_without_resume_an_earlier_run_is_not_overwritten(suite: Suite, tmp_path: Path) -> None:
    context(suite, tmp_path, "Cancel").bank()

    with pytest.raises(InputError, match="already there"):
        context(suite, tmp_path, "Cancel").bank()


def test_bank_file_round_trips_and_notices_damage(suite: Suite, tmp_path: Path) -> None:
    bank = context(suite, tmp_path, "Cancel").bank()
    file = tmp_path / "bank.jsonl"
    bank.write(file)

    assert TraceBank.read(file) == bank
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1].replace("alpha", "omega"), *lines[2:]]))
    with pytest.raises(InputError, match="digest"):
        TraceBank.read(file)
    for damaged in ("[]", "1\n2", json.dumps({"format": "worksmith-bank/2"}) + "\n5"):
        file.write_text(damaged)
        with pytest.raises(InputError, match="not a trace bank"):
            TraceBank.read(file)
    file.write_text(json.dumps({"format": "worksmith-bank/2"}))
    with pytest.raises(InputError, match="digest"):
        TraceBank.read(file)
    file.write_text(json.dumps({"format": "other"}))
    with pytest.raises(InputError, match="not a trace bank"):
        TraceBank.read(file)
    with pytest.raises(InputError, match="cannot read"):
        TraceBank.read(tmp_path / "absent")


def test_a_bank_file_has_whatever_characters_tasks_have(suite: Suite, tmp_path: Path) -> None:
    bank = context(suite, tmp_path, "Cancel").bank()
    strange = "one\u2028two\x85three\x0bfour"
    told = tuple(item.model_copy(update={"query": strange}) for item in bank.demonstrations)
    bank = TraceBank(told, bank.gaps)
    bank.write(tmp_path / "bank.jsonl")
    assert TraceBank.read(tmp_path / "bank.jsonl") == bank
