"""Finding which end of the scale a wording asks for, of durations and of counts."""

from __future__ import annotations

import re
from typing import Literal

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
        (
            "min",
            rf"\b(?:{_LOW}|best|fewest|tightest)\b|\b(?:lower|less|smaller|better|fewer)\b{_THAN}",
        ),
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
