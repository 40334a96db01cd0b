"""Plain programs whose figures would mislead: they hide failures, ask in threads, or change their inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import dspy
import pytest
from dspy.utils.exceptions import LMServerError

from tests.optimizers.mailroom import Copycat, Mailroom, lm, mails, metric
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.metric import MetricScorer
from worksmith.evals.suite import suite_of_examples
from worksmith.tools.errors import InputError

EXAMPLES = mails(6, 1)


def measured(program: dspy.Module, model: dspy.LM, of: Callable[..., Any] = metric, **given: Any) -> Any:
    suite = suite_of_examples((), EXAMPLES)
    settings = EvalSettings(env=suite.env, lm=model, scorers=(MetricScorer(of),), workers=1, **given)
    return evaluate(program, suite.tasks, settings)


class Silent(Mailroom):
    """Answers something without the model if that fails."""

    def forward(self, mail: str) -> dspy.Prediction:
        try:
            return super().forward(mail)
        except Exception:
            return dspy.Prediction(topic="unknown", team="unknown")


class Down(Copycat):
    """Fails on some mails; each request for another field is answered."""

    def __init__(self, failing: Callable[[str], bool]) -> None:
        super().__init__(knows=True)
        self.failing = failing

    def complete(self, request: Any) -> Any:
        if self.failing(request.messages[-1].text):
            raise LMServerError("down", model="copycat", status=503)
        return super().complete(request)


def down(failing: Callable[[str], bool]) -> dspy.LM:
    return dspy.LM("copycat/down", engine=Down(failing), cache=False, num_retries=0)


def test_a_failure_of_the_model_that_a_program_hides_is_a_lost_episode() -> None:
    found = measured(Silent(), down(lambda asked: "number 3" in asked))
    lost = [record for record in found.records if not record.graded]

    assert [(record.status, record.attempts) for record in lost] == [("model_error", 3)]
    assert "down" in str(lost[0].error)
    assert found.summary.scores["outcome"].value == 1


def test_a_failure_that_a_program_recovers_from_is_none() -> None:
    class Twice(Mailroom):
        def forward(self, mail: str) -> dspy.Prediction:
            try:
                return super().forward(f"{mail} once")
            except LMServerError:
                return super().forward(mail)

    found = measured(Twice(), down(lambda asked: "once" in asked.partition("number")[2]))
    assert {record.status for record in found.records} == {"finished"}
    assert found.summary.scores["outcome"].value == 1


class Threaded(Mailroom):
    """Asks in a thread of its own."""

    def forward(self, mail: str) -> dspy.Prediction:
        said: list[dspy.Prediction] = []
        thread = threading.Thread(target=lambda: said.append(super(Threaded, self).forward(mail)))
        thread.start()
        thread.join()
        return said[0] if said else dspy.Prediction(topic="", team="")


def test_a_thread_without_settings_asks_no_model_unnoticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from dspy.dsp.utils.settings import main_thread_config

    monkeypatch.setitem(main_thread_config, "lm", lm(knows=True))
    with pytest.raises(InputError, match=r"copycat/True was asked in a thread .*copy_context"):
        measured(Threaded(), lm())
    assert main_thread_config["usage_tracker"] is None


def test_a_request_outside_of_episodes_fails_none_while_another_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dspy.dsp.utils.settings import main_thread_config

    ended = threading.Event()

    class Hanging(Mailroom):
        def forward(self, mail: str) -> dspy.Prediction:
            ended.wait()
            return super().forward(mail)

    monkeypatch.setitem(main_thread_config, "lm", lm(knows=True))
    assert {record.status for record in measured(Hanging(), lm(), time_limit=0.05).records} == {"timeout"}
    outside = threading.Thread(target=lambda: Mailroom()(mail=EXAMPLES[0].mail))
    outside.start()
    outside.join()
    try:
        assert {record.status for record in measured(Mailroom(), lm()).records} == {"finished"}
    finally:
        ended.set()


def test_what_a_program_does_to_its_inputs_ends_with_the_call() -> None:
    class Marking(dspy.Module):  # type: ignore[misc]
        def forward(self, mail: str, notes: list[str]) -> dspy.Prediction:
            notes.append(mail)
            return dspy.Prediction(seen=len(notes))

    given = [dspy.Example(mail="m", notes=[]).with_inputs("mail", "notes")]
    suite = suite_of_examples((), given)
    seen = MetricScorer(lambda example, prediction: prediction.seen == 1 and example.notes == [])
    settings = EvalSettings(env=suite.env, lm=lm(), scorers=(seen,), workers=1, trials=3)
    found = evaluate(Marking(), suite.tasks, settings)

    assert [record.scores["outcome"] for record in found.records] == [1.0] * 3
    assert given[0].notes == []
