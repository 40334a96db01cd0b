"""Finding records by what people call them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worksmith.retrievers.texts.words import words
from worksmith.tools.errors import ToolError

if TYPE_CHECKING:
    from worksmith.tools.access.guard import Guard

_LISTED = 5

_MOST_WORDS = 50
"""Each word of a name is a separate condition, and SQLite takes no more than a thousand."""


def name_matches(guard: Guard, source: str, column: str, text: str) -> list[dict[str, Any]]:
    """The readable records called `text`: the very name if there is one, else all with these words in it.

    Whole words go before parts of words; letter case never counts.

    Raises:
        ToolError: no name is so long.
    """
    given = text.lower().split()
    if not given:
        return []
    different = dict.fromkeys(given)
    if len(different) > _MOST_WORDS:
        raise ToolError(f"A name has at most {_MOST_WORDS} words.")
    conditions = [(f"instr(lower({column}), lower(?)) > 0", (word,)) for word in different]
    found = guard.find(source, conditions)
    exact = [row for row in found if str(row[column]).lower() == " ".join(given)]
    whole = [row for row in found if set(words(text)) <= set(words(str(row[column])))]
    return exact or whole or found


def only(found: Sequence[dict[str, Any]], noun: str, text: str, key: str, name: str) -> dict[str, Any]:
    """The one record of `found`.

    Raises:
        ToolError: no record fits, or several do; the message lists some.
    """
    if len(found) == 1:
        return found[0]
    if not found:
        raise ToolError(f"No {noun} matches {text!r}.")
    some = ", ".join(f"{row[key]} {row[name]}" for row in found[:_LISTED])
    more = ", ..." if len(found) > _LISTED else ""
    raise ToolError(f"{len(found)} {noun}s match {text!r}: {some}{more}. Give the {key}.")


def named_key(guard: Guard, source: str, noun: str, text: str, key: str, column: str) -> str:
    """The key of the one readable record that is called `text`.

    Raises:
        ToolError: no record or several do.
    """
    found = name_matches(guard, source, column, text)
    return str(only(found, noun, text, key, column)[key])
