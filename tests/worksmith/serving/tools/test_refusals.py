"""What no client may do: each attempt gets an error or a text, and changes nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tools.serving.odd_bodies import odd_bodies

pytest.importorskip("mcp")

from tests.e2e.conftest import invoke
from tests.worksmith.serving.tools.running import (
    CLOSE,
    HELLO,
    Served,
    begun,
    make_suite,
    request,
    served,
    settings,
)
from worksmith.evals.progress.progress import SILENT
from worksmith.evals.suite import Suite
from worksmith.serving.tools import http as serving
from worksmith.serving.tools.opening import episodes_of
from worksmith.tools.errors import InputError

NAME, ARGUMENTS = CLOSE


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
def at(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(suite, tmp_path_factory.mktemp("logs") / "log.jsonl", task="close") as running:
        yield running


@pytest.fixture
def http(at: Served) -> Iterator[httpx.Client]:
    """A client with a session."""
    with at.http() as client:
        client.headers["Mcp-Session-Id"] = begun(client)
        yield client


def call(http: httpx.Client, /, name: str = NAME, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = http.post("", json=request("tools/call", name=name, arguments=arguments)).json()
    return found


def unchanged(http: httpx.Client, at: Served) -> bool:
    """Whether the session still answers, and has changed nothing when it ends."""
    assert http.post("", json=request("ping")).json()["result"] == {}
    assert http.delete("").status_code == 200
    return at.records[-1].changes == ()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer somebody-elses-token"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Mcp-Session-Id": "0" * 32}, 404),
        ({"Mcp-Session-Id": ""}, 404),
    ],
)
def test_requests_of_others_are_refused(
    at: Served, http: httpx.Client, headers: dict[str, str], status: int
) -> None:
    reply = http.post("", json=request("tools/call", name=NAME, arguments=ARGUMENTS), headers=headers)

    assert reply.status_code == status
    assert unchanged(http, at)


def test_no_other_name_in_arguments_or_headers_changes_who_asks(at: Served, http: httpx.Client) -> None:
    for arguments in ({**ARGUMENTS, "persona": "bo"}, {"ticket_id": "T-2"}, {"ticket_id": "T-2", "as": "bo"}):
        http.headers.update({"X-Persona": "bo", "X-Forwarded-User": "bo"})
        result = call(http, **arguments)["result"]
        assert result["isError"], result
    assert call(http, "finish", answer="", persona="bo")["result"]["isError"]
    assert unchanged(http, at)


def test_an_ended_session_is_no_way_to_another(at: Served, http: httpx.Client) -> None:
    ended = http.headers["Mcp-Session-Id"]
    assert http.delete("").status_code == 200
    http.headers.pop("Mcp-Session-Id")
    http.headers["Mcp-Session-Id"] = begun(http)
    reply = http.post(
        "", json=request("tools/call", name=NAME, arguments=ARGUMENTS), headers={"Mcp-Session-Id": ended}
    )

    assert (reply.status_code, reply.json()["error"]["message"]) == (404, "The session is unknown")
    assert unchanged(http, at)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"name": "tools__no_such", "arguments": {}}, f"not a valid tool, try one of [{NAME}, "),
        ({"name": "next_task", "arguments": {}}, "not a valid tool"),
        ({"name": NAME}, "Field required"),
        ({"name": NAME, "arguments": {"ticket_id": ["T-1"]}}, "ticket_id"),
        ({"name": NAME, "arguments": {"ticket_id": {"a": 1}}}, "ticket_id"),
    ],
)
def test_wrong_calls_get_a_text(at: Served, http: httpx.Client, params: Any, said: str) -> None:
    result = http.post("", json=request("tools/call", **params)).json()["result"]

    assert (result["isError"], said in result["content"][0]["text"]) == (True, True)
    assert unchanged(http, at)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32700),
        (b"[]", -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"other"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"worksmith/persona"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc"}}', -32601),
        *((body, None) for body in odd_bodies(b'{"jsonrpc":"2.0","id":"1","method":"ping"}', b'"1"')),
    ],
)
def test_malformed_messages_get_an_error(
    at: Served, http: httpx.Client, message: bytes, code: int | None
) -> None:
    reply = http.post("", content=message, headers={"Content-Type": "application/json"})

    assert reply.json()["error"]["code"] == code or (code is None and reply.status_code == 400)
    assert unchanged(http, at)


def test_a_message_that_is_too_long_is_refused(at: Served, http: httpx.Client) -> None:
    reply = http.post(
        "", content=b" " * (serving.LONGEST_BODY + 1), headers={"Content-Type": "application/json"}
    )

    assert reply.status_code == 413
    assert unchanged(http, at)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PUT", ""), ("POST", "/other"), ("POST", "/..")])
def test_there_is_one_address_with_two_methods(
    at: Served, http: httpx.Client, method: str, path: str
) -> None:
    reply = http.request(method, path, json=request("ping"))

    assert reply.status_code == (404 if path else 405)
    assert unchanged(http, at)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request("tools/call", name=NAME, arguments=ARGUMENTS), -32600),
        (request("initialize"), -32602),
        (request("initialize", **{**HELLO, "clientInfo": 1}), -32602),
        ({"jsonrpc": "2.0", "method": "initialize", "params": HELLO}, -32600),
    ],
)
def test_only_initialize_begins_a_session(at: Served, message: Any, code: int) -> None:
    with at.http() as client:
        reply = client.post("", json=message)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, code)
    assert "mcp-session-id" not in reply.headers


def test_versions_without_sessions_are_told_which_to_use(at: Served) -> None:
    with at.http() as client:
        reply = client.post(
            "", json=request("server/discover"), headers={"Mcp-Protocol-Version": "2026-07-28"}
        )

    error = reply.json()["error"]
    assert error["code"] == -32022
    assert ("2025-11-25" in error["data"]["supported"], error["data"]["requested"]) == (True, "2026-07-28")


def test_there_are_only_so_many_sessions(at: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_SESSIONS", 1)
    with at.http() as client:
        for _ in range(2):
            session = begun(client)
            assert client.post("", json=request("initialize", **HELLO)).status_code == 503
            client.delete("", headers={"Mcp-Session-Id": session})


def test_an_id_that_is_being_answered_is_not_taken_twice(
    suite: Suite, at: Served, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on = threading.Event(), threading.Event()
    show = suite.env.kind.toolset(None, ())["reading.show"].function

    def slow(*given: Any, **arguments: Any) -> Any:
        asked.set()
        go_on.wait(10)
        return show(*given, **arguments)

    monkeypatch.setattr(suite.env.kind.toolset(None, ())["reading.show"], "function", slow)
    read = {"name": "reading__show", "arguments": {"table": "tickets", "key": "T-1"}}
    first: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: first.append(http.post("", json=request("tools/call", **read))))
    thread.start()
    assert asked.wait(10)
    second = http.post("", json=request("ping"))
    go_on.set()
    thread.join()

    assert (second.status_code, first[0].status_code) == (400, 200)
    assert unchanged(http, at)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the tasks of clients are missing"),
        ({"task": "close", "all_tasks": True}, "one task, or there are all"),
        ({"task": "nothing"}, "no task 'nothing'"),
        ({"task": "close", "persona": "bo"}, "it is ann who asks in task close, not bo"),
        ({"task": "close", "persona": "nobody"}, "nobody"),
        ({"persona": "nobody"}, "nobody"),
        ({"persona": "ann", "toolset": "nothing"}, "nothing"),
        ({"task": "close", "toolset": "retrieved:3"}, "own agent gets its tools once"),
        ({"all_tasks": True, "toolset": "required"}, "each task requires other tools"),
        ({"all_tasks": True, "split": "dev"}, "has no tasks"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    suite: Suite, tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    log = tmp_path / "log.jsonl"
    with pytest.raises(InputError, match=said), episodes_of(suite, settings(suite, log=log, **given), SILENT):
        pass


def test_without_the_sdk_the_extra_is_named(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)

    result = invoke("serve", "tools", suite.path, "--task", "close")

    assert "[mcp]" in str(result.exception)
