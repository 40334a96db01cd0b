"""The engine as `dspy.LM` uses it."""

from __future__ import annotations

import pickle
import string
from concurrent.futures import ThreadPoolExecutor

import dspy
from dspy.lm15 import Message, Request
from hypothesis import given
from hypothesis import strategies as st

from tests.worksmith.models.analogy.garden import Show, request
from tests.worksmith.models.analogy.test_follow import EACH, FIRST, RAIN
from worksmith.models.analogy import AnalogyEngine

QUERY = Show("Drop the oldest job of Quentin.")


def test_same_request_same_reply_in_any_thread() -> None:
    prompts = [request(demos, QUERY) for demos in (FIRST, EACH, RAIN, [])] * 8
    alone = [AnalogyEngine().complete(prompt).message.text for prompt in prompts]
    engine = AnalogyEngine()

    with ThreadPoolExecutor(8) as pool:
        together = [reply.message.text for reply in pool.map(engine.complete, prompts)]

    assert together == alone


def test_engine_can_be_pickled_and_saved() -> None:
    engine = pickle.loads(pickle.dumps(AnalogyEngine()))
    engine.load_state(engine.dump_state())

    reply = engine.complete(request(FIRST, QUERY))

    assert reply.finish_reason == "stop"
    assert engine.dump_state()["digest"] == AnalogyEngine().digest


def test_tokens_are_counted() -> None:
    short, long = (AnalogyEngine().complete(request(demos, QUERY)).usage for demos in ([], EACH))

    assert short.input_tokens is not None
    assert long.input_tokens is not None
    assert short.input_tokens < long.input_tokens
    assert long.output_tokens
    assert long.total_tokens == long.input_tokens + long.output_tokens


def test_works_behind_dspy_with_stock_adapters() -> None:
    lm = dspy.LM("local/analogy", engine=AnalogyEngine(), cache=False)
    demos = [
        dspy.Example(question="Which bird is in 'the nest'?", answer="the nest"),
        dspy.Example(question="Which bird is in 'a tree'?", answer="a tree"),
    ]
    predict = dspy.Predict("question -> answer")
    predict.demos = demos

    for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
        with dspy.context(lm=lm, adapter=adapter):
            assert predict(question="Which bird is in 'my hat'?").answer == "my hat"


texts = st.text(alphabet=string.ascii_letters + string.digits + " '\"\n[]{}#:,.-@%`", max_size=120)
markers = st.sampled_from(["", "[[ ## task ## ]]\n", "[[ ## tool ## ]]\n", "[[ ## arguments ## ]]\n{}"])
turns = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), markers, texts), max_size=8)


@given(turns, texts)
def test_any_prompt_gets_a_reply(said: list[tuple[str, str, str]], last: str) -> None:
    messages = [
        Message.user(marker + text) if role == "user" else Message.assistant(marker + text)
        for role, marker, text in said
        if marker + text
    ]
    prompt = Request("m", (*messages, Message.user(last or "-")), system=last or None)

    assert AnalogyEngine().complete(prompt).finish_reason == "stop"


@given(texts, texts)
def test_any_task_gets_a_reply(shown: str, asked: str) -> None:
    demos = [*FIRST, *EACH, Show(shown or "-", RAIN[0].steps)]

    assert AnalogyEngine().complete(request(demos, Show(asked or "-", EACH[0].steps))).message.text
