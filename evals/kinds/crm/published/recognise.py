"""Telling which kind of question a wording is and what it says, from the wording alone.

Nothing here knows a sentence of the published task set: wordings are read by what they speak of (agents,
states, months, problems, purchases, rules), and by the grammar of periods, thresholds and superlatives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from evals.kinds.crm.published.limits import Extreme, Scale, extreme_at, threshold
from evals.kinds.crm.published.numbers import WORDS
from evals.kinds.crm.published.period import Period
from evals.kinds.crm.published.periods import periods
from evals.kinds.crm.published.phrases import Vocabulary, described, product_phrase
from evals.kinds.crm.published.senses import opening, sense
from evals.kinds.crm.published.texts import HOLE, folded, question_of, without
from evals.kinds.crm.task_types import KNOWLEDGE_QA

MOST_LETTERS = 1500
"""A longer text is no wording."""

_FEWEST_WORDS = 3
_MOST_LINES = 12

_A_NUMBER = re.compile(rf"\b(?!one\b|zero\b|(?:19|20)\d\d\b)(?:\d+|{WORDS})\b")
_UNREAD_TIME = re.compile(r"\b(?:(?:19|20)\d\d|days|weeks|quarters|years|fortnights?)\b")
_LONG_QUOTE = re.compile(r"[\"“][^\"“”]{60,}[\"”]")
_FOR_SOMEBODY = frozenset({"who", "whom", "whose", "which"})
_WHAT_AGENT = re.compile(rf"\bwhat (?:[a-z]+ ){{0,2}}{sense('people').pattern}")
_STATE_VERB = re.compile(r"^(?:please )?(state) (?=(?:the|which|who|whose|what)\b)")


@dataclass(frozen=True)
class Reading:
    """What a wording was understood to say.

    Attributes:
        family: as published; None if it is of none.
        slots: what it says, as text: `period` with `start` and `end` (the first day after it) or `day`, `n`
            (they had more cases than that), `extreme` (`min` or `max`), `average`, `phrase` (what the product
            is called), `asks`.
        missing: slots that a wording of this family has to say and that were not found.
        period: the period with its days.
    """

    family: str | None
    slots: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    period: Period | None = None

    @property
    def complete(self) -> bool:
        """Whether the family is known, and all that its wordings say."""
        return self.family is not None and not self.missing


@dataclass(frozen=True)
class _Parsed:
    """A wording with what every family has use for taken out.

    Attributes:
        text: as written, with holes.
        small: the same in small letters.
        periods: those that it names.
    """

    text: str
    small: str
    periods: tuple[Period, ...]

    def says(self, *names: str) -> bool:
        return all(sense(name).search(self.small) for name in names)


def recognise(wording: str, today: date | None = None) -> Reading:
    """Read a wording.

    Args:
        wording: a question, alone or followed by ids and instructions on the form of the answer.
        today: the day of the question, for periods that are counted from it.
    """
    # A case to be routed has lines of its own, with periods and numbers that are not the question's.
    lines = wording.strip().splitlines()
    readings = [_read(line, today) for line in lines[:_MOST_LINES]] if len(lines) > 1 else []
    for reading in readings:
        if reading.family == "case_routing":
            return reading
    for reading in readings:
        if reading.complete and reading.family != KNOWLEDGE_QA:
            return reading
    return _read(wording, today)


def _read(wording: str, today: date | None) -> Reading:
    text = question_of(wording)
    if not text or len(text) > MOST_LETTERS:
        return Reading(None)
    parsed = _parse(text, today)
    for recogniser in _RECOGNISERS:
        reading = recogniser(parsed)
        if reading is not None:
            return reading
    return Reading(None)


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


def _purchase(parsed: _Parsed) -> Reading | None:
    if not parsed.periods or not parsed.says("bought", "show"):
        return None
    points = [each for each in parsed.periods if each.point] or [
        each for each in parsed.periods if each.relative
    ]
    phrase = described(parsed.text) or product_phrase(parsed.text, "purchase") or ""
    if sense("aftercare").search(parsed.small.replace(phrase.lower(), "")):
        return None
    slots = ({"phrase": phrase} if phrase else {}) | _days(points)
    if "period" in slots:
        slots["day"] = slots.pop("start", "")
        slots.pop("end", None)
    return _reading("named_entity_disambiguation", slots, ("period", "phrase"), points)


def _violation(parsed: _Parsed) -> Reading | None:
    if parsed.periods or not parsed.says("policy"):
        return None
    someone = parsed.says("agent") or parsed.says("happened")
    breached = parsed.says("breach") or parsed.says("kept", "people")
    return (
        _reading("policy_violation_identification", {}, ())
        if someone and breached and parsed.says("did")
        else None
    )


def _routing(parsed: _Parsed) -> Reading | None:
    if parsed.periods or not parsed.says("agent", "suited", "open_case") or parsed.says("outside_call"):
        return None
    asked = sense("asks").search(parsed.small)
    if asked and asked[0] not in _FOR_SOMEBODY and not _WHAT_AGENT.search(parsed.small):
        return None
    return _reading("case_routing", {}, ())


def _trend(parsed: _Parsed) -> Reading | None:
    if not parsed.says("month", "case") or not parsed.periods or parsed.says("people"):
        return None
    slots = _when(parsed) | _product(parsed, "trend")
    return _reading("monthly_trend_analysis", slots, ("period", "phrase"), parsed.periods)


def _region(parsed: _Parsed) -> Reading | None:
    place = sense("region").search(parsed.small)
    if place is None or _earlier(sense("agent"), parsed.small, place.start()):
        return None
    end = _duration(parsed.small)
    if end is None or not parsed.periods:
        return None
    return _reading(
        "best_region_identification",
        _when(parsed) | {"extreme": end[1]},
        ("period", "extreme"),
        parsed.periods,
    )


def _agent(parsed: _Parsed) -> Reading | None:
    """Handle times and transfers, told apart by what the superlative stands next to."""
    if not (parsed.says("people") or (parsed.says("agent") and (parsed.periods or parsed.says("case")))):
        return None
    limit = threshold(parsed.small)
    small = without(parsed.small, limit[0]) if limit else parsed.small
    time, count = _duration(small), _nearest(small, sense("transfer"), "count")
    if time is None and count is None:
        return None
    transfers = count is not None and (time is None or count[0] <= time[0])
    chosen = count if transfers else time
    assert chosen is not None
    slots = _when(parsed) | {"extreme": chosen[1]}
    if limit is None and not _A_NUMBER.search(small):
        slots["n"] = "0"
    elif limit is not None and limit[1].above is not None:
        slots["n"] = str(limit[1].above)
    if parsed.says("average"):
        slots["average"] = "yes"
    family = "transfer_count" if transfers else "handle_time"
    return _reading(family, slots, ("period", "extreme", "n"), parsed.periods)


def _issue(parsed: _Parsed) -> Reading | None:
    if not parsed.periods or not parsed.says("issue", "often"):
        return None
    slots = _when(parsed) | _product(parsed, "problem")
    return _reading("top_issue_identification", slots, ("period", "phrase"), parsed.periods)


def _knowledge(parsed: _Parsed) -> Reading | None:
    """Whatever else asks something; but not what speaks of cases over some time, and was not understood."""
    asks = opening().search(parsed.small) is not None or parsed.says("request")
    if not asks or len(parsed.small.split()) < _FEWEST_WORDS:
        return None
    if parsed.periods and parsed.says("case") and (parsed.says("agent") or parsed.says("region")):
        return None
    asked = sense("asks").search(parsed.small)
    return _reading(KNOWLEDGE_QA, {"asks": asked[0] if asked else "whether"}, ())


_RECOGNISERS: tuple[Callable[[_Parsed], Reading | None], ...] = (
    _trend,
    _purchase,
    _violation,
    _region,
    _routing,
    _agent,
    _issue,
    _knowledge,
)
"""In the order in which they are asked: what has the most special signs goes first."""


def _reading(family: str, slots: Mapping[str, str], wanted: tuple[str, ...], found: object = ()) -> Reading:
    period = found[0] if isinstance(found, list | tuple) and found and "period" in slots else None
    return Reading(family, slots, tuple(name for name in wanted if name not in slots), period)


def _when(parsed: _Parsed) -> dict[str, str]:
    """The period as slots; nothing if there is none, or more than was read."""
    return {} if _UNREAD_TIME.search(parsed.small) else _days(parsed.periods)


def _days(found: Sequence[Period]) -> dict[str, str]:
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


def _product(parsed: _Parsed, vocabulary: Vocabulary) -> dict[str, str]:
    phrase = product_phrase(parsed.text, vocabulary)
    return {"phrase": phrase} if phrase else {}


def _duration(small: str) -> tuple[int, Extreme] | None:
    """How near to a time (or to the closing of cases) which end of the scale stands."""
    named = _nearest(small, sense("time"), "time")
    done = _nearest(small, sense("resolve"), "speed")
    if named and done:
        return min(named, done)
    return named or done


def _nearest(small: str, measured: re.Pattern[str], scale: Scale) -> tuple[int, Extreme] | None:
    found = (extreme_at(small, scale, place.span()) for place in measured.finditer(small))
    return min((each for each in found if each is not None), default=None)


def _earlier(pattern: re.Pattern[str], text: str, place: int) -> bool:
    found = pattern.search(text)
    return found is not None and found.start() < place
