"""Why a model stopped: kept with each question, and said as such where the reply cannot be read."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest
from dspy.lm15 import Message, RefusalPart, Request, Response, TextPart, ThinkingPart, ToolCallPart, Usage

from tests.chat_server import ChatServer, called, said
from tests.programs.office import TASKS, call, finish, lm_of, run_agent
from worksmith.evals.lm.finish_reasons import finish_reason
from worksmith.evals.lm.metering import metered
from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import call_signature
from worksmith.programs.prompting.adapter import TrajectoryAdapter
from worksmith.programs.replaying.recording import RecordingEngine
from worksmith.programs.strategies import strategy
from worksmith.tools.environment import Environment

CUT = call("calendar.search_events", '{"query": "Budget').partition("\n\n[[ ## completed")[0]

CALLS = [
    {"tool": "calendar.search_events", "arguments": {"query": query, "time_min": "2023-12-01 00:00:00"}}
    for query in ("Budget", "Retro")
]


class Parts:
    """An engine that replies with messages and reasons of its own."""

    supports_function_calling = True

    def __init__(self, *replies: tuple[Any, Any]) -> None:
        self._replies = iter(replies)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        parts, reason = next(self._replies)
        return Response(
            None, request.model, Message.assistant(parts), reason, Usage(input_tokens=1, output_tokens=1)
        )


ENDS = [
    ((CUT, "length"), "truncated", "cut off at the limit of output tokens"),
    ((" ", "length"), "truncated", "cut off at the limit of output tokens"),
    ((" ", "content_filter"), "filtered", "content filter"),
    (([RefusalPart("I can't help with that.")], "stop"), "refused", "refused"),
    ((" ", "stop"), "invalid_reply", "empty"),
    ((CUT, "stop"), "invalid_reply", "JSON"),
]


@pytest.mark.parametrize("name", ["react", "direct", "function_calling"])
@pytest.mark.parametrize(("reply", "status", "said"), ENDS)
def test_why_a_reply_is_no_use_is_said(
    name: str, reply: tuple[Any, str], status: str, said: str, env: Environment
) -> None:
    if reply[0] == CUT and name == "function_calling":
        reply = [ToolCallPart("1", "calendar__search_events", {"partial_json": '{"query": "B'})], reply[1]
    if reply[0] == CUT and name == "direct":
        reply = '[[ ## calls ## ]]\n[{"tool": "calendar.search_events", "argum', reply[1]
    engine = Parts(reply, reply)
    episode = run_agent(Agent(name, env=env), lm_of(engine)).episode

    assert episode.status == status
    assert said in str(episode.error)
    assert said in str(engine.requests[1].messages[-1].text)
    assert episode.asks[0].finish_reason == ("refusal" if status == "refused" else reply[1])


def test_a_reply_that_was_cut_off_is_answered_with_what_helps(
    env: Environment, caplog: pytest.LogCaptureFixture
) -> None:
    engine = Parts((CUT, "length"), (finish(), "stop"))
    episode = run_agent(Agent("react", env=env), lm_of(engine)).episode

    assert not caplog.records  # a line on stderr for each of a thousand replies helps nobody
    assert episode.status == "finished"
    assert "Use fewer words" in str(engine.requests[1].messages[-1].text)
    assert [ask.finish_reason for ask in episode.asks] == ["length", "stop"]


def test_a_reply_that_can_be_read_is_taken_whatever_the_reason(env: Environment) -> None:
    assert run_agent(Agent("react", env=env), lm_of(Parts((finish(), "length")))).episode.status == "finished"


@pytest.mark.parametrize("name", ["react", "direct"])
@pytest.mark.parametrize("adapter", [TrajectoryAdapter, dspy.JSONAdapter, dspy.XMLAdapter])
def test_half_a_reply_is_not_mended_into_a_call(adapter: Any, name: str, env: Environment) -> None:
    values = {"thought": "Both.", "calls": CALLS, **CALLS[0]}
    signature = call_signature(strategy(name))
    fields = {field: value for field, value in values.items() if field in signature.output_fields}
    whole = adapter().format_assistant_message_content(signature, fields)
    made = set()
    for end in range(1, len(whole) + 1):
        if whole[end - 1] in '}]"0>':
            engine = Parts((whole[:end], "length"), (whole[:end], "length"))
            with dspy.context(adapter=adapter()):
                episode = run_agent(
                    Agent(name, env=env, max_steps=len(CALLS) if name == "direct" else 1), lm_of(engine)
                ).episode
            made.add(tuple(str(call.arguments) for call in episode.calls))

    wanted = CALLS if name == "direct" else CALLS[:1]
    assert made == {(), tuple(str(call["arguments"]) for call in wanted)}


@pytest.mark.parametrize(
    "arguments", [{"partial_json": '{"query": {"title": "Budget"}'}, {"partial_json": ""}, {}]
)
def test_half_of_native_arguments_is_not_mended_into_a_call(
    arguments: dict[str, Any], env: Environment
) -> None:
    half = ToolCallPart("1", "calendar__search_events", arguments)
    engine = Parts(([half], "length"), ([half], "length"))
    episode = run_agent(Agent("function_calling", env=env), lm_of(engine)).episode

    assert (episode.status, list(episode.calls)) == ("truncated", [])


@pytest.mark.parametrize("name", ["react", "direct", "function_calling"])
def test_an_endless_reply_is_shown_in_part(name: str, env: Environment) -> None:
    endless = "It begins. " + "and so on " * 400_000 + "It ends."
    engine = Parts((endless, "stop"), (endless, "stop"))
    run_agent(Agent(name, env=env), lm_of(engine))

    shown = engine.requests[1].messages[-2].text
    assert shown.startswith("It begins. ")
    assert shown.endswith("It ends.")
    assert len(shown) < 10_000


@pytest.mark.parametrize("adapter", [TrajectoryAdapter, dspy.JSONAdapter])
@pytest.mark.parametrize("slip", ["{" * 200_000, f'"{"and so on " * 200_000}" 1'])
def test_an_endless_slip_is_not_mended_for_minutes(adapter: Any, slip: str, env: Environment) -> None:
    fields = {"thought": "Hm.", "tool": "calendar.search_events", "arguments": {"query": "Budget"}}
    signature = call_signature(strategy("react"))
    whole = adapter().format_assistant_message_content(signature, fields)
    broken = whole.replace('"Budget"', slip)
    engine = Parts((broken, "stop"), (broken, "stop"))
    started = time.perf_counter()
    with dspy.context(adapter=adapter()):
        episode = run_agent(Agent("react", env=env), lm_of(engine)).episode

    assert (episode.status, len(broken) > 100_000) == ("invalid_reply", True)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("beside", ["\n" * 100_000, "and so on " * 10_000])
def test_an_endless_text_beside_a_native_call_is_shown_in_part(beside: str, env: Environment) -> None:
    search = ToolCallPart("1", "calendar__search_events", {"query": "Budget"})
    engine = Parts(([TextPart(beside), search], "tool_call"), ([search], "tool_call"))
    run_agent(Agent("function_calling", env=env, max_steps=2), lm_of(engine))

    assert sum(len(message.text or "") for message in engine.requests[1].messages) < 10_000


def hosted(server: ChatServer, **more: Any) -> dspy.LM:
    address = {"api_base": server.url, "api_key": "none"}
    return dspy.LM("openai/gpt-4o-mini", cache=False, num_retries=0, **address, **more)


REPLIES: list[tuple[dict[str, Any], str]] = [
    ({"content": CUT, "finish_reason": "length"}, "truncated"),
    ({"content": "", "finish_reason": "length"}, "truncated"),
    ({"content": None, "finish_reason": "content_filter"}, "filtered"),
    ({"content": None, "refusal": "I can't help with that."}, "refused"),
]


@pytest.mark.parametrize("engine", ["auto", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize("strategy", ["act", "function_calling"])
@pytest.mark.parametrize(("reply", "status"), REPLIES)
def test_hosted_models_say_why_they_stopped(
    engine: str, strategy: str, reply: dict[str, Any], status: str, server: ChatServer, env: Environment
) -> None:
    server.say(*([{"role": "assistant", **reply}] * 2))
    episode = run_agent(Agent(strategy, env=env), hosted(server, engine=engine)).episode

    assert (episode.status, len(server.bodies)) == (status, 2)


@pytest.mark.parametrize("strategy", ["act", "function_calling"])
def test_a_reply_that_the_provider_broke_off_is_no_wrong_answer(
    strategy: str, server: ChatServer, env: Environment
) -> None:
    server.say(*([{"role": "assistant", "content": "", "finish_reason": "error"}] * 2))
    lm = hosted(server)

    assert run_agent(Agent(strategy, env=env), lm).episode.status == "model_error"
    assert run_agent(Agent(strategy, env=env), metered(lm)).episode.status == "model_error"


@pytest.mark.parametrize("engine", ["auto", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("reply", "status"), REPLIES)
def test_a_journal_keeps_why_a_model_stopped(
    engine: str, reply: dict[str, Any], status: str, server: ChatServer, env: Environment, tmp_path: Path
) -> None:
    server.say(*([{"role": "assistant", **reply}] * 2))
    store = ReplyStore(tmp_path / "replies.jsonl")
    ends = []
    for asking in (True, False):
        lm = RememberingEngine(hosted(server, engine=engine), store, may_ask=asking).installed()
        ends.append(run_agent(Agent("act", env=env), lm).episode.status)

    assert ends == [status, status]


def test_histories_are_kept_as_before(server: ChatServer, env: Environment) -> None:
    server.say({"role": "assistant", "content": finish()}, {"role": "assistant", "content": finish()})
    lm = hosted(server)
    run_agent(Agent("act", env=env), lm)
    with dspy.context(disable_history=False):
        run_agent(Agent("act", env=env, keep_history=True), lm)

    assert len(lm.history) == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_subclasses_of_language_models_say_why_they_stopped(env: Environment) -> None:
    class Own(dspy.BaseLM):  # type: ignore[misc]
        def forward(self, prompt: Any = None, messages: Any = None, **_: Any) -> Any:
            message = SimpleNamespace(content=CUT, tool_calls=None)
            choice = SimpleNamespace(message=message, finish_reason="length")
            return SimpleNamespace(choices=[choice], usage={}, model="own/model")

    assert run_agent(Agent("act", env=env), Own("own/model")).episode.status == "truncated"


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"choices": [{"finish_reason": "max_tokens"}]}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "completed", "output": [{"content": [{"type": "refusal"}]}]}, "refusal"),
        ({}, ""),
        (None, ""),
        ([], ""),
    ],
)
def test_reasons_are_read_from_what_clients_give(response: Any, reason: str) -> None:
    assert finish_reason(response) == reason


HALF = "\ud800"
TORN = [
    [TextPart(call("calendar.search_events", thought=HALF))],
    [TextPart(call("calendar.search_events", f'{{"query": "{HALF}"}}'))],
    [TextPart(HALF)],
]
CALLED = [
    [TextPart(HALF), ToolCallPart("1", "calendar__search_events", {})],
    [ToolCallPart("1", "calendar__search_events", {"query": HALF})],
    [ToolCallPart("1", HALF, {})],
    [ThinkingPart(HALF), ToolCallPart("1", "calendar__search_events", {})],
]


@pytest.mark.parametrize("around", ["plain", "journal", "recording"])
@pytest.mark.parametrize(
    ("name", "parts"),
    [*(("react", parts) for parts in TORN), *(("function_calling", parts) for parts in CALLED)],
)
def test_half_a_surrogate_pair_is_an_unreadable_reply(
    around: str, name: str, parts: list[Any], env: Environment, tmp_path: Path
) -> None:
    lm = lm_of(Parts((parts, "stop"), (parts, "stop")))
    if around == "journal":
        lm = RememberingEngine(lm, ReplyStore(tmp_path / "replies.jsonl")).installed()
    if around == "recording":
        lm = RecordingEngine.around(lm, tmp_path / "recording.jsonl")
    episode = run_agent(Agent(name, env=env), lm).episode

    assert (episode.status, len(episode.asks)) == ("invalid_reply", 2)
    assert "not valid Unicode" in str(episode.error)
    shown = "".join(ask.exchange.reply for ask in episode.asks if ask.exchange)
    assert HALF not in f"{shown}{episode.error}"


@pytest.mark.parametrize("content", [call("calendar.search_events", thought=HALF), HALF])
def test_so_it_is_from_a_server(content: str, server: ChatServer, env: Environment) -> None:
    server.say(*([{"role": "assistant", "content": content}] * 2))

    assert run_agent(Agent("react", env=env), hosted(server)).episode.status == "invalid_reply"


@pytest.mark.parametrize("engine", ["auto", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": Infinity}',
        '{"query": 1e999}',
        f'{{"query": {"[" * 5_000}{"]" * 5_000}}}',
        '{"query": "\\ud800"}',
        None,
    ],
    ids=["infinity", "overflow", "deep", "surrogate", "no name"],
)
def test_no_call_that_a_model_can_write_loses_its_episode(
    engine: str, arguments: str | None, server: ChatServer, env: Environment
) -> None:
    name = "" if arguments is None else "calendar__search_events"
    server.say(*[called((name, arguments or "{}"))] * 2)
    episode = run_agent(Agent("function_calling", env=env), hosted(server, engine=engine)).episode

    assert (episode.status, len(server.bodies)) == ("invalid_reply", 2)
    assert len(str(server.messages[-1]["content"])) < 500


@pytest.mark.parametrize("number", ["NaN", "9" * 5_000])
def test_numbers_that_cannot_be_written_end_no_evaluation(
    number: str, server: ChatServer, env: Environment, tmp_path: Path
) -> None:
    server.say(*[said(call("calendar.search_events", f'{{"query": {number}}}'))] * 2, said(finish()))
    with EpisodeLog.open(tmp_path / "log") as log:
        agent = Agent("act", env=env)
        result = evaluate(agent, TASKS[:1], EvalSettings(env=env, lm=hosted(server)), log=log)

    assert result.summary.graded == 1
    assert [record.key for record in read_log(tmp_path / "log")] == [result.records[0].key]
