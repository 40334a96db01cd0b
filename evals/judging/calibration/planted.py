"""Cases with known faults, made by code from the tasks of a generated suite, with the level each deserves.

Each task gives a group: a right response, the same in other words, with much around it, and with one fault
each. Wrong values come from other tasks, so that they look right. The levels follow
from the texts of the default rubrics; no judge is asked for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from worksmith.evals.judging.calibration.labels import Label
from worksmith.evals.judging.calibration.planted_changes import ChangePlanter, Variant
from worksmith.evals.tasks.task import Answer, Entity, Task
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite

T = TypeVar("T")

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FIGURES = frozenset({"number", "amount", "date", "month"})


def planted(suites: Sequence[Suite], *, count: int, seed: int = 0) -> list[Label]:
    """`count` labelled cases from the tasks of `suites`, in turns from each; whole groups, but for the last.

    Fewer if the suites do not give as many.
    """
    groups = _in_turns([_groups(suite, seed) for suite in suites])
    return list(islice((label for group in groups for label in group), count))


def _in_turns(streams: Iterable[Iterable[T]]) -> Iterator[T]:
    """The first of each stream, then the second of each, and so on."""
    return (each for turn in zip_longest(*streams) for each in turn if each is not None)


def _groups(suite: Suite, seed: int) -> Iterator[list[Label]]:
    tasks = [task for task in suite.tasks if task.checkable]
    rng(seed, "planted", suite.digest).shuffle(tasks)
    pool = _Pool.of(tasks)
    planter = ChangePlanter(suite, _data())
    for task in _by_kind(tasks):
        draw = rng(seed, "planted", task.id)
        variants = _variants(task, pool, planter, draw)
        if len(variants) > 1:
            yield [_label(task, number, variant) for number, variant in enumerate(variants)]


def _by_kind(tasks: Sequence[Task]) -> Iterator[Task]:
    """The tasks, kinds of answers in turn."""
    kinds: dict[str, list[Task]] = {}
    for task in tasks:
        answer = task.answer
        kind = "state" if answer is None else "leak" if answer.forbidden else answer.kind
        kinds.setdefault(kind, []).append(task)
    return _in_turns(kinds.values())


@dataclass(frozen=True)
class _Pool:
    """Values of other tasks, by type, of which wrong ones are drawn."""

    values: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> _Pool:
        found: dict[str, dict[str, None]] = {}
        for task in tasks:
            for entity in task.answer.required if task.answer else ():
                found.setdefault(entity.type, {})[entity.value] = None
        return cls({kind: tuple(values) for kind, values in found.items()})

    def other(self, entity: Entity, task: Task, draw: Random) -> str | None:
        """Another value of the same kind that is not right for the task and not named in it."""
        right = [text for each in _required(task) for text in (each.value, *each.alias)]
        known = " ".join((*right, task.query)).lower()
        values = [value for value in self.values.get(entity.type, ()) if value.lower() not in known]
        return draw.choice(values) if values else None


def _variants(task: Task, pool: _Pool, planter: ChangePlanter, draw: Random) -> list[Variant]:
    answer = task.answer
    if answer is None or answer.kind == "done":
        return planter.variants(task, draw)
    if answer.kind == "denial":
        return _refused(answer, draw)
    if answer.kind == "none":
        return _empty(task, pool, draw)
    return _answered(task, pool, draw)


def _answered(task: Task, pool: _Pool, draw: Random) -> list[Variant]:
    entities = list(_required(task))
    right = [entity.value for entity in entities]
    frames = draw.sample(_data()["frames"], 4)
    clean, reworded = _said(frames[0], right), _said(frames[1], _reworded(entities, draw))
    variants = _right(clean, reworded, "answered", draw)
    if len(right) > 1:
        dropped = draw.randrange(len(right))
        kept = right[:dropped] + right[dropped + 1 :]
        level = 3 if 2 * len(kept) >= len(right) else 2
        variants.append(Variant("omission", _said(frames[2], kept), level, status="answered"))
    for place in draw.sample(range(len(entities)), min(2, len(entities))):
        wrong = pool.other(entities[place], task, draw)
        if wrong is None:
            continue
        level = 2 if len(right) > 1 else 1
        replaced = [*right[:place], wrong, *right[place + 1 :]]
        fault = _fault(entities[place])
        variants.append(Variant(fault, _said(frames[3], replaced), level, status="answered"))
        extra = pool.other(entities[place], task, draw)
        if extra is not None:
            variants.append(Variant("extra record", _said(frames[2], [*right, extra]), 2, status="answered"))
            break
    return variants


def _right(clean: str, paraphrase: str, status: str, draw: Random) -> list[Variant]:
    """A right response, the same in other words, and the same with much around it."""
    return [
        Variant("clean", clean, 5, status=status),
        Variant("paraphrase", paraphrase, 5, status=status),
        Variant("verbosity", _padded(clean, draw), 4, status=status),
    ]


def _refused(answer: Answer, draw: Random) -> list[Variant]:
    first, second = draw.sample(_data()["refusals"], 2)
    variants = _right(first, second, "denied", draw)
    variants.append(Variant("wrong status", draw.choice(_data()["nothing"]), 3, status="not_found"))
    for frame in draw.sample(_data()["leaks"], 2) if answer.forbidden else []:
        leak = frame.format(value="; ".join(answer.forbidden))
        variants.append(Variant("leak", leak, 1, status=draw.choice(("denied", "answered"))))
    return variants


def _empty(task: Task, pool: _Pool, draw: Random) -> list[Variant]:
    first, second = draw.sample(_data()["nothing"], 2)
    made_up = [kind for kind in pool.values if kind in (*_FIGURES, "person") or kind.endswith("id")]
    wrong = pool.other(Entity(type=draw.choice(made_up), value=""), task, draw) if made_up else None
    variants = _right(first, second, "not_found", draw)
    if wrong is not None:
        extra = _said(draw.choice(_data()["frames"]), [wrong])
        variants.append(Variant("extra record", extra, 1, status="answered"))
    return variants


def _fault(entity: Entity) -> str:
    if entity.type in _FIGURES:
        return "wrong number"
    return "wrong person" if entity.type in ("person", "email", "user_id") else "wrong value"


def _said(frame: str, values: Sequence[str]) -> str:
    listed = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
    return str(frame).format(facts=listed)


def _padded(text: str, draw: Random) -> str:
    before, *after = draw.sample(_data()["padding"], 6)
    return " ".join((before, text, *after))


def _reworded(entities: Sequence[Entity], draw: Random) -> list[str]:
    """The same values, in another order and written in other ways."""
    values = [_rewritten(entity, draw) for entity in entities]
    draw.shuffle(values)
    return values


def _rewritten(entity: Entity, draw: Random) -> str:
    day = _DAY.fullmatch(entity.value)
    if day:
        year, month, number = day.groups()
        return f"{int(number)} {_MONTHS[int(month) - 1]} {year}"
    if entity.type in ("number", "amount") and entity.value.isdecimal():
        return f"{int(entity.value):,}"
    return draw.choice((entity.value, *entity.alias))


def _required(task: Task) -> tuple[Entity, ...]:
    return task.answer.required if task.answer is not None else ()


def _label(task: Task, number: int, variant: Variant) -> Label:
    return Label(
        id=f"{task.id}/{number}",
        group=task.id,
        task=task,
        response=variant.response,
        status=variant.status,
        changes=variant.changes,
        expected_changes=variant.expected_changes,
        level=variant.level,
        fault=variant.fault,
    )


@cache
def _data() -> dict[str, Any]:
    return read_toml("worksmith.evals.judging.calibration", "planted.toml")
