"""Finding how a customer describes what they bought: the words between a determiner and the purchase."""

from __future__ import annotations

import re

from evals.kinds.crm.published.texts import folded

_THE = r"(?:(?:the|my|our|those|these|that|this|some|an?) (?:pair of )?)"
_BOUGHT = r"(?:purchased|bought|ordered|acquired|got|picked up|received|chose|took|paid for|went for)"
_I = r"(?:i|we)(?:'ve|'d| have| had)?(?: [a-z]+ly| just| once)?"
_WORDS = r"(?P<words>[^¤.;:?!]+?)"
_SHOW = (
    r"(?:display|show|retrieve|find|fetch|pull|bring|locate|get|give|see|view|open|present|look)"
    r"(?: (?:me|us|up|for|at|out))*"
)

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bwhich {_WORDS} (?:(?:did|do|have|had) (?:i|we)|{_I} {_BOUGHT})\b",
        rf"\b(?:my|our) (?:purchase|order) of {_THE}?{_WORDS}(?= ¤|[.,;?!]|$| from| on)",
        rf"\b{_THE}{_WORDS},?(?: that| which)?(?: ¤+)? {_I} {_BOUGHT}\b",
        rf"\b{_THE}{_WORDS},? (?:from|in) (?:my|our) (?:[a-z]+ )?(?:purchase|order)\b",
        rf"\b{_I} {_BOUGHT} {_THE}?{_WORDS}(?= ¤|[.,;:?!]| -|$)",
        rf"\b{_SHOW} {_THE}{_WORDS},? (?:(?:that|which) (?:was|were) )?(?:purchased|bought|ordered)\b",
        rf"\b{_SHOW} {_THE}{_WORDS}[?.;!,]",
        rf"\b{_SHOW} {_WORDS},? (?:(?:that|which) )?{_I} {_BOUGHT}\b",
    )
)
"""Ways to speak of a purchase, in the order in which they are tried."""

_ABOUT = re.compile(
    r"^(?:(?:exact|right|full) )?"
    r"(?:product|item|name|thing|article|page|detail|entry|record|listing|photo|picture)s?,?"
    rf"(?: (?:page|details|name))? (?:of|for|behind|on|about|called) {_THE}?",
)
_AFTER = re.compile(r" (?:called|named|again|please)$")


def described(text: str) -> str | None:
    """What was bought, in the words of whoever bought it; None if no pattern fits.

    Args:
        text: as it was written, with holes for what was understood already.
    """
    small = folded(text)
    for pattern in _PATTERNS:
        if found := pattern.search(small):
            start, end = found.span("words")
            start += len(head[0]) if (head := _ABOUT.match(small[start:end])) else 0
            words = text[start:end].strip(" ,'-")
            return _AFTER.sub("", words) or None
    return None
