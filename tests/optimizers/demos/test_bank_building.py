from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.optimizers.shop import Clerk, lm
from worksmith.evals.suite import Suite
from worksmith.optimizers.demos.bank_building import NOTHING_THERE, TeacherRun, build_bank
from worksmith.optimizers.demos.trace_bank import HELD_BACK, BankCard, TraceBank, interface_of
from worksmith.optimizers.rollouts import Rollouts
from worksmith.tools.errors import InputError


def build(suite: Suite, folder: Path, *attempts: TeacherRun, resume: bool = False) -> TraceBank:
    def rollouts(number: int, attempt: TeacherRun) -> Rollouts:
        return Rollouts(suite.env, attempt.lm, folder / str(number), workers=2, resume=resume)

    return build_bank(Clerk(suite.env), suite.select(split="train"), attempts, rollouts, card_of(suite))


def card_of(suite: Suite) -> BankCard:
    return BankCard(
        kind=suite.manifest.kind,
        suite=suite.digest,
        split="train",
        scheme="standard",
        tasks=len(suite.select(split="train")),
        sources=("a",),
        interface=interface_of(Clerk(suite.env)),
    )


def test_each_source_is_asked_only_for_what_is_missing(suite: Suite, tmp_path: Path) -> None:
    first, second = lm("Cancel"), lm("Cancel", "Rename")
    bank = build(suite, tmp_path, TeacherRun("a", "small", first), TeacherRun("b", "large", second))

    by_teacher = {d.intent: d.teacher for d in bank.demonstrations}
    assert by_teacher == {"Cancel": "small", "Rename": "large"}
    asked = {
        request.messages[-1].parts[0].text.split("\n")[1].split()[0] for request in second.engine.requests
    }
    assert asked == {"Rename", "Shift"}
    assert {d.provenance.source for d in bank.demonstrations if d.provenance} == {"a", "b"}


def test_a_gap_says_what_every_source_came_to(suite: Suite, tmp_path: Path) -> None:
    recorded = TeacherRun(
        "log:x",
        "other",
        lm("Cancel"),
        run="r1",
        episodes={"cancel-00": "k0"},
        failures={"shift-00": "step_limit"},
    )
    bank = build(suite, tmp_path, recorded, TeacherRun("b", "large", lm("Rename")))

    gaps = {gap.task_id: gap for gap in bank.gaps}
    assert gaps["shift-00"].tried == {"log:x (r1)": "step_limit", "b": "wrong outcome"}
    assert gaps["shift-01"].reason == "wrong outcome"
    assert gaps["shift-01"].tried == {}
    assert bank.demonstrations[0].provenance is not None
    assert bank.demonstrations[0].provenance.episode == "k0"


def test_a_task_that_no_source_has_is_said_to_be_missing(suite: Suite, tmp_path: Path) -> None:
    bank = build(suite, tmp_path, TeacherRun("log:x", "other", lm("Cancel"), episodes={"cancel-00": "k0"}))

    assert {gap.kind for gap in bank.gaps} == {NOTHING_THERE}
    assert len(bank.gaps) == 11


def test_resumed_build_is_the_same_and_asks_nothing_again(suite: Suite, tmp_path: Path) -> None:
    bank = build(suite, tmp_path, TeacherRun("a", "small", lm("Cancel")))
    again = lm("Cancel")

    assert build(suite, tmp_path, TeacherRun("a", "small", again), resume=True) == bank
    assert again.engine.requests == []


def test_ids_of_another_suite_hold_nothing_back_but_words_do(suite: Suite, tmp_path: Path) -> None:
    bank = build(suite, tmp_path, TeacherRun("a", "small", lm("Cancel")))
    task = suite.task("cancel-00")
    other_words = task.model_copy(update={"query": "something else"})

    assert len(bank.usable([other_words], suite="another")) == len(bank)
    assert len(bank.usable([other_words], suite=suite.digest)) == len(bank) - 1
    left = bank.usable([task], suite="another")
    assert (len(left), left.gaps[-1].reason) == (len(bank) - 1, HELD_BACK)


def test_a_program_with_other_fields_is_refused(suite: Suite) -> None:
    card = card_of(suite)
    bank, program = TraceBank((), card=card), Clerk(suite.env)
    bank.check(program, suite.manifest.kind)

    other = card.model_copy(update={"interface": {"step": ("task", "-> answer")}})
    with pytest.raises(InputError, match="other fields"):
        replace(bank, card=other).check(program, suite.manifest.kind)
    with pytest.raises(InputError, match="kind"):
        bank.check(program, "enterprise")
