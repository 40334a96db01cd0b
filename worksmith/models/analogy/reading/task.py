"""Reading a task text: its words, and the typed pieces (quotes, dates, times, numbers) with their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from worksmith.models.analogy.reading import dates, periods
from worksmith.models.analogy.reading.numbers import NUMBERS, exceeded, plain
from worksmith.models.analogy.reading.words import DIRECTIONS, STOP_STEMS, content_words, extremes_of, stem

_QUOTE_CLOSE = {"'": "'", '"': '"', "\u2018": "\u2019", "\u201c": "\u201d"}
_APOSTROPHES = ("'", "\u2019")
_CONTRACTIONS = re.compile(r"(?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
_UNITS = {"minute": 1, "min": 1, "hour": 60, "hr": 60}
_WORDS = "|".join(sorted(NUMBERS, key=len, reverse=True))
_AMOUNT = rf"(?:\d+(?:\.\d+)?|an?|half(?:[ -]an?)?|{_WORDS})"
_UNIT = f"(?:{'|'.join(periods.UNITS)})"
_LAST = rf"(?<=\bpast\s){_UNIT}\b|(?<=\blast\s)(?!week){_UNIT}\b|(?<=\bprevious\s){_UNIT}\b"
_CODE = re.compile(r"(?=\w*\d)(?=\w*[A-Z])[A-Za-z0-9]{12,}")
_PIECES = re.compile(
    r"(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)*)"
    rf"|(?P<duration>\b{_AMOUNT}[ -]?(?P<unit>minutes?|mins?|hours?|hrs?)\b(?P<half>\s+and\s+a\s+half)?)"
    rf"|(?P<days>\b{_AMOUNT}[ -]?(?P<dunit>{_UNIT}s?)\b|\bfortnight\b|{_LAST})"
    rf"|(?P<named>{periods.NAMED})"
    rf"|(?P<date>{dates.PATTERN})"
    r"|(?P<time>\b\d{1,2}:\d\d(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|\bnoon\b|\bmidday\b|\bmidnight\b)"
    r"|(?P<percent>\b\d+(?:\.\d+)?\s?(?:%|percent\b|per cent\b))"
    r"|(?P<number>(?<![\w-])\d+(?:\.\d+)?(?![\w-]))"
    r"|(?P<word>[^\W_]+(?:[-_.&][^\W_]+)*(?:['\u2019](?:t|re|ve|ll|d|m)\b)?)|(?P<mark>[^\s\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Token:
    """A word or a typed piece of the task.

    Attributes:
        norm: the key of comparisons: the stem, or the type in angle brackets.
        readings: for typed pieces, reading name to value.
    """

    norm: str
    text: str
    start: int
    end: int
    readings: Mapping[str, Any]

    @property
    def is_word(self) -> bool:
        return not self.readings and self.norm not in ("'s", ",", ".", "?", "!", ":", ";")


@dataclass(frozen=True)
class Task:
    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def pools(self) -> Mapping[str, tuple[int, ...]]:
        """The tokens that have each reading."""
        pools: dict[str, tuple[int, ...]] = {}
        for index, token in enumerate(self.tokens):
            for reading in token.readings:
                pools[reading] = (*pools.get(reading, ()), index)
        return pools

    def content(self, hidden: Collection[int]) -> Mapping[str, float]:
        """Terms for comparing tasks: stems and pairs of them, typed pieces and `hidden` tokens masked."""
        norms = [
            "<name>" if n in hidden else t.norm
            for n, t in enumerate(self.tokens)
            if t.norm not in (",", ".", "?", "!", "'s")
        ]
        terms = {norm: 0.25 if norm in STOP_STEMS else 1.0 for norm in norms if norm != "<name>"}
        for one, other in pairwise(norms):
            terms[f"{one} {other}"] = 0.3 if one in STOP_STEMS and other in STOP_STEMS else 0.7
        return terms

    @cached_property
    def extremes(self) -> frozenset[str]:
        """The extremes it asks for; `at least` and `at most` ask for none."""
        return extremes_of(token.norm for token in self.tokens)

    @cached_property
    def sides(self) -> frozenset[int]:
        """The directions of its comparing words: 1 for more, after; -1 for less, before."""
        return frozenset(DIRECTIONS[token.norm] for token in self.tokens if token.norm in DIRECTIONS)

    def spans(self, value: str) -> list[tuple[int, int]]:
        """Token ranges whose text is `value`, but for case and separators."""
        wanted = [w.lower() for w in re.findall(r"[^\W_]+", value)]
        found: list[tuple[int, int]] = []
        if not wanted:
            return found
        lows = self._lows
        for index, low in enumerate(lows):
            if low and low[0] == wanted[0]:
                end, got = index, 0
                while end < len(lows) and lows[end] == tuple(wanted[got : got + len(lows[end])]):
                    got += len(lows[end])
                    end += 1
                    if got == len(wanted):
                        found.append((index, end))
                        break
        return found

    def holding(self, words: Collection[str]) -> list[tuple[int, int]]:
        """The shortest token ranges that have just these telling words, in any order."""
        wanted, found = sorted(word.lower() for word in words), []
        contents = [content_words(token.text.lower()) for token in self.tokens]
        for start, first in enumerate(contents):
            got: list[str] = []
            for end in range(start, len(contents) if first else start):
                got += contents[end]
                if len(got) > len(wanted) or not set(contents[end]) <= set(wanted):
                    break
                if contents[end] and sorted(got) == wanted:
                    found.append((start, end + 1))
        return found

    @cached_property
    def _lows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(re.findall(r"[^\W_]+", t.text.lower())) for t in self.tokens)

    def piece(self, span: tuple[int, int]) -> str:
        return self.text[self.tokens[span[0]].start : self.tokens[span[1] - 1].end]


@lru_cache(maxsize=4096)
def read_task(text: str, clock: str) -> Task:
    """Tokenise `text` and read its typed pieces relative to `clock` (`YYYY-MM-DD HH:MM` or empty)."""
    now = datetime.fromisoformat(clock) if clock else None
    tokens: list[Token] = []
    position = 0
    for start, end in _quotes(text):
        tokens += _pieces(text, position, start, now)
        inner = text[start + 1 : end - 1]
        tokens.append(Token("<quote>", inner, start, end, {"quote": inner}))
        position = end
    tokens += _pieces(text, position, len(text), now)
    return Task(text, tuple(tokens))


def _quotes(text: str) -> list[tuple[int, int]]:
    """Outermost quotations. An apostrophe inside a word, or after a plural, is none."""
    found = []
    index = 0
    while index < len(text):
        mark = text[index]
        if mark in _QUOTE_CLOSE and _opens(text, index):
            end = _closing(text, index)
            if end:
                found.append((index, end + 1))
                index = end
        index += 1
    return found


def _opens(text: str, index: int) -> bool:
    before = text[index - 1] if index else " "
    after = text[index + 1] if index + 1 < len(text) else " "
    return not before.isalnum() and not after.isspace()


def _closing(text: str, start: int) -> int | None:
    close, depth, fallback = _QUOTE_CLOSE[text[start]], 1, None
    nests = text[start] == close
    for index in range(start + 1, len(text)):
        if text[index] == close and _closes(text, index):
            depth -= 1
            fallback = index
            if depth == 0:
                return index
        elif nests and text[index] == close and _opens(text, index) and text[index - 1].isspace():
            depth += 1
    if fallback is None and nests:
        end = re.compile(r"[.!?](?=\s+[A-Z])").search(text, start)
        return end.end() if end else None
    return fallback


def _closes(text: str, index: int) -> bool:
    after = text[index + 1 : index + 4]
    if not after or not after[0].isalnum():
        return not text[index - 1].isspace()
    return not (text[index - 1].isalnum() and _CONTRACTIONS.match(after)) and not text[index - 1].isspace()


def _pieces(text: str, start: int, end: int, now: datetime | None) -> list[Token]:
    tokens: list[Token] = []
    for match in _PIECES.finditer(text, start, end):
        kind = match.lastgroup if match.lastgroup in _READERS else None
        kind = kind or next((name for name in _READERS if match[name]), None)
        piece = match[0]
        if match["word"] or match["mark"]:
            tokens.append(_word(piece, match.start(), tokens, text))
        elif kind:
            readings = _READERS[kind](match, now)
            tokens.append(Token(f"<{kind}>", piece, match.start(), match.end(), readings))
    return tokens


def _word(piece: str, start: int, before: list[Token], text: str) -> Token:
    end = start + len(piece)
    if piece.lower() == "s" and before and before[-1].text in _APOSTROPHES:
        before.pop()
        return Token("'s", "'s", start - 1, end, {})
    if _CODE.fullmatch(piece):
        return Token("<code>", piece, start, end, {"code": piece})
    if piece.lower() in NUMBERS:
        number = NUMBERS.index(piece.lower())
        bound = exceeded(text, start, end, number)
        if bound is not None:
            return Token("<number>", piece, start, end, {"number": number, "over": bound})
    norm = stem(piece) if piece[0].isalnum() else piece
    return Token(norm, piece, start, end, {"over": 0} if norm == "any" else {})


def _amount(text: str) -> float:
    found = re.match(rf"{_AMOUNT}", text, re.IGNORECASE)
    word = found[0].lower() if found else "1"
    if word in NUMBERS:
        return float(NUMBERS.index(word))
    return float(word) if word[0].isdigit() else (0.5 if word.startswith("half") else 1.0)


def _duration(match: re.Match[str], _: datetime | None) -> Mapping[str, Any]:
    unit = _UNITS[match["unit"].lower().rstrip("s")]
    amount = _amount(match[0]) + (0.5 if match["half"] else 0)
    return {"minutes": plain(amount * unit)}


def _days(match: re.Match[str], now: datetime | None) -> Mapping[str, Any]:
    unit = (match["dunit"] or match[0].split()[-1]).lower().rstrip("s")
    return periods.read_span(_amount(match[0]), unit, now)


def _number(match: re.Match[str], _: datetime | None) -> Mapping[str, Any]:
    value = plain(float(match[0]))
    readings: dict[str, Any] = {"number": value, "digits": match[0]}
    if isinstance(value, int) and 1 <= value <= 12:
        readings["time"] = dates.minutes_of_day(match[0])
    bound = exceeded(match.string, match.start(), match.end(), value)
    return readings if bound is None else {**readings, "over": bound}


def _percent(match: re.Match[str], _: datetime | None) -> Mapping[str, Any]:
    return {"percent": plain(float(re.match(r"[\d.]+", match[0])[0]))}  # type: ignore[index]


def _date(match: re.Match[str], now: datetime | None) -> Mapping[str, Any]:
    found = dates.read(match["date"], now)
    if now is not None and match["date"].lower() == "last week":
        return {**periods.read_span(1, "week", now), **found}
    return found


_READERS: Mapping[str, Callable[[re.Match[str], datetime | None], Mapping[str, Any]]] = {
    "email": lambda match, now: {"email": match[0].rstrip(".")},
    "duration": _duration,
    "days": _days,
    "named": lambda match, now: periods.read_named(match[0]),
    "date": _date,
    "time": lambda match, now: {"time": dates.minutes_of_day(match[0])},
    "percent": _percent,
    "number": _number,
}
