"""A request of an agent goes to the model's engine itself, unless somebody listens to DSPy's calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import dspy
import pytest
from dspy import lm15
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import LMError, LMRateLimitError, LMUnexpectedError
from dspy.utils.usage_tracker import UsageTracker

from worksmith.evals.lm.metering import metered, metering

REQUEST = lm15.Request("mine/model", (lm15.Message.user("A question?"),))


class Engine:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def complete(self, request: lm15.Request) -> lm15.Response:
        if self.error is not None:
            raise self.error
        message = lm15.Message.assistant("An answer.")
        return lm15.Response(None, request.model, message, "stop", lm15.Usage(5, 2, 7))


class Heard(BaseCallback):  # type: ignore[misc]
    calls = 0

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        self.calls += 1


def model(error: Exception | None = None) -> Any:
    return metered(dspy.LM("mine/model", engine=Engine(error), cache=False, num_retries=0))


def quietly(**settings: Any) -> AbstractContextManager[None]:
    found: AbstractContextManager[None] = dspy.context(disable_history=True, **settings)
    return found


def test_dspys_own_call_is_made_only_where_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    plain = dspy.BaseLM.__call__

    def watched(lm: Any, *args: Any, **named: Any) -> Any:
        called.append(lm)
        return plain(lm, *args, **named)

    monkeypatch.setattr(dspy.BaseLM, "__call__", watched)
    with metering() as meter, quietly():
        assert model().ask(REQUEST).text == "An answer."
    assert (called, meter.usage.paid_requests, meter.usage.used_tokens) == ([], 1, 7)

    heard, tracker = Heard(), UsageTracker()
    with metering() as meter, quietly(callbacks=[heard], usage_tracker=tracker):
        assert model().ask(REQUEST).text == "An answer."
    assert (len(called), heard.calls, meter.usage.paid_requests) == (1, 1, 1)
    assert tracker.get_total_tokens()

    remembering = model()
    with dspy.context(disable_history=False):
        remembering.ask(REQUEST)
    assert len(remembering.history) == 1


@pytest.mark.parametrize("listening", [lambda: quietly(), lambda: quietly(callbacks=[Heard()])])
@pytest.mark.parametrize(
    ("error", "kind"),
    [(lm15.RateLimitError("busy"), LMRateLimitError), (ValueError("mine"), LMUnexpectedError)],
)
def test_failures_are_dspys_either_way(
    listening: Callable[[], AbstractContextManager[None]], error: Exception, kind: type[LMError]
) -> None:
    with listening(), pytest.raises(kind) as raised:
        model(error).ask(REQUEST)
    assert raised.value.__cause__ is error


def test_what_an_engine_must_not_be_sent_is_refused() -> None:
    config = lm15.Config(extensions={"n": 2})
    with quietly(), pytest.raises(ValueError, match=r"Config\.extensions"):
        model().ask(lm15.Request("mine/model", REQUEST.messages, config=config))
