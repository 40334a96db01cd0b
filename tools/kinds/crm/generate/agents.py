"""The people who handle cases."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.entities import Agent
from tools.kinds.crm.generate.names import address, people, phone, split
from tools.kinds.crm.generate.wording import texts

_ZONES = ("America/Los_Angeles", "America/New_York", "America/Chicago", "America/Denver")
_GAPS = (0.55, 4.1)
_LOAD_SHAPE = 16
_SPEED_SPREAD = 0.25
_NOISE = 12


def add_agents(draft: Draft) -> None:
    """Agents with their specialty, speed and load; what they cannot do is decided with the cases."""
    numbers = draft.rng("agents")
    weights = [policy["weight"] for policy in texts("policies")["policies"]]
    names = people(draft.rng("agent names"))
    for _ in range(draft.counts.users):
        user, name, email = _add_user(draft, names)
        agent = Agent(
            id=user,
            name=name,
            email=email,
            specialty=numbers.choices(range(len(weights)), weights)[0],
            speed=math.exp(numbers.gauss(0, _SPEED_SPREAD)),
            load=numbers.gammavariate(_LOAD_SHAPE, 1),
            gaps=numbers.betavariate(*_GAPS),
        )
        draft.agents.append(agent)
    for _ in range(_NOISE if draft.noise else 0):
        _add_user(draft, names)


def _add_user(draft: Draft, names: Iterator[str]) -> tuple[str, str, str]:
    """A user's id, name and address."""
    name = next(names)
    email = address(name, texts("company")["agents_at"])
    user = draft.id("User")
    numbers = draft.rng("user", user)
    parts = split(name)
    draft.add(
        "User",
        Id=user,
        **parts,
        Email=email,
        Phone=phone(numbers),
        Username=email,
        Alias=(parts["FirstName"][0] + parts["LastName"]).lower()[:8],
        IsActive=True,
        LanguageLocaleKey="en_US",
        EmailEncodingKey="UTF-8",
        TimeZoneSidKey=numbers.choice(_ZONES),
        LocaleSidKey="en_US",
    )
    return user, name, email
