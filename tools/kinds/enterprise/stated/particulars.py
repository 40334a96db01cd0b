"""The particulars of a text: dates, sums, numbers, keys, quotations, names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.grammar import MONTHS

_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)
_NUMBER = r"\d+(?:,\d+)*"
_COUNTS: str = read_toml(__package__, "words.toml")["counts"]
_FORMS = re.compile(
    rf"(?P<code>`[^`\n]+`|\"[^\"\n]+\")"
    rf"|(?P<iso>\b\d{{4}}-\d\d-\d\d\b)"
    rf"|\b(?P<day>\d{{1,2}}) (?P<month>{_MONTH}) (?P<year>\d{{4}})\b"
    rf"|\b(?P<month_first>{_MONTH}) (?P<day_next>\d{{1,2}}), (?P<year_last>\d{{4}})\b"
    rf"|(?P<clock>\b\d{{1,2}}:\d\d\b)"
    rf"|(?:₹ ?|\b(?:Rs\.? ?|INR ?))(?P<sum_after>{_NUMBER})|\b(?P<sum>{_NUMBER}) rupees\b"
    rf"|\b(?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent\b)"
    rf"|(?P<address>[\w.]+@[\w.]*\w)"
    rf"|(?P<key>\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)*[-_]\d[\w-]*|\b[A-Za-z]+_\w+)"
    rf"|\b(?P<number>{_NUMBER}(?:\.\d+)*)"
    rf"|\b(?P<count>(?i:{'|'.join(_COUNTS.split())}))s?\b"
)
_WORD = re.compile("[^\\W\\d_][\\w'\u2019-]*")
_FIRST_PERSON = frozenset({"i", "i'm", "i'd", "i'll", "i've"})
_TURN = re.compile(r"([A-Z]\w+): (.*)")
_END = re.compile(r"(?<=[.!?])\s+")


def particulars(text: str) -> list[str]:
    """Dates, sums, shares, times, numbers, keys, addresses and quotations of a text, in canonical form.

    They stand in the order of the text. Dates are ISO, sums end with "rupees", shares with "%". Counts in
    words stay as they are.
    """
    return [_canonical(found) for found in _FORMS.finditer(text)]


def names(text: str) -> set[str]:
    """The capitalised words within sentences, in lower case."""
    found = set()
    for sentence in sentences(text):
        words = _WORD.findall(_FORMS.sub(" ", sentence))
        found |= {_bare(word) for word in words[1:] if word[0].isupper()}
    return found - _FIRST_PERSON


def opening_words(text: str) -> set[str]:
    """The first word of each sentence, in lower case."""
    return {_bare(found[0]) for sentence in sentences(text) if (found := _WORD.search(sentence))}


def words_of(text: str) -> set[str]:
    """All words of a text, in lower case."""
    return {_bare(word) for word in _WORD.findall(text)}


def sentences(text: str) -> list[str]:
    """The sentences of a text without the names of speakers before them."""
    return [sentence for _, sentence in spoken(text)]


def turn_of(line: str) -> tuple[str, str]:
    """A line's speaker and what is said; nobody, where it does not begin with a name and a colon."""
    turn = _TURN.fullmatch(line)
    return (turn[1], turn[2]) if turn else ("", line)


def spoken(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with who says it; nobody, where a text is no dialogue.

    In a dialogue each of several lines begins with a name and a colon.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    turns = [_TURN.match(line) for line in lines]
    dialogue = len(lines) > 1 and all(turns)
    for line, turn in zip(lines, turns, strict=True):
        speaker, said = (turn[1], turn[2]) if turn and dialogue else ("", line)
        for sentence in _END.split(said):
            if sentence.strip():
                yield speaker, sentence.strip()


def _bare(word: str) -> str:
    word = word.lower().replace("\u2019", "'")
    return word.removesuffix("'s").rstrip("'")


def _canonical(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind in ("year", "year_last"):
        day, month = (
            (found["day"], found["month"]) if kind == "year" else (found["day_next"], found["month_first"])
        )
        number = next(place for place, name in enumerate(MONTHS, 1) if name.startswith(month))
        return f"{found[kind]}-{number:02d}-{int(day):02d}"
    if kind in ("sum", "sum_after"):
        return f"{found[kind].replace(',', '')} rupees"
    if kind == "percent":
        return f"{found[kind]}%"
    if kind == "number":
        return found[kind].replace(",", "")
    return found[kind or 0].lower() if kind == "count" else found[kind or 0]
