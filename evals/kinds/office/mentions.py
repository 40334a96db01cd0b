"""What a task's text mentions: people, dates, figures, quotations, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evals.kinds.office.intents.analytics.metrics import METRICS
from evals.kinds.office.intents.analytics.plots import CHARTS
from evals.kinds.office.intents.wording import MONTHS, WEEKDAYS
from evals.kinds.office.records import Records
from tools.kinds.office.schema import BOARDS, PRODUCTS, STATUSES, TRAFFIC_SOURCES


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention: where it stands, and what it says in the words of slots."""

    start: int
    value: str


Mentions = dict[str, list[Mention]]
"""By kind, in the order of the text."""

# An apostrophe between letters belongs to the word if what follows is an English ending.
_QUOTE = re.compile(r"(?<!\w)'(?=\S)(.+?)(?<=\S)'(?!(?:s|t|ve|ll|re|m|d)\b)", re.DOTALL)
_OPEN_QUOTE = re.compile(r"(?<!\w)'(\w[^'.]*\.)")
_LENGTH = re.compile(r"\d+(?:\.\d+)?[ -](?:minute|hour)s?|half(?: an)?[- ]hour", re.IGNORECASE)

_PATTERNS = {
    "dates": re.compile(rf"\b(?:(?:{'|'.join(MONTHS)}) \d{{1,2}}|\d{{4}}-\d\d-\d\d)\b"),
    "weekdays": re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b", re.IGNORECASE),
    "comparisons": re.compile(r"\b(more|less)(?= than \d+\b(?!%))"),
    "thresholds": re.compile(r"(?:more|less) than (\d+)\b(?!%)"),
    "growths": re.compile(r"\d+%"),
    "directions": re.compile(r"(?<=% )(?:higher|lower)"),
    "weeks": re.compile(r"(\d+) weeks?\b"),
    "days": re.compile(r"(\d+) days?\b"),
    "times": re.compile(r"(?:at|before|after) (\d{1,2}(?::\d\d)?)(?![\d:])"),
    "sides": re.compile(r"\b(?:before|after)(?= \d)"),
    "addresses": re.compile(r"[\w.]+@[\w.]*\w"),
    "charts": re.compile(r"\b(?:bar|line|scatter|histogram)\b"),
    "titles": re.compile(r"called (.+?)(?= to the | and assign)"),
}

_CHARTS = {kind: words for words, kind in CHARTS.items()}


def mentions(query: str, records: Records) -> Mentions:
    """Everything that a task's text mentions.

    Args:
        records: of its world; its people, customers and events are looked for.
    """
    quotes = _quotes(query)
    unquoted = query
    for quote in quotes:
        unquoted = _blank(unquoted, quote.start, len(quote.value))
    people = [employee.first_name for employee in records.employees]
    found = {kind: _matches(pattern, query) for kind, pattern in _PATTERNS.items()}
    return found | {
        "quotes": [Mention(quote.start, quote.value.replace("\\n", "\n")) for quote in quotes],
        "lengths": _matches(_LENGTH, query, lambda m: "30 minutes" if m[0].startswith("half") else m[0]),
        "charts": [Mention(m.start, _CHARTS[m.value]) for m in found["charts"]],
        "metrics": _unique(_of(METRICS, query)),
        "sources": _of(TRAFFIC_SOURCES, query),
        "statuses": _of(STATUSES, query),
        "products": _of((product.lower() for product in PRODUCTS), query),
        "boards": _of(BOARDS, query),
        "names": _unique(_of(people, unquoted)),
        "owners": _of(people, unquoted, ending="(?='s)"),
        "customers": _of((customer.name for customer in records.customers), query),
        "events": _of({event.name for event in records.events}, query),
    }


def _quotes(query: str) -> list[Mention]:
    """Quotations; one that is never closed ends with its sentence."""
    found = _matches(_QUOTE, query)
    rest = query
    for quote in found:
        rest = _blank(rest, quote.start - 1, len(quote.value) + 2)
    return sorted(found + _matches(_OPEN_QUOTE, rest), key=lambda quote: quote.start)


def _matches(
    pattern: re.Pattern[str], text: str, value: Callable[[re.Match[str]], str] | None = None
) -> list[Mention]:
    group = 1 if pattern.groups else 0
    return [Mention(m.start(group), value(m) if value else m[group]) for m in pattern.finditer(text)]


def _of(words: Iterable[str], text: str, ending: str = "") -> list[Mention]:
    """Where any of `words` stands, in any letter case; the value is as in `words`."""
    spelled = {word.lower(): word for word in words}
    longest_first = sorted(spelled, key=len, reverse=True)
    pattern = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w){ending}", re.IGNORECASE
    )
    return _matches(pattern, text, lambda match: spelled[match[0].lower()])


def _unique(found: list[Mention]) -> list[Mention]:
    """The first mention of each value."""
    first: dict[str, Mention] = {}
    for mention in found:
        first.setdefault(mention.value, mention)
    return list(first.values())


def _blank(text: str, start: int, length: int) -> str:
    return text[:start] + " " * length + text[start + length :]
