"""Which agents break which articles in which cases."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from tools.generating.apportion import apportion
from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.entities import CaseFile, Policy, Violation
from tools.kinds.crm.generate.plans import late_remedies

_LATE = 0.22
_OTHERS: tuple[Violation, ...] = ("unlisted", "excess", "skipped_step", "unlisted", "excess", "promise")
_CROSSING = ("unlisted", "excess", "promise")
_CROSS = 0.17
_FLOOR = 8
"""The least number of cases of an issue in which its article is broken, if there are enough cases."""

Breach = tuple[Violation, Policy | None]
"""How an article is broken, and which if it is not that of the case's issue."""


def breaches(draft: Draft) -> dict[str, Breach]:
    """By case id, the cases in which an article is broken."""
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
