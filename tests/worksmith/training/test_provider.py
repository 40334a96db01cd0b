"""DSPy's optimizers of weights train a local model, and the program then asks the trained one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.worksmith.training.tiny import sft_rows, write_rows, write_tiny_model
from worksmith.jobs.settings.training import TrainSftSettings
from worksmith.training.job import train
from worksmith.training.provider import TrainableLM, trainable

pytestmark = pytest.mark.slow

_QUESTIONS = ["red", "blue", "green", "grey"]


class _Teacher:
    """Says yes to everything."""

    digest = "teacher"

    def complete(self, request: Any) -> Any:
        text = "[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]"
        return dspy.lm15.Response(
            id=None,
            model="teacher",
            message=dspy.lm15.Message.assistant([dspy.lm15.TextPart(text)]),
            finish_reason="stop",
            usage=dspy.lm15.Usage(input_tokens=1, output_tokens=1, total_tokens=2),
        )


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> TrainableLM:
    """A tiny model that was trained a little on something else."""
    place = tmp_path_factory.mktemp("provider")
    base = write_tiny_model(place / "base")
    data = write_rows(place / "sft.jsonl", sft_rows(4))
    plain: dict[str, Any] = {"tune": "full", "track": False, "precision": "float32"}
    train(TrainSftSettings(model=str(base), data=data, out=place / "start", max_steps=1, **plain))
    given: dict[str, Any] = {"tune": "full", "learning_rate": 0.01, "epochs": 40, "precision": "float32"}
    return trainable(f"local/{place}/start", place / "weights", track=False, **given)


@pytest.fixture(autouse=True)
def _not_configured() -> Iterator[None]:
    with dspy.context(lm=None):
        yield


def _program(lm: Any) -> dspy.Predict:
    program = dspy.Predict("question -> answer")
    program.set_lm(lm)
    return program


def _metric(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
    return bool(prediction.answer == "yes")


def _examples() -> list[dspy.Example]:
    return [dspy.Example(question=each, answer="yes").with_inputs("question") for each in _QUESTIONS]


def _teacher() -> dspy.Predict:
    return _program(dspy.LM("scripted/teacher", engine=_Teacher(), cache=False, num_retries=0))


def test_bootstrap_finetune_makes_a_program_that_answers(lm: TrainableLM) -> None:
    student = _program(lm)
    optimizer = dspy.BootstrapFinetune(metric=_metric, num_threads=1)
    found = optimizer.compile(student, trainset=_examples(), teacher=_teacher())
    assert found.lm.model != lm.model
    assert found(question="red").answer == "yes"


def test_nothing_to_train_on_is_said(lm: TrainableLM, tmp_path: Path) -> None:
    job = lm.finetune([], None)
    assert "nothing to train on" in str(job.result())
