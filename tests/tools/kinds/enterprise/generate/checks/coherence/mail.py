"""A mail tells of the topic or the goods that its subject names, and goes to somebody whom that concerns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.products import kind_of
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.reviews import defects
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.kinds.enterprise.generate.topics import details, domains
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases

_PROJECT = re.compile(r" \([^()]+\)$")
_GOODS = re.compile(r"^(?:Re: )?(?:[^:]*? )(?:for|of|about) ([^:]+): ")
_END = re.compile(r"(?<=[.?!])\s+")


def incoherent_mail(mail: Record, facts: Facts) -> Iterator[str]:
    """What is not about the subject's topic; partners, contacts and writers who do not belong together."""
    if mail["sender_emp_id"] and mail["recipient_emp_id"]:
        yield from _between_colleagues(mail, facts.industry)
    else:
        yield from _with_partner(mail, facts)


def _between_colleagues(mail: Record, industry: Industry) -> Iterator[str]:
    about = _PROJECT.sub("", mail["subject"])
    topic = max((one for one in _topics(industry) if about.endswith(f" {one}")), key=len, default=None)
    if topic is None:
        yield f"the subject names no topic: {mail['subject']!r}"
        return
    if not any(thing in mail["body"] for thing in details(industry, topic).things):
        yield f"it says nothing about the {topic}"
    for sentence in _END.split(mail["body"]):
        other = _sentences(industry).get(sentence, topic)
        if other != topic:
            yield f"{sentence!r} is about the {other}"


def _with_partner(mail: Record, facts: Facts) -> Iterator[str]:
    outside, inside = ("sender", "recipient") if mail["recipient_emp_id"] else ("recipient", "sender")
    address = mail[f"{outside}_email"]
    partners = [
        (source, row)
        for source in ("clients", "vendors")
        for row in facts.where(source, contact_email=address)
        if row["contact_person_name"] == mail[f"{outside}_name"]
    ]
    if len(partners) != 1:
        yield f"{address} is the address of {len(partners)} contacts"
        return
    source, partner = partners[0]
    writer, keeper = facts.person(mail[f"{inside}_emp_id"]), facts.person(partner["emp_id"])
    above = facts.above(partner["emp_id"])
    if writer is None or (writer != keeper and writer["emp_id"] not in above):
        yield f"{mail[f'{inside}_name']} is not responsible for {partner['business_name']}"
    if mail["date"] < partner["onboarding_date"]:
        yield f"{partner['business_name']} was no partner then"
    found = _GOODS.search(mail["subject"])
    if found is None or not _fits(found[1], source, partner):
        yield f"{partner['business_name']} has nothing to do with that: {mail['subject']!r}"
        return
    if source == "clients":
        product = facts.where("products", product_name=partner["current_poc_product"])[0]
        for fault, kinds in _faults(facts.industry).found(mail["body"]):
            if kind_of(product, facts.industry) not in kinds:
                yield f"{fault!r} is no fault of that"


def _fits(goods: str, source: str, partner: Record) -> bool:
    if source == "clients":
        return partner["current_poc_product"].startswith(f"{goods.removeprefix('the ')},")
    return goods in partner["relationship_description"]


@cache
def _topics(industry: Industry) -> frozenset[str]:
    return frozenset(
        topic for code in ORDINARY for topics in domains(industry, code).values() for topic in topics
    )


@cache
def _sentences(industry: Industry) -> dict[str, str]:
    """The topic of each sentence that has no slot."""
    return {
        form: topic
        for topic in _topics(industry)
        for bank in [details(industry, topic)]
        for form in (*bank.done, *bank.trouble, *bank.next, *bank.gain)
        if "{" not in form
    }


@cache
def _faults(industry: Industry) -> Phrases[str]:
    return Phrases(
        (f"the {part} {fault}", entry["name"])
        for entry in industry.catalogue["kinds"]
        for part, faults in defects(industry, entry["name"]).items()
        for fault in faults
    )
