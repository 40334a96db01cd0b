"""The subject of a file of code: the words of its topic, as names and in prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.seeding import digest

Subject = Mapping[str, str]
"""By slot a word, spelt as a name (`gift_card`): one, many, measure, other, label, group, key, status, day,
the values a1 to a3 of the label, b1 to b3 of the group, and s1 to s3 of the status."""

_KEYS, _STATES = ("id", "key", "number", "code"), ("status", "state", "stage")
_DAYS = ("opened_on", "noted_on", "entered_on", "listed_on", "begun_on")
_UNKNOWN = "amount, days | region: east north west | kind: large medium small | waiting done late"
_CAPITALS = re.compile(
    r"(?<![A-Za-z])(?:ONE|MANY|MEASURE|OTHER|LABEL|GROUP|KEY|STATUS|DAY|[ABS][123])(?![A-Za-z0-9])"
)
_PROSE = re.compile(r"(?:\b([Aa]) )?<(\w\w+)>")
_NAMES = re.compile(r"@((?i:one|many|measure|other|label|group|key|status|day|[abs][123]))(?![a-z])")


@cache
def topics() -> dict[str, str]:
    """The topics of which something is known, each with its line of `subjects.toml`."""
    return read_toml(f"{__package__}.families", "subjects.toml")


@cache
def subject(topic: str) -> Subject:
    """The words of a topic; a topic of which nothing is known speaks of its last word."""
    line = topics().get(topic) or f"{_name(topic.split()[-1])} | {_UNKNOWN}"
    nouns, measures, label, group, states = line.split(" | ")
    one, _, many = nouns.partition("/")
    measure, other = measures.split(", ")
    number = int(digest(["code", topic]), 16)
    words = {
        "one": one,
        "many": many or _plural(one),
        "measure": measure,
        "other": other,
        "key": f"{one}_{_KEYS[number % 4]}",
        "status": _STATES[number // 4 % 3],
        "day": _DAYS[number // 12 % 5],
    }
    for slot, letter, text in (("label", "a", label), ("group", "b", group)):
        words[slot], _, values = text.partition(": ")
        words |= {f"{letter}{place}": value for place, value in enumerate(values.split(), 1)}
    return words | {f"s{place}": state for place, state in enumerate(states.split(), 1)}


def python_text(template: str, words: Subject) -> str:
    """A template in Python: words in capitals are names, `<one>` is prose."""
    named = _CAPITALS.sub(lambda found: words[found[0].lower()], template)
    return prose(named, words)


def other_text(template: str, words: Subject, *, camel: bool = False) -> str:
    """A template in another language: `@one` is a name, `@One` and `@ONE` are in capitals, `<one>` is prose.

    Args:
        camel: whether names of several words are in camel case.
    """

    def name(found: re.Match[str]) -> str:
        slot = found[1]
        word = words[slot.lower()]
        if camel:
            first, *others = word.split("_")
            word = first + "".join(map(str.capitalize, others))
            return word[0].upper() + word[1:] if slot[0].isupper() else word
        return word.upper() if slot[0].isupper() else word

    return prose(_NAMES.sub(name, template), words)


def prose(template: str, words: Subject) -> str:
    """A text with the words of a subject in slots like `<many>`; "a" before one becomes "an" if need be."""

    def said(found: re.Match[str]) -> str:
        article, word = found[1] or "", words[found[2]].replace("_", " ")
        vowel = word.startswith(("a", "e", "i", "o", "u")) and not word.startswith(("uni", "us", "one"))
        return f"{article}n {word}" if article and vowel else f"{article}{' ' * bool(article)}{word}"

    return _PROSE.sub(said, template)


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def _name(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text.lower()).strip("_") or "entry"
