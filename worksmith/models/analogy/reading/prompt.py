"""Reading a request: demonstrations, query, fields and tools."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from worksmith.models.analogy.reading.native import described, text_turns

if TYPE_CHECKING:
    from dspy.lm15 import Request

_HEADER = re.compile(r"^\[\[ ## (\w+) ## \]\][ \t]*", re.MULTILINE)
_MARKER = "[[ ## "
_FIELD = re.compile(r"^\s*\d+\. `(\w+)` \((.*?)\)", re.MULTILINE)
_CLOCK = re.compile(r"\b(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)")
_TOOL = re.compile(r"^([\w.]+)\((.*?)\)\s*:?\s*(.*)$", re.MULTILINE)
_SPEAKERS = ("user", "assistant")
_NUMBERED = re.compile(r"^\s*\d+[.)] ")


@dataclass(frozen=True)
class Step:
    """One assistant turn with the reply to it.

    Attributes:
        fields: the output fields as text.
        data: those of them that are JSON objects or lists, parsed.
        reply: the user turn after it, without markers; None for the last step of a demonstration.
    """

    fields: Mapping[str, str]
    data: Mapping[str, Any]
    reply: str | None


@dataclass(frozen=True, eq=False)
class Conversation:
    """A demonstration, or the query: the fields of its first user turn and the steps after it.

    The same turns give the same object (while it is remembered), so it is compared by identity.
    """

    inputs: Mapping[str, str]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Layout:
    """The layout of the reply.

    Attributes:
        outputs: field names in order.
        tool: the field that names a tool, if there is one.
        arguments: the field with the tool's arguments.
        lists: fields that hold JSON lists.
        names: the tools on offer, where replies are lists (there they tell one element from another).
        end: name of the closing marker; empty when there is none.
        as_json: whether the reply is one JSON object instead of marked fields.
    """

    outputs: tuple[str, ...]
    tool: str | None
    arguments: str | None
    lists: tuple[str, ...]
    names: frozenset[str]
    end: str
    as_json: bool


@dataclass(frozen=True)
class ToolNote:
    name: str
    arguments: tuple[str, ...]
    text: str

    @property
    def notes(self) -> Mapping[str, str]:
        lines = (line.strip().partition(":") for line in self.text.splitlines()[1:])
        return {name: note.strip() for name, colon, note in lines if colon}


@dataclass(frozen=True)
class Prompt:
    """A request, taken apart.

    Attributes:
        tokens: of the prompt, estimated.
        calls: the number of native calls in the chat so far; None where calls are text.
    """

    layout: Layout
    demos: tuple[Conversation, ...]
    query: Conversation
    tools: tuple[ToolNote, ...]
    tokens: int
    calls: int | None = None


def read_request(request: Request) -> Prompt:
    """Take `request` apart. Total: any text gives some prompt."""
    system = _plain(request.system)
    system += "".join(message.text or "" for message in request.messages if message.role == "developer")
    calls = None
    if request.tools:
        turns, types = text_turns(request.messages)
        calls = sum(part.type == "tool_call" for message in request.messages for part in message.parts)
    else:
        turns = [(each.role, each.text or "") for each in request.messages if each.role in _SPEAKERS]
        types = _declared_outputs(system)
    conversations = _conversations(turns)
    native = (ToolNote(*described(each)) for each in request.tools if each.type == "function")
    tools = tuple(native) if request.tools else _tools(conversations[-1])
    layout = _layout(system, types, turns, conversations, tools)
    tokens = count_tokens(system) + sum(count_tokens(text) for _, text in turns)
    tokens += sum(count_tokens(f"{each.name} {each.text}") for each in tools) if request.tools else 0
    demos = tuple(conversation for conversation in conversations[:-1] if conversation.steps)
    return Prompt(layout, demos, conversations[-1], tools, tokens, calls)


def count_tokens(text: str) -> int:
    """The number of tokens, estimated: four characters each."""
    return (len(text) + 3) // 4


def task_of(inputs: Mapping[str, str]) -> str:
    """The input field with the task: not the tool list, not the clock, not a numbered plan."""
    clock = _clock_field(inputs)
    rest = [text for name, text in inputs.items() if name != clock and not _is_tool_list(text)]
    return ([text for text in rest if not _is_numbered(text)] or rest or list(inputs.values()) or [""])[0]


def clock_of(inputs: Mapping[str, str]) -> str:
    """The date and time that the inputs state as now, `YYYY-MM-DD HH:MM`; empty when they state none."""
    field = _clock_field(inputs)
    found = _CLOCK.search(inputs[field]) if field is not None else None
    return f"{found[1]} {found[2]}" if found else ""


def _clock_field(inputs: Mapping[str, str]) -> str | None:
    """The first field whose first paragraph is short and has a date and a time of day."""
    heads = {name: text.partition("\n\n")[0] for name, text in inputs.items()}
    return next((name for name, head in heads.items() if len(head) < 200 and _CLOCK.search(head)), None)


def _plain(system: Any) -> str:
    if system is None or isinstance(system, str):
        return system or ""
    return "".join(getattr(part, "text", "") for part in system)


def _sections(text: str) -> dict[str, str]:
    found = list(_HEADER.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return {m[1]: text[m.end() : end].strip() for m, end in zip(found, ends, strict=False)}


def _inputs(text: str) -> dict[str, str]:
    """The fields of a user turn, without the reminder of the format that may follow the last one."""
    fields = _sections(text)
    for name, value in fields.items():
        if _MARKER in value:
            paragraphs = value.split("\n\n")
            fields[name] = "\n\n".join(p for p in paragraphs if _MARKER not in p).strip()
    return fields or {"": text.strip()}


def _conversations(turns: Sequence[tuple[str, str]]) -> list[Conversation]:
    """Split the turns where a user turn repeats a field of the very first one."""
    groups: list[list[tuple[str, str]]] = []
    first: set[str] = set()
    for role, text in turns:
        names = set(_HEADER.findall(text)) if role == "user" else set()
        first = first or names
        if not groups or (role == "user" and (first & names or not first)):
            groups.append([])
        groups[-1].append((role, text))
    return [_conversation(tuple(group)) for group in groups] or [Conversation({}, ())]


@lru_cache(maxsize=2048)
def _conversation(turns: tuple[tuple[str, str], ...]) -> Conversation:
    inputs = _inputs(turns[0][1]) if turns[0][0] == "user" else {}
    steps: list[Step] = []
    for role, text in turns:
        if role == "assistant":
            fields = _outputs(text)
            data = {name: value for name, value in map(_parsed, fields.items()) if value is not None}
            steps.append(Step(fields, data, None))
        elif steps:
            last = steps.pop()
            steps.append(Step(last.fields, last.data, next(iter(_inputs(text).values()))))
    return Conversation(inputs, tuple(steps))


def _outputs(text: str) -> dict[str, str]:
    fields = _sections(text)
    if fields:
        return fields
    value = read_json(text)
    if isinstance(value, dict):
        return {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in value.items()}
    return {"": text.strip()}


def _parsed(item: tuple[str, str]) -> tuple[str, Any]:
    value = read_json(item[1]) if item[1][:1] in ("{", "[") else None
    return item[0], value


def read_json(text: str) -> Any:
    """The JSON value of a text; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tools(query: Conversation) -> tuple[ToolNote, ...]:
    text = next((text for text in query.inputs.values() if _is_tool_list(text)), "")
    found = list(_TOOL.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    notes = []
    for match, end in zip(found, ends, strict=False):
        names = tuple(re.findall(r"(?:^|,\s*)(\w+)\s*[:=]", match[2])) or tuple(re.findall(r"\w+", match[2]))
        notes.append(ToolNote(match[1], names, text[match.start(3) : end]))
    return tuple(notes)


def _is_tool_list(text: str) -> bool:
    return len(_TOOL.findall(text)) >= 2 or bool(_TOOL.match(text))


def _is_numbered(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and sum(bool(_NUMBERED.match(line)) for line in lines) * 2 > len(lines)


def _layout(
    system: str,
    types: Mapping[str, str],
    turns: Sequence[tuple[str, str]],
    conversations: Sequence[Conversation],
    tools: Sequence[ToolNote],
) -> Layout:
    steps = [step for conversation in conversations for step in conversation.steps]
    shown = next((step.fields for step in reversed(steps)), {})
    outputs = tuple(types) or tuple(name for name, text in shown.items() if text)
    arguments = _first(outputs, lambda n: any(isinstance(s.data.get(n), dict) for s in steps))
    lists = tuple(n for n in outputs if any(isinstance(s.data.get(n), list) for s in steps))
    if not steps:
        arguments = _first(outputs, lambda n: types.get(n, "").startswith("dict"))
        lists = tuple(n for n in outputs if types.get(n, "").startswith("list"))
    tool = None
    if arguments is not None:
        known = {note.name for note in tools}
        before = outputs[: outputs.index(arguments)]
        named = [n for n in before if steps and all(" " not in s.fields.get(n, " ") for s in steps)]
        listed = [n for n in before if any(s.fields.get(n) in known for s in steps)]
        tool = next(reversed(listed or named or before), None)
    asked = turns[-1][1] if turns else ""
    as_json = _MARKER not in asked.rpartition("Respond")[2] and "JSON object" in asked
    names = frozenset(note.name for note in tools) if lists else frozenset()
    return Layout(outputs, tool, arguments, lists, names, _end(system, turns, outputs), as_json)


def _first(names: Sequence[str], test: Any) -> str | None:
    return next((name for name in names if test(name)), None)


def _declared_outputs(system: str) -> dict[str, str]:
    """Output fields and types from the system text: the last numbered list of `name` (type) lines."""
    found = list(_FIELD.finditer(system))
    starts = [n for n, match in enumerate(found) if match[0].strip().startswith("1. ")]
    return {match[1]: match[2] for match in found[starts[-1] :]} if len(starts) > 1 else {}


def _end(system: str, turns: Sequence[tuple[str, str]], outputs: Sequence[str]) -> str:
    for text in [*(text for role, text in turns if role == "assistant"), system]:
        names = _HEADER.findall(text)
        if names and names[-1] not in outputs:
            return str(names[-1])
    return ""
