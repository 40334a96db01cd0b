"""Takes away from the best candidate what earns nothing: a part, demonstrations, a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise, zip_longest
from statistics import fmean

from worksmith.optimizers.candidates.candidate import Candidate, Demos
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.seeding import rng

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|(?<=[。\uff01\uff1f])|\n+")
_SHRINKING = 10.0
"""The ridge of the regression on demonstrations, in episodes: few showings reveal little about one."""

_HARM = 0.04
"""A smaller effect is as likely to be chance."""

_REMOVED = (0.5, 0.25)
"""The most of the demonstrations that a candidate does without, as shares of all."""


def reduced(standing: Standing, _: Checks) -> Iterator[Candidate]:
    """In turn without demonstrations, without a part, and without a sentence."""
    best = standing.best
    parts = (best.without(part) for part in best.parts if len(best.parts) > 1)
    rows = zip_longest(_without_demonstrations(standing), parts, _without_sentences(standing))
    return (each for row in rows for each in row if each is not None)


def _without_demonstrations(standing: Standing) -> Iterator[Candidate]:
    """The best ones alone; without those whose showing goes with failures, half of all at most or a quarter.

    If the best candidate has none, those of the one that gained most are tried without them.
    """
    showing = [name for name, each in standing.tried.items() if each.demonstrations]
    first = max(showing, key=standing.gain, default="")
    displays = standing.best.demonstrations or (standing.tried[first].demonstrations if first else {})
    shown = {name for each in displays.values() for name in _pool(each, standing.bank)}
    effects = effects_of_showing(standing)
    ranked = sorted(effects, key=lambda name: (effects[name], name))
    worst = [name for name in ranked if name in shown and effects[name] < -_HARM]
    if not worst:
        return
    counts = {
        name: each.count + len(each.always) if each.show == "nearest" else len(each.tasks)
        for name, each in displays.items()
    }
    alone = {
        name: Demos(show="fixed", tasks=tuple(ranked[-count:])) for name, count in counts.items() if count
    }
    yield standing.best.joined(Candidate(demonstrations=alone))
    for share in _REMOVED:
        gone = frozenset(worst[: max(1, int(share * len(shown)))])
        kept = {name: _less(each, standing.bank, gone) for name, each in displays.items()}
        left = {name: each for name, each in kept.items() if each is not None}
        yield standing.best.joined(Candidate(demonstrations=left))


def _pool(demos: Demos, bank: TraceBank) -> tuple[str, ...]:
    if demos.show == "nearest" and not demos.tasks:
        return tuple(dict.fromkeys((*demos.always, *(each.name for each in bank.demonstrations))))
    return (*demos.always, *demos.tasks)


def _less(demos: Demos, bank: TraceBank, gone: Collection[str]) -> Demos | None:
    """The demonstrations without some; None if none of them would be left."""
    if demos.show == "none":
        return demos
    kept = tuple(name for name in _pool(demos, bank) if name not in gone and name not in demos.always)
    always = tuple(name for name in demos.always if name not in gone)
    return demos.model_copy(update={"tasks": kept, "always": always}) if kept else None


def effects_of_showing(standing: Standing) -> dict[str, float]:
    """By demonstration, how much higher scores are where it is shown, all others kept: a ridge regression.

    A score counts as the difference to the mean of all programs on the task.
    """
    import numpy as np

    by_task: dict[str, list[float]] = defaultdict(list)
    for scores in standing.scores.values():
        for task_id, score in scores.items():
            by_task[task_id].append(score)
    rows: list[set[str]] = []
    leads: list[float] = []
    for name, candidate in standing.tried.items():
        showing = [_showing(each, standing.bank) for each in set(candidate.demonstrations.values())]
        for task_id, score in standing.scores.get(name, {}).items() if showing else ():
            rows.append(set().union(*(shown(standing.tasks[task_id].query) for shown in showing)))
            leads.append(score - fmean(by_task[task_id]))
    names = sorted(set().union(*rows))
    if not names:
        return {}
    table = np.array([[float(name in row) for name in names] for row in rows])
    # A common call of all of them is no merit of one.
    table, aim = table - table.mean(axis=0), np.array(leads) - fmean(leads)
    found = np.linalg.solve(table.T @ table + _SHRINKING * np.eye(len(names)), table.T @ aim)
    # Rounded, so that the order of additions can never decide between equals.
    return {name: round(float(effect), 6) for name, effect in zip(names, found, strict=True)}


def _showing(demos: Demos, bank: TraceBank) -> Callable[[str], set[str]]:
    """A function that gives the demonstrations in the prompts for a task, by its words."""
    pool = {*_pool(demos, bank)}
    if demos.show != "nearest":
        return lambda _: pool
    index = LexicalIndex({each.name: each.query for each in bank.demonstrations if each.name in pool})
    return lambda query: {
        *demos.always,
        *(hit.key for hit in index.search(query, demos.count, exclude=demos.always)),
    }


def _without_sentences(standing: Standing) -> Iterator[Candidate]:
    """Without a sentence that some compile wrote, in an order drawn for this round."""
    places = []
    bare = standing.own_instructions | standing.undo.instructions
    compiled = {name: standing.own_instructions[name] for name in standing.undo.instructions}
    texts = compiled | standing.best.instructions
    for name, text in texts.items():
        ends = [0, *(found.end() for found in _SENTENCE.finditer(text)), len(text)]
        spans = [(start, end) for start, end in pairwise(ends) if text[start:end].strip()]
        own = bare.get(name, "")
        new = [span for span in spans if text[slice(*span)].strip() not in own]
        places += [(name, span) for span in new if len(spans) > 1]
    rng(standing.seed, "sentences", standing.round).shuffle(places)
    for name, (start, end) in places:
        text = texts[name]
        yield standing.best.joined(Candidate(instructions={name: f"{text[:start]}{text[end:]}".strip()}))
