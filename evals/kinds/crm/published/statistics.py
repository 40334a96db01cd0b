"""What questions ask for, in numbers: to see how far generated ones are from the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from evals.kinds.crm.published.recognise import Reading

Distribution = dict[str, dict[str, int]]
"""By what is counted (`period`, `n`, `extreme`, ...) how often each value occurs."""


class Worded(NamedTuple):
    """A wording as far as statistics need it. `empty`: whether its answer is that there is nothing."""

    family: str
    text: str
    reading: Reading
    empty: bool


def distributions(questions: Iterable[Worded]) -> dict[str, Distribution]:
    """By family what its questions ask for.

    `period` has kinds of period (`past weeks`, `named quarter`), `count` how many units back, `year` that of
    named periods, `words` the length of wordings in steps of five, `begins` their first words.
    """
    found: dict[str, dict[str, Counter[str]]] = {}
    for question in questions:
        counted = found.setdefault(question.family, {})
        for name, value in _features(question):
            counted.setdefault(name, Counter())[value] += 1
    return {
        family: {
            name: dict(sorted(values.items(), key=lambda item: (-item[1], item[0])))
            for name, values in counted.items()
        }
        for family, counted in sorted(found.items())
    }


def _features(question: Worded) -> Iterable[tuple[str, str]]:
    slots, period = question.reading.slots, question.reading.period
    if period is not None:
        kind = f"past {period.unit}s" if period.relative else f"named {period.unit}"
        yield "period", kind
        if period.count is not None:
            yield "count", f"{period.count} {period.unit}s"
        elif period.start is not None:
            yield "year", str(period.start.year)
    for name in ("n", "extreme", "asks"):
        if name in slots:
            yield name, slots[name]
    if question.family in ("handle_time", "transfer_count"):
        yield "average", slots.get("average", "no")
    words = question.text.split()
    yield "words", f"{len(words) // 5 * 5}-{len(words) // 5 * 5 + 4}"
    yield "begins", words[0].lower().strip(",") if words else ""
    yield "empty", "yes" if question.empty else "no"
