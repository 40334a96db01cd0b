from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from dspy.lm15 import Request, Response

from tests.optimizers.shop import Model, lm, make_context
from worksmith.evals.suite import Suite
from worksmith.optimizers.demos.trace_bank import NothingTaughtError, TraceBank
from worksmith.optimizers.registry import optimizer
from worksmith.tools.errors import InfrastructureError, InputError

FROM_A_TEACHER = (
    "race",
    "bootstrap",
    "knn",
    "dspy:LabeledFewShot",
    "dspy:KNNFewShot",
    "dspy:BootstrapFewShot",
    "dspy:BootstrapFewShotWithRandomSearch",
    "dspy:BootstrapFewShotWithOptuna",
    "dspy:InferRules",
    "dspy:MIPROv2",
    "dspy:BetterTogether",
)
ATTEMPTS = {"dspy:BootstrapFewShotWithRandomSearch": 36, "dspy:BetterTogether": 36, "dspy:MIPROv2": 24}


class Down(Model):
    """A model that cannot be reached."""

    def complete(self, request: Request) -> Response:
        raise ConnectionError("nobody there")


@pytest.mark.slow
@pytest.mark.parametrize("name", FROM_A_TEACHER)
def test_a_teacher_without_a_success_ends_a_compile_with_a_sentence(
    suite: Suite, tmp_path: Path, name: str
) -> None:
    work = make_context(suite, tmp_path, teacher=lm(), student=lm(), candidates=2)
    with pytest.raises(NothingTaughtError) as caught:
        optimizer(name).search(work)

    assert isinstance(caught.value, InputError)
    number = ATTEMPTS.get(name, 12)
    assert caught.value.message == (
        f"scripted/none taught nothing: none of {number} attempts at training tasks succeeded "
        f"({number} wrong outcome)"
    )
    assert caught.value.where == "--teacher"
    assert "stronger model" in (caught.value.hint or "")
    if name != "dspy:BetterTogether":  # its proposer is not told what the teacher did
        assert work.proposer is not None
        assert work.proposer.meter.calls == 0


@pytest.mark.parametrize("name", ["knn", "dspy:BootstrapFewShot"])
def test_a_teacher_that_cannot_be_reached_is_no_fault_of_the_users(
    suite: Suite, tmp_path: Path, name: str
) -> None:
    teacher = dspy.LM("scripted/down", engine=Down(), cache=False, num_retries=0)
    with pytest.raises(InfrastructureError, match="scripted/down taught nothing: model_error") as caught:
        optimizer(name).search(make_context(suite, tmp_path, teacher=teacher, student=lm(), candidates=2))

    assert "nobody there" in str(caught.value)


def test_an_empty_bank_is_named(suite: Suite, tmp_path: Path) -> None:
    context = make_context(suite, tmp_path, teacher=lm(), student=lm())
    context = replace(context, prebuilt_bank=TraceBank(()))
    with pytest.raises(NothingTaughtError, match="--bank: the bank has no demonstration"):
        optimizer("knn").search(context)
