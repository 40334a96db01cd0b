"""Tools that reach outside never do so in a rehearsal: a twin or recorded replies stand in for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.own_data.desk import bare, call
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.world_kind import LIVE


class Mailer:
    """A system outside, which keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def declare(self, env: Environment, **stand_ins: Any) -> Environment:
        @env.tool(outside=True, **stand_ins)
        def send(ctx: Context, to: str, text: str = "") -> dict[str, Any]:
            """Send a mail."""
            if to == "nobody":
                raise ToolError("There is no such address.")
            self.sent.append(to)
            ctx["tickets"].update("T-1", status=f"mailed to {to}")
            return {"number": len(self.sent)}

        return env


def dry(ctx: Context, to: str, text: str = "") -> str:
    ctx["tickets"].update("T-1", status=f"would mail to {to}")
    return f"would send to {to}"


@pytest.fixture
def mailer() -> Mailer:
    return Mailer()


def test_without_a_stand_in_no_episode_starts(tmp_path: Path, mailer: Mailer) -> None:
    env = mailer.declare(bare(tmp_path))
    for start in (env.episode, env.check_records):
        with pytest.raises(InputError, match=r"tools\.send would reach outside.*give it a twin or a record"):
            start()
    env.connect(LIVE)

    assert call(env, "tools.send", to="ann").value == {"number": 1}


def test_a_twin_stands_in_and_its_changes_are_rolled_back_like_all(tmp_path: Path, mailer: Mailer) -> None:
    env = mailer.declare(bare(tmp_path), twin=dry)
    episode = env.episode()

    assert episode.call("tools.send", {"to": "ann"}).text == "would send to ann"
    assert [change.after for change in episode.outcome().changes] == [{"status": "would mail to ann"}]
    assert mailer.sent == []


def test_live_calls_are_recorded_and_then_replayed_to_whom_they_were_made_for(
    tmp_path: Path, mailer: Mailer
) -> None:
    def made() -> Environment:
        return mailer.declare(bare(tmp_path), record=tmp_path / "replies" / "mails.jsonl")

    live = made()
    live.connect(LIVE)
    assert call(live, "tools.send", to="bo", text="Hello").value == {"number": 1}
    assert call(live, "tools.send", to="nobody").status == "tool_error"
    again = made()

    assert again.digest != live.digest
    assert call(again, "tools.send", to="bo", text="Hello").value == {"number": 1}
    assert call(again, "tools.send", to="nobody").text == "There is no such address."
    unknown = call(again, "tools.send", to="cy")
    assert (unknown.status, unknown.text) == (
        "tool_error",
        "tools.send is not connected, and no reply to this call is recorded.",
    )
    assert call(again, "tools.send", "bo", to="bo", text="Hello").status == "tool_error"
    assert mailer.sent == ["bo"]


def test_replies_can_be_written_by_hand_and_a_twin_answers_the_rest(tmp_path: Path, mailer: Mailer) -> None:
    file = tmp_path / "mails.jsonl"
    said = {"tool": "tools.send", "arguments": {"to": "bo", "text": ""}, "reply": "sent"}
    file.write_text(json.dumps(said) + "\n")
    env = mailer.declare(bare(tmp_path), record=file, twin=dry)

    assert call(env, "tools.send", to="bo").text == "sent"
    assert call(env, "tools.send", to="cy").text == "would send to cy"


def test_the_order_in_which_replies_were_recorded_is_not_in_the_digest(
    tmp_path: Path, mailer: Mailer
) -> None:
    lines = [
        json.dumps({"tool": "tools.send", "arguments": {"to": to, "text": ""}, "reply": to}) for to in "ab"
    ]
    files = {"one.jsonl": lines, "other.jsonl": lines[::-1], "more.jsonl": [*lines, lines[0][:-2] + 'c"}']}
    for name, content in files.items():
        (tmp_path / name).write_text("\n".join(content) + "\n")
    one, other, more = (mailer.declare(bare(tmp_path), record=tmp_path / name).digest for name in files)
    assert one == other != more


@pytest.mark.parametrize(
    "line", ['{"tool": "tools.send"}', '{"tool": "a", "arguments": {}, "url": "x"}', "x"]
)
def test_a_damaged_record_is_told_before_the_first_episode(tmp_path: Path, mailer: Mailer, line: str) -> None:
    file = tmp_path / "mails.jsonl"
    file.write_text(line + "\n")
    env = mailer.declare(bare(tmp_path), record=file)
    with pytest.raises(InputError, match=r"mails\.jsonl:1: not a recorded reply"):
        env.check()


def test_expectations_are_worked_out_without_calls_outside(tmp_path: Path, mailer: Mailer) -> None:
    env = mailer.declare(bare(tmp_path), twin=dry)
    env.connect(LIVE)

    assert env.episode(rehearsal=True).call("tools.send", {"to": "ann"}).text == "would send to ann"
    assert mailer.sent == []


def test_stand_ins_that_cannot_stand_in_are_refused(tmp_path: Path, mailer: Mailer) -> None:
    def short(ctx: Context, to: str) -> str:
        return ""

    env = bare(tmp_path)
    with pytest.raises(InputError, match=r"twin of .*send.*: it takes \(to\) and the tool \(to, text\)"):
        mailer.declare(env, twin=short)
    with pytest.raises(InputError, match="a twin is a plain function"):
        mailer.declare(env, twin="short")

    def send(ctx: Context, to: str, text: str = "") -> str:
        """Send."""
        return ""

    with pytest.raises(
        InputError, match=r"only a tool that reaches outside has a stand-in .add outside=True"
    ):
        env.tool(twin=dry)(send)
