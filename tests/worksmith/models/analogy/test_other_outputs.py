"""Signatures other than one call at a time: plans, lists of calls, no demonstrations at all."""

from __future__ import annotations

import json

from dspy.lm15 import Message, Request

from tests.worksmith.models.analogy.garden import NOW, TOOLS, Show, ask, read
from worksmith.models.analogy import AnalogyEngine


def plain(demos: list[tuple[str, str]], task: str, output: str, kind: str) -> object:
    """The reply of a signature with one output."""
    turns = []
    for shown, reply in demos:
        turns.append(Message.user(f"[[ ## context ## ]]\n{NOW}\n\n[[ ## task ## ]]\n{shown}"))
        turns.append(Message.assistant(f"[[ ## {output} ## ]]\n{reply}\n\n[[ ## completed ## ]]"))
    query = f"[[ ## context ## ]]\n{NOW}\n\n[[ ## tools ## ]]\n{TOOLS}\n\n[[ ## task ## ]]\n{task}"
    turns.append(Message.user(query))
    system = f"1. `task` (str): in\nYour output fields are:\n1. `{output}` ({kind}): out"
    reply = AnalogyEngine().complete(Request("m", tuple(turns), system=system))
    return read(reply.message.text or "")[output]


def test_plan_is_adapted_to_the_task() -> None:
    demos = [
        ("Post 'Wet' on May 3.", "1. Check the rain of May 3.\n2. Post 'Wet'."),
        ("Drop 4 jobs.", "1. Find 4 jobs.\n2. Drop them."),
    ]

    assert (
        plain(demos, "Post 'Dry' on May 9.", "plan", "str") == "1. Check the rain of May 9.\n2. Post 'Dry'."
    )


def test_calls_are_filled_in_all_at_once() -> None:
    def calls(title: str, body: str) -> str:
        post = {"tool": "board.post", "arguments": {"title": title, "body": body}}
        return json.dumps([post, {"tool": "stop", "arguments": {"report": "Done."}}])

    demos = [
        ("Post 'Wet' saying 'Stay in'.", calls("Wet", "Stay in")),
        ("Post 'Hot' saying 'Hats'.", calls("Hot", "Hats")),
    ]

    reply = plain(demos, "Post 'Grey' saying 'Cheer up'.", "calls", "list[dict[str, Any]]")

    assert reply == json.loads(calls("Grey", "Cheer up"))


def test_calls_end_at_the_first_that_cannot_be_known() -> None:
    def calls(code: str) -> str:
        drop = {"tool": "jobs.drop", "arguments": {"job_id": code}}
        return json.dumps([drop, {"tool": "stop", "arguments": {"report": "Done."}}])

    demos = [("Drop the oldest job.", calls("000017")), ("Drop the newest job.", calls("004711"))]

    reply = plain(demos, "Drop the biggest job.", "calls", "list[dict[str, Any]]")

    assert reply == [{"tool": "stop", "arguments": {"report": "Done."}}]


def test_without_demonstrations_it_stops_when_nothing_fits() -> None:
    fields = ask([], Show("Compose a sonnet."))

    assert fields["tool"] == "stop"


def test_without_demonstrations_it_makes_one_call_at_most() -> None:
    searched = ("jobs.search", {"badge": "b"}), "[]"

    assert ask([], Show("Remove a job.", [searched]))["tool"] == "stop"


def test_thought_is_given_where_it_is_asked_for() -> None:
    assert "thought" in ask([], Show("Compose a sonnet."), ("thought", "tool", "arguments"))
