"""A small world that no part of the project knows: gardeners, beds and jobs. Prompts about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dspy.lm15 import Message, Request

from worksmith.models.analogy import AnalogyEngine

NOW = "Now: Thursday 2031-05-15 00:00. Working for: Robin."
TOOLS = """staff.find_badge(name: str = ''): Badge of a gardener.
  name: First name.
jobs.search(badge: str, kind: str = None): Jobs of a gardener, oldest first.
  badge: The gardener's badge.
  kind: weeding, watering or pruning.
jobs.drop(job_id: str): Remove a job.
  job_id: The job's id.
jobs.reassign(job_id: str, badge: str): Give a job to somebody.
  job_id: The job's id.
  badge: The new gardener's badge.
meters.rainfall(since: str, until: str): Millimetres of rain per day.
  since: First day.
  until: Last day.
meters.sunshine(since: str, until: str): Hours of sun per day.
  since: First day.
  until: Last day.
board.post(title: str, body: str): Put up a notice.
  title: Heading.
  body: Text.
stop(report: str): End the task, once everything asked for is done.
  report: What was done."""
STOP = ("stop", {"report": "Done."})

Call = tuple[str, Mapping[str, Any]]


@dataclass
class Show:
    """A demonstration, or the running episode: a task, and calls with what they gave."""

    task: str
    steps: Sequence[tuple[Call, Any]] = ()
    last: Call | None = STOP
    extra: Mapping[str, str] = field(default_factory=dict)


def ask(demos: Sequence[Show], query: Show, outputs: Sequence[str] = ("tool", "arguments")) -> dict[str, Any]:
    """The engine's reply, read back."""
    response = AnalogyEngine().complete(request(demos, query, outputs))
    return read(response.message.text or "")


def request(demos: Sequence[Show], query: Show, outputs: Sequence[str] = ("tool", "arguments")) -> Request:
    """The prompt as agents make it."""
    turns = [turn for demo in demos for turn in _turns(demo)]
    turns += _turns(Show(query.task, query.steps, None, {"tools": TOOLS, **query.extra}))
    return Request("local/analogy", tuple(turns), system=_system(outputs))


def read(text: str) -> dict[str, Any]:
    """The fields of a reply; JSON parsed."""
    fields = {}
    for block in text.split("[[ ## ")[1:]:
        name, _, value = block.partition(" ## ]]")
        value = value.strip()
        fields[name] = json.loads(value) if value[:1] in "{[" and value else value
    return fields


def call(demos: Sequence[Show], query: Show) -> Call:
    """Tool and arguments of the reply."""
    fields = ask(demos, query)
    return fields["tool"], fields["arguments"]


def job(number: int, due: str, kind: str = "weeding") -> dict[str, str]:
    """A job as the search shows it."""
    return {"job_id": f"{number:06}", "kind": kind, "due": due, "bed": f"bed {number % 7}"}


def _turns(show: Show) -> list[Message]:
    opening = {"context": NOW, "tools": show.extra.get("tools", ""), "task": show.task}
    opening |= {name: text for name, text in show.extra.items() if name != "tools"}
    turns = [Message.user(_fields({name: text for name, text in opening.items() if text}))]
    for (tool, arguments), observed in show.steps:
        turns.append(_reply(tool, arguments))
        text = observed if isinstance(observed, str) else json.dumps(observed)
        turns.append(Message.user(_fields({"observation": text})))
    if show.last is not None:
        turns.append(_reply(*show.last))
    return turns


def _reply(tool: str, arguments: Mapping[str, Any]) -> Message:
    texts = {"tool": tool, "arguments": json.dumps(arguments)}
    return Message.assistant(_fields(texts) + "\n\n[[ ## completed ## ]]")


def _fields(texts: Mapping[str, str]) -> str:
    return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in texts.items())


def _system(outputs: Sequence[str]) -> str:
    types = {"arguments": "dict[str, Any]", "calls": "list[dict[str, Any]]"}
    listed = "\n".join(f"{n}. `{name}` ({types.get(name, 'str')}): ..." for n, name in enumerate(outputs, 1))
    return (
        "Your input fields are:\n1. `context` (str): clock\n2. `tools` (str): tools\n3. `task` (str): task\n"
        f"Your output fields are:\n{listed}\n\n[[ ## completed ## ]]\n\nDo the task."
    )
