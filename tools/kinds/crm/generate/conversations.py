"""The records of cases with their e-mails and chat transcripts."""

from __future__ import annotations

import html
import json
import random
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from worksmith.tools.kinds.crm.generate.dialogue import Dialogue, Shape, Utterance, describe, length
from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import CaseFile
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.plans import Plan, breaches, plan
from worksmith.tools.kinds.crm.generate.wording import texts

_PRIORITIES = {"High": 0.2, "Medium": 0.5, "Low": 0.3}
_ESCALATED = 0.3
_CALLS = 0.2
"""Share of the transcripts that are of telephone calls, written down as they were spoken."""
_FILLED = 0.3
"""Share of utterances in calls that begin with a filler."""
_PAUSES = {"email": timedelta(hours=3), "chat": timedelta(minutes=4)}
"""Between messages about an open case."""


def add_conversations(draft: Draft) -> None:
    """Case records, their e-mails and transcripts, and the truths behind them."""
    broken = breaches(draft)
    plans = {case.id: plan(draft, case, *broken.get(case.id, (None, None))) for case in draft.cases}
    shapes = _shapes(draft, plans)
    for case in draft.cases:
        words, numbers = draft.rng("words", case.id), draft.rng("handling", case.id)
        said = Dialogue(draft.industry, words, case, plans[case.id]).write(shapes[case.id])
        moments = _moments(numbers, case, said)
        subject, description = describe(
            draft.industry,
            words,
            draft.policies[case.issue].key,
            case.item.product.name,
            case.item.order.day.isoformat(),
            case.customer.city,
            _problem(draft.industry, said),
        )
        _add_case(draft, numbers, case, said, subject, description)
        if case.channel == "email":
            _add_mails(draft, words, case, said, moments, subject)
        else:
            _add_transcript(draft, words, case, said, moments, shapes[case.id].spoken)
        _note(draft, case, plans[case.id], shapes[case.id].spoken)


def _problem(industry: Industry, said: list[Utterance]) -> str:
    """The sentence with the customer's problem."""
    return next(
        sentence
        for sentence in said[0].sentences
        for read in industry.conversations.readings(sentence)
        if read.kind.startswith("problem_")
    )


def _shapes(draft: Draft, plans: dict[str, Plan]) -> dict[str, Shape]:
    """What conversations have beyond the necessary: as much as gives the wanted number of e-mails."""
    numbers = draft.rng("shapes")
    shapes = {case.id: _shape(numbers, case) for case in draft.cases}
    closed = [case for case in draft.cases if case.channel == "email" and case.closed is not None]
    total = sum(length(shapes[case.id], case, plans[case.id]) for case in closed)
    total += sum(
        len(Dialogue(draft.industry, random.Random(0), c, plans[c.id]).write(shapes[c.id]))
        for c in draft.cases
        if c.channel == "email" and not c.closed
    )
    for case in numbers.sample(closed, len(closed)):
        shape = shapes[case.id]
        missing = draft.counts.emails - total
        changed = _longer(shape, missing) if missing > 0 else _shorter(shape, -missing)
        total += length(changed, case, plans[case.id]) - length(shape, case, plans[case.id])
        shapes[case.id] = changed
    calls = draft.rng("calls")
    return {
        case.id: replace(shapes[case.id], spoken=case.channel == "chat" and calls.random() < _CALLS)
        for case in draft.cases
    }


def _shape(numbers: random.Random, case: CaseFile) -> Shape:
    wordy = 0.7 if case.channel == "chat" else 0.35
    return Shape(
        asks=numbers.random() < 0.6,
        asides=sum(numbers.random() < wordy for _ in range(2)),
        replies=numbers.random() < 0.8,
        closes=numbers.random() < 0.6,
        turns=numbers.randint(1, 3),
    )


def _longer(shape: Shape, by: int) -> Shape:
    """With up to `by` utterances more."""
    if by >= 2 and shape.asides < 3:
        return replace(shape, asides=shape.asides + 1)
    if by and not shape.closes:
        return replace(shape, closes=True)
    return replace(shape, replies=True) if by else shape


def _shorter(shape: Shape, by: int) -> Shape:
    """With up to `by` utterances less."""
    if by >= 2 and shape.asides:
        return replace(shape, asides=shape.asides - 1)
    if by and shape.closes:
        return replace(shape, closes=False)
    return replace(shape, replies=False) if by else shape


def _moments(numbers: random.Random, case: CaseFile, said: list[Utterance]) -> list[datetime]:
    """When each utterance is made: the first at the opening, the last at the closing, handovers in time."""
    end = case.closed or (case.transferred or case.created) + _PAUSES[case.channel] * len(said)
    handover = next((place for place, each in enumerate(said) if each.hands_over), None)
    fixed = {0: case.created, len(said) - 1: end}
    if handover is not None and case.transferred is not None:
        fixed[handover] = case.transferred
    if len(said) == 1:
        return [case.created]
    places = sorted(fixed)
    moments = [fixed[places[0]]]
    for before, after in pairwise(places):
        span = (fixed[after] - fixed[before]).total_seconds()
        shares = sorted(numbers.random() for _ in range(after - before - 1))
        moments += [fixed[before] + timedelta(seconds=int(span * share)) for share in shares]
        moments.append(fixed[after])
    return moments


def _status(numbers: random.Random, case: CaseFile, said: list[Utterance]) -> str:
    if case.closed is not None:
        return "Closed"
    if case.transferred is not None and numbers.random() < _ESCALATED:
        return "Escalated"
    if len(said) == 1:
        return "New"
    return "Waiting on Customer" if said[-1].side == "agent" and not said[-1].hands_over else "Working"


def _add_case(
    draft: Draft,
    numbers: random.Random,
    case: CaseFile,
    said: list[Utterance],
    subject: str,
    description: str,
) -> None:
    status = _status(numbers, case, said)
    draft.add(
        "Case",
        Id=case.id,
        CaseNumber=f"{case.number:08d}",
        Priority=numbers.choices(list(_PRIORITIES), list(_PRIORITIES.values()))[0],
        Subject=subject,
        Description=description,
        Status=status,
        Origin="Chat" if case.channel == "chat" else "Email",
        IsClosed=status == "Closed",
        ContactId=case.customer.contact,
        AccountId=case.customer.account,
        OwnerId=case.owner.id,
        CreatedDate=case.created,
        ClosedDate=case.closed,
        OrderItemId__c=case.item.id,
        IssueId__c=draft.policies[case.issue].issue,
    )


def _add_mails(
    draft: Draft,
    numbers: random.Random,
    case: CaseFile,
    said: list[Utterance],
    moments: list[datetime],
    subject: str,
) -> None:
    customer, grammar = case.customer, draft.industry.conversations
    regards = {
        name: grammar.say(numbers, "regards") for name in dict.fromkeys(each.agent.name for each in said)
    }
    regards[customer.name] = grammar.say(numbers, "regards")
    for place, (each, moment) in enumerate(zip(said, moments, strict=True)):
        from_customer = each.side == "customer"
        ends = (customer.email, each.agent.email)
        author, reader = (customer, each.agent) if from_customer else (each.agent, customer)
        dear = "dear" if place else "dear_team"
        lines = [
            grammar.say(numbers, dear, {"first": reader.name.split()[0]}),
            "",
            " ".join(each.sentences),
            "",
            regards[author.name],
            author.name,
            *(() if from_customer else (grammar.say(numbers, "team"),)),
        ]
        draft.add(
            "EmailMessage",
            Id=draft.id("EmailMessage"),
            ParentId=case.id,
            Subject=f"Re: {subject}" if place else subject,
            TextBody="\n".join(lines),
            FromAddress=ends[not from_customer],
            ToAddress=ends[from_customer],
            ToIds=json.dumps([each.agent.id if from_customer else customer.contact]),
            MessageDate=moment,
        )


def _add_transcript(
    draft: Draft,
    numbers: random.Random,
    case: CaseFile,
    said: list[Utterance],
    moments: list[datetime],
    spoken: bool,
) -> None:
    lines: list[str] = []
    for each, moment in zip(said, moments, strict=True):
        name, role = (each.agent.name, "Agent") if each.side == "agent" else (case.customer.name, "Customer")
        text = " ".join(each.sentences)
        if spoken and len(lines) != 1 and numbers.random() < _FILLED:  # the second turn is a greeting
            text = f"{draft.industry.conversations.say(numbers, 'call' if lines else 'call_opening')} {text}"
        lines.append(f"[{moment:%H:%M:%S}] {name} ({role}): {html.escape(text)}")
    visitor = draft.id_of(texts("company")["visitor_prefix"])
    draft.add(
        "LiveChatTranscript",
        Id=draft.id("LiveChatTranscript"),
        Name=f"{draft.size('LiveChatTranscript') + 1:08d}",
        CaseId=case.id,
        AccountId=case.customer.account,
        ContactId=case.customer.contact,
        OwnerId=case.owner.id,
        LiveChatVisitorId=visitor,
        Body="\n".join(lines),
        StartTime=case.created,
        EndTime=case.closed or moments[-1],
    )


def _note(draft: Draft, case: CaseFile, plan: Plan, spoken: bool) -> None:
    refs = [f"Knowledge__kav/{concern.policy.article}" for concern in plan.concerns]
    facts: dict[str, object] = {
        "product": case.item.product.name,
        "day": case.item.order.day.isoformat(),
        "violation": plan.violation or "",
        "article": plan.breached.article if plan.breached else "",
        "style": "call" if spoken else "written",
    }
    for number, concern in enumerate(plan.concerns, 1):
        facts |= {
            f"{number}.issue": concern.policy.key,
            f"{number}.gives": concern.gives,
            f"{number}.remedy": concern.remedy or "",
            f"{number}.requested": concern.requested or "",
            f"{number}.refused": concern.refused or "",
            **{f"{number}.{name}": value for name, value in concern.amounts.items()},
        }
    draft.latent("Case", case.id, "conversation", facts, refs)
