"""What programs use and what is paid: one engine counts every request, tries again and caches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.clients.cache import Cache
from dspy.lm15 import Message, Request, Response
from dspy.lm15 import Usage as Reported
from dspy.utils import DummyLM
from dspy.utils.exceptions import LMServerError

from tests.chat_server import ChatServer, chat_server, said
from worksmith.evals.dspy_programs.digests import addresses, model_digest
from worksmith.evals.lm.metering import metered, metering
from worksmith.evals.lm.wire import retries
from worksmith.evals.lm.wire.retries import wait_before
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InputError

BUSY = {"error": 503, "retry_after": 0}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dspy, "cache", Cache(False, True, str(tmp_path), disk_size_limit_bytes=0))


def hosted(server: ChatServer, **settings: Any) -> dspy.LM:
    given = {"api_base": server.url, "api_key": "none", "engine": "lm15", **settings}
    return dspy.LM("openai/a-model", **given)


def test_a_list_of_replies_is_not_cached() -> None:
    for number in range(2):
        lm = metered(DummyLM([{"answer": f"{number} {each}"} for each in "ab"]))
        assert [lm("the same question") for _ in "ab"] == [
            [f"[[ ## answer ## ]]\n{number} {each}"] for each in "ab"
        ]


@pytest.mark.parametrize("engine", ["lm15", pytest.param("litellm", marks=pytest.mark.slow)])
def test_each_try_is_a_paid_request_and_only_we_try_again(server: ChatServer, engine: str) -> None:
    server.say(BUSY, BUSY, said("a"), *[BUSY] * 20)
    lm = metered(hosted(server, engine=engine))
    with metering() as meter:
        assert lm("first") == ["a"]
    assert meter.usage == Usage(
        prompt_tokens=10,
        completion_tokens=3,
        paid_requests=3,
        paid_prompt_tokens=10,
        paid_completion_tokens=3,
    )
    with metering() as meter, pytest.raises(LMServerError):
        lm("second")
    assert (meter.usage, meter.answers) == (Usage(paid_requests=4), 0)
    assert len(server.bodies) == 7
    with pytest.raises(LMServerError):
        metered(hosted(server, engine=engine, num_retries=0))("third")
    assert len(server.bodies) == 8


def test_a_server_says_how_long_to_wait() -> None:
    assert [wait_before(ConnectionError(), tried) for tried in (1, 2, 3)] == [1, 2, 4]
    assert wait_before(ConnectionError(), 30) == retries.LONGEST_WAIT
    asked_for = [(20, 20), (0, 1e-3), (1_000, None), (float("nan"), 1)]
    for seconds, wait in asked_for:
        error = LMServerError("busy", model="m", retry_after=seconds)
        assert wait_before(error, 1) == wait
    assert wait_before(ValueError(), 1) is None


@pytest.mark.parametrize("engine", ["lm15", pytest.param("litellm", marks=pytest.mark.slow)])
def test_what_a_server_does_not_report_is_estimated(server: ChatServer, engine: str) -> None:
    server.usage = None
    server.say(said("The meeting is on Friday at ten."))
    with metering() as cold:
        metered(hosted(server, engine=engine))("When is the meeting with the board? " * 50)
    with metering() as warm:
        metered(hosted(server, engine=engine))("When is the meeting with the board? " * 50)

    assert cold.usage.estimated
    assert 300 < cold.usage.prompt_tokens < 600
    assert 5 < cold.usage.completion_tokens < 15
    assert cold.usage.paid_tokens == cold.usage.used_tokens
    used = cold.usage
    assert warm.usage == Usage(
        prompt_tokens=used.prompt_tokens, completion_tokens=used.completion_tokens, estimated=True
    )
    assert str(warm.usage) == f"~{used.used_tokens} used tokens, 0 paid tokens"


def test_tokens_out_of_a_providers_prompt_cache_were_used(server: ChatServer) -> None:
    usage = {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 5}
    content = [{"type": "text", "text": "a"}]
    reply = {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    server.say({"whole": {"id": "1", "model": "claude-x", **reply, "usage": usage}})
    lm = metered(dspy.LM("anthropic/claude-x", api_base=server.url, api_key="none", engine="lm15"))
    with metering() as meter:
        assert lm("question") == ["a"]
    assert (meter.usage.prompt_tokens, meter.usage.completion_tokens) == (15, 3)


def test_two_servers_of_one_model_share_no_reply(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.say(said("ours"))
    with chat_server() as other:
        other.say(said("theirs"))
        assert metered(hosted(server))("question") == ["ours"]
        assert metered(hosted(other))("question") == ["theirs"]
    assert metered(hosted(server))("question") == ["ours"]
    assert metered(hosted(server, temperature=0.5)).cache
    assert model_digest(hosted(server)) != model_digest(hosted(server, temperature=0.5))

    plain = dspy.LM("openai/a-model")
    digests = {model_digest(plain)}
    for name, value in [("OPENAI_BASE_URL", "http://a/v1"), ("OPENAI_API_BASE", "http://b/v1")]:
        monkeypatch.setenv(name, value)
        digests.add(model_digest(plain))
    monkeypatch.setenv("OLLAMA_API_BASE", "http://c")
    digests.add(model_digest(plain))
    assert len(digests) == 3
    assert addresses("ollama_chat/llama") == {"OLLAMA_API_BASE": "http://c"}


def test_credentials_are_in_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for key in ("one", "another"):
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:{key}@a.example/v1?key={key}")
        base = f"http://me:{key}@b.example/v1"
        digests.add(model_digest(dspy.LM("openai/m", api_base=base, api_key=key)))
    assert addresses("openai/m")["OPENAI_BASE_URL"] == "http://a.example/v1"
    assert len(digests) == 1


def test_samples_of_one_question_are_told_apart(server: ChatServer) -> None:
    server.say(*[said(text) for text in "abcde"])
    lm = metered(hosted(server, temperature=1.0))

    def ask() -> list[list[str]]:
        return [lm("q", n=2), lm.copy(rollout_id=1)("q"), lm("q", rollout_id=2)]

    assert ask() == ask() == [["a", "b"], ["c"], ["d"]]
    assert lm("q", cache=False) == ["e"]
    assert len(server.bodies) == 5


def test_a_model_is_counted_where_it_is_awaited(server: ChatServer) -> None:
    server.say(*[said("a")] * 40)
    lm = metered(hosted(server))

    async def ask() -> list[Any]:
        return await asyncio.gather(*[lm.acall(f"question {number}") for number in range(40)])

    with metering() as meter:
        assert asyncio.run(ask()) == [["a"]] * 40
    assert meter.usage == Usage(
        prompt_tokens=400,
        completion_tokens=120,
        paid_requests=40,
        paid_prompt_tokens=400,
        paid_completion_tokens=120,
    )


class OwnForward(dspy.LM):  # type: ignore[misc]
    """Answers by itself, as users' models may."""

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        message = {"role": "assistant", "content": f"heard {len(messages)}"}
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"id": "1", "model": self.model, "choices": [choice], "usage": usage}


class OwnBase(dspy.BaseLM):  # type: ignore[misc]
    """A model that is no `dspy.LM`."""

    forward = OwnForward.forward


class OwnCall(dspy.LM):  # type: ignore[misc]
    """Goes round every engine."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return ["anything"]


@pytest.mark.parametrize("kind", [OwnForward, OwnBase])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_model_with_a_forward_of_its_own_is_counted(kind: type[dspy.BaseLM]) -> None:
    lm = metered(kind("mine/model", temperature=0.5, max_tokens=100))
    for requests in (1, 0):
        with metering() as meter:
            assert lm("question") == ["heard 1"]
        assert meter.usage == Usage(
            prompt_tokens=5,
            completion_tokens=2,
            paid_requests=requests,
            paid_prompt_tokens=5 * requests,
            paid_completion_tokens=2 * requests,
        )
    assert model_digest(lm) != model_digest(dspy.LM("mine/model", temperature=0.5, max_tokens=100))


class Knowing(OwnBase):
    """A model of one name, with a setting in an attribute, that counts its calls."""

    def __init__(self, *, knows: bool) -> None:
        super().__init__("mine/model")
        self.knows = knows
        self.calls = 0

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        self.calls += 1
        reply = OwnForward.forward(self, prompt, messages, **kwargs)
        reply["choices"][0]["message"]["content"] = str(self.knows)
        return reply


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_models_of_one_class_and_name_with_other_attributes_share_no_replies() -> None:
    teacher, student = Knowing(knows=True), Knowing(knows=False)
    assert metered(teacher)("who?") == ["True"]
    assert metered(student)("who?") == ["False"]
    assert metered(teacher)("who?") == ["True"]
    assert teacher.calls == student.calls == 1  # the third reply came out of the cache


@pytest.mark.parametrize(
    ("lm", "problem"),
    [
        (OwnCall("mine/model"), "mine/model has a __call__ of its own"),
        (dspy.LM("openai/davinci", model_type="text"), "openai/davinci completes texts"),
        (lambda prompt: [prompt], "is not a dspy.LM"),
    ],
)
def test_a_model_that_cannot_be_counted_is_refused_by_name(lm: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        metered(lm)


class Local:
    """An engine that runs here."""

    def complete(self, request: Request) -> Response:
        return Response(None, request.model, Message.assistant("a"), "stop", Reported(0, 0))


def test_what_runs_here_may_take_nothing() -> None:
    lm = metered(dspy.LM("local/mine", engine=Local(), cache=False))
    with metering() as meter, metering() as inner:
        assert lm("question") == ["a"]
    assert meter.usage == inner.usage == Usage(paid_requests=1)
    assert metered(lm) is lm
