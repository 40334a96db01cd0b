"""Tools of an MCP server in an environment: outside in rehearsals, called live, compared with a list."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.own_data.desk import bare, call
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.world_kind import LIVE

SERVER = Path(__file__).parent / "mcp_server.py"
COMMAND = (sys.executable, str(SERVER))
ODD = (sys.executable, str(SERVER.with_name("odd_mcp_server.py")))
TOOLS: list[dict[str, Any]] = [
    {
        "name": "get-rain",
        "description": "Rain.\n\nArgs:\n    city: a town",
        "input_schema": {"properties": {"city": {}}},
    },
    {"name": "get_sun", "description": ""},
    {"name": "set_sun", "description": "Let it shine."},
]


def listed(folder: Path, tools: Any = TOOLS) -> Path:
    file = folder / "weather.json"
    file.write_text(json.dumps({"tools": tools}))
    return file


def with_list(folder: Path, tools: Any = TOOLS, **settings: Any) -> Environment:
    """An environment whose server is not there, and whose list of tools is."""
    env = bare(folder)
    env.add_mcp("no-such-command --x", toolkit="weather", listing=listed(folder, tools), **settings)
    return env


def test_a_list_in_a_file_needs_no_server_and_names_what_would_reach_outside(tmp_path: Path) -> None:
    env = with_list(tmp_path)
    tools = {tool.name: tool for tool in env.kind.toolkits[0].tools}

    assert list(tools) == ["weather.get_rain", "weather.get_sun", "weather.set_sun"]
    assert tools["weather.get_rain"].text.endswith("Rain.\n  city: a town")
    assert all(tool.writes for tool in tools.values())
    with pytest.raises(InputError, match=r"weather\.get_rain, .* would reach outside.*twin or a record"):
        env.episode()


def test_tools_are_chosen_and_read_by_the_users_word(tmp_path: Path) -> None:
    env = with_list(tmp_path, only=["get*"], reads=["*_sun"], record=tmp_path / "replies.jsonl")

    assert [(tool.name, tool.writes) for tool in env.kind.toolkits[0].tools] == [
        ("weather.get_rain", True),
        ("weather.get_sun", False),
    ]
    assert "no reply to this call is recorded" in call(env, "weather.get_sun").text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"only": ["put_*"]}, r"only: the server has no tool 'put_\*'"),
        ({"only": "get_sun"}, "is one text"),
        ({"reads": ["rain"]}, "reads: the server has no tool 'rain'.*did you mean|there are"),
        ({"twins": {"snow": lambda ctx: ""}}, "twins: there is no tool 'snow'"),
        ({"twins": {"get_sun": lambda ctx, a: ""}}, r"twin of the tool get_sun of .*: it takes \(a\)"),
        ({"headers": {"a": "b"}}, "only a server at an address gets headers"),
        ({"tools": [*TOOLS, {"name": "finish"}]}, "no tool can be called finish"),
        ({"tools": [*TOOLS, {"name": "get_rain"}]}, "a tool weather.get_rain already .see the tool get-rain"),
        ({"tools": [*TOOLS, TOOLS[0]]}, "two of its tools are called get-rain"),
        ({"tools": []}, "it has no tools"),
        ({"tools": [{"title": "x"}]}, "not a list of an MCP server's tools"),
    ],
)
def test_what_cannot_be_is_told_at_once(tmp_path: Path, settings: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_list(tmp_path, **settings)


def test_what_a_server_says_of_a_tool_is_in_the_digest(tmp_path: Path) -> None:
    def digest(*tools: Any) -> str:
        return with_list(tmp_path, tools, record=tmp_path / "r.jsonl").digest

    rain, sun, _ = TOOLS
    assert digest(rain, sun) == digest(sun, rain)
    others = ([rain], [rain, {**sun, "description": "Sun"}], [{**rain, "input_schema": {}}, sun])
    assert len({digest(rain, sun), *(digest(*each) for each in others)}) == 4


@pytest.mark.slow
def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    env = bare(tmp_path)
    for server in (
        "no-such-command",
        f"http://127.0.0.1:{free_port()}/mcp",
        [sys.executable, "-c", "print(1)"],
    ):
        with pytest.raises(InputError, match="the MCP server weather: "):
            env.add_mcp(server, toolkit="weather")
    with pytest.raises(InputError, match=r"no answer within 0\.2 s"):
        env.add_mcp([sys.executable, "-c", "import time; time.sleep(9)"], toolkit="weather", seconds=0.2)
    with pytest.raises(InputError, match="it said: oh no"):
        env.add_mcp([sys.executable, "-c", "import sys; sys.exit('oh no')"], toolkit="weather")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("mcp")
    port = free_port()
    with subprocess.Popen([*COMMAND, str(port)], stderr=subprocess.DEVNULL) as running:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert running.poll() is None
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
        running.terminate()


@pytest.fixture(scope="module", params=["stdio", "http"])
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    pytest.importorskip("mcp")
    http = request.param == "http"
    folder = tmp_path_factory.mktemp(request.param)
    env = bare(folder)
    env.add_mcp(
        request.getfixturevalue("address") if http else COMMAND,
        toolkit="weather",
        record=folder / "replies.jsonl",
        listing=folder / "weather.json",
        headers={"Authorization": "Bearer x"} if http else None,
    )
    env.connect(LIVE)
    return env


@pytest.mark.slow
def test_live_calls_reach_the_server_and_are_recorded(live: Environment) -> None:
    made = call(live, "weather.forecast", city="Rome", days=2)
    assert made.value == {"city": "Rome", "days": 2, "sky": "clear"}
    assert call(live, "weather.forecast", city="Rome").value["days"] == 1
    assert call(live, "weather.send_mail", to=["ann", "bo"]).text == "sent to ann bo"
    assert call(live, "weather.photo").text == "here:\n[image: image/png]"
    refused = call(live, "weather.forecast", city="Atlantis")
    assert (refused.status, "there is no such city" in refused.text) == ("tool_error", True)
    assert call(live, "weather.forecast").status == "bad_arguments"

    folder = live.world.path.parent.parent
    again = bare(folder)
    again.add_mcp("gone", toolkit="weather", listing=folder / "weather.json", record=folder / "replies.jsonl")
    assert call(again, "weather.forecast", city="Rome", days=2).value == made.value
    assert call(again, "weather.forecast", city="Atlantis").text == refused.text
    assert [[tool.text for tool in env.kind.toolkits[0].tools] for env in (again, live)] == [
        [
            "weather.forecast(city: str, days=1): The weather of the next days."
            "\n  city: by its English name.",
            "weather.photo(): A photo.",
            "weather.send_mail(to: list[str], text=''): Send a mail.",
        ]
    ] * 2


@pytest.mark.slow
def test_threads_share_one_connection(live: Environment) -> None:
    with ThreadPoolExecutor(8) as pool:
        days = list(pool.map(lambda n: call(live, "weather.forecast", city="Rome", days=n), range(2, 34)))

    assert [each.value["days"] for each in days] == list(range(2, 34))


def odd(folder: Path, **settings: Any) -> Environment:
    """An environment with a server that misbehaves."""
    env = bare(folder)
    env.add_mcp(ODD, toolkit="odd", **settings)
    return env


@pytest.mark.slow
def test_a_server_gets_what_it_is_given_and_starts_again_when_it_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp")
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-servers")
    env = odd(tmp_path, variables={"WEATHER_KEY": "given"}, only=["secret", "die"])
    env.connect(LIVE)

    assert call(env, "odd.secret").text == "given"
    with pytest.raises(InfrastructureError, match=r"Connection closed; it said: .*I am dying"):
        call(env, "odd.die")
    assert call(env, "odd.secret").text == "given"


@pytest.mark.slow
def test_a_server_with_other_tools_is_not_called(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    file = tmp_path / "tools.json"
    odd(tmp_path, listing=file)
    told = json.loads(file.read_text())
    told["tools"][0]["description"] = "Another one."
    file.write_text(json.dumps(told))
    env = odd(tmp_path, listing=file, variables={"MORE": "one_more"})

    with pytest.raises(InputError, match="have changed: die: another description; one_more is new; make"):
        env.connect(LIVE)
    env.backend = LIVE
    with pytest.raises(InfrastructureError, match="have changed"):
        call(env, "odd.secret")


@pytest.mark.slow
def test_garbage_is_the_servers_failure_and_wrong_arguments_are_the_agents(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    env = odd(tmp_path, seconds=2.5)
    env.connect(LIVE)

    for name, said in {
        "garbage": "validation error",
        "trouble": "out of order",
        "stay": "no answer within",
    }.items():
        with pytest.raises(InfrastructureError, match=f"the MCP server odd: .*{said}"):
            call(env, f"odd.{name}")
    refused = call(env, "odd.refuse")
    assert (refused.status, refused.text) == ("tool_error", "refuse takes nothing")
    assert call(env, "odd.long").text.endswith("xxx\n[10,000 more characters]")


SCRIPT = """
import sys
from pathlib import Path
from tests.tools.kinds.own_data.desk import bare, call
env = bare(Path(sys.argv[1]))
env.add_mcp(sys.argv[2:], toolkit="odd", variables={"STAYS": "60"})
env.connect("live")
print(call(env, "odd.number").text)
"""


@pytest.mark.slow
def test_a_server_ends_with_the_process(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), *ODD],
        cwd=Path(__file__).parents[4],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
    assert done.stderr == ""
