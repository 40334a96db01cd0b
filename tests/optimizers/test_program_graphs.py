"""Programs as graphs of objects: predictors that are shared, hidden or bare, loops, asynchronous programs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from tests.optimizers.mailroom import TEAMS, Copycat
from worksmith.optimizers.demos.trace_bank import NothingTaughtError
from worksmith.optimizers.registry import optimizer
from worksmith.optimizers.search.few_shot import KNN, Bootstrap
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.tools.errors import InputError

SORT = "mail -> topic"


class Held(dspy.Module):  # type: ignore[misc]
    """A program that finds a topic by some of its parts."""

    def __init__(self, hold: Callable[[Held], Any]) -> None:
        super().__init__()
        hold(self)

    def forward(self, mail: str) -> dspy.Prediction:
        return self.run(mail)


def one_under_two_names(program: Any) -> None:
    program.a = dspy.Predict(SORT)
    program.b = [program.a]
    program.run = lambda mail: (program.a(mail=mail), program.b[0](mail=mail))[1]


def shared_part(program: Any) -> None:
    program.part = Waiting()
    program.other = (program.part, dspy.Predict(SORT))
    program.run = lambda mail: (program.other[1](mail=mail), program.other[0].sort(mail=mail))[0]


def odd_key(program: Any) -> None:
    program.parts = {'it\'s [a] "key".\n': dspy.Predict(SORT)}
    program.run = lambda mail: next(iter(program.parts.values()))(mail=mail)


def closure(program: Any) -> None:
    sort = program.sort = dspy.Predict(SORT)
    program.run = lambda mail: sort(mail=mail)


def best_of(program: Any) -> None:
    program.sort = dspy.BestOfN(dspy.Predict(SORT), N=2, reward_fn=lambda _, found: 1.0, threshold=1.0)
    program.run = lambda mail: program.sort(mail=mail)


def single(_: Any) -> dspy.Predict:
    return dspy.Predict(SORT)


class Waiting(dspy.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.sort = dspy.Predict(SORT)

    async def aforward(self, mail: str) -> dspy.Prediction:
        return await self.sort.acall(mail=mail)


class Later(Waiting):
    async def forward(self, mail: str) -> dspy.Prediction:
        return await self.sort.acall(mail=mail)


class Seeing(Copycat):
    """Counts the examples that each prompt shows."""

    def __init__(self, *, knows: bool) -> None:
        super().__init__(knows=knows)
        self.shown: list[int] = []

    def complete(self, request: Any) -> Any:
        self.shown.append(len(request.messages) // 2)
        return super().complete(request)


def model(*, knows: bool = False) -> dspy.LM:
    return dspy.LM(f"seeing/{knows}", engine=Seeing(knows=knows), cache=False)


def topics(start: int, stop: int) -> list[dspy.Example]:
    known = list(TEAMS)
    return [
        dspy.Example(mail=f"{known[n % 4]}, number {n}", topic=known[n % 4]).with_inputs("mail")
        for n in range(start, stop)
    ]


def right(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
    return bool(example.topic == prediction.topic)


def compiled(kind: type[Teleprompter] | str, program: dspy.Module, **given: Any) -> tuple[Any, dspy.LM]:
    """The compiled program and its teacher."""
    student, teacher = model(), model(knows=True)
    options = {"metric": right, "lm": student, "teacher": teacher, "demos": 3, "candidates": 1, **given}
    made = optimizer(kind, **options) if isinstance(kind, str) else kind(accept="best", **options)
    return made.compile(program, trainset=topics(0, 12), valset=topics(12, 20)), teacher


def examples_shown(program: Any) -> list[int]:
    lm = model()
    with dspy.context(lm=lm):
        program(mail="a crash, number 99")
    return list(lm.engine.shown)


PROGRAMS = [one_under_two_names, shared_part, odd_key, closure, best_of, single]


@pytest.mark.parametrize(
    ("kind", "hold"),
    [
        *((KNN, hold) for hold in PROGRAMS),
        (Bootstrap, closure),
        (Bootstrap, single),
        ("dspy:BootstrapFewShot", one_under_two_names),
    ],
)
def test_whatever_holds_a_predictor_shows_its_demonstrations(
    kind: type[Teleprompter] | str, hold: Callable[[Any], Any], tmp_path: Path
) -> None:
    def fresh() -> dspy.Module:
        return single(None) if hold is single else Held(hold)

    better, _ = compiled(kind, fresh())
    shown = examples_shown(better)
    assert set(shown) == {3}
    better.save(tmp_path / "state.json")
    better.compilation.save(tmp_path / "program.json")
    for name in ("state.json", "program.json"):
        assert examples_shown(ws.load(tmp_path / name, fresh())) == shown
    if kind is KNN:
        with pytest.raises(ValueError, match=r"worksmith\.load\(FILE, PROGRAM\)"):
            fresh().load(tmp_path / "state.json")


def test_a_predictor_of_a_class_of_its_own_keeps_it() -> None:
    class Own(dspy.Predict):  # type: ignore[misc]
        pass

    class Program(dspy.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.sort = Own(SORT)

        def forward(self, mail: str) -> Any:
            return self.sort(mail=mail)

    with pytest.raises(InputError, match="the predictor sort is a Own"):
        compiled(KNN, Program())
    assert type(compiled(Bootstrap, Program())[0].sort) is Own


@pytest.mark.parametrize("kind", ["bootstrap", "dspy:BootstrapFewShot", "dspy:LabeledFewShot"])
def test_a_named_teacher_is_asked_for_predictors_with_a_model_of_their_own(kind: str, tmp_path: Path) -> None:
    given, own = Waiting(), model()
    given.set_lm(own)
    better, teacher = compiled(kind, given)
    assert teacher.engine.calls > 0
    assert given.sort.lm is own
    assert better.sort.lm is own
    assert better.sort.demos
    better.compilation.save(tmp_path / "program.json")
    assert ws.load(tmp_path / "program.json", given).sort.lm.model == own.model


@pytest.mark.parametrize(("program", "kind"), [(Waiting, "dspy:BootstrapFewShot"), (Later, "knn")])
def test_asynchronous_programs_are_awaited(program: type[dspy.Module], kind: str) -> None:
    def work() -> Any:
        return compiled(kind, program())[0]

    async def inside_a_loop() -> Any:
        return work()

    for better in (work(), asyncio.run(inside_a_loop())):
        assert better.sort.demos
    found = ws.evaluate(program(), topics(0, 2), metric=right, lm=model(knows=True), progress=False)
    assert found.summary.scores["outcome"].value == 1


class Loop(dspy.Module):  # type: ignore[misc]
    """Calls one predictor again and again, and changes what it gave before."""

    def __init__(self) -> None:
        super().__init__()
        self.sort = dspy.Predict("mail, notes: list[str], state: dict -> topic")

    def forward(self, mail: str) -> dspy.Prediction:
        notes, state = list[str](), {"steps": 0}
        for number in range(3):
            found = self.sort(mail=mail, notes=notes, state=state)
            notes.append(f"step {number}")
            state["steps"] += 1
        return found


@pytest.mark.parametrize(
    ("kind", "inside"), [("bootstrap", False), ("bootstrap", True), ("dspy:BootstrapFewShot", False)]
)
def test_demonstrations_have_the_inputs_of_their_calls_early_ones_too(kind: str, inside: bool) -> None:
    reward = {"reward_fn": lambda _, found: 1.0, "threshold": 1.0}
    better, _ = compiled(kind, dspy.BestOfN(Loop(), N=2, **reward) if inside else Loop(), demos=12)
    (predictor,) = better.predictors()
    for demo in predictor.demos:
        assert demo.notes == [f"step {number}" for number in range(demo.state["steps"])]
    steps = [demo.state["steps"] for demo in predictor.demos]
    assert set(steps) == {0, 1, 2}
    if not inside:
        again, _ = compiled(kind, Loop(), demos=12)
        assert [demo.state["steps"] for demo in again.sort.demos] == steps


@pytest.mark.parametrize(("kind", "tries"), [(dspy.BestOfN, 3), (dspy.Refine, 1)])
def test_what_a_reward_raises_is_named_and_no_fault_of_the_teacher(kind: Any, tries: int) -> None:
    def reward(_: Any, found: Any) -> float:
        raise OSError("no table of rewards")

    program = kind(Loop(), N=tries, reward_fn=reward, threshold=1.0)
    said = r"the reward raised OSError: no table of rewards \(test_program_graphs.py:\d+\)"
    found = ws.evaluate(program, topics(0, 2), metric=right, lm=model(knows=True), progress=False)
    assert re.search(said, " ".join(str(found).split()))
    with pytest.raises(NothingTaughtError, match=rf"nothing was taught: .*{said}"):
        compiled("bootstrap", program)
