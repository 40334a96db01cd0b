"""Replies in another form than asked for: how they are read and recorded, and how a server prevents them."""

from __future__ import annotations

import pytest

from tests.chat_server import chat_server, said
from tests.programs.office import Script, call, finish, run_agent
from worksmith.models.resolve import resolve
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult

OBJECT = '{"tool": "calendar.search_events", "arguments": {"query": "Retro"}}'
END = '{"tool": "finish", "arguments": {"answer": "-"}}'
BARE = OBJECT.replace("calendar.", "")
LIST = '{"name": "calendar.search_events", "parameters": {"query": "Retro"}}'
FIELDS = call("calendar.search_events", '{"query": "Retro"}')
MENDED, IN_PROSE = "code block, mended JSON", "another form, code block, prefix of name"
CALLED = "another form, Python call, prefix of name"
SIGNATURE = "calendar.search_events(query: str, limit=5)"


def done(env: Environment, prompt: str, *replies: str, strategy: str = "act") -> EpisodeResult:
    episode: EpisodeResult = run_agent(Agent(strategy, env, prompt=prompt), Script(*replies).lm()).episode
    return episode


@pytest.mark.parametrize(
    ("prompt", "reply", "reading"),
    [
        ("text", FIELDS, ""),
        ("text", FIELDS.replace("calendar.search_events", SIGNATURE), "signature as name"),
        ("text", FIELDS.replace("calendar.search", "search"), "prefix of name"),
        ("text", FIELDS.replace("calendar.search", "functions.calendar.search"), "prefix of name"),
        ("text", FIELDS.replace("calendar.search_events", "`calendar.search_events`"), ""),
        ("text", FIELDS.replace('"Retro"}', '"Retro",}'), "mended JSON"),
        (
            "text",
            FIELDS.replace('{"query": "Retro"}', "```json\n{'query': 'Retro'}\n```"),
            "code block, mended JSON",
        ),
        ("text", OBJECT, "another form"),
        ("text", "calendar.search_events(query='Retro')", "another form, Python call"),
        (
            "text",
            f"I look for it.\n```python\n{BARE}\n```\nThen I cancel it.",
            "another form, code block, prefix of name",
        ),
        (
            "text",
            "[[ ## tool ## ]]\nsearch_events(query='Retro')",
            "another form, Python call, prefix of name",
        ),
        ("json", OBJECT, ""),
        ("json", f"```json\n{OBJECT}\n```", "code block"),
        ("json", BARE, "prefix of name"),
        ("json", f"I look for it: {LIST}", "another form, text around"),
        ("json", f"<tool_call>{LIST}</tool_call>", "another form"),
        ("json", FIELDS, "another form"),
        ("json", "print(calendar.search_events(query='Retro'))", "another form, Python call"),
        ("compact", f"{OBJECT}\n{END}", "another form, text around"),
    ],
)
def test_a_call_in_another_form_is_read_and_the_record_says_how(
    prompt: str, reply: str, reading: str, env: Environment
) -> None:
    ending = END if prompt != "text" else finish("-")
    episode = done(env, prompt, reply, ending)

    assert [(each.tool, each.arguments) for each in episode.calls] == [
        ("calendar.search_events", {"query": "Retro"})
    ]
    assert (episode.status, [ask.reading for ask in episode.asks]) == ("finished", [reading, ""])


@pytest.mark.parametrize(
    "reply",
    [
        "I would call calendar.search_events to find it.",
        "calendar.search_events('Retro')",
        "calendar.search_events(query=name)",
        "search(query='Retro')",
        '{"tool": "calendar.search_events"}',
        '{"tool": "calendar.search_events", "arguments": "Retro"}',
        f"[[ ## tool ## ]]\n{SIGNATURE}",
        "[" * 3_000 + OBJECT,
        OBJECT[:-9],
    ],
)
def test_no_value_and_no_name_is_guessed(reply: str, env: Environment) -> None:
    episode = done(env, "text", reply, reply)

    assert (episode.status, list(episode.calls)) == ("invalid_reply", [])
    assert [ask.reading for ask in episode.asks] == ["unreadable"] * 2


@pytest.mark.parametrize(
    ("settings", "prompt", "held"),
    [
        ("constrained=json_schema", "json", True),
        ("constrained=json_schema", "text", False),
        ("", "json", False),
    ],
)
def test_a_server_gets_the_schema_of_a_reply_only_if_it_is_said_to_heed_it(
    settings: str, prompt: str, held: bool, env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with chat_server() as server:
        server.say(said(END if prompt == "json" else finish("-")))
        lm = resolve(f"hosted_vllm/m api_base={server.url} {settings}")
        assert run_agent(Agent("act", env, prompt=prompt), lm).episode.status == "finished"

    asked = server.bodies[0].get("response_format")
    assert (asked is not None) is held
    if asked is not None:
        schema = asked["json_schema"]["schema"]
        chosen = {each["properties"]["tool"]["enum"][0]: each["properties"] for each in schema["anyOf"]}
        assert chosen["finish"]["arguments"]["required"] == ["answer"]
