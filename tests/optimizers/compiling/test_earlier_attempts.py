"""Requests are counted as they reach a model, and not where a cache answers in its place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import dspy
import pytest
from dspy.utils.exceptions import LMUnexpectedError

from tests.chat_server import chat_server, said
from tests.evals.episodes import make_episode, make_task
from tests.optimizers.shop import lm
from worksmith.evals.dspy_programs.digests import model_digest, model_name
from worksmith.evals.lm.metering import metered, metering
from worksmith.evals.lm.prices import Price, Prices
from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.compiling.journal import Journal
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.cost.spending import Spent
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InputError


def paid(replies: Path, prices: Prices) -> Spent:
    """What a file of replies says was paid, read anew."""
    store = ReplyStore(replies)
    store.close()
    return Spent.on_replies(store.paid, prices)


def test_a_reply_out_of_a_cache_is_used_and_not_paid(tmp_path: Path) -> None:
    name = f"openai/{uuid4()}"
    budget = Budget(calls=10, prices=Prices({name: Price(1.0, 1.0)}))
    with chat_server() as server:
        server.say(said("a"), said("b"))
        original = dspy.LM(name, api_base=server.url, api_key="none")
        counted = budget.counted(original)
        assert model_digest(counted) == model_digest(original)
        for requests in (1, 0, 0):
            with metering() as meter:
                assert (counted if requests else metered(original))("question") == ["a"]
            assert meter.usage == Usage(
                prompt_tokens=10,
                completion_tokens=3,
                paid_requests=requests,
                paid_prompt_tokens=10 * requests,
                paid_completion_tokens=3 * requests,
            )
        assert budget.spent == Spent(1, 13, 13.0)

        # A journal keeps what its replies took and whether they were paid; a second one finds them cached.
        for number, requests in ((1, 1), (1, 0), (2, 0)):
            store = ReplyStore(tmp_path / f"{number}.jsonl")
            with metering() as meter:
                assert RememberingEngine(counted, store).installed()("another") == ["b"]
            store.close()
            assert meter.usage == Usage(
                prompt_tokens=10,
                completion_tokens=3,
                paid_requests=requests,
                paid_prompt_tokens=10 * requests,
                paid_completion_tokens=3 * requests,
            )
        assert len(server.bodies) == budget.spent.calls == 2
        assert paid(tmp_path / "1.jsonl", budget.prices).tokens == 13
        assert paid(tmp_path / "2.jsonl", budget.prices).calls == 0


@pytest.mark.parametrize("content", ["", "soon", "[1]"])
def test_a_damaged_note_of_the_time_is_said(tmp_path: Path, content: str) -> None:
    with Journal.open(tmp_path, {}, resume=False) as journal:
        (tmp_path / "seconds.json").write_text(content)
        budget = Budget(minutes=1)
        with pytest.raises(InputError, match=r"seconds\.json"), journal.continued(budget):
            pass


def test_a_resumed_compile_has_spent_what_its_journal_holds(tmp_path: Path) -> None:
    def budget() -> Budget:
        return Budget(calls=2, prices=Prices({"scripted/Cancel": Price(1.0, 2.0)}))

    file, first = tmp_path / "replies.jsonl", budget()
    store = ReplyStore(file)
    assert store.paid == {}
    model = RememberingEngine(first.counted(lm("Cancel")), store).installed()
    for title in ("alpha", "beta", "alpha"):
        model(f"[[ ## task ## ]]\nCancel '{title}'\n\n[[ ## trajectory ## ]]\n[]\n\n")
    assert first.spent == Spent.on_replies(store.paid, first.prices) == paid(file, first.prices)
    assert (first.spent.calls, first.spent.tokens, first.spent.usd) == (2, 22, 24.0)

    with pytest.raises(LMUnexpectedError, match="budget is spent"):
        model("[[ ## task ## ]]\nCancel 'gamma'\n\n[[ ## trajectory ## ]]\n[]\n\n")
    assert first.stopped == "max_calls"


class Threaded(dspy.Module):  # type: ignore[misc]
    """Asks its model from threads of its own."""

    def forward(self, task: Task) -> dspy.Prediction:
        model = dspy.settings.lm
        prompt = "[[ ## task ## ]]\nCancel '{}'\n\n[[ ## trajectory ## ]]\n[]\n\n"
        prompts = [prompt.format(f"{task.id} {number}") for number in range(3)]
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(model, prompts))
        return dspy.Prediction(answer="", episode=make_episode())


def test_episodes_may_ask_from_threads_of_their_own(suite: Suite) -> None:
    budget = Budget(calls=60)
    model = budget.counted(lm("Cancel"))
    tasks = [make_task(number) for number in range(8)]
    result = evaluate(
        Threaded(),
        tasks,
        EvalSettings(
            env=suite.env,
            lm=model,
            workers=4,
            time_limit=20,
            scorers=(),
            admission=budget.account(model_name(model)),
        ),
    )
    assert {record.error for record in result.records} == {None}
    assert budget.spent.calls == 24
