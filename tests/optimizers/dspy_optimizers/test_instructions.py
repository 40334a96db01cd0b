"""DSPy's optimizers that have instructions proposed, with a scripted model that proposes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.optimizers.proposing import Proposals, Silent, proposing_lm, reply
from tests.optimizers.shop import Model, lm, make_context
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite, as_examples
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.request import AgentRequest
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.errors import InputError, WorksmithError

pytestmark = pytest.mark.usefixtures("few_rounds")

PROPOSING = [name for name in OPTIMIZERS if OPTIMIZERS[name].proposes]
OWN = "Do the task."


class Obedient(Model):
    """Knows all verbs with any instructions but its own; now and then without."""

    def __init__(self, *verbs: str, chance: int = 0) -> None:
        super().__init__(*verbs)
        self._chance, self._asked, self._lock = chance, 0, threading.Lock()

    def complete(self, request: Any) -> Any:
        self.verbs = {"Cancel"}
        with self._lock:
            begun = "calendar.search_events" in request.messages[-1].parts[0].text
            self._asked += not begun
            lucky = begun or (self._chance and self._asked % self._chance == 0)
        if lucky or "Advice" in str(request.system) or "Proposal" in str(request.system):
            self.verbs = {"Cancel", "Rename", "Shift"}
        return super().complete(request)


class Lucky(Model):
    """Knows what it is shown and, every fifth time that it begins a task, all the verbs."""

    def __init__(self) -> None:
        super().__init__()
        self._begun, self._lock = 0, threading.Lock()

    def complete(self, request: Any) -> Any:
        begun = "calendar.search_events" in request.messages[-1].parts[0].text
        with self._lock:
            self._begun += not begun
            self.verbs = {"Cancel", "Rename", "Shift"} if begun or self._begun % 5 == 0 else set()
        return super().complete(request)


class Faltering(GoldEngine):
    """Follows gold plans, and gives up every fifth episode after the first call."""

    digest = "faltering"

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(tasks)
        self._number, self._count = 0, threading.Lock()

    def complete(self, request: Any) -> Any:
        if isinstance(request, AgentRequest) and len(request.data.steps) == 1:
            with self._count:
                self._number += 1
            if self._number % 5 == 0:
                fields = {"thought": "", "tool": "finish", "arguments": "{}", "completed": ""}
                return reply("faltering", "\n\n".join(f"[[ ## {n} ## ]]\n{v}" for n, v in fields.items()))
        return super().complete(request)


def obedient(chance: int = 0) -> dspy.LM:
    return dspy.LM("scripted/obedient", engine=Obedient(chance=chance), cache=False)


def context(suite: Suite, folder: Path, *, chance: int = 0, **settings: Any) -> CompileContext:
    teacher = lm("Cancel", "Rename", "Shift")
    settings = {"candidates": 2, "demos": 2, **settings}
    return make_context(suite, folder, teacher=teacher, student=obedient(chance), **settings)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROPOSING)
def test_a_proposal_that_helps_is_in_the_program(suite: Suite, tmp_path: Path, name: str) -> None:
    # What SIMBA learns from is that the same model does a task at one time and fails at another.
    work = context(suite, tmp_path, chance=5 if name == "dspy:SIMBA" else 0)
    compiled = optimizer(name).search(work)

    instructions = compiled.program.step.signature.instructions
    result = evaluate(
        compiled.program, suite.select(split="test"), EvalSettings(env=suite.env, lm=obedient())
    )
    assert result.summary.scores["outcome"].value == 1.0
    if name not in ("dspy:BetterTogether", "dspy:MIPROv2"):  # their demonstrations alone may do
        assert "Proposal" in instructions or "Advice" in instructions
    assert work.program.step.signature.instructions == OWN
    assert work.proposer is not None
    assert 0 < work.proposer.meter.calls <= optimizer(name).max_proposals(work)


@pytest.mark.slow
def test_simba_shows_the_students_own_successes(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, chance=5, demos=3)
    # A rule that does not help: what is left are demonstrations.
    work.student.lm = dspy.LM("scripted/lucky", engine=Lucky(), cache=False)
    compiled = optimizer("dspy:SIMBA").search(work)

    assert compiled.demonstrations
    assert {shown.teacher for shown in compiled.demonstrations} == {"scripted/lucky"}
    assert all(shown.tools for shown in compiled.demonstrations)


def test_rules_of_one_candidate_stay_out_of_the_others(suite: Suite, tmp_path: Path) -> None:
    compiled = optimizer("dspy:InferRules").search(context(suite, tmp_path, candidates=3))

    assert compiled.program.step.signature.instructions.count("Proposal") == 1
    # All do equally well, so the first one stays.
    assert compiled.program.step.signature.instructions.endswith("Proposal 1.")


@pytest.mark.parametrize("name", ["dspy:COPRO", "dspy:GEPA"])
def test_a_proposer_that_never_answers_is_named(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path)
    work.proposer = Proposer.of(proposing_lm(Silent))

    with pytest.raises(WorksmithError, match="no more credit"):
        optimizer(name).search(work)


def test_reflection_is_told_what_was_wrong(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path)
    assert work.proposer is not None
    engine: Proposals = work.proposer.lm.engine
    optimizer("dspy:GEPA").search(work)

    assert any("never called with success: calendar.search_events" in asked for asked in engine.asked)


@pytest.mark.slow
def test_nobody_is_shown_expected_calls(suite: Suite, tmp_path: Path) -> None:
    for name in ("dspy:GEPA", "dspy:MIPROv2", "dspy:InferRules"):
        work = context(suite, tmp_path / name)
        assert work.proposer is not None
        engine: Proposals = work.proposer.lm.engine
        optimizer(name).search(work)
        assert not any("gold_plan" in asked or "held_out_split" in asked for asked in engine.asked)


def test_a_failing_scorer_ends_the_compile(suite: Suite, tmp_path: Path) -> None:
    def broken(task: Any, episode: Any) -> dict[str, float]:
        raise ZeroDivisionError("a defect of the scorer")

    for name in ("dspy:GEPA", "dspy:COPRO", "dspy:BootstrapFewShotWithRandomSearch"):
        with dspy.context(max_errors=1):
            work = context(suite, tmp_path / name)
        work.student.scorers = (broken,)
        with pytest.raises(InputError, match=r"broken raised ZeroDivisionError: a defect .* \(test_instr"):
            optimizer(name).search(work)
        # Besides the first, only those already under way.
        assert work.student.cost.episodes + work.teacher.cost.episodes <= 1 + work.student.workers


def test_an_episode_started_again_is_run_once(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path)
    entered, go_on = threading.Event(), threading.Event()

    class Waiting(dspy.Module):  # type: ignore[misc]
        def forward(self, task: Any) -> dspy.Prediction:
            entered.set()
            go_on.wait(10)
            return work.program(task=task)

    class Counting(Lessons):
        def once(self, key: Any, run: Any) -> Any:
            come.release()
            return super().once(key, run)

    come = threading.Semaphore(0)
    program = Sampled(Waiting(), Counting(work))
    (example,) = as_examples(work.dev[:1])
    found: list[dspy.Prediction] = []

    def run() -> None:
        with dspy.context(lm=work.student.lm, trace=None):
            found.append(program(**example.inputs()))

    threads = [threading.Thread(target=run) for _ in range(3)]
    threads[0].start()
    assert entered.wait(10)
    for thread in threads[1:]:
        thread.start()
    for _ in threads:
        assert come.acquire(timeout=10)
    time.sleep(0.05)  # from there to where they wait
    go_on.set()
    for thread in threads:
        thread.join(10)

    assert len(found) == 3
    assert work.student.cost.episodes == 1
    assert len({id(prediction.held.episode) for prediction in found}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "known"),
    [
        *((name, True) for name in ("dspy:InferRules", "dspy:MIPROv2", "dspy:SIMBA", "dspy:GEPA")),
        ("dspy:GEPA", False),
    ],
)
def test_what_records_say_is_redacted_or_accounted_for(
    suite: Suite, tmp_path: Path, name: str, known: bool
) -> None:
    def about_records(tasks: Sequence[Task]) -> list[Task]:
        return [
            task.model_copy(
                update={
                    "slots": {"title": task.query.split("'")[1]} if known else {},
                    "must_read": (f"calendar/{task.expected[0].arguments['event_id']}",),
                }
            )
            for task in tasks
        ]

    work = context(suite, tmp_path)
    gold = scripted_lm(GoldEngine(suite.tasks))
    # One that fails now and then, so that there is something to reflect on.
    student = dspy.LM("scripted/faltering", engine=Faltering(suite.tasks), cache=False)
    work = replace(
        work,
        program=Agent("react", env=suite.env, max_steps=4),
        train=about_records(work.train[::2]),
        dev=about_records(work.dev)[:3],
        teacher=replace(work.teacher, lm=gold),
        student=replace(work.student, lm=student),
    )
    assert work.proposer is not None
    optimizer(name).search(work)
    engine: Proposals = work.proposer.lm.engine
    titles = {task.query.split("'")[1] for task in work.train}

    assert any("search_events" in asked for asked in engine.asked)
    assert any(title in asked for asked in engine.asked for title in titles) != known
    assert bool(work.proposer.seen) != known


@pytest.mark.slow
def test_mipro_tries_on_parts_of_a_large_dev_split_within_its_plan(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worksmith.optimizers.dspy_optimizers.instructions._LARGE", 8)
    monkeypatch.setattr("worksmith.optimizers.dspy_optimizers.instructions._MINIBATCH", 5)
    work, found = context(suite, tmp_path, candidates=4), optimizer("dspy:MIPROv2")
    found.search(work)

    assert 12 < work.student.cost.episodes <= found.max_episodes(work)["dev"] < 12 * 9
