"""Models of the user's own, by address."""

from __future__ import annotations

import dspy
import pytest
from dspy import lm15

from tests.worksmith.models.serving.running import Scripted, said
from worksmith.evals.lm.prices import free
from worksmith.models.named import use_models
from worksmith.models.resolve import resolve
from worksmith.models.serving.engines import served_engine
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError, WorksmithError

GIVEN = dspy.LM("openai/given")
NOTHING = 1


def engine() -> Scripted:
    return Scripted(lambda request: said(lm15.TextPart("an answer")))


def failing() -> None:
    raise ValueError("no key")


def address(name: str) -> str:
    return f"{__name__}:{name}"


@pytest.mark.filterwarnings("ignore:--lm")
def test_a_model_an_engine_and_a_function_that_makes_one_are_models() -> None:
    made = resolve(address("engine"))

    assert resolve(address("GIVEN")) is GIVEN
    assert made("a question") == ["an answer"]
    assert free(made.model)
    assert callable(served_engine(address("engine")).complete)


@pytest.mark.filterwarnings("ignore:--lm")
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (address("NOTHING"), "is a int, and no model"),
        (address("failing"), "ValueError: no key"),
        (address("absent"), "has no absent"),
        (f"{address('GIVEN')} temperature=0", "has no settings"),
    ],
)
def test_what_is_no_model_is_refused(name: str, fault: str) -> None:
    with pytest.raises(WorksmithError, match=fault):
        resolve(name)


def test_the_models_of_a_file_are_no_code() -> None:
    use_models({"mine": NamedModel(model=address("GIVEN"))})
    try:
        with pytest.raises(InputError):
            resolve("mine")
    finally:
        use_models({})
