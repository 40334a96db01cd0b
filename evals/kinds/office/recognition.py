"""The referents of mentions in a task, the intent of a task of another system, and its gold plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from worksmith.evals.kinds.office.generate import GoldPlanError, execute, solve
from worksmith.evals.kinds.office.intents.analytics.intents import CHARTS
from worksmith.evals.kinds.office.intents.intent import Intent, Slots
from worksmith.evals.kinds.office.intents.plan_recorder import ToolRefusedError
from worksmith.evals.kinds.office.intents.registry import intent
from worksmith.evals.kinds.office.intents.wording import MONTHS, WEEKDAYS
from worksmith.evals.kinds.office.records import METRICS, Records
from worksmith.evals.tasks.task import Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.office.schema import BOARDS, PRODUCTS, STATUSES, TRAFFIC_SOURCES
from worksmith.tools.world import World


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention: its place, and its meaning in the words of slots."""

    start: int
    value: str


Mentions = dict[str, list[Mention]]
"""By kind, in the order of the text."""

# An apostrophe between letters belongs to the word before an English ending.
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


_NOT_SOLVED = (ToolRefusedError, GoldPlanError, LookupError, ValueError, ArithmeticError, StopIteration)
"""The exceptions of a script for a task of another intent."""


def with_gold_plans(world: World, tasks: Iterable[Task]) -> list[Task]:
    """`tasks`, those without a gold plan now with one where their intent was recognised.

    A plan is kept only if its outcome equals the corrected expectation. A task's own intent and
    slots stay as they are.
    """
    records, env = Records.of(world), Environment(world, sandboxes=1)
    return [
        task.model_copy(update={"gold_plan": _gold_plan(task, records, env)})
        if task.gold_plan is None
        else task
        for task in tasks
    ]


def recognise(query: str, domains: Iterable[str], records: Records) -> tuple[Intent, Slots] | None:
    """The intent and the slots of a task's text, if it is like those of a known intent."""
    found = mentions(query, records)
    wanted, lower = set(domains), query.lower()
    for code, entry in _entries().items():
        one = intent(code)
        if set(one.domains) == wanted and all(re.search(p, lower) for p in entry.get("patterns", ())):
            slots = _fill(entry, found, query)
            if slots is not None:
                return one, slots
    return None


def _gold_plan(task: Task, records: Records, env: Environment) -> tuple[Step, ...] | None:
    recognised = recognise(task.query, task.domains, records)
    if recognised is None:
        return None
    expected = task.expected if task.corrected is None else task.corrected
    try:
        steps, outcome = solve(*recognised, task.query, env)
        return steps if outcome.matches(execute(expected, env)) else None
    except _NOT_SOLVED:
        return None


@cache
def _entries() -> Mapping[str, Mapping[str, str | list[str]]]:
    return read_toml(__package__, "recognition.toml")


def _fill(entry: Mapping[str, str | list[str]], found: Mentions, query: str) -> Slots | None:
    slots: dict[str, str] = {}
    for slot, places in entry.items():
        if slot == "patterns":
            continue
        options = [places] if isinstance(places, str) else places
        values = (_at(place, found, query, slots) for place in options)
        value = next((value for value in values if value is not None), None)
        if value is None:
            return None
        slots[slot] = value
    return slots


def _at(place: str, found: Mentions, query: str, slots: Slots) -> str | None:
    """The value at a place as `recognition.toml` writes it."""
    kind, _, where = place.partition(" ")
    of_kind = found[kind]
    if where == "other":
        candidates = [mention for mention in of_kind if mention.value not in slots.values()]
    elif where.startswith("after "):
        words = where.removeprefix("after ")
        candidates = [mention for mention in of_kind if _stands_after(mention, words, query)]
    else:
        candidates = of_kind[int(where) :]
    return candidates[0].value if candidates else None


def _stands_after(mention: Mention, words: str, query: str) -> bool:
    return query[: mention.start].lower().endswith(f"{words} ")
