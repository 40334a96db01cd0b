"""`dspy:ReAnchor`: thresholds of decisions, fitted to a metric and kept with the program."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Response

import worksmith as ws
from tests.optimizers.proposing import reply
from worksmith.optimizers.dspy_optimizers.decisions import ReAnchor
from worksmith.tools.errors import InputError

HINTED = dspy.OutputField(desc="whether the mail is urgent")


class Hesitant:
    """Thinks urgent mails three times as likely to be urgent, and none likely."""

    digest = "hesitant"

    def complete(self, request: Any) -> Response:
        likely = 0.3 if "crash" in request.messages[-1].text else 0.1
        said = f'{{"noul": {likely}}}' if "noul" in str(request.system) else "False"
        return reply(request.model, f"[[ ## urgent ## ]]\n{said}")


class Desk(dspy.Module):  # type: ignore[misc]
    def __init__(self, field: Any = HINTED, type_: type = bool) -> None:
        super().__init__()
        self.decide = dspy.Predict(
            dspy.Signature({"mail": (str, dspy.InputField()), "urgent": (type_, field)})
        )

    def forward(self, mail: str) -> dspy.Prediction:
        return self.decide(mail=mail)


def mails(count: int, seed: int) -> list[dspy.Example]:
    subjects = random.Random(seed).choices(["crash", "invoice"], k=count)
    return [
        dspy.Example(mail=f"my {each} {number} {seed}", urgent=each == "crash").with_inputs("mail")
        for number, each in enumerate(subjects)
    ]


def compiled(program: dspy.Module) -> dspy.Module:
    lm = dspy.LM("hesitant/model", engine=Hesitant(), cache=False)
    optimizer = ReAnchor(metric=lambda example, said, _=None: example.urgent == said.urgent, lm=lm)
    return optimizer.compile(program, trainset=mails(12, 1), valset=mails(12, 2))


def test_a_fitted_threshold_lifts_the_program_and_stays_with_it(tmp_path: Path) -> None:
    better = compiled(Desk())
    (trial,) = better.compilation.trials

    assert 0.1 < better.decide.fields["urgent"]["threshold"] <= 0.3
    assert trial.score.value == 1.0
    better.compilation.save(tmp_path / "desk.json")
    assert ws.load(tmp_path / "desk.json", Desk()).decide.fields == better.decide.fields


@pytest.mark.parametrize(
    ("program", "said"),
    [(Desk(type_=str), "no decision"), (Desk(dspy.OutputField()), "'urgent' does not say what is decided")],
)
def test_what_cannot_be_calibrated_is_refused(program: dspy.Module, said: str) -> None:
    with pytest.raises(InputError, match=said):
        compiled(program)
