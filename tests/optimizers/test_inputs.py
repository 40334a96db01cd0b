"""Whatever inputs a DSPy program has, of any type and name: optimizers take them, or refuse them unpaid."""

from __future__ import annotations

import enum
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import dspy
import numpy as np
import pandas as pd
import pytest
from dspy.lm15 import Response
from pydantic import BaseModel

import worksmith as ws
from tests.optimizers.proposing import reply
from worksmith.evals.dspy_programs.demo_format import AUGMENTED, without_notes
from worksmith.evals.scoring.constraints import Constraint
from worksmith.optimizers.registry import optimizer
from worksmith.tools.errors import InputError, Notice


class Shown:
    """Right where a prompt shows demonstrations, or always; the answer is the number in the question."""

    def __init__(self, *, knows: bool = False) -> None:
        self.knows = knows
        self.prompts: list[list[str]] = []

    def complete(self, request: Any) -> Response:
        said = ["".join(getattr(part, "text", "") for part in each.parts) for each in request.messages]
        self.prompts.append(said)
        asked = [*re.findall(r"number (\d+)", said[-1]), "1"][0]
        right = asked if self.knows or len(said) > 3 else "?"
        outputs = re.findall(r"`\[\[ ## (\w+) ## \]\]`", said[-1])
        return reply(request.model, "".join(f"[[ ## {name} ## ]]\n{right}\n\n" for name in outputs))


class Program(dspy.Module):  # type: ignore[misc]
    def __init__(self, inputs: Mapping[str, Any], outputs: Sequence[str] = ("answer",)) -> None:
        super().__init__()
        fields = {name: (kind, dspy.InputField()) for name, kind in inputs.items()}
        self.ask = dspy.Predict(
            dspy.Signature(fields | {name: (str, dspy.OutputField()) for name in outputs})
        )

    def forward(self, **inputs: Any) -> Any:
        return self.ask(**inputs)


def model(*, knows: bool = False) -> dspy.LM:
    return dspy.LM(f"shown/{knows}", engine=Shown(knows=knows), cache=False)


def examples(numbers: range, make: Callable[[int], dict[str, Any]], *outputs: str) -> list[dspy.Example]:
    made = [(str(n), make(n)) for n in numbers]
    return [
        dspy.Example({**inputs, **dict.fromkeys(outputs or ("answer",), n)}).with_inputs(*inputs)
        for n, inputs in made
    ]


def compiled(name: str, program: Program, make: Callable[[int], dict[str, Any]], **more: Any) -> dspy.Module:
    outputs = tuple(program.ask.signature.output_fields)

    def right(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        return bool(example[outputs[0]] == prediction[outputs[0]])

    made = optimizer(
        name,
        **{"metric": right, "lm": model(), "teacher": model(knows=True), "demos": 3, "candidates": 2, **more},
    )
    train, dev = examples(range(8), make, *outputs), examples(range(8, 16), make, *outputs)
    return made.compile(program, trainset=train, valset=dev)


class Colour(enum.Enum):
    RED = "red"


class Model(BaseModel):
    size: int


class Plain:
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size


TYPED: dict[str, Callable[[int], Any]] = {
    "passages": lambda n: [f"passage {n}", "another one"],
    "top": int,
    "share": float,
    "urgent": lambda n: n % 2 == 0,
    "nothing": lambda _: None,
    "day": lambda n: date(2024, 1, 1 + n),
    "at": lambda n: datetime(2024, 1, 1, n),
    "colour": lambda _: Colour.RED,
    "record": lambda n: Model(size=n),
    "options": lambda n: {"k": n},
    "whole": np.int64,
    "single": np.float32,
    "array": lambda n: np.full(3, n),
    "arrays": lambda n: [{"a": np.int64(n)}],
    "data": lambda n: bytes([255, n]),
    "price": Decimal,
    "part": lambda n: Fraction(n, 7),
    "ticket": lambda n: UUID(int=n),
    "file": lambda n: Path(f"/{n}"),
    "names": lambda n: {f"n{n}"},
    "pair": lambda n: (n, n),
    "example": lambda n: dspy.Example(a=n),
    "plain": Plain,
    "stamp": lambda n: pd.Timestamp(2024, 1, 1 + n),
    "missing": lambda _: pd.NaT,
    "image": lambda n: dspy.Image(f"https://example.com/{n}.png"),
}

HISTORY = {"history": lambda n: dspy.History(messages=[{"question": f"number {n}", "answer": "1"}])}

ALL = ("bootstrap", "knn", "race")


@pytest.mark.parametrize(
    ("name", "further"),
    [*((name, TYPED) for name in (*ALL, "dspy:BootstrapFewShot")), ("knn", HISTORY)],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_inputs_of_any_type_stand_beside_the_question(
    name: str, further: dict[str, Callable[[int], Any]], tmp_path: Path
) -> None:
    def make(n: int) -> dict[str, Any]:
        return {**{each: one(n) for each, one in further.items()}, "question": f"what is the number {n}"}

    kinds = {each: dspy.History if each == "history" else Any for each in further} | {"question": str}
    better = compiled(name, Program(kinds), make)
    better.compilation.save(tmp_path / "p.json")
    lm, asked = model(), make(20)
    with dspy.context(lm=lm):
        for program in (better, ws.load(tmp_path / "p.json", Program(kinds))):
            program(**asked)
    first, again = lm.engine.prompts

    assert better.ask.demos
    assert len(first) > 3
    assert again == first
    if name == "knn":
        assert better.ask.nearest.field == "question"


ALONE = ["image", "passages", "plain", "whole"]


@pytest.mark.parametrize("field", ALONE)
def test_an_input_that_is_no_text_is_searched_alone(field: str) -> None:
    def make(n: int) -> dict[str, Any]:
        return {field: TYPED[field](n)}

    lm = model()
    better = optimizer(
        "knn", metric=lambda *_: True, lm=lm, teacher=model(knows=True), demos=3, accept="best"
    ).compile(Program({field: Any}), trainset=examples(range(6), make), valset=examples(range(6, 12), make))
    assert len(better.ask.demos) == 6
    assert {len(prompt) for prompt in lm.engine.prompts} == {1 + 2 * 3}


def test_the_question_is_searched_and_not_an_id_or_a_date() -> None:
    kinds = dict.fromkeys(("ticket", "day", "owner", "about", "question"), str)

    def make(n: int) -> dict[str, Any]:
        return {
            "ticket": f"T-{n}",
            "day": f"2024-01-{n + 1:02}",
            "owner": ("Ada", "Bo")[n % 2],
            "about": "All that is known stands in this long text of the house.",
            "question": f"what is the number {n}",
        }

    assert compiled("knn", Program(kinds), make).ask.nearest.field == "question"


WITHOUT = {"a generator": lambda: (n for n in [0]), "a lambda": lambda: lambda: 0, "a lock": threading.Lock}


@pytest.mark.parametrize("what", WITHOUT)
@pytest.mark.parametrize("field", ["extra", "label"])
def test_a_value_without_content_is_refused_with_its_field_before_anything_is_paid(
    what: str, field: str
) -> None:
    teacher = model(knows=True)
    train = [
        dspy.Example(question=f"number {n}", answer=str(n), **{field: WITHOUT[what]()}).with_inputs(
            "question", "extra"
        )
        for n in range(4)
    ]
    with pytest.raises(InputError, match=f"train example 0, field {field}"):
        optimizer("bootstrap", metric=lambda *_: True, lm=teacher).compile(
            Program({"question": str}), trainset=train
        )
    with pytest.raises(InputError, match=f"test example 0, field {field}"):
        ws.evaluate(Program({"question": str}), train, metric=lambda *_: True, lm=teacher, progress=False)
    assert teacher.engine.prompts == []


NAMES = re.findall(
    r"\w+",
    """records redacted solves augmented items keys values copy labels inputs status score task episode
    history callbacks intent trace prediction base program example persona tools context held feedback query
    parts trajectory tool arguments thought temperature""",
)


@pytest.mark.filterwarnings("ignore:Field name")
@pytest.mark.parametrize("name", ["bootstrap", "knn", "dspy:BootstrapFewShot"])
def test_a_field_may_have_any_name_of_ours(name: str, tmp_path: Path) -> None:
    names = [each for each in NAMES if name in ALL or each not in KEYWORDS]
    asked, told = names[::2], names[1::2]
    for inputs, outputs in ((asked, told), (told, asked)):
        kinds = dict.fromkeys([*inputs, "question"], str)

        def make(n: int, inputs: list[str] = inputs) -> dict[str, Any]:
            return {each: f"{each} of {n}" for each in inputs} | {"question": f"what is the number {n}"}

        better = compiled(name, Program(kinds, outputs), make)
        assert better.compilation.chosen != "uncompiled"
        better.compilation.save(tmp_path / "p.json")
        loaded = ws.load(tmp_path / "p.json", Program(kinds, outputs))
        for demo in loaded.ask.demos:
            shown = without_notes(demo).items()
            unmarked = {each for each, value in shown if (each, value) != AUGMENTED}
            assert unmarked == {*kinds, *outputs}


KEYWORDS = ("augmented", "base")


@pytest.mark.filterwarnings("ignore:Field name")
@pytest.mark.parametrize(
    ("name", "field"),
    [
        *(("bootstrap", each) for each in ("self", "config", "demos", "lm", "completions")),
        *(("dspy:BootstrapFewShot", each) for each in KEYWORDS),
    ],
)
def test_a_name_that_dspy_itself_takes_is_refused_before_anything_is_paid(name: str, field: str) -> None:
    teacher = model(knows=True)
    program = Program({"question": str, field: str})
    with pytest.raises(InputError, match=field):
        compiled(name, program, lambda n: {"question": f"number {n}", field: "x"}, teacher=teacher)
    assert teacher.engine.prompts == []


@pytest.mark.filterwarnings("ignore:with . dev intents")
def test_an_intent_is_an_input_or_asked_for() -> None:
    def chosen(inputs: Sequence[str], outputs: Sequence[str], **more: Any) -> Any:
        def make(n: int) -> dict[str, Any]:
            return {"question": f"what is the number {n}"} | dict.fromkeys(inputs, f"kind {n % 3}")

        kinds = {"question": str, **dict.fromkeys(inputs, str)}
        return compiled("race", Program(kinds, outputs), make, **more).compilation

    label = chosen([], ["intent"])
    assert "better than the program as it is on 8 intents" in str(label)
    assert "the statistics count 3 intents in 8 tasks" in str(chosen(["intent"], ["answer"]))
    with pytest.warns(Notice, match="with 3 dev intents .* leave intent out"):
        few = chosen(["kind"], ["answer"], intent="kind")
    assert "the statistics count 3 intents in 8 tasks" in str(few)
    with pytest.raises(InputError, match="no example has a field 'colour'"):
        chosen([], ["answer"], intent="colour")


def test_settings_are_numbers_of_any_kind() -> None:
    fraction: Any = Fraction(1, 3)
    whole: Any = np.int64(1000)
    minutes: Any = Decimal(5)
    better = compiled(
        "bootstrap",
        Program({"question": str}),
        lambda n: {"question": f"number {n}"},
        metric=lambda example, prediction: np.float32(example.answer == prediction.answer) * 1.0000001,
        demos=np.int64(3),
        candidates=np.int8(1),
        seed=np.int64(1),
        alpha=np.float32(0.05),
        margin=Decimal("0.1"),
        threshold=1.0000001,
        demo_tokens=np.int64(4000),
        constraints=[Constraint("outcome", ">=", fraction)],
        budget=ws.Budget(calls=whole, minutes=minutes),
    ).compilation
    assert better.trials
    assert json.loads(better.artifact.text)["manifest"]["settings"]["demos"] == 3
    for wrong in ({"demos": 2.5}, {"threshold": np.nan}, {"alpha": "0.05"}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            ws.Bootstrap(lambda *_: True, **wrong)
    with pytest.raises(InputError, match="positive number"):
        ws.Budget(minutes=np.nan)
