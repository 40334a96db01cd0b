"""Judges on planted cases: a good one passes the gate, broken ones do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evals.kinds.crm.orgs import small_suite
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.judging.calibration.calibrate import Calibration, Effort, calibrate, order_kept
from worksmith.evals.judging.calibration.gate import GateVerdict, check_gate, gate, read_gate, write_gate
from worksmith.evals.judging.calibration.labels import Case, Label, case_of, labels_digest
from worksmith.evals.judging.calibration.planted import planted
from worksmith.evals.judging.local import LocalRubric
from worksmith.evals.judging.rubric_judge import PairVerdict
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.reporting.tables.judge_gate import failures
from worksmith.evals.running.asked_judges import Judge
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InputError

LOCAL = LocalRubric()


class Levels:
    """A judge that gives what a function gives."""

    def __init__(self, level: Callable[[Task, EpisodeRecord], int | None], digest: str = "levels") -> None:
        self.name = self.digest = digest
        self._level = level

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        level = self._level(task, record)
        return Judgement(judge=self.name, rubric="r", level=level, status="ok" if level else "unreadable")


def local(task: Task, record: EpisodeRecord) -> int:
    return LOCAL.find(task, record).level or 0


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> list[Suite]:
    folder = tmp_path_factory.mktemp("suites") / "office"
    return [build_suite("office", folder, scale=0.5, per_intent=4), small_suite("clean")]


@pytest.fixture(scope="module")
def cases(suites: list[Suite]) -> list[Case]:
    return [case_of(label) for label in planted(suites, count=150)]


def measured(judge: Judge, cases: list[Case], effort: Effort | None = None) -> Calibration:
    return calibrate(judge, cases, effort=effort, workers=2)


def verdict_on(judge: Judge, cases: list[Case]) -> GateVerdict:
    return gate(judge, measured(judge, cases), labels_digest(cases))


@pytest.mark.slow
def test_planted_cases_are_the_same_for_a_seed_and_others_for_another(suites: list[Suite]) -> None:
    first, again, other = (planted(suites, count=60, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 60


@pytest.mark.slow
def test_the_judge_by_rules_passes(cases: list[Case]) -> None:
    verdict = verdict_on(LOCAL, cases)
    assert verdict.passed, verdict.failed
    faults = verdict.measured["by_fault"]
    assert faults["clean"]["mean_level"] == faults["paraphrase"]["mean_level"] == 5
    assert faults["omission"]["mean_level"] < 4 > faults["extra record"]["mean_level"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "always 5", "inverted", "by length"])
def test_broken_judges_do_not_pass(cases: list[Case], name: str) -> None:
    draw = random.Random(3)
    broken: dict[str, Callable[[Task, EpisodeRecord], int]] = {
        "random": lambda task, record: draw.randint(1, 5),
        "always 5": lambda task, record: 5,
        "inverted": lambda task, record: 6 - local(task, record),
        "by length": lambda task, record: 1 + min(4, len(record.answer.split()) // 8),
    }
    assert not verdict_on(Levels(broken[name]), cases).passed


@pytest.mark.slow
def test_a_judge_that_often_fails_does_not_pass(cases: list[Case]) -> None:
    draw = random.Random(4)
    judge = Levels(lambda task, record: local(task, record) if draw.random() < 0.8 else None)
    calibration = measured(judge, cases)
    assert calibration.failed["unreadable"] > 10
    assert calibration.measures["kappa"] > 0.9
    verdict = gate(judge, calibration, "labels")
    assert [said.split()[0] for said in verdict.failed] == ["failed"]


@pytest.mark.slow
def test_a_judge_that_likes_length_is_found_out(cases: list[Case]) -> None:
    def likes_length(task: Task, record: EpisodeRecord) -> int:
        return min(5, local(task, record) + (3 if len(record.answer.split()) > 40 else 0))

    assert measured(Levels(likes_length), cases).measures["length_bias"] > 0.3
    assert measured(LOCAL, cases).measures["length_bias"] < 0.3


@pytest.mark.slow
def test_a_judge_that_likes_what_comes_first_is_found_out(cases: list[Case]) -> None:
    def first(task: Task, a: EpisodeRecord, b: EpisodeRecord) -> PairVerdict:
        return PairVerdict("A", "B")

    def fair(task: Task, a: EpisodeRecord, b: EpisodeRecord) -> PairVerdict:
        better = "A" if local(task, a) > local(task, b) else "B"
        return PairVerdict(better, better)  # type: ignore[arg-type]

    biased, even = (calibrate(LOCAL, cases, comparing=judge).measures for judge in (first, fair))
    assert biased["position_bias"] == 0.5
    assert even["position_bias"] == 0
    assert "position_bias" not in measured(LOCAL, cases).measures


@pytest.mark.slow
def test_the_effort_says_how_many_verdicts_it_takes(cases: list[Case]) -> None:
    asked: list[str] = []
    judge = Levels(lambda task, record: len(asked.append(task.id) or asked) % 5 + 1)  # type: ignore[func-returns-value]
    effort = Effort(repeats=2, repeated=10, shuffled=5)
    measured(judge, cases, effort)
    assert len(asked) == effort.calls(cases, compares=False) == len(cases) + 20 + 5


def test_equal_labels_are_in_order_only_if_the_levels_are_equal() -> None:
    assert order_kept([5, 5, 2], [5, 5, 1], ["a", "a", "a"]) == (3, 3)
    assert order_kept([5, 4, 4], [5, 5, 1], ["a", "a", "a"]) == (1, 3)
    assert order_kept([5, 1], [1, 5], ["a", "b"]) == (0, 0)


def few() -> GateVerdict:
    return gate(LOCAL, Calibration(3, {"kappa_low": 1.0}, {}, [[0] * 5] * 5, {}, {}, Usage()), "labels")


def test_what_could_not_be_measured_does_not_pass() -> None:
    assert "cases is 3, not at least 50" in few().failed
    assert "spearman could not be measured: all labels or all verdicts have one level" in few().failed
    assert failures(few())[0] == "labelled cases: 3, not at least 50"


def test_labels_of_single_responses_suffice_and_each_miss_is_named() -> None:
    labels = [
        Label(request=f"Who leads team {n}?", facts=(f"Ann {n}",), response=said, level=level)
        for n in range(60)
        for said, level in [(f"Ann {n}", 5) if n % 2 else ("I do not know.", 1)]
    ]
    cases = [case_of(label) for label in labels]
    good = Levels(lambda task, record: 5 if task.answer and record.answer in str(task.answer.required) else 1)
    verdict = verdict_on(good, cases)
    assert verdict.passed, verdict.failed
    assert "pairs" not in verdict.measured["measures"]
    lenient = verdict_on(Levels(lambda task, record: 5 if "I" in record.answer else 4), cases)
    assert failures(lenient)[0].startswith("agreement, lower end: -")
    assert any(
        line.startswith("passes answers to other requests: 1, not at most 0.1") for line in failures(lenient)
    )


def test_a_verdict_that_was_changed_is_no_verdict(tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    write_gate(file, few())
    assert read_gate(file) == few()
    file.write_text(file.read_text().replace('"failed": [', '"failed": [], "x": ['))
    with pytest.raises(InputError, match="not a verdict"):
        read_gate(file)
    write_gate(file, few().model_copy(update={"failed": ()}))
    with pytest.raises(InputError, match="was changed"):
        read_gate(file)


def test_only_a_judge_that_passed_with_its_rubrics_may_drive() -> None:
    failed = few()
    passed = failed.model_copy(update={"failed": ()})
    check_gate([LOCAL], [failed, passed])
    with pytest.raises(InputError, match="did not pass: cases is 3"):
        check_gate([LOCAL], [failed])
    with pytest.raises(InputError, match="has not been measured"):
        check_gate([LOCAL], [passed.model_copy(update={"judge_digest": "of other rubrics"})])
