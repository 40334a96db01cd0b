"""Choosing questions: so many for each stratum and split, with an answer and without, no answer too often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.tasks.task import Split
from worksmith.tools.generating.apportion import apportion
from worksmith.tools.seeding import rng

_SPARE = 4
"""So many questions are drawn for each place where they are not scarce, to choose from."""

_MOST = 8 / 130
"""No answer is that of a greater share of questions, unless there are no others."""

_TRIES, _TRIES_FOR_EACH = 400, 100
"""So often at most a stratum is drawn: some tries, and some more for each of its places."""

_IDLE = 300
"""So many draws in a row that bring nothing new end the drawing of a stratum."""


@dataclass(frozen=True)
class Place:
    """A place for one question; `empty` if it is to have no answer."""

    split: Split
    stratum: str
    empty: bool


class Sampler:
    """The questions of one family, taken one by one. `drops`: why draws could not be asked, and how often."""

    def __init__(
        self, family: Family, org: OrgRecords, mode: Mode, seed: int, sizes: Mapping[Split, int]
    ) -> None:
        self.drops: Counter[str] = Counter()
        self._family = family
        self._mode: Mode = mode
        self._sizes = sizes
        self._seed = seed
        self._pools: dict[tuple[str, bool], list[Question]] = defaultdict(list)
        self._keys: set[tuple[tuple[str, str], ...]] = set()
        self._used: dict[Split, Counter[str]] = defaultdict(Counter)
        for stratum, count in self._shares(sum(sizes.values())).items():
            self._draw(org, stratum, count)

    def places(self) -> list[Place]:
        """The places of all splits, so mixed that each comes to its share of what is scarce.

        Strata get questions by weight; of those each split has exactly its share without an answer, spread
        over the strata as evenly as the questions that were found allow.
        """
        found: list[tuple[float, int, Place]] = []
        whole = sum(self._sizes.values())
        for turn, (split, size) in enumerate(self._sizes.items()):
            counts = self._shares(size)
            able = {s: round(len(self._pools[s, True]) * size / whole) for s in counts}
            empty = _spread(round(self._family.nones(self._mode) * size), counts, able)
            chosen = [
                Place(split, stratum, number < empty[stratum])
                for stratum, count in counts.items()
                for number in range(count)
            ]
            rng(self._seed, "crm", self._family.name, "places", split).shuffle(chosen)
            found += [((number + 0.5) / size, turn, place) for number, place in enumerate(chosen)]
        return [place for _, _, place in sorted(found, key=lambda item: item[:2])]

    def take(self, place: Place) -> Question | None:
        """A question for a place, the one whose answer and subject its split has least; None if none is left.

        Where the stratum has none, or only such as everybody has by now, one of the stratum most like it.
        """
        parts = set(place.stratum.split("/"))

        def likeness(stratum: str) -> tuple[bool, int, int]:
            alike = len(parts & set(stratum.split("/")))
            return stratum == place.stratum, alike, len(self._pools[stratum, place.empty])

        able = [s for s, empty in sorted(self._pools) if empty == place.empty and self._pools[s, empty]]
        able.sort(key=likeness, reverse=True)
        most = ceil(_MOST * self._sizes[place.split])
        for stratum in able:
            chosen = self._least_familiar(place.split, self._pools[stratum, place.empty])
            if place.empty or self._used[place.split][_answer(chosen)] < most:
                return self._use(place, stratum, chosen)
        if not able:
            return None
        return self._use(place, able[0], self._least_familiar(place.split, self._pools[able[0], place.empty]))

    def _shares(self, size: int) -> dict[str, int]:
        """How many of `size` questions each stratum gets."""
        weights = self._family.strata(self._mode)
        return dict(zip(weights, apportion(size, list(weights.values())), strict=True))

    def _least_familiar(self, split: Split, pool: list[Question]) -> Question:
        used = self._used[split]

        def familiar(question: Question) -> tuple[int, int]:
            return used[_answer(question)], max((used[each] for each in question.shown.values()), default=0)

        return min(pool, key=familiar)

    def _use(self, place: Place, stratum: str, question: Question) -> Question:
        self._pools[stratum, place.empty].remove(question)
        self._used[place.split].update({_answer(question), *question.shown.values()})
        return question

    def _draw(self, org: OrgRecords, stratum: str, count: int) -> None:
        share = self._family.nones(self._mode)
        empty = ceil(2 * _SPARE * count * min(0.5, share))  # twice as many: not every stratum has some
        goals = {False: _SPARE * count, True: empty}
        random = rng(self._seed, "crm", self._mode, self._family.name, "questions", stratum)
        tries = _TRIES + _TRIES_FOR_EACH * count
        idle = 0
        for number, drawn in enumerate(self._family.candidates(org, self._mode, stratum, random), 1):
            if isinstance(drawn, Doubt):
                self.drops[drawn.reason] += 1
            idle = 0 if isinstance(drawn, Question) and self._add(drawn, goals) else idle + 1
            done = all(len(self._pools[stratum, empty]) >= goal for empty, goal in goals.items())
            if done or number >= tries or idle >= _IDLE:
                break

    def _add(self, question: Question, goals: Mapping[bool, int]) -> bool:
        """Keep a question if it is new and there is use for it; whether it was kept."""
        key = tuple(sorted(question.slots.items()))
        pool = self._pools[question.stratum, question.answer is None]
        if key in self._keys:
            self.drops["drawn before"] += 1
            return False
        if len(pool) >= goals[question.answer is None]:
            return False
        self._keys.add(key)
        pool.append(question)
        return True


def _spread(total: int, counts: Mapping[str, int], able: Mapping[str, int]) -> dict[str, int]:
    """Shares out `total` places in proportion to `counts`; nobody gets more, nor than `able` if it can be."""
    found = dict.fromkeys(counts, 0)
    for _ in range(total):
        open_ = [s for s in counts if found[s] < min(counts[s], able[s])] or [
            s for s in counts if found[s] < counts[s]
        ]
        chosen = min(open_, key=lambda s: ((found[s] + 0.5) / counts[s], s))
        found[chosen] += 1
    return found


def _answer(question: Question) -> str:
    return "; ".join(sorted(entity.value for entity in question.answer or ()))
