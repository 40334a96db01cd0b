"""Which questions are taken: shares, repetitions, answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from random import Random

import pytest

from tests.evals.kinds.crm.orgs import org_records
from worksmith.evals.kinds.crm.families.agents import HandleTime
from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.sampling import Sampler
from worksmith.evals.tasks.task import Entity, Split

SIZES: dict[Split, int] = {"test": 20, "train": 10, "dev": 5}


@dataclass(frozen=True)
class Coins(HandleTime):
    """Questions whose answer is heads, now and then tails; a share of `empty` has none."""

    empty: float = 0.5

    def strata(self, mode: Mode) -> Mapping[str, float]:
        return {"gold": 3, "silver": 1}

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        while True:
            if random.random() < 0.1:
                yield Doubt("on its edge")
            answer = "tails" if random.random() < 0.2 else "heads"
            nothing = random.random() < self.empty
            yield Question(
                {"toss": str(random.randrange(400)), "coin": stratum},
                date(2021, 1, 1),
                None if nothing else (Entity(type="text", value=answer),),
                stratum,
            )


def coins(empty: float = 0.5) -> Family:
    return Coins("handle_time", "htu", "service_manager", frozenset(), empty)


def taken(family: Family, seed: int = 1) -> tuple[list[tuple[Split, Question]], Sampler]:
    sampler = Sampler(family, org_records(), "clean", seed, SIZES)
    found = [(place.split, sampler.take(place)) for place in sampler.places()]
    return [(split, question) for split, question in found if question is not None], sampler


def test_every_split_has_its_size_and_its_share_without_an_answer() -> None:
    found, _ = taken(coins())

    assert Counter(split for split, _ in found) == SIZES
    empty = Counter(split for split, question in found if question.answer is None)
    assert empty == {"test": 6, "train": 3, "dev": 2}  # three tenths, rounded
    assert Counter(question.stratum for split, question in found if split == "test") == {
        "gold": 15,
        "silver": 5,
    }


def test_no_question_is_taken_twice() -> None:
    found, sampler = taken(coins())
    slots = [tuple(sorted(question.slots.items())) for _, question in found]

    assert len(set(slots)) == len(slots)
    assert sampler.drops["drawn before"] > 0
    assert sampler.drops["on its edge"] > 0


def test_answers_are_evened_out() -> None:
    found, _ = taken(coins(0.3))
    answers = Counter(q.answer[0].value for split, q in found if split == "test" and q.answer)

    assert abs(answers["heads"] - answers["tails"]) <= 1  # of draws, tails are a fifth


def test_where_none_are_scarce_the_rest_is_still_asked() -> None:
    found, _ = taken(coins(0.0))

    assert all(question.answer is not None for _, question in found)
    assert len(found) == 35 - 11  # no place without an answer is filled


@pytest.mark.parametrize("mode", ["clean", "faithful"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_questions_of_a_stratum_belong_to_it(family: Family, mode: Mode) -> None:
    """And draws do not hang where an org is too small."""
    sampler = Sampler(family, org_records(), mode, 3, {"test": 8})
    places = sampler.places()
    found = [question for place in places if (question := sampler.take(place))]

    assert len(places) == 8
    assert {question.stratum for question in found} <= family.strata(mode).keys()
    assert all(family.worded <= question.slots.keys() for question in found)


def test_the_same_seed_takes_the_same() -> None:
    one, two, other = (taken(coins(), seed)[0] for seed in (1, 1, 2))

    assert one == two
    assert one != other
