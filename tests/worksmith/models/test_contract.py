"""What programs rely on in every model: without weights and with them, in this process or behind a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest
from dspy import lm15

from tests import standin
from tests.worksmith.models.serving.running import NAME, TOKEN, Scripted, served
from tests.worksmith.training.tiny import one_thread, sft_rows, write_rows, write_tiny_model
from worksmith.evals.lm.metering import metered, metering
from worksmith.evals.lm.single_request import single_request
from worksmith.jobs.settings.training import TrainSftSettings
from worksmith.models.resolve import resolve
from worksmith.training.job import train

SHORT, LONG = "Name a fruit.", "Name a fruit that grows on a tree in a cold country, and say when it is ripe."

Ask = Callable[..., lm15.Response]


@pytest.fixture(
    scope="module",
    params=["here", "served", pytest.param("weights", marks=pytest.mark.slow)],
)
def lm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dspy.LM]:
    if request.param == "served":
        with served(Scripted(standin.Standin().complete)) as server:
            yield dspy.LM(f"openai/{NAME}", api_base=server.url, api_key=TOKEN, num_retries=0)
    elif request.param == "weights":
        one_thread()
        place = tmp_path_factory.mktemp("weights")
        rows = write_rows(place / "rows.jsonl", sft_rows(4))
        tiny = {"model": str(write_tiny_model(place / "base")), "data": rows, "out": place / "tiny"}
        train(TrainSftSettings(**tiny, max_steps=1, track=False))
        yield resolve(f"local/{place}/tiny")
    else:
        yield standin.lm()


@pytest.fixture
def ask(lm: dspy.LM) -> Ask:
    once = single_request(lm)

    def ask(text: str) -> lm15.Response:
        config = lm15.Config(max_tokens=6)
        return once(lm15.Request(lm.model, (lm15.Message.user(text),), "Be brief.", config=config))

    return ask


def test_a_request_has_one_reply_alone_and_among_others(ask: Ask) -> None:
    texts = [SHORT, LONG, "Name a bird.", "Name a river."]
    alone = [ask(text).message for text in texts]

    with ThreadPoolExecutor(8) as pool:
        together = [reply.message for reply in pool.map(ask, texts)]

    assert together == alone


def test_a_reply_is_a_text_with_a_reason_and_a_count_of_tokens(ask: Ask) -> None:
    short, long = ask(SHORT), ask(LONG)

    for reply in (short, long):
        assert isinstance(reply.message.text, str)
        assert reply.finish_reason in ("stop", "length")
        assert reply.usage.total_tokens == (reply.usage.input_tokens or 0) + (reply.usage.output_tokens or 0)
    assert 0 < (short.usage.input_tokens or 0) < (long.usage.input_tokens or 0)


def test_its_requests_are_counted_and_its_replies_cached(lm: dspy.LM) -> None:
    model = metered(lm.copy(cache=True))
    with metering() as first:
        said = model(SHORT, max_tokens=12)
    with metering() as second:
        again = model(SHORT, max_tokens=12)

    assert said == again
    assert first.usage.used_tokens == second.usage.used_tokens > 0
    assert second.usage.paid_requests == 0


def test_its_conversations_have_turns_of_all_roles(lm: dspy.LM) -> None:
    turns = (
        lm15.Message("developer", (lm15.TextPart("Answer in one word."),)),
        lm15.Message.user("Name a colour."),
        lm15.Message.assistant("red"),
        lm15.Message.user("Another one."),
    )

    reply = single_request(lm)(lm15.Request(lm.model, turns, config=lm15.Config(max_tokens=4)))

    assert reply.message.role == "assistant"
