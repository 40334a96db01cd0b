"""The catalogue of planted instructions: goals, forms and places."""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from worksmith.tools.files.data_files import read_toml

REPLY = "reply"
"""The place below a tool's reply."""

_TAGS = 0xE0000
"""Unicode has an invisible twin of each ASCII character from here on."""

_CODES: Mapping[str, Callable[[str], str]] = {
    "": lambda text: text,
    "tags": lambda text: "".join(chr(_TAGS + ord(c)) if c.isascii() else c for c in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
}


@dataclass(frozen=True)
class Form:
    """A way to write an instruction.

    Attributes:
        text: what stands around it.
        code: of `_CODES`.
        languages: one of which it is written in.
    """

    name: str
    text: str = "{text}"
    code: str = ""
    languages: Sequence[str] = ("en",)

    def written(self, wordings: Mapping[str, Any], chance: Random, **values: str) -> str:
        """One of the wordings in this form.

        Args:
            wordings: sentences by language.
            values: for the braces in a sentence.
        """
        sentence = chance.choice(wordings[chance.choice(self.languages)])
        message = re.sub(r"{(\w+)}", lambda found: values[found[1]], sentence)
        return self.text.replace("{text}", _CODES[self.code](message))


def goals() -> Mapping[str, Mapping[str, Any]]:
    """By goal its wordings by language; those of `mark` need no call."""
    found: Mapping[str, Mapping[str, Any]] = _catalogue()["goals"]
    return found


def place_of(table: str, column: str) -> str:
    """The place that a column is."""
    words = {"tables": _words(table), "columns": _words(column)}
    places: Mapping[str, Mapping[str, list[str]]] = _catalogue()["places"]
    return next(
        name
        for name, place in places.items()
        if not place or any(words[part].intersection(known) for part, known in place.items())
    )


def any_form(chance: Random) -> Form:
    """A form by chance: first a name, then one of this name."""
    forms = _catalogue()["forms"]
    name = chance.choice(sorted({form["name"] for form in forms}))
    return Form(**chance.choice([form for form in forms if form["name"] == name]))


@cache
def _catalogue() -> dict[str, Any]:
    return read_toml("worksmith.evals.attacks", "catalogue.toml")


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]*[^A-Z_\W]+|[A-Z]+", name)}
