"""What happens in the conversation about a case, decided before a word of it is written."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from worksmith.tools.generating.apportion import apportion
from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import CaseFile, Policy, Violation
from worksmith.tools.kinds.crm.generate.wording import texts

_SECOND_CONCERN = 0.10
_REQUEST = 0.30
_REQUEST_GRANTED = 0.45
_NO_PROMISE = 0.15
_WAIVED = 0.5
"""Share of the skipped steps that the agent mentions."""
_NEAR, _NEAR_DAYS = 0.6, 3
_MORE = {
    "percent": (5, 10, 15),
    "validity": (15, 30, 60),
    "extension": (60, 90, 185),
    "points": (100, 250),
    "hold": (7, 14),
}
_STEPS = {"percent": 5, "validity": 15, "extension": 30, "points": 50, "hold": 1}

Amounts = dict[str, int]


@dataclass(frozen=True)
class Concern:
    """One thing that the customer brings up, and what comes of it.

    Attributes:
        policy: of the issue that it is about.
        gives: whether the customer sends the required proof.
        waived: whether the agent waives it.
        remedy: the granted remedy, None while the case is open; `amounts` with which numbers.
        promised: whether the agent promises something beyond remedies; `no_promise` whether they refuse to.
        requested: a remedy that the customer asks for; `refused` one that the agent refuses.
    """

    policy: Policy
    gives: bool = True
    waived: bool = False
    remedy: str | None = None
    amounts: Amounts = field(default_factory=dict)
    promised: bool = False
    no_promise: bool = False
    requested: str | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Plan:
    """The concerns of a conversation, and which article its agent breaks in which way, if any."""

    concerns: tuple[Concern, ...]
    violation: Violation | None = None
    breached: Policy | None = None


def plan(draft: Draft, case: CaseFile, violation: Violation | None, cross: Policy | None) -> Plan:
    """What happens in the conversation about `case`.

    Args:
        violation: how the agent breaks an article.
        cross: the article that is broken if it is not the one of the case's issue; its subject comes up as a
            second concern.
    """
    numbers = draft.rng("plan", case.id)
    own = draft.policies[case.issue]
    if case.closed is None:
        return Plan((Concern(own, gives=numbers.random() < 0.5),))
    first = _concern(numbers, draft.policies, own, case.days, None if cross else violation)
    if cross is None and numbers.random() < _SECOND_CONCERN:
        others = [policy for policy in draft.policies if policy is not own]
        return Plan(
            (first, _second(numbers, draft.policies, others, case.days)),
            violation,
            own if violation else None,
        )
    if cross is None:
        return Plan((first,), violation, own if violation else None)
    second = replace(
        _concern(numbers, draft.policies, cross, case.days, violation), requested=None, refused=None
    )
    return Plan((first, second), violation, cross)


def late_remedies(policy: Policy, days: int) -> list[str]:
    return [remedy for remedy, limits in policy.remedies.items() if days > limits.get("within", days)]


def _second(numbers: random.Random, policies: list[Policy], others: list[Policy], days: int) -> Concern:
    concern = _concern(numbers, policies, numbers.choice(others), days, None)
    return replace(concern, requested=None, refused=None, no_promise=False)


def _concern(
    numbers: random.Random, policies: list[Policy], policy: Policy, days: int, violation: Violation | None
) -> Concern:
    """A concern under `policy`, handled correctly except for `violation`."""
    remedy, amounts = _remedy(numbers, policies, policy, days, violation)
    skips = violation == "skipped_step"
    concern = Concern(
        policy,
        gives=not skips,
        waived=skips and numbers.random() < _WAIVED,
        remedy=remedy,
        amounts=amounts,
        promised=violation == "promise",
        no_promise=violation != "promise" and numbers.random() < _NO_PROMISE,
    )
    if violation in ("unlisted", "late"):
        return replace(concern, requested=remedy) if numbers.random() < _REQUEST_GRANTED else concern
    if numbers.random() < _REQUEST:
        forbidden = numbers.choice([*_unlisted(policies, policy), *late_remedies(policy, days)])
        return replace(concern, requested=forbidden, refused=forbidden)
    return concern


def _remedy(
    numbers: random.Random, policies: list[Policy], policy: Policy, days: int, violation: Violation | None
) -> tuple[str, Amounts]:
    if violation == "unlisted":
        remedy = numbers.choice(_unlisted(policies, policy))
        return remedy, _within(numbers, next(p for p in policies if remedy in p.remedies).remedies[remedy])
    if violation == "late":
        return numbers.choice(late_remedies(policy, days)), {}
    late = late_remedies(policy, days)
    listed = {remedy: limits for remedy, limits in policy.remedies.items() if remedy not in late}
    if violation == "excess":
        remedy = numbers.choice([remedy for remedy, limits in listed.items() if "within" not in limits])
        return remedy, _beyond(numbers, listed[remedy])
    near = [r for r, limits in listed.items() if limits.get("within", days + 99) - days <= _NEAR_DAYS]
    remedy = numbers.choice(near if near and numbers.random() < _NEAR else list(listed))
    return remedy, _within(numbers, listed[remedy])


def _unlisted(policies: list[Policy], policy: Policy) -> list[str]:
    """Remedies that only other policies have and that make sense under this one, in a fixed order."""
    sensible = texts("policies")["plausible"][policy.key]
    known = dict.fromkeys(remedy for each in policies for remedy in each.remedies)
    return [remedy for remedy in known if remedy in sensible and remedy not in policy.remedies]


def _within(numbers: random.Random, limits: dict[str, int]) -> Amounts:
    """Numbers that the limits allow, often the limits themselves."""
    amounts = {}
    for name, limit in limits.items():
        if name != "within":
            least = max(_STEPS[name], limit // 2)
            lower = list(range(limit, least - 1, -_STEPS[name]))
            amounts[name] = limit if numbers.random() < 0.4 else numbers.choice(lower)
    return amounts


def _beyond(numbers: random.Random, limits: dict[str, int]) -> Amounts:
    amounts = _within(numbers, limits)
    name = numbers.choice(list(amounts))
    amounts[name] = limits[name] + numbers.choice(_MORE[name])
    return amounts


_LATE = 0.22
_OTHERS: tuple[Violation, ...] = ("unlisted", "excess", "skipped_step", "unlisted", "excess", "promise")
_CROSSING = ("unlisted", "excess", "promise")
_CROSS = 0.17
_FLOOR = 8
"""The least number of cases of an issue in which its article is broken, if there are enough cases."""

Breach = tuple[Violation, Policy | None]
"""How an article is broken, and which if it is not that of the case's issue."""


def breaches(draft: Draft) -> dict[str, Breach]:
    numbers = draft.rng("violations")
    by_issue: dict[int, list[CaseFile]] = defaultdict(list)
    for case in draft.cases:
        if case.closed is not None:
            by_issue[case.issue].append(case)
    issues = sorted(by_issue)
    sizes = [len(by_issue[issue]) for issue in issues]
    total = draft.counts.violations
    shares = apportion(total, sizes, min(_FLOOR, total // (len(issues) + 2), min(sizes) // 2))
    chosen: dict[str, Breach] = {}
    for issue, share in zip(issues, shares, strict=True):
        for case, violation in _of_issue(numbers, draft.policies[issue], by_issue[issue], share):
            chosen[case.id] = violation, None
    return chosen | _crossed(numbers, draft, chosen)


def _of_issue(
    numbers: random.Random, policy: Policy, cases: Sequence[CaseFile], share: int
) -> list[tuple[CaseFile, Violation]]:
    """`share` of the cases with how the article is broken in each; late remedies need late cases."""
    mixed = numbers.sample(list(cases), len(cases))
    late = [case for case in mixed if late_remedies(policy, case.days)][: round(share * _LATE)]
    taken = {case.id for case in late}
    rest = [case for case in mixed if case.id not in taken][: share - len(late)]
    start = numbers.randrange(len(_OTHERS))
    kinds = [_OTHERS[(start + place) % len(_OTHERS)] for place in range(len(rest))]
    return [(case, "late") for case in late] + list(zip(rest, kinds, strict=True))


def _crossed(numbers: random.Random, draft: Draft, chosen: dict[str, Breach]) -> dict[str, Breach]:
    """Some of the chosen, with an article broken that is not the one of the case's issue."""
    issue_of = {case.id: case.issue for case in draft.cases}
    left = Counter(issue_of[case] for case in chosen)
    able = [case for case, (violation, _) in chosen.items() if violation in _CROSSING]
    found: dict[str, Breach] = {}
    for case in numbers.sample(able, len(able)):
        issue = issue_of[case]
        if len(found) < round(_CROSS * len(chosen)) and left[issue] > min(_FLOOR, len(chosen) // len(left)):
            left[issue] -= 1
            others = [policy for policy in draft.policies if policy is not draft.policies[issue]]
            found[case] = chosen[case][0], numbers.choice(others)
    return found
