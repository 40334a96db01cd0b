"""Numbers, extremes and least numbers of cases, in digits and words."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

_BELOW_TEN = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"]
_TEENS += ["seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(["zero", *_BELOW_TEN, *_TEENS])}
_VALUES |= {word: value * 10 for value, word in enumerate(_TENS, start=2)}
_VALUES |= {
    "a": 1,
    "an": 1,
    "single": 1,
    "couple": 2,
    "pair": 2,
    "half dozen": 6,
    "dozen": 12,
    "hundred": 100,
}
_TENS_WORD = "|".join(_TENS)
_UNIT_WORD = "|".join([*_TEENS, "zero", *_BELOW_TEN])

WORDS = rf"(?:(?:{_TENS_WORD})(?:[- ](?:{'|'.join(_BELOW_TEN)}))?|{_UNIT_WORD})"
"""A number in words."""

NUMBER = (
    rf"(?:\d{{1,4}}|half a dozen|half[- ]dozen|(?:a |one )?(?:dozen|hundred)|{WORDS})(?: ?\(\d{{1,4}}\))?"
)
"""A number in digits or words; digits may follow words in parentheses."""

COUNT = rf"(?:{NUMBER}|(?:a |the )?(?:couple|pair)(?: of)?|(?:a|one) single|single|an?)"
"""How many of a unit: a number, or a word for one or two."""

_ONE_HALF = r"(?:[ -]and[ -](?:a|one)[ -]half)"
AMOUNT = (
    rf"(?<![\d.,])(?:half (?:of )?(?:an?|the)|a half|\d{{1,3}}(?:[.,]5| ?½| 1/2)(?!\d)"
    rf"|{COUNT}(?:{_ONE_HALF})?(?![.,]\d))"
)
"""How much of a unit: a count, or one with a half."""

_OF = re.compile(r"^(?:an?|the|one) (?=couple|pair|dozen|hundred|single)| of$")
_IN_PARENTHESES = re.compile(r" ?\(\d+\)$")


def number(text: str) -> int:
    """The value of what `NUMBER` or `COUNT` matches."""
    plain = _IN_PARENTHESES.sub("", text.lower().strip())
    if plain.isascii() and plain.isdigit():
        return int(plain)
    plain = _OF.sub("", plain).replace("half a dozen", "half dozen").replace("half-dozen", "half dozen")
    if plain in _VALUES:
        return _VALUES[plain]
    try:
        return sum(_VALUES[word] for word in re.split(r"[- ]+", plain))
    except KeyError as error:
        raise ValueError(f"no number: {text!r}") from error


def amount(text: str) -> Fraction:
    """The value of what `AMOUNT` matches."""
    plain = text.lower().strip()
    if re.match(r"(?:a )?half (?!dozen|a dozen)|a half$", plain):
        return Fraction(1, 2)
    whole, halves = re.subn(rf"[.,]5$| ?½$| 1/2$|{_ONE_HALF}$", "", plain)
    return Fraction(number(whole)) + Fraction(halves, 2)


Extreme = Literal["min", "max"]
Scale = Literal["time", "speed", "count"]
"""`time` is of durations (the highest is the slowest), `speed` of how something is done."""

_QUICK = (
    r"(?:quick(?:ly)?|rapid(?:ly)?|swift(?:ly)?|speed(?:y|ily)|prompt(?:ly)?|fast|efficient(?:ly)?|expeditious(?:ly)?|brisk(?:ly)?"
    r"|short|brief)"
)
_SLOW = (
    r"(?:slow(?:ly)?|sluggish(?:ly)?|leisurely|time-consuming|drawn[- ]out|prolonged|long|lengthy|protracted"
    r"|tardy)"
)
_OFTEN = r"(?:often|frequent(?:ly)?|regular(?:ly)?|common(?:ly)?|heavily)"
_SELDOM = r"(?:rare(?:ly)?|seldom|infrequent(?:ly)?)"
_THAN = (
    r"(?= (?:[a-z-]+ ){0,4}than (?:in |for |at |with |those of )?"
    r"(?:any|all|every|the rest|the others?|each|most|others))"
)

_HIGH = r"highest|greatest|max(?:imum|imal)?\b|largest|biggest|peak|record"
_LOW = r"lowest|least|min(?:imum|imal)?\b|smallest"

_QUICKER: tuple[tuple[Extreme, str], ...] = (
    ("min", rf"\bmost {_QUICK}\b|\bleast {_SLOW}\b|\b(?:more {_QUICK}|less {_SLOW})\b{_THAN}"),
    ("max", rf"\bmost {_SLOW}\b|\bleast {_QUICK}\b|\b(?:more {_SLOW}|less {_QUICK})\b{_THAN}"),
    (
        "min",
        r"\b(?:shortest|quickest|fastest|briefest|speediest|swiftest|promptest|soonest)\b"
        rf"|\b(?:quicker|faster|shorter|swifter|speedier|briefer|sooner)\b{_THAN}",
    ),
    ("max", rf"\b(?:longest|slowest|lengthiest)\b|\b(?:slower|longer|lengthier)\b{_THAN}"),
)

_SCALES: dict[Scale, tuple[tuple[Extreme, str], ...]] = {
    "speed": _QUICKER,
    "time": (
        *_QUICKER,
        ("min", rf"\b(?:{_LOW}|best|fewest|tightest)\b|\b(?:lower|less|smaller|better|fewer)\b{_THAN}"),
        (
            "max",
            rf"\b(?:{_HIGH}|worst|most|top|latest)\b|\b(?:higher|more|greater|larger|bigger|worse)\b{_THAN}",
        ),
    ),
    "count": (
        ("min", rf"\bleast {_OFTEN}\b|\bmost {_SELDOM}\b|\b(?:less {_OFTEN}|more {_SELDOM})\b{_THAN}"),
        ("max", rf"\bmost {_OFTEN}\b|\bmore {_OFTEN}\b{_THAN}"),
        (
            "min",
            rf"\b(?:{_LOW}|fewest|rarest|lightest|bottom|last place)\b"
            rf"|\b(?:lower|less|fewer|smaller)\b{_THAN}",
        ),
        (
            "max",
            rf"\b(?:{_HIGH}|most|top|heaviest|first place|foremost|leading|number one)\b"
            r"|\b(?:led|leads|topped|tops|head(?:s|ed) the)\b"
            rf"|\b(?:higher|more|greater|larger|bigger)\b{_THAN}",
        ),
    ),
}


def extreme_at(text: str, scale: Scale, place: tuple[int, int]) -> tuple[int, Extreme] | None:
    """The end of the scale that is named nearest to what is measured, after the letters between them.

    Args:
        text: in small letters, without its period and threshold.
        place: of what is measured.
    """
    found: list[tuple[int, Extreme]] = []
    taken: list[tuple[int, int]] = []
    for end, pattern in _SCALES[scale]:
        for match in re.finditer(pattern, text):
            start, stop = match.span()
            if not any(start < later and earlier < stop for earlier, later in taken):
                taken.append((start, stop))
                found.append((_distance((start, stop), place), end))
    return min(found, default=None)


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_OTHER_UNITS = (
    r"(?! ?(?:%|percent|days?|weeks?|months?|quarters?|years?|hours?|minutes?|agents?|transfers?"
    r"|hand-?(?:offs?|overs?)|reassignments?|times as|people|reps|colleagues)\b)"
)
_N = (
    rf"(?P<n>{NUMBER}|once|twice|thrice|(?:a |one )?single(?: one)?|one|a couple(?: of)?"
    r"|an?(?= (?:case|ticket)))"
)
_JUST = r"(?:just |only |merely |simply |a total of |a mere )?"
_CASES = (
    r"(?:cases?|tickets?|requests?|inquiries|matters|incidents|items?|jobs?|service cases?|support cases?)"
)
_MORE = (
    r"(?:(?:more|greater|higher|larger|bigger) than(?! or)|over|above|exceed(?:s|ing|ed)?"
    r"|in excess of|beyond|upwards? of|north of|surpass(?:es|ed|ing)?|topp(?:ed|ing)|tops|past|better than"
    r"|not just|not only|&gt;|>)(?: the)?"
)
_LEAST = (
    r"(?:(?:at least|(?:greater|more) than or (?:equal|equivalent) to|equal to or (?:more|greater) than"
    r"|no (?:fewer|less) than|not (?:fewer|less) than|never (?:fewer|less) than"
    r"|(?:a |the )?min(?:imum|\.)?"
    r"(?: (?:case (?:count|load)|number of cases|cases|caseload|threshold))?(?: of| is| being|:| =)?"
    r"|at the (?:very )?least)|>=|≥|=>)"
)
_FEW = (
    r"(?:few|several|many|numerous|various|a handful of|plenty of|lots of|a lot of|a number of|low|small"
    r"|limited|high|large|sizeable|some number|a good (?:number|many)|at most|no more than|not more than"
    r"|up to|fewer than|less than|under|below|exactly|precisely|only)"
)


def _value(text: str) -> int:
    return _TIMES[text] if text in _TIMES else number(text.removesuffix(" one") if " one" in text else text)


def _more(found: re.Match[str]) -> int:
    return _value(found["n"])


def _least(found: re.Match[str]) -> int:
    return max(_value(found["n"]) - 1, 0)


def _fixed(above: int | None) -> Callable[[re.Match[str]], int | None]:
    return lambda _: above


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], int | None]], ...] = tuple(
    (re.compile(pattern), build)
    for pattern, build in (
        (rf"\b(?:no|not) more than {_JUST}{_N}\b{_OTHER_UNITS}", _fixed(None)),
        (rf"(?:\b{_LEAST}|>=|≥) ?{_JUST}{_N}\b{_OTHER_UNITS}(?: {_CASES})?", _least),
        (rf"(?:\b{_MORE}|>) ?{_JUST}{_N}\b{_OTHER_UNITS}(?: (?:{_CASES}|of them))?", _more),
        (
            rf"\b{_N} (?:{_CASES} )?(?:or|and) (?:more|greater|higher|above|over|up|upwards?|beyond)\b"
            rf"(?: {_CASES})?",
            _least,
        ),
        (rf"\b{_N} (?:{_CASES} )?or (?:fewer|less|below|under)\b", _fixed(None)),
        (rf"\b(?:from|between) {_N} (?:and|to) {NUMBER}\b", _fixed(None)),
        (rf"\bnon-?zero(?: [a-z]+){{0,2}}? {_CASES}", _fixed(0)),
        (rf"\b{_N}[ -]?(?:\+|plus\b)(?: {_CASES})?", _least),
        (rf"\b{_N} {_CASES} (?:at (?:the )?(?:least|minimum)|minimum|upwards?)\b", _least),
        (rf"\b(?:multiple|a plurality of|repeated|two-plus)(?: {_CASES})?", _fixed(1)),
        (
            rf"\b(?:any|some)(?: (?:number|amount) of)?(?: {_CASES}| (?:of them|at all|whatsoever))"
            rf"|\bany at all\b|\ba(?: single)? {_CASES}\b",
            _fixed(0),
        ),
        (rf"\b{_FEW}(?: [a-z]+){{0,2}}? (?:of )?{_CASES}", _fixed(None)),
        (rf"\b{NUMBER} {_CASES}\b", _fixed(None)),
    )
)
"""Ways to name a least number of cases, in the order in which they are tried."""


def threshold(text: str) -> tuple[tuple[int, int], int | None] | None:
    """Find the number of cases that an agent must exceed.

    Args:
        text: in small letters, without its period.

    Returns:
        The place of the threshold and the number; no number where the wording says none (`a few cases`).
    """
    for pattern, build in _PATTERNS:
        found = pattern.search(text)
        if found is not None:
            return found.span(), build(found)
    return None
