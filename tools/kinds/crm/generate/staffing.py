"""Who gets a case first, who lacks the skill for it, and who takes it over.

An agent who lacks an issue always passes it on. Which agents lack which issues follows their inclination to
have gaps; as many gaps are opened as give the wanted number of transfers, so that no seed has too many or too
few.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import Agent

_PREFERRED_FIRST = 3.0
_PREFERRED_RECEIVER = 4.0
_SLACK = 2
_MOST_LACKING = 0.5
_ATTEMPTS = 40
_UNIQUE_EXPERTS = 7
_LARGE = 400
"""From how many cases on it is asked that issues have one agent who closed most."""

ISSUES = 10


@dataclass(frozen=True)
class Opening:
    issue: int
    created: datetime


@dataclass(frozen=True)
class Staffing:
    agent: Agent
    owner: Agent
    open: bool

    @property
    def transferred(self) -> bool:
        return self.agent is not self.owner


def staff(draft: Draft, openings: list[Opening], still_open: set[int]) -> list[Staffing]:
    """Give each case an agent and an owner, and note the agents' limits.

    Of a few attempts the first in which most issues have one agent who closed more than all others.
    """
    best: tuple[int, list[Staffing], dict[str, set[int]]] | None = None
    for attempt in range(_ATTEMPTS):
        first = _first_agents(draft, openings, attempt)
        lacks = _lacks(draft, openings, first, attempt)
        staffing = _owners(draft, openings, first, lacks, still_open, attempt)
        experts = _unique_experts(openings, staffing)
        if best is None or experts > best[0]:
            best = experts, staffing, lacks
        if experts >= _UNIQUE_EXPERTS or len(openings) < _LARGE:
            break
    assert best is not None
    draft.lacks = best[2]
    _note(draft)
    return best[1]


def _first_agents(draft: Draft, openings: list[Opening], attempt: int) -> list[Agent]:
    numbers = draft.rng("first agents", attempt)
    weights = [
        list(accumulate(a.load * (_PREFERRED_FIRST if a.specialty == issue else 1) for a in draft.agents))
        for issue in range(ISSUES)
    ]
    return [numbers.choices(draft.agents, cum_weights=weights[each.issue])[0] for each in openings]


def _lacks(draft: Draft, openings: list[Opening], first: list[Agent], attempt: int) -> dict[str, set[int]]:
    """The issues that each agent lacks, by id: the likeliest gaps until there are enough transfers."""
    numbers = draft.rng("skills", attempt)
    got = Counter((agent.id, each.issue) for agent, each in zip(first, openings, strict=True))
    gaps = sorted(
        (numbers.random() / max(1e-6, agent.gaps), agent.id, issue)
        for agent in draft.agents
        for issue in range(ISSUES)
    )
    lacks: dict[str, set[int]] = {agent.id: set() for agent in draft.agents}
    lacking: Counter[int] = Counter()
    missing = draft.counts.transfers
    for _, agent_id, issue in gaps:
        cases = got[agent_id, issue]
        if missing <= _SLACK:
            break
        if cases <= missing and lacking[issue] < _MOST_LACKING * len(draft.agents):
            lacks[agent_id].add(issue)
            lacking[issue] += 1
            missing -= cases
    return lacks


def _owners(
    draft: Draft,
    openings: list[Opening],
    first: list[Agent],
    lacks: dict[str, set[int]],
    still_open: set[int],
    attempt: int,
) -> list[Staffing]:
    numbers = draft.rng("receivers", attempt)
    able = [[a for a in draft.agents if issue not in lacks[a.id]] for issue in range(ISSUES)]
    weights = [
        list(accumulate(a.load * (_PREFERRED_RECEIVER if a.specialty == issue else 1) for a in able[issue]))
        for issue in range(ISSUES)
    ]
    staffing = []
    for place, (each, agent) in enumerate(zip(openings, first, strict=True)):
        owner = agent
        if each.issue in lacks[agent.id]:
            owner = numbers.choices(able[each.issue], cum_weights=weights[each.issue])[0]
        staffing.append(Staffing(agent, owner, place in still_open))
    return staffing


def _unique_experts(openings: list[Opening], staffing: list[Staffing]) -> int:
    closed: list[Counter[str]] = [Counter() for _ in range(ISSUES)]
    for each, who in zip(openings, staffing, strict=True):
        if not who.open:
            closed[each.issue][who.owner.id] += 1
    leaders = [counter.most_common(2) for counter in closed]
    return sum(len(top) == 1 or (len(top) == 2 and top[0][1] > top[1][1]) for top in leaders)


def _note(draft: Draft) -> None:
    for agent in draft.agents:
        draft.latent(
            "User",
            agent.id,
            "agent",
            {
                "lacks": [draft.policies[issue].name for issue in draft.lacks[agent.id]],
                "specialty": draft.policies[agent.specialty].name,
                "speed": agent.speed,
                "load": agent.load,
            },
        )
