"""Sentences with several values in them: fixed words, earlier values between them, one value at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.statements import interleaved
from worksmith.models.analogy.values.expressions import evaluate, no_choice
from worksmith.models.analogy.values.moments import Key

_FEWEST_WORDS = 4
_LONGEST_CELL = 60
_MOST_TAIL = 6
_TAIL = re.compile(r"^(.*:\s)([^:]+?)(\.?)$", re.DOTALL)


@dataclass(frozen=True)
class Template:
    """A demonstrated text, taken apart.

    Attributes:
        fixed: the texts before, between and after the values; one more than there are values.
        keys: the values' expressions, in order.
        tail: the text after the last colon, if it is short; explained by itself.
        end: the text after the tail.
    """

    fixed: tuple[str, ...]
    keys: tuple[Key, ...]
    tail: str
    end: str

    @property
    def kind(self) -> tuple[tuple[Key, ...], bool]:
        """The part that templates of the same making share."""
        return self.keys, bool(self.tail)

    def write(self, state: State, tail: str) -> str | None:
        """The text with the state's values in it; None when one is missing there."""
        values = [value for key in self.keys if (value := evaluate(key, state, no_choice)) is not None]
        return interleaved(self.fixed, values) + tail + self.end if len(values) == len(self.keys) else None


def take_apart(text: str, state: State) -> Template | None:
    """The template of a text; None if it is no sentence, or nothing in it comes from elsewhere."""
    if len(text.split()) < _FEWEST_WORDS:
        return None
    found = _TAIL.match(text)
    tail = found[2] if found and len(found[2].split()) <= _MOST_TAIL else ""
    head, end = (found[1], found[3]) if found and tail else (text, "")
    known = _values(state)
    fixed, keys, done = [], [], 0
    if known:
        olds = sorted(known, key=lambda value: (-len(value), value))
        for match in re.finditer("|".join(rf"(?<!\w){re.escape(old)}(?!\w)" for old in olds), head):
            fixed.append(head[done : match.start()])
            keys.append(known[match[0]])
            done = match.end()
    fixed.append(head[done:])
    return Template(tuple(fixed), tuple(keys), tail, end) if keys or tail else None


def _values(state: State) -> dict[str, Key]:
    """The arguments of earlier calls and the short cells of first records, with their expressions."""
    known: dict[str, Key] = {}
    for index, group in enumerate(state.groups):
        for place, call in enumerate(group.calls):
            for name, argument in call.arguments.items():
                if 0 < len(argument) <= 2 * _LONGEST_CELL:
                    known[argument] = ("arg", index, place, name)
    for index, group in enumerate(state.groups):
        for column, cell in group.rows[0].items() if group.rows else ():
            if 3 <= len(cell) <= _LONGEST_CELL:
                known.setdefault(cell, ("cell", index, ("pick", ("first",), ("all",)), column))
    return known
