"""How many records of each source a world of some size has."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tools.errors import InputError

SCALES = (0.005, 10.0)
"""Outside of these a world is too small to be one, or names run out."""


@dataclass(frozen=True)
class Counts:
    """Records by source. The defaults are those of scale 1, the published system's size.

    `overflow` counts questions and answers together; `orders` follow from the customers, three each;
    policies are always the same.
    """

    employees: int = 1260
    conversations: int = 3000
    mail: int = 4500
    threads: int = 1500
    repositories: int = 1000
    issues: int = 1000
    tickets: int = 163
    products: int = 1352
    customers: int = 832
    sales: int = 13511
    sentiments: int = 13500
    support_chats: int = 1000
    overflow: int = 5000
    posts: int = 1000
    clients: int = 400
    vendors: int = 400
    resumes: int = 1013


_FLOORS = Counts(
    employees=83,
    conversations=60,
    mail=90,
    threads=30,
    repositories=24,
    issues=24,
    tickets=30,
    products=30,
    customers=20,
    sales=120,
    sentiments=120,
    support_chats=40,
    overflow=40,
    posts=20,
    clients=20,
    vendors=20,
    resumes=40,
)
"""Whatever the scale, there is one full chain of 1:2:3:4 in each of eight departments, and of everything
enough for tasks to have something to confuse."""


def counts(scale: float) -> Counts:
    """The counts at `scale`, rounded, never below the floors.

    Raises:
        InputError: if the scale is out of range.
    """
    least, most = SCALES
    if not least <= scale <= most:
        raise InputError(f"the scale {scale:g} is not between {least:g} and {most:g}", where="scale")
    full = Counts()
    values = {
        field.name: max(getattr(_FLOORS, field.name), round(getattr(full, field.name) * scale))
        for field in fields(Counts)
    }
    return Counts(**values)
