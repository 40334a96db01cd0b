from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.outage import IN_VAIN, ModelDownError, Outage
from worksmith.tools.errors import WorksmithError


def model(name: str) -> SimpleNamespace:
    return SimpleNamespace(model=name)


def lost(number: int) -> EpisodeRecord:
    return make_record(number, status="model_error", scores={}, error=f"ConnectionError: {number}\nat line 3")


def test_a_model_that_never_answers_is_given_up() -> None:
    outage = Outage(model("openai/x"), known=False)
    for number in range(IN_VAIN - 1):
        outage.note(lost(number))
    with pytest.raises(ModelDownError, match=r"openai/x does not answer: .*ConnectionError: 0 \(") as error:
        outage.note(lost(IN_VAIN))
    assert isinstance(error.value, WorksmithError)


@pytest.mark.parametrize("name", ["local/model@1", "replay/abc", "scripted/gold-abc"])
def test_what_asks_nobody_is_never_down(name: str) -> None:
    outage = Outage(model(name), known=False)
    for number in range(2 * IN_VAIN):
        outage.note(lost(number))


def test_one_answer_is_enough_to_go_on_through_an_outage() -> None:
    outage, resumed = Outage(model("openai/x"), known=False), Outage(model("openai/x"), known=True)
    outage.note(make_record(0))
    for number in range(2 * IN_VAIN):
        outage.note(lost(number))
        resumed.note(lost(number))
