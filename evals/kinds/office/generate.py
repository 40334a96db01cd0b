"""Generating the tasks of an office suite: drawn, answered, solved, and both executed and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from worksmith.evals.kinds.office.intents.intent import Intent, Slots
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.registry import groups
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action, Split, Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.outcome import Outcome
from worksmith.tools.world import World

PER_INTENT = 10

Wordings = Literal["few", "many"]

_STANDARD: tuple[Split, ...] = (
    *("train", "test", "dev", "train", "test"),
    *("train", "dev", "train", "test", "train"),
)
"""Five train, two dev and three test of ten, so mixed that fewer than ten are shared out alike."""

_HELD_OUT: tuple[tuple[float, Split], ...] = ((0.60, "train"), (0.75, "dev"), (1.0, "test"))
_HELD_OUT_SEED = 0
"""The same intents are held out in every suite, so that results of several suites can be put together."""

_DRAWS = 300
"""The most draws for a task of the wanted kind, and then for any task."""

_MOST_ACTIONS = 12
"""Tasks with more actions are drawn only where a world has no smaller ones."""


class GoldPlanError(WorksmithError):
    """An intent's solution and its answer do not do the same; a defect of the intent."""


@dataclass(frozen=True)
class _Draft:
    """A drawn task, not yet solved."""

    slots: Slots
    phrasing: int
    query: str
    expected: tuple[Action, ...]


def generate(
    world: World,
    seed: int = 0,
    per_intent: int = PER_INTENT,
    *,
    wordings: Wordings = "few",
    only: Sequence[str] = (),
) -> list[Task]:
    """`per_intent` tasks of every intent over `world`: no text twice, no values in two splits.

    A task depends on the world, the seed and its place within its intent; on no other intent.

    Args:
        wordings: with many, the wordings of intents beside their phrasings.
        only: codes of the intents wanted; all by default.

    Raises:
        InputError: if the world is too small for this number of tasks.
        GoldPlanError: if an intent is defective.
    """
    if per_intent < 1:
        raise InputError(f"{per_intent} tasks per intent are too few", where="per_intent")
    records, env = Records.of(world), Environment(world, sandboxes=1)
    tasks = []
    for group in groups().values():
        held_out = held_out_splits(group)
        for intent in group:
            if not only or intent.code in only:
                drafts = list(_drafts(intent, records, seed, per_intent, wordings))
                for number, (draft, split) in enumerate(zip(drafts, _splits(drafts), strict=True)):
                    tasks.append(_task(intent, number, draft, split, held_out[intent.code], env))
    return tasks


def _splits(drafts: Sequence[_Draft]) -> list[Split]:
    """The split of each task of an intent; those with the same values, differently worded, share one.

    They are placed first; the others keep their places as far as there is room.
    """
    wanted = [_STANDARD[number % len(_STANDARD)] for number in range(len(drafts))]
    room, found = Counter(wanted), dict[int, Split]()
    alike: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for number, draft in enumerate(drafts):
        alike.setdefault(tuple(sorted(draft.slots.items())), []).append(number)
    for numbers in sorted(alike.values(), key=len, reverse=True):
        splits = [*(wanted[number] for number in numbers), *sorted(room, key=room.__getitem__, reverse=True)]
        if len(numbers) > 1 or room[splits[0]] > 0:
            split = next((split for split in splits if room[split] >= len(numbers)), splits[len(numbers)])
            found |= dict.fromkeys(numbers, split)
            room[split] -= len(numbers)
    for number in range(len(drafts)):
        if number not in found:
            found[number] = max(room, key=room.__getitem__)
            room[found[number]] -= 1
    return [found[number] for number in range(len(drafts))]


def held_out_splits(group: Sequence[Intent]) -> dict[str, Split]:
    """The split of each intent of a group, by code, when whole intents are held out."""
    codes = [intent.code for intent in group]
    rng(_HELD_OUT_SEED, "office", "held out", *codes).shuffle(codes)
    return {
        code: next(split for limit, split in _HELD_OUT if (place + 0.5) / len(codes) < limit)
        for place, code in enumerate(codes)
    }


def solve(intent: Intent, slots: Slots, query: str, env: Environment) -> tuple[tuple[Step, ...], Outcome]:
    """A gold plan for a task of `intent`, made by executing its script, and what that changes."""
    episode = env.episode(intent.domains)
    script = PlanRecorder(episode, query)
    intent.act(script, slots)
    return tuple(script.steps), episode.outcome()


def execute(actions: Sequence[Action], env: Environment) -> Outcome:
    """What `actions` change.

    Raises:
        GoldPlanError: if a tool refuses one.
    """
    episode = env.episode()
    for action in actions:
        observation = episode.call(action.tool, action.arguments)
        if observation.status != "ok":
            raise GoldPlanError(f"{action.tool}({action.arguments}): {observation.text}")
    return episode.outcome()


def _drafts(intent: Intent, records: Records, seed: int, count: int, wordings: Wordings) -> Iterator[_Draft]:
    """As many tasks as asked, with the intent's share of those that have nothing to do."""
    empty = round(intent.empty_share * count)
    kinds = [True] * empty + [False] * (count - empty)
    rng(seed, "office", intent.code, "kinds").shuffle(kinds)
    taken: set[str] = set()
    texts = len(intent.phrasings) + (len(intent.wordings) if wordings == "many" else 0)
    for number, kind in enumerate(kinds):
        draft = _draft(intent, records, rng(seed, "office", intent.code, number), texts, kind, taken)
        if draft is None:
            raise InputError(
                f"the world is too small for {count} different tasks of {intent.id}",
                where="per_intent",
                hint="ask for fewer tasks per intent, or build a larger world",
            )
        taken.add(draft.query)
        yield draft


def _draft(
    intent: Intent, records: Records, random: Random, texts: int, empty: bool, taken: set[str]
) -> _Draft | None:
    """A task with a new text, of the wanted kind if there is one."""
    second: _Draft | None = None
    for _ in range(_DRAWS):
        slots = intent.draw(records, random)
        phrasing = random.randrange(texts)
        if slots is None:
            continue
        query = intent.text(phrasing, slots)
        if query in taken:
            continue
        draft = _Draft(slots, phrasing, query, tuple(intent.answer(records, slots)))
        if _unfit(draft, empty) <= (False, _MOST_ACTIONS):
            return draft
        if second is None or _unfit(draft, empty) < _unfit(second, empty):
            second = draft
    return second


def _unfit(draft: _Draft, empty: bool) -> tuple[bool, int]:
    return empty != (not draft.expected), len(draft.expected)


def _task(
    intent: Intent, number: int, draft: _Draft, split: Split, held_out: Split, env: Environment
) -> Task:
    steps, solved = solve(intent, draft.slots, draft.query, env)
    if not solved.matches(execute(draft.expected, env)):
        raise GoldPlanError(
            f"{intent.id}: solution and answer differ for {draft.query!r}: "
            f"{[step.model_dump() for step in steps]} against {draft.expected}"
        )
    return Task(
        id=f"{intent.id}.{number:02}",
        query=draft.query,
        domains=intent.domains,
        intent=intent.id,
        slots=dict(draft.slots),
        phrasing=draft.phrasing,
        split=split,
        held_out_split=held_out,
        gold_plan=steps,
        expected=draft.expected,
        origin={"system": "generated"},
    )
