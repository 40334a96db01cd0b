"""Slots of published questions, read by the grammar of periods, thresholds and superlatives.

Nothing here knows a sentence of the published task set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from worksmith.evals.kinds.crm.reading.calendar_periods import Period
from worksmith.evals.kinds.crm.reading.numbers import WORDS, Extreme, Scale, extreme_at, threshold
from worksmith.evals.kinds.crm.reading.periods import periods
from worksmith.evals.kinds.crm.reading.phrases import Vocabulary, described, product_phrase
from worksmith.evals.kinds.crm.reading.texts import HOLE, folded, question_of, without
from worksmith.evals.kinds.crm.task_types import KNOWLEDGE_QA
from worksmith.tools.files.data_files import read_toml

MOST_LETTERS = 1500
"""A longer text is no wording."""

_MOST_LINES = 12

_A_NUMBER = re.compile(rf"\b(?!one\b|zero\b|(?:19|20)\d\d\b)(?:\d+|{WORDS})\b")
_UNREAD_TIME = re.compile(r"\b(?:(?:19|20)\d\d|days|weeks|quarters|years|fortnights?)\b")
_LONG_QUOTE = re.compile(r"[\"“][^\"“”]{60,}[\"”]")
_STATE_VERB = re.compile(r"^(?:please )?(state) (?=(?:the|which|who|whose|what)\b)")

Slots = dict[str, str]
End = tuple[int, Extreme]
"""The distance of an extreme, in letters, from what it measures; and which extreme."""


@dataclass(frozen=True)
class Reading:
    """The slots of a wording.

    Attributes:
        slots: as text: `period` with `start` and `end` (the first day after it) or `day`, `n` (they had more
            cases than that), `extreme` (`min` or `max`), `average`, `phrase` (the product), `asks`.
        missing: slots that a wording of this family has to say and that were not found.
        period: the period with its days.
    """

    slots: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    period: Period | None = None

    @property
    def complete(self) -> bool:
        return not self.missing


@dataclass(frozen=True)
class _Parsed:
    """A wording without its periods.

    Attributes:
        text: as written, with holes.
        small: the same in small letters.
        periods: those that it names.
    """

    text: str
    small: str
    periods: tuple[Period, ...]


Found = tuple[Slots, Sequence[Period]]
"""Slots, with the periods that they may be about."""
Reader = tuple[Callable[[_Parsed], Found], tuple[str, ...]]
"""A reader of slots, and the slots that wordings have to say."""


def recognise(wording: str, family: str, today: date | None = None) -> Reading:
    """Read the slots of a wording.

    Args:
        wording: a question, alone or followed by ids and instructions on the form of the answer.
        family: the family that its record declares.
        today: the day of the question, for periods that are counted from it.
    """
    lines = wording.strip().splitlines()
    if len(lines) > 1 and _reader_of(family)[1]:
        for line in lines[:_MOST_LINES]:
            reading = _read(line, family, today)
            if reading.complete:
                return reading
    return _read(wording, family, today)


def _read(wording: str, family: str, today: date | None) -> Reading:
    text = question_of(wording)
    reader, wanted = _reader_of(family)
    if not text or len(text) > MOST_LETTERS:
        return Reading(missing=wanted or ("question",))
    parsed = _parse(text, today)
    slots, found = reader(parsed)
    period = found[0] if found and "period" in slots else None
    return Reading(slots, tuple(name for name in wanted if name not in slots), period)


def _reader_of(family: str) -> Reader:
    return _READERS.get(family, (lambda _: ({}, ()), ()))


def _parse(text: str, today: date | None) -> _Parsed:
    text = _LONG_QUOTE.sub(lambda found: HOLE * len(found[0]), text)
    small = folded(text)
    if verb := _STATE_VERB.search(small):
        small = without(small, verb.span(1))
    found: list[Period] = []
    for span, period in periods(small, today):
        small, text = without(small, span), without(text, span)
        found.append(period)
    return _Parsed(text, small, tuple(found))


def _question_word(parsed: _Parsed) -> Found:
    asked = _sense("asks").search(parsed.small)
    return {"asks": asked[0] if asked else "whether"}, ()


def _purchase(parsed: _Parsed) -> Found:
    points = [each for each in parsed.periods if each.point] or [
        each for each in parsed.periods if each.relative
    ]
    phrase = described(parsed.text) or product_phrase(parsed.text, "purchase") or ""
    slots = ({"phrase": phrase} if phrase else {}) | _days(points)
    if "period" in slots:
        slots["day"] = slots.pop("start", "")
        slots.pop("end", None)
    return slots, points


def _region(parsed: _Parsed) -> Found:
    end = _duration(parsed.small)
    return _when(parsed) | ({"extreme": end[1]} if end else {}), parsed.periods


def _agent(find: Callable[[str], End | None], parsed: _Parsed) -> Found:
    limit = threshold(parsed.small)
    small = without(parsed.small, limit[0]) if limit else parsed.small
    end = find(small)
    slots = _when(parsed) | ({"extreme": end[1]} if end else {})
    if limit is None and not _A_NUMBER.search(small):
        slots["n"] = "0"
    elif limit is not None and limit[1] is not None:
        slots["n"] = str(limit[1])
    if _sense("average").search(parsed.small):
        slots["average"] = "yes"
    return slots, parsed.periods


def _product(vocabulary: Vocabulary, parsed: _Parsed) -> Found:
    phrase = product_phrase(parsed.text, vocabulary)
    return _when(parsed) | ({"phrase": phrase} if phrase else {}), parsed.periods


def _when(parsed: _Parsed) -> Slots:
    """The period as slots; nothing if there is none, or more than was read."""
    return {} if _UNREAD_TIME.search(parsed.small) else _days(parsed.periods)


def _days(found: Sequence[Period]) -> Slots:
    """A period as slots; nothing if there are several that differ."""
    if len({(each.start, each.end) if each.start else each.text for each in found}) != 1:
        return {}
    period = found[0]
    slots = {"period": period.text}
    if period.start:
        slots["start"] = period.start.isoformat()
    if period.end:
        slots["end"] = period.end.isoformat()
    return slots


def _duration(small: str) -> End | None:
    """How near to a time (or to the closing of cases) which end of the scale stands."""
    found = (_nearest(small, _sense("time"), "time"), _nearest(small, _sense("resolve"), "speed"))
    return min((each for each in found if each), default=None)


def _transfers(small: str) -> End | None:
    return _nearest(small, _sense("transfer"), "count")


def _nearest(small: str, measured: re.Pattern[str], scale: Scale) -> End | None:
    found = (extreme_at(small, scale, place.span()) for place in measured.finditer(small))
    return min((each for each in found if each is not None), default=None)


@cache
def _sense(name: str) -> re.Pattern[str]:
    """The pattern for all words of a sense (`senses.toml`), in small letters."""
    return re.compile(rf"\b(?:{'|'.join(read_toml(__package__, 'senses.toml')[name])})\b")


_READERS: dict[str, Reader] = {
    KNOWLEDGE_QA: (_question_word, ()),
    "named_entity_disambiguation": (_purchase, ("period", "phrase")),
    "best_region_identification": (_region, ("period", "extreme")),
    "handle_time": (lambda parsed: _agent(_duration, parsed), ("period", "extreme", "n")),
    "transfer_count": (lambda parsed: _agent(_transfers, parsed), ("period", "extreme", "n")),
    "monthly_trend_analysis": (lambda parsed: _product("trend", parsed), ("period", "phrase")),
    "top_issue_identification": (lambda parsed: _product("problem", parsed), ("period", "phrase")),
}
"""By family; wordings of the others have no slots."""
