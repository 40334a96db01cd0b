"""Names of people, no two the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tools.kinds.crm.generate.wording import texts


def people(numbers: random.Random) -> Iterator[str]:
    """Given name and surname of one person after the other; with middle names once all pairs are used."""
    words = texts("names")
    given, surnames = words["given"].split(), words["surnames"].split()
    used: set[str] = set()
    while True:
        name = f"{numbers.choice(given)} {numbers.choice(surnames)}"
        while name in used:
            first, _, rest = name.partition(" ")
            name = f"{first} {numbers.choice(given)} {rest}"
        used.add(name)
        yield name


def address(name: str, domain: str) -> str:
    """An e-mail address; as unique as the name."""
    return f"{name.lower().replace(' ', '.')}@{domain}"


def phone(numbers: random.Random) -> str:
    """A telephone number of the range that is kept for fiction."""
    return f"({numbers.randint(201, 989)}) 555-01{numbers.randint(0, 99):02d}"


def split(name: str) -> dict[str, str]:
    """The fields that hold a name and its parts."""
    first, _, last = name.rpartition(" ")
    return {"Name": name, "FirstName": first, "LastName": last}
