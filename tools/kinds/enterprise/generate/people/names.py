"""Names of people. Our own lists: a library's would change with its version, and with them every world."""

from __future__ import annotations

import random
from collections.abc import Iterator

from worksmith.tools.kinds.enterprise.generate.wording import texts


def people_names(numbers: random.Random, share_of_women: float = 0.4) -> Iterator[tuple[str, str]]:
    """Full names with `Female` or `Male`, all different; once half are used, all have a second first name."""
    lists = texts("names")
    surnames = lists["surnames"].split()
    firsts = {"Female": lists["female"].split(), "Male": lists["male"].split()}
    short = len(surnames) * sum(map(len, firsts.values())) // 2
    used: set[str] = set()
    while True:
        gender = "Female" if numbers.random() < share_of_women else "Male"
        if len(used) < short:
            given = numbers.choice(firsts[gender])
        else:
            given = " ".join(numbers.sample(firsts[gender], 2))
        name = f"{given} {numbers.choice(surnames)}"
        if name not in used:
            used.add(name)
            yield name, gender


def outsiders(numbers: random.Random, insiders: set[str]) -> Iterator[str]:
    """Names of people outside the company, all different from each other and from employees'."""
    return (name for name, _ in people_names(numbers, 0.5) if name not in insiders)
