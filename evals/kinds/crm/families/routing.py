"""The routing policy over plain records: who closed which cases, and who is waiting for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cache, lru_cache

from worksmith.evals.kinds.crm.families.shop import has_words
from worksmith.evals.kinds.crm.questions.family import Doubt, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords
from worksmith.tools.kinds.crm.generate.wording import texts


def best_agent(org: OrgRecords, mode: Mode, question: Question) -> str | Doubt:
    """The agent whom the policy gives a case to, by the slots `issue` and `product`.

    In clean mode all is as it was when `question.today` began.
    """
    cases = _closed(org, mode, question)
    issue = _issue_id(org, question)
    best = _leaders(case.owner for case in cases if case.issue == issue)
    if not best:
        return Doubt("nobody has closed such a case")
    if len(best) > 1:
        product = question.slots["product"]
        about = [c.owner for c in cases if org.products[org.purchase[c.item].product] == product]
        best = _leaders(owner for owner in about if owner in best) or best
    if len(best) > 1 and mode == "clean":
        waiting = Counter(case.owner for case in _open(org, question))
        best = [agent for agent in best if waiting[agent] == min(waiting[each] for each in best)]
    return best[0] if len(best) == 1 else Doubt("several agents are equally good")


def unclear(org: OrgRecords, mode: Mode, question: Question) -> Doubt | None:
    """Why not to ask: tools would not show what the policy goes by.

    They know the status of cases at the end only, and searches of the published system give no names.
    """
    if mode == "faithful":
        product = question.slots["product"]
        if _found_by_name(org, product) != {product}:
            return Doubt("a search for the product gives others too, and no names")
    elif any(case.closed is not None for case in _open(org, question)):
        return Doubt("a case was open at midnight and closed later")
    return None


def telling_products(org: OrgRecords, mode: Mode, question: Question) -> list[str]:
    """Names of the products of which one of those who closed most cases of the issue has closed a case."""
    cases = _closed(org, mode, question)
    issue = _issue_id(org, question)
    best = _leaders(case.owner for case in cases if case.issue == issue)
    found = {org.purchase[case.item].product for case in cases if case.owner in best}
    return sorted({org.products[product] for product in found})


@cache
def issue_names() -> dict[str, str]:
    return {policy["key"]: policy["name"] for policy in texts("policies")["policies"]}


def _issue_id(org: OrgRecords, question: Question) -> str:
    name = issue_names()[question.slots["issue"]]
    return next(issue for issue, known in org.issues.items() if known == name)


def _midnight(question: Question) -> datetime:
    return datetime(question.today.year, question.today.month, question.today.day)


def _closed(org: OrgRecords, mode: Mode, question: Question) -> list[Case]:
    """The closed cases that count: in clean mode those closed before today."""
    until = _midnight(question) if mode == "clean" else datetime.max
    return [case for case in org.cases if case.closed is not None and case.closed < until]


def _open(org: OrgRecords, question: Question) -> list[Case]:
    """The cases that had been opened and not closed when today began."""
    now = _midnight(question)
    return [case for case in org.cases if case.created < now and (case.closed is None or case.closed >= now)]


@lru_cache(maxsize=4096)
def _found_by_name(org: OrgRecords, product: str) -> set[str]:
    """Names of the products with all the words of a product's name in their texts."""
    words = tuple(product.replace("-", " ").split())
    return {
        str(row["Name"])
        for row in org.built.records("Product2")
        if has_words(f"{row['Name']}. {row['Description']}", words)
    }


def _leaders(owners: Iterable[str]) -> list[str]:
    counts = Counter(owners)
    most = max(counts.values(), default=0)
    return [owner for owner, count in counts.items() if count == most]
