"""Names of people, for companies of any size."""

from __future__ import annotations

import random
from itertools import islice

from worksmith.tools.kinds.enterprise.generate.people.names import people_names


def test_no_two_people_have_the_same_name_though_more_than_all_pairs_are_asked_for() -> None:
    names = [name for name, _ in islice(people_names(random.Random(7)), 60_000)]

    assert len(set(names)) == len(names)
    assert {len(name.split()) for name in names[:30_000]} == {2}
    assert {len(name.split()) for name in names[50_000:]} == {3}


def test_a_second_first_name_differs_from_the_first() -> None:
    *_, (name, _) = islice(people_names(random.Random(7)), 60_000)
    first, second, _ = name.split()

    assert first != second
