"""Native tool calls: what goes over the wire, and what is made of every kind of reply."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.chat_server import ChatServer, called, said
from tests.evals import help_desk as desk
from tests.programs.office import TASKS, Script, finish, lm_of, run_agent, texts
from tests.programs.org import QUARTERS, make_org
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.native_tools import native_name, native_tools
from worksmith.programs.replaying.recording import RecordingEngine, ReplayEngine
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import STRATEGIES, Strategy
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.tool import toolset
from worksmith.tools.world_kind import world_kind

SEARCH = called(("calendar__search_events", {"query": "Budget"}))
DELETE = called(("calendar__delete_event", {"event_id": "00000000"}))
END = called(("finish", {"answer": "Done."}))


def model(server: ChatServer, name: str = "gpt-4o-mini", **settings: Any) -> dspy.LM:
    return dspy.LM(
        f"openai/{name}", api_base=server.url, api_key="none", cache=False, num_retries=0, **settings
    )


def run(agent: Agent, server: ChatServer, *replies: Any, **settings: Any) -> dspy.Prediction:
    server.say(*replies)
    with dspy.context(lm=model(server, **settings)):
        return agent(task=TASKS[0])


def agent(env: Environment, **options: Any) -> Agent:
    return Agent("function_calling", env=env, **options)


def test_a_task_is_done_by_native_calls(env: Environment, server: ChatServer) -> None:
    episode = run(agent(env), server, SEARCH, DELETE, END).episode

    assert episode.status == "finished"
    assert [c.tool for c in episode.calls] == ["calendar.search_events", "calendar.delete_event"]
    assert [change.before["event_name"] for change in episode.outcome.changes] == ["Budget review"]
    assert (episode.answer, episode.model_calls) == ("Done.", 3)
    assert (episode.usage.prompt_tokens, episode.usage.completion_tokens) == (30, 9)


def test_tools_go_with_the_request_and_not_into_the_text(env: Environment, server: ChatServer) -> None:
    run(agent(env), server, END)
    body = server.bodies[0]
    offered = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    system, user = body["messages"]

    assert [*offered][-1] == "finish"
    assert len(offered) == len(env.episode(["calendar"]).toolset) + 1
    assert "event_id" in offered["calendar__delete_event"]["parameters"]["properties"]
    assert offered["finish"]["parameters"]["required"] == ["answer"]
    assert body["parallel_tool_calls"] is False
    assert env.kind.house_rules in system["content"]
    assert user["content"] == (
        "Now: Thursday 2023-11-30 00:00. Working for: Sam.\n\nTask: Cancel the meeting 'Budget review'"
    )
    assert "[[ ##" not in json.dumps(body)


def test_functions_have_the_descriptions_of_the_agent(env: Environment, server: ChatServer) -> None:
    texts = {"calendar.search_events": {"description": "Finds.", "arguments": {"query": "a title"}}}
    run(agent(env).with_settings(descriptions=texts), server, END)
    offered = {tool["function"]["name"]: tool["function"] for tool in server.bodies[0]["tools"]}
    search = offered["calendar__search_events"]
    assert search["description"] == "Finds."
    assert search["parameters"]["properties"]["query"]["description"] == "a title"


def test_what_was_sent_is_kept_tools_first(env: Environment, server: ChatServer) -> None:
    asks = run(agent(env), server, SEARCH, END).episode.asks
    first, second = (ask.exchange for ask in asks)
    tools, system, user = first.messages
    offered = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]

    assert [tools.role, system.role, user.role] == ["tools", "system", "user"]
    assert [each["name"] for each in json.loads(tools.text)] == offered
    assert [system.text, user.text] == [message["content"] for message in server.bodies[0]["messages"]]
    assert [message.role for message in second.messages] == ["assistant", "tool"]
    assert first.reply == second.messages[0].text == 'calendar__search_events {"query": "Budget"}'


def test_calls_and_results_go_back_as_messages(env: Environment, server: ChatServer) -> None:
    done = run(agent(env), server, {**SEARCH, "content": "Look first."}, END)
    asked, result = server.messages[-2:]

    assert asked["content"] == "Look first."
    assert [c["function"]["name"] for c in asked["tool_calls"]] == ["calendar__search_events"]
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"]) == {"query": "Budget"}
    assert result["role"] == "tool"
    assert result["tool_call_id"] == asked["tool_calls"][0]["id"]
    assert result["content"] == done.episode.calls[0].observation.text
    assert done.episode.thoughts == ["Look first."]


BOTH = called(
    ("calendar__search_events", {"query": "B"}), ("calendar__delete_event", {"event_id": "00000000"})
)


def test_several_calls_of_a_reply_are_made_in_order_and_go_back_together(
    env: Environment, server: ChatServer
) -> None:
    with dspy.context(trace=[]):
        episode = run(agent(env), server, {**BOTH, "content": "Both."}, END).episode
        (_, inputs, outputs), *_ = dspy.settings.trace
    asked, *results = server.messages[-3:]

    assert [c.tool for c in episode.calls] == ["calendar.search_events", "calendar.delete_event"]
    assert (episode.model_calls, episode.thoughts) == (2, ["Both.", ""])
    assert [each["id"] for each in asked["tool_calls"]] == [each["tool_call_id"] for each in results]
    assert [each["content"] for each in results] == [c.observation.text for c in episode.calls]
    assert [step["tool"] for step in inputs["trajectory"]] == [c.tool for c in episode.calls]
    assert outputs.tool == "finish"


def test_an_end_among_other_calls_ends_the_episode_after_those_before_it(
    env: Environment, server: ChatServer
) -> None:
    reply = called(
        ("calendar__search_events", {"query": "B"}),
        ("finish", {"answer": "Done."}),
        ("calendar__delete_event", {"event_id": "00000000"}),
    )
    with dspy.context(trace=[]):
        episode = run(agent(env), server, reply).episode
        (_, inputs, outputs), *_ = dspy.settings.trace

    assert (episode.status, episode.answer) == ("finished", "Done.")
    assert [c.tool for c in episode.calls] == ["calendar.search_events"]
    assert [step["tool"] for step in inputs["trajectory"]] == ["calendar.search_events"]
    assert outputs.toDict() == {"tool": "finish", "arguments": {"answer": "Done."}}


def test_each_call_of_a_reply_is_a_step(env: Environment, server: ChatServer) -> None:
    episode = run(agent(env, max_steps=1), server, BOTH).episode

    assert (episode.status, len(episode.calls)) == ("step_limit", 1)


@pytest.mark.parametrize("strategy", ["direct", "cot"])
def test_all_calls_at_once_are_those_of_one_reply(
    env: Environment, server: ChatServer, strategy: str
) -> None:
    shown = [{"tool": "calendar.search_events", "arguments": {}}, {"tool": "finish", "arguments": {}}]
    taught = Agent(strategy, env=env, prompt="native")
    example = dspy.Example(task="Old", context="Then.", reasoning="Easy.", calls=shown)
    taught.selector.predict.demos = [example]
    reply = called(*[("calendar__search_events", {"query": "B"})] * 2, ("finish", {"answer": "Done."}))
    episode = run(taught, server, {**reply, "content": "Twice."}).episode
    body = server.bodies[0]
    _, asked, *results, query = body["messages"][1:]

    assert (episode.answer, episode.thoughts) == ("Done.", ["Twice.", ""])
    assert "parallel_tool_calls" not in body
    assert [each["function"]["name"] for each in asked["tool_calls"]] == ["calendar__search_events", "finish"]
    assert [each["tool_call_id"] for each in results] == [each["id"] for each in asked["tool_calls"]]
    assert query["role"] == "user"
    assert ("Put your reasoning as text before the calls" in body["messages"][0]["content"]) is (
        strategy == "cot"
    )


def test_what_all_calls_returned_is_seen_before_the_answer(shop: Environment, server: ChatServer) -> None:
    twice = called(*[("staff__salary", {"emp_id": "emp_0002"})] * 2)
    server.say(twice, called(("finish", {"status": "denied", "answer": ""})))
    with dspy.context(lm=model(server)), dspy.context(trace=[]):
        episode = Agent("direct", env=shop, prompt="native")(task=desk.SEARCH).episode
        (_, inputs, _), *_ = dspy.settings.trace
    asked, *results = server.messages[-3:]

    assert episode.answer_status == "denied"
    assert [each["tool_call_id"] for each in results] == [each["id"] for each in asked["tool_calls"]]
    assert [each["content"] for each in results] == [c.observation.text for c in episode.calls]
    assert inputs["trajectory"][0]["observations"] == [c.observation.text for c in episode.calls]


@pytest.mark.parametrize("strategy", [*STRATEGIES])
def test_every_strategy_makes_native_calls(env: Environment, strategy: str) -> None:
    gold = scripted_lm(GoldEngine(TASKS))
    with dspy.context(lm=gold):
        natively, textual = (
            Agent(strategy, env=env, prompt=form)(task=TASKS[0]) for form in ("native", "text")
        )

    assert natively.episode.status == "finished"
    assert natively.episode.outcome.key == textual.episode.outcome.key
    assert natively.episode.thoughts == textual.episode.thoughts
    assert "tools" in {message.role for ask in natively.episode.asks for message in ask.exchange.messages}


WRITTEN = '{"name": "finish", "arguments": {"answer": "Done."}}'


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"```json\n{WRITTEN}\n```",
        f"<tool_call>\n{WRITTEN}\n</tool_call>",
        f"[{WRITTEN}]",
        '{"type": "function", "function": {"name": "finish", "parameters": "{\\"answer\\": \\"Done.\\"}"}}',
    ],
)
def test_calls_that_are_written_as_text_are_read(env: Environment, server: ChatServer, text: str) -> None:
    done = run(agent(env), server, said(text))

    assert (done.episode.answer, done.unreadable) == ("Done.", 0)


def test_written_calls_are_shown_as_native_ones(env: Environment, server: ChatServer) -> None:
    search = '{"name": "calendar__search_events", "arguments": {"query": "B"}}'
    run(agent(env), server, said(f"<tool_call>{search}</tool_call><tool_call>{search}</tool_call>"), END)
    asked, *results = server.messages[-3:]

    assert [each["function"]["name"] for each in asked["tool_calls"]] == ["calendar__search_events"] * 2
    assert len({each["tool_call_id"] for each in results}) == 2
    assert not asked["content"]


@pytest.mark.parametrize(
    ("reply", "problem", "shown"),
    [
        (said("The meeting is cancelled."), "it calls no tool", "The meeting is cancelled."),
        (said('{"name": "fly", "arguments": {}}'), "it calls no tool", '{"name": "fly", "arguments": {}}'),
        (said("<tool_call>{</tool_call>"), "it calls no tool", "<tool_call>{</tool_call>"),
        (said(""), "it is empty", "(empty)"),
        (said(None), "it is empty", "(empty)"),
        (
            called(("finish", '{"answer": "Do')),
            "the input of finish is not JSON",
            'finish {"answer": "Do',
        ),
        (called(("finish", '{"answer": "\\ud800"}')), "not valid Unicode", 'finish {"answer": "?"}'),
    ],
)
def test_a_reply_that_is_no_call_is_complained_about_once(
    env: Environment, server: ChatServer, reply: Any, problem: str, shown: str
) -> None:
    done = run(agent(env), server, reply, END)
    again, complaint = server.messages[-2:]

    assert (done.episode.status, done.unreadable, done.episode.model_calls) == ("finished", 1, 2)
    assert (again["role"], again["content"]) == ("assistant", shown)
    assert complaint["role"] == "user"
    assert problem in complaint["content"]
    assert complaint["content"].endswith("Reply with a tool call; `finish` is a tool as well.")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (called(("finish", [1])), "the input of finish must be a JSON object"),
        (called(("finish", '"{"')), "the input of finish"),
        (
            called(("calendar__search_events", {"query": "B"}), ("calendar__delete_event", '{"event_id": ')),
            "the input of calendar__delete_event is not JSON",
        ),
        (called(("", {"query": "B"})), "a tool call with no name"),
    ],
)
def test_no_call_of_a_reply_is_made_that_cannot_be_read_as_a_whole(
    env: Environment, server: ChatServer, reply: Any, problem: str
) -> None:
    done = run(agent(env), server, reply, END)

    assert (done.episode.status, done.unreadable, [*done.episode.calls]) == ("finished", 1, [])
    assert problem in server.messages[-1]["content"]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (json.dumps(json.dumps({"query": "B"})), {"query": "B"}),
        ("null", {}),
        ("", {}),
        ('```json\n{"query": "B"}\n```', {"query": "B"}),
        ("{'query': 'B',}", {"query": "B"}),
    ],
)
def test_input_in_other_wrappings_is_read(
    env: Environment, server: ChatServer, given: str, made: dict[str, Any]
) -> None:
    episode = run(agent(env), server, called(("calendar__search_events", given)), END).episode

    assert [(call.arguments, call.observation.status) for call in episode.calls] == [(made, "ok")]


def test_the_answer_in_a_text_of_json_is_the_answer(env: Environment, server: ChatServer) -> None:
    reply = called(("finish", json.dumps(json.dumps({"answer": "Kim."}))))

    assert run(agent(env), server, reply).episode.answer == "Kim."


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("calendar__fly", {}, "unknown_tool"),
        ("calendar.fly", {}, "unknown_tool"),
        ("fly", {}, "unknown_tool"),
        ("calendar.search_events", {"query": "B"}, "ok"),
        ("calendar__delete_event", {"value": 1}, "bad_arguments"),
        ("calendar__delete_event", [1, 2], "bad_arguments"),
        ("calendar__delete_event", {"id": "1"}, "bad_arguments"),
        ("calendar__delete_event", "7", "bad_arguments"),
    ],
)
def test_a_wrong_name_or_argument_is_an_observation(
    env: Environment, server: ChatServer, name: str, arguments: Any, status: str
) -> None:
    episode = run(agent(env), server, called((name, arguments)), END).episode

    assert [c.observation.status for c in episode.calls] == [status]
    assert ("is not a valid tool" in server.messages[-1]["content"]) == (status == "unknown_tool")


def test_servers_that_number_every_call_alike_get_other_ids_back(
    env: Environment, server: ChatServer
) -> None:
    run(agent(env), server, SEARCH, SEARCH, SEARCH, END)
    ids = [message["tool_call_id"] for message in server.messages if message["role"] == "tool"]

    assert len(set(ids)) == 3
    assert ids == [m["tool_calls"][0]["id"] for m in server.messages if m["role"] == "assistant"]


def test_demonstrations_are_messages_too(env: Environment, server: ChatServer) -> None:
    taught = agent(env)
    steps = [{"tool": "calendar.search_events", "arguments": {"query": "x"}, "observation": "[]"}]
    example = {"context": "Now: then.", "trajectory": steps, "tool": "finish", "arguments": {"answer": "-"}}
    taught.selector.predict.demos = [
        dspy.Example(task="Old", **example),
        {"task": "Older", **example},
        dspy.Example(task="no calls to show"),
    ]
    run(taught, server, END)
    _, *shown, query = server.messages

    assert [m["role"] for m in shown] == ["user", "assistant", "tool", "assistant", "tool"] * 2
    assert shown[0]["content"] == "Now: then.\n\nTask: Old"
    assert [m["tool_calls"][0]["function"]["name"] for m in shown if m["role"] == "assistant"] == [
        "calendar__search_events",
        "finish",
    ] * 2
    assert len({m["tool_call_id"] for m in shown if m["role"] == "tool"}) == 4
    assert query["role"] == "user"


def test_what_was_done_natively_can_be_shown_in_text_and_the_other_way_round(
    env: Environment, server: ChatServer
) -> None:
    with dspy.context(trace=[]):
        run(agent(env), server, {**SEARCH, "content": "Look."}, END)
        (_, inputs, outputs), *_ = dspy.settings.trace
    taught = agent(env)
    taught.selector.predict.demos = [dspy.Example(**{**inputs, **outputs.toDict(), "task": "Another"})]
    script = Script(finish())
    textual = agent(env, prompt="text")
    textual.selector.predict.demos = taught.selector.predict.demos
    run_agent(textual, script.lm())

    assert texts(script.requests[0])[1].startswith("[[ ## tool ## ]]\ncalendar.search_events")
    run(taught, server, END)
    assert server.messages[2]["tool_calls"][0]["function"]["name"] == "calendar__search_events"


def test_a_plan_comes_before_native_calls(env: Environment, server: ChatServer) -> None:
    own = Strategy("own", "plan, then native calls", planner="model", prompt="native", revisions=1)
    missing = called(("calendar__delete_event", {"event_id": "77777777"}))
    replies = (said("1. Delete it"), missing, said("[[ ## plan ## ]]\n1. Search"), END)
    done = run(Agent(own, env=env), server, *replies)

    assert done.episode.status == "finished"
    assert "tools" not in server.bodies[0]
    assert "Plan:\n1. Delete it" in server.bodies[1]["messages"][1]["content"]
    assert server.messages[-1]["content"].endswith("Plan:\n1. Search")


def test_tools_by_retrieval_change_from_request_to_request(shop: Environment, server: ChatServer) -> None:
    server.say(called(("staff__salary", {"emp_id": "emp_0002"})), called(("finish", {"status": "denied"})))
    run_agent(Agent("function_calling", env=shop, toolset="retrieved:1"), model(server), desk.SEARCH)
    first, second = ({t["function"]["name"] for t in body["tools"]} for body in server.bodies)

    assert "staff__salary" not in first
    assert "staff__salary" in second
    assert server.bodies[0]["messages"] == server.messages[:2]


def test_what_is_too_long_for_a_tool_s_description_is_said_before(
    tmp_path_factory: pytest.TempPathFactory, server: ChatServer
) -> None:
    org = make_org(tmp_path_factory.mktemp("org"))
    server.say(called(("query__soql", {"query": "SELECT Id FROM Case LIMIT 1"})), END)
    episode = run_agent(agent(org, toolset="query"), model(server), QUARTERS[0]).episode
    whole = org.episode(["query"]).toolset["query.soql"].summary

    assert [c.observation.status for c in episode.calls] == ["ok"]
    assert len(whole) > 1024
    assert server.messages[0]["content"].endswith(f"query__soql: {whole}")
    assert len(server.bodies[0]["tools"][0]["function"]["description"]) < 300


@pytest.mark.parametrize("engine", ["auto", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("code", "text", "status"),
    [
        (503, "overloaded", "model_error"),
        (429, "slow down", "model_error"),
        (401, "no such key", "model_error"),
        (404, "no such model", "model_error"),
        (400, "maximum context length is 8192 tokens", "context_limit"),
        (400, "temperature does not support 0.7", "invalid_request"),
        (400, "flagged by our content management policy", "filtered"),
    ],
)
def test_what_a_server_says_decides_whose_failure_it_is(
    env: Environment, server: ChatServer, engine: str, code: int, text: str, status: str
) -> None:
    reply = {"error": code, "said": text}
    episode = run(agent(env), server, SEARCH, reply, engine=engine).episode

    assert (episode.status, len(episode.calls)) == (status, 1)
    assert text in str(episode.error)


def test_function_calling_in_text_sends_no_tools(env: Environment, server: ChatServer) -> None:
    episode = run(agent(env, prompt="text"), server, said(finish())).episode

    assert episode.answer == "Done."
    assert "tools" not in server.bodies[0]


def test_models_without_tool_calls_are_refused_by_name(env: Environment, server: ChatServer) -> None:
    script = Script(finish())
    for lm in (script.lm(), model(server, "gpt-3.5-turbo-16k")):
        with dspy.context(lm=lm), pytest.raises(InputError, match="has no native tool calls") as error:
            agent(env)(task=TASKS[0])
        assert "--prompt text" in str(error.value.hint)

    assert script.requests == []
    assert server.bodies == []


@pytest.mark.parametrize("name", ["gpt-4o-mini", "a-model-of-our-own"])
def test_native_replies_are_recorded_and_replayed(
    env: Environment, server: ChatServer, tmp_path: Path, name: str
) -> None:
    server.say({**SEARCH, "content": "Look."}, said("Hm."), DELETE, END)
    recorded = run_agent(agent(env), RecordingEngine.around(model(server, name), tmp_path / "r")).episode
    engine = ReplayEngine(tmp_path / "r")
    replayed = run_agent(agent(env), lm_of(engine, "replay/test")).episode

    assert [c.to_json() for c in replayed.calls] == [c.to_json() for c in recorded.calls]
    assert replayed.outcome.key == recorded.outcome.key
    assert (replayed.status, replayed.thoughts) == ("finished", ["Look.", ""])
    assert recorded.usage.prompt_tokens == 40


def test_a_recording_of_text_is_replayed_in_text(env: Environment, tmp_path: Path) -> None:
    run_agent(agent(env, prompt="text"), RecordingEngine.around(Script(finish()).lm(), tmp_path / "r"))

    with pytest.raises(InputError, match="no native tool calls"):
        agent(env).check_model(dspy.LM("replay/x", engine=ReplayEngine(tmp_path / "r")))


def test_settings_go_along_and_those_that_cannot_are_named(env: Environment, server: ChatServer) -> None:
    run(agent(env), server, END, temperature=0.3, max_tokens=77)
    assert (server.bodies[0]["temperature"], server.bodies[0]["max_completion_tokens"]) == (0.3, 77)

    with pytest.raises(InputError, match="does not go with native tool calls"):
        run(agent(env), server, END, num_ctx=4096)


@pytest.mark.parametrize("name", ["crm", "enterprise", "office"])
def test_every_kind_of_world_has_tools_that_chat_apis_take(name: str) -> None:
    kind = world_kind(name)
    tools = tuple(toolset(kind.toolkits, [kit.name for kit in kind.toolkits]).values())
    made = native_tools(tools, kind.finish)
    end = made.functions[-1]

    assert len(made.names) == len(tools) + 1
    assert all(f.description and f.parameters["type"] == "object" for f in made.functions)
    assert all(len(f.description or "") <= 1024 for f in made.functions)
    assert "answer" in end.parameters["properties"]
    assert all(argument["description"] for argument in end.parameters["properties"].values())
    assert end.description == kind.finish.summary


@pytest.mark.parametrize("name", ["ünïcode.tool", "a." + "long" * 30, "dots.in.names"])
def test_names_of_tools_fit_all_providers_and_stay_different(name: str) -> None:
    made = {native_name(name), native_name(f"{name}x"), native_name(f"{name}y")}

    assert len(made) == 3
    assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", each) for each in made)
