"""Checks of cases: their history, their dates, who handled them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from worksmith.tools.kinds.crm.generate.company import DEFAULT_NOW, counts
from worksmith.tools.kinds.crm.generate.draft import Built, written_moment

LARGE = 400
"""From how many cases on the figures of an org are held to bounds."""
_UNIQUE_EXPERTS = 7
_TRANSFERS = (95 / 977, 130 / 977)
_LEAST_VIOLATIONS = 110 / 977
_LEAST_OF_ARTICLE = 7 / 977

Record = dict[str, str | None]


def problems(built: Built) -> Iterator[str]:
    """Cases that contradict their history, their order or their agents' skills; figures out of bounds."""
    history: dict[str | None, list[Record]] = defaultdict(list)
    for record in built.records("CaseHistory__c"):
        history[record["CaseId__c"]].append(record)
    items = {record["Id"]: record for record in built.records("OrderItem")}
    orders = {record["Id"]: record for record in built.records("Order")}
    lacks = {key: latent.facts["lacks"].split("; ") for key, latent in built.latents_of("agent").items()}
    for case in built.records("Case"):
        for problem in _history(case, history[case["Id"]]):
            yield f"Case/{case['Id']}: {problem}"
        order = orders[items[case["OrderItemId__c"]]["OrderId"]]
        if order["AccountId"] != case["AccountId"] or order["Status"] != "Activated":
            yield f"Case/{case['Id']}: is about an order of somebody else, or a draft"
        if not str(order["EffectiveDate"]) <= str(case["CreatedDate"]) < written_moment(DEFAULT_NOW):
            yield f"Case/{case['Id']}: was opened before the order or after the end of the data"
    yield from _skills(built, history, lacks)
    if len(built.rows["Case"]) >= LARGE:
        yield from _figures(built, history)


def _history(case: Record, events: list[Record]) -> Iterator[str]:
    kinds = [event["Field__c"] for event in events]
    owners = [event["NewValue__c"] for event in events if event["Field__c"] == "Owner Assignment"]
    before = [event["OldValue__c"] for event in events if event["Field__c"] == "Owner Assignment"]
    moments = [str(event["CreatedDate"]) for event in events]
    closed = case["ClosedDate"]
    wanted = ["Case Creation", *["Owner Assignment"] * len(owners), *["Case Closed"] * (closed is not None)]
    if kinds != wanted or len(owners) not in (1, 2):
        yield f"has the history {kinds}"
    if before != [None, *owners[:-1]] or owners[-1] != case["OwnerId"]:
        yield "its owners do not follow each other"
    if moments != sorted(moments) or moments[:2] != [case["CreatedDate"]] * 2:
        yield "its history is out of order"
    if closed is not None and moments[-1] != closed:
        yield "was not closed when its history says"
    if (closed is not None, case["IsClosed"]) not in ((True, "true"), (False, "false")):
        yield "is closed and is not"
    if (case["Status"] == "Closed") != (closed is not None):
        yield "has the wrong status"


def _skills(
    built: Built, history: dict[str | None, list[Record]], lacks: dict[str, list[str]]
) -> Iterator[str]:
    """Cases that were passed on by those who could, or kept by those who could not."""
    issues = {record["Id"]: str(record["Name"]) for record in built.records("Issue__c")}
    for case in built.records("Case"):
        issue = issues[case["IssueId__c"]]
        owners = [str(e["NewValue__c"]) for e in history[case["Id"]] if e["Field__c"] == "Owner Assignment"]
        if issue in lacks[owners[-1]] or (len(owners) > 1) != (issue in lacks[owners[0]]):
            yield f"Case/{case['Id']}: skills do not explain who handled it"


def _figures(built: Built, history: dict[str | None, list[Record]]) -> Iterator[str]:
    cases = built.records("Case")
    transfers = sum(e["OldValue__c"] is not None for events in history.values() for e in events)
    if not _TRANSFERS[0] <= transfers / len(cases) <= _TRANSFERS[1]:
        yield f"CaseHistory__c: {transfers} transfers"
    talks = built.latents_of("conversation").values()
    violations = Counter(talk.facts["article"] for talk in talks if talk.facts["violation"])
    if violations.total() < _LEAST_VIOLATIONS * len(cases):
        yield f"Case: only {violations.total()} violations"
    if len(violations) < len(built.policies) or min(violations.values()) < int(
        _LEAST_OF_ARTICLE * len(cases)
    ):
        yield f"Case: an article is broken in only {min(violations.values())} cases"
    closers: dict[str | None, Counter[str | None]] = defaultdict(Counter)
    for case in cases:
        if case["ClosedDate"] is not None:
            closers[case["IssueId__c"]][case["OwnerId"]] += 1
    unique = sum(Counter(c.values())[max(c.values())] == 1 for c in closers.values())
    if unique < _UNIQUE_EXPERTS:
        yield f"Issue__c: only {unique} have one agent who closed most"
    if len(built.rows["EmailMessage"]) != counts(built.scale).emails:
        yield f"EmailMessage: {len(built.rows['EmailMessage'])} messages"
