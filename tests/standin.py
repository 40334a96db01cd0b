"""A model in the place of a language model: it copies what the demonstrations of its prompt show.

It finds the demonstration whose request is most like the one at hand, and says what was said there with the
words that differ exchanged. Without one that is alike it ends the task. So a program does better with
demonstrations than without, in milliseconds, and the same in each run. Tests need no more of it.

A conversation is an opening, then replies and observations in turn; the last one is the one to go on with.
Nothing else is known of the forms of prompts.

It answers tests that name no model, see `conftest.py`. Commands in processes of their own name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, ToolCallPart, Usage

NAME = "tests.standin:lm"
"""Its name for `--lm`, and wherever else a model has a name."""

_ALIKE = 0.5
"""The share of words that requests of one kind have in common."""

_TASK = re.compile(
    r"(?:\[\[ ## task ## ]]\n|^Task: )(.*?)(?=\n\n\[\[|\n\nRespond with|\n[A-Z]\w+: |\Z)", re.S | re.M
)
_PIECE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|[\w@.+-]*[\w@+-]|[^\w\s]")
_SLOT = re.compile(r"['\"].*|.*[\d@].*|[A-Z].*")
_OUTPUTS = re.compile(r"^\d+\. `(\w+)` \((.*?)\)", re.M)


@dataclass
class Talk:
    """A conversation: its opening, and the replies and observations after it."""

    opening: str
    replies: list[Message] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)

    @property
    def task(self) -> str:
        found = _TASK.search(self.opening)
        return found[1].strip() if found else self.opening


class Standin:
    """The engine of the model."""

    supports_function_calling = True
    digest = "standin"

    def complete(self, request: Request) -> Response:
        *shown, now = _talks(request.messages)
        said = _copied(shown, now) or _ending(request)
        text = _text(said)
        read = sum(len(_text(message).split()) for message in request.messages)
        spent = len(text.split())
        calls = any(isinstance(part, ToolCallPart) for part in said.parts)
        return Response(
            id=None,
            model=request.model,
            message=said,
            finish_reason="tool_call" if calls else "stop",
            usage=Usage(input_tokens=read, output_tokens=spent, total_tokens=read + spent),
        )


def lm() -> dspy.LM:
    return dspy.LM("local/standin", engine=Standin(), cache=False, num_retries=0)


def _talks(messages: Sequence[Message]) -> list[Talk]:
    talks: list[Talk] = []
    for message in messages:
        text = _text(message)
        if message.role == "assistant":
            talks[-1].replies.append(message)
        elif message.role == "tool" or (talks and _is_observation(text, talks[-1])):
            talks[-1].observations.append(text)
        elif message.role == "user":
            talks.append(Talk(text))
    return talks


def _is_observation(text: str, talk: Talk) -> bool:
    if text.startswith("[[ ## "):
        return text.startswith("[[ ## observation ## ]]")
    return _TASK.search(text) is None and _TASK.search(talk.opening) is not None


def _copied(shown: Sequence[Talk], now: Talk) -> Message | None:
    """The next reply of the demonstration that is most like the conversation; None if none is alike."""
    usable = [talk for talk in shown if talk.replies]
    if not usable:
        return None
    likeness = [_likeness(talk.task, now.task) for talk in usable]
    best = max(likeness)
    if best < _ALIKE:
        return None
    talk = usable[likeness.index(best)]
    reply = talk.replies[min(len(now.replies), len(talk.replies) - 1)]
    return _exchanged(reply, _slots(talk, now))


def _likeness(one: str, other: str) -> float:
    ours, theirs = _kind(one), _kind(other)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs) or 1)


@lru_cache(maxsize=4096)
def _kind(task: str) -> frozenset[str]:
    """The words of a request that tell its kind."""
    return frozenset(piece for piece in _PIECE.findall(task) if not _SLOT.fullmatch(piece)) | {
        task.split(maxsplit=1)[0] if task.strip() else ""
    }


def _slots(talk: Talk, now: Talk) -> dict[str, str]:
    """What stands in the conversation in the place of the demonstration's words, the longest first."""
    found: dict[str, str] = {}
    for index in range(min(len(talk.observations), len(now.observations))):
        found |= dict(_leaves(_read(talk.observations[index]), _read(now.observations[index])))
    ours, theirs = _PIECE.findall(talk.task), _PIECE.findall(now.task)
    for change, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if change == "replace":
            if b - a == d - c:
                found |= dict(zip(map(_bare, ours[a:b]), map(_bare, theirs[c:d]), strict=True))
            found[_bare(" ".join(ours[a:b]))] = _bare(" ".join(theirs[c:d]))
    pairs = {old: new for old, new in found.items() if old and old != new}
    return dict(sorted(pairs.items(), key=lambda pair: -len(pair[0])))


def _bare(piece: str) -> str:
    return piece.strip("'\"")


def _read(observation: str) -> Any:
    text = observation.removeprefix("[[ ## observation ## ]]").strip()
    try:
        return json.loads(text)
    except ValueError:
        return text


def _leaves(ours: Any, theirs: Any) -> Iterator[tuple[str, str]]:
    """Values in the same place of two observations."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in ours.keys() & theirs.keys():
            yield from _leaves(ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list):
        for one, other in reversed(list(zip(ours, theirs, strict=False))):
            yield from _leaves(one, other)
    elif isinstance(ours, str | int | float) and isinstance(theirs, str | int | float):
        yield str(ours), str(theirs)


def _exchanged(reply: Message, slots: Mapping[str, str]) -> Message:
    if not slots:
        return reply
    anywhere = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, slots)) + r")(?![\w-])")

    def exchanged(text: str) -> str:
        return anywhere.sub(lambda found: slots[found[0]], text)

    parts: list[Any] = []
    for part in reply.parts:
        if isinstance(part, ToolCallPart):
            given = json.loads(exchanged(json.dumps(part.input, ensure_ascii=False)))
            parts.append(ToolCallPart(part.id, part.name, given))
        elif isinstance(part, TextPart):
            parts.append(TextPart(exchanged(part.text)))
    return Message.assistant(parts)


def _ending(request: Request) -> Message:
    """A reply that ends the task, or says nothing in each of the fields that are asked for."""
    if request.tools:
        tool = request.tools[-1]
        answer = dict.fromkeys(tool.parameters.get("required", ()), "")
        return Message.assistant([ToolCallPart(f"call{len(request.messages)}", tool.name, answer)])
    system = request.system if isinstance(request.system, str) else ""
    outputs = _OUTPUTS.findall(system.partition("Your output fields are:")[2].partition("\n\n")[0])
    fields = {name: _nothing(name, kind) for name, kind in outputs}
    as_json = "JSON object" in _text(request.messages[-1])[-300:] or not outputs
    if not outputs:
        fields = {"tool": "finish", "arguments": {"answer": ""}}
    if as_json:
        return Message.assistant([TextPart(json.dumps(fields))])
    blocks = [f"[[ ## {n} ## ]]\n{v if isinstance(v, str) else json.dumps(v)}" for n, v in fields.items()]
    return Message.assistant([TextPart("\n\n".join([*blocks, "[[ ## completed ## ]]"]))])


def _nothing(name: str, kind: str) -> Any:
    if name == "tool":
        return "finish"
    if kind.startswith("dict"):
        return {"answer": ""} if name == "arguments" else {}
    if kind.startswith(("list", "tuple", "set")):
        return []
    return {"bool": False, "int": 0, "float": 0.0}.get(kind, "")


def _text(message: Message) -> str:
    return "".join(_of_part(part) for part in message.parts)


def _of_part(part: Any) -> str:
    if isinstance(part, ToolCallPart):
        return f"{part.name} {json.dumps(part.input)}"
    text = getattr(part, "text", None)
    if text is None:
        return "".join(_of_part(inner) for inner in getattr(part, "content", ()) or ())
    return str(text)
