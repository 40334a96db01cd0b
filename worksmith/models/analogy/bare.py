"""Replying without demonstrations: word overlap with the tools' descriptions. Weak on purpose."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from worksmith.models.analogy.reading.observation import as_text
from worksmith.models.analogy.reading.prompt import Prompt, ToolNote
from worksmith.models.analogy.reading.state import State, states_of
from worksmith.models.analogy.reading.task import Task
from worksmith.models.analogy.reading.words import STOP_STEMS, stem, stems

_ENOUGH = 1.2
_CLOSING = frozenset(map(stem, ("finish", "end", "done", "final", "stop", "complete")))
_TYPES = (
    ("email", {"email", "address", "recipient"}),
    ("date", {"date", "day", "start"}),
    ("minutes", {"minute", "length", "duration"}),
    ("quote", {"subject", "text", "title", "body"}),
)


def reply(prompt: Prompt) -> dict[str, Any]:
    """One call of the tool whose description shares most words with the task, then stop."""
    layout = prompt.layout
    state = states_of(prompt.query, layout)[-1]
    if layout.arguments is None or not prompt.tools:
        return {name: [] if name in layout.lists else "" for name in layout.outputs}
    note = None if state.calls else _best(prompt.tools, state.task)
    filled = _arguments(note, state) if note else None
    if note is None or not filled:
        note, filled = closing(prompt.tools), None
    fields: dict[str, Any] = {}
    for name in layout.outputs:
        if name == layout.tool:
            fields[name] = note.name
        elif name == layout.arguments:
            fields[name] = filled if filled is not None else dict.fromkeys(note.arguments, "")
        else:
            fields[name] = ""
    return fields


def _best(tools: tuple[ToolNote, ...], task: Task) -> ToolNote | None:
    counts = Counter(word for note in tools for word in set(stems(note.text)))
    words = {token.norm for token in task.tokens} - STOP_STEMS
    scored = [(math.fsum(1 / counts[w] for w in words & set(stems(note.text))), note) for note in tools]
    best = max(scored, key=lambda pair: pair[0])
    return best[1] if best[0] >= _ENOUGH else None


def closing(tools: tuple[ToolNote, ...]) -> ToolNote:
    """The tool whose description speaks most of ending; the last one when none does."""
    return max(reversed(tools), key=lambda note: len(_CLOSING & set(stems(note.text)[:12])))


def _arguments(note: ToolNote, state: State) -> dict[str, str]:
    filled: dict[str, str] = {}
    lines = {line.split(":")[0].strip(): line for line in note.text.splitlines() if ":" in line}
    for name in note.arguments:
        words = set(stems(lines.get(name, "").partition(":")[2]))
        for reading, cues in _TYPES:
            pool = state.task.pools.get(reading, ())
            if pool and words & {stem(cue) for cue in cues}:
                value = state.task.tokens[pool[0]].readings[reading]
                filled[name] = value.strftime("%Y-%m-%d") if reading == "date" else as_text(value)
                break
    return filled
