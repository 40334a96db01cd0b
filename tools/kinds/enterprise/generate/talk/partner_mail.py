"""The mails with the contact people of clients and vendors.

The latent facts of each have the intent as their kind (`client_order`, `vendor_complaint`, ...), the
record of the partner as reference, and `thread`, `partner` (its name), `contact`, `goods`, `aspect` and
`role`. A mail that states something has `value` and `state` as well: only the last of a thread is
`current`, and no other thread of the partner is about the same intent and aspect.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.company import NAME
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.talk.partner_threads import PartnerThread, plan_partner_threads
from worksmith.tools.kinds.enterprise.generate.talk.threads import STATING
from worksmith.tools.kinds.enterprise.generate.topics import said
from worksmith.tools.kinds.enterprise.generate.wording import texts

CATEGORY = "EXTERNAL"
_HIGH, _HIGH_COMPLAINT = 0.1, 0.4


def add_partner_mail(draft: Draft, lengths: Sequence[int], thread: int, mail: int) -> None:
    """All threads with clients and vendors.

    Args:
        lengths: how many mails each thread has.
        thread, mail: the numbers of the first thread and of its first mail.
    """
    for plan in plan_partner_threads(draft, lengths, thread):
        told = _Told(draft.rng("mail", plan.key, "told"), plan)
        for place in range(len(plan.roles)):
            _add(draft, plan, place, f"EM-{mail + place:06d}", told)
        mail += len(plan.roles)


@cache
def partner_grammar() -> Grammar:
    """The grammar of mails with partners; the phrases that a value may be are those of the aspects."""
    data = texts("partner_mail")
    kinds = [kind for intent in data["intents"].values() for kind in intent["aspects"].values()]
    phrases = [phrase for kind in kinds if not isinstance(kind, str) for phrase in kind]
    return Grammar({**data, "pools": {"value": phrases}})


class _Told:
    """The sentences of a thread that are still to be told, in a random order.

    Args:
        numbers: a stream of the thread's own.
    """

    def __init__(self, numbers: random.Random, thread: PartnerThread) -> None:
        self._numbers = numbers
        data = texts("partner_mail")
        words: dict[str, list[str]] = data["intents"][thread.intent]["words"] | data["end"]
        self._left = {name: numbers.sample(forms, len(forms)) for name, forms in words.items()}
        fault = numbers.choice(thread.partner.faults[thread.part])
        self.slots = {
            "business": thread.partner.business,
            "goods": thread.partner.goods,
            "part": thread.part,
            "sites": str(numbers.randint(12, 60)),
            "aspect": thread.aspect,
            "fault": f"the {thread.part} {fault}",
        }

    def tell(self, name: str) -> str:
        return self.say(self._left[name].pop())

    def say(self, form: str, **slots: str) -> str:
        return said(self._numbers, form, **self.slots, **slots)


def _add(draft: Draft, thread: PartnerThread, place: int, email_id: str, told: _Told) -> None:
    numbers = draft.rng("mail", thread.key, place)
    partner, person, data = thread.partner, thread.person, texts("partner_mail")
    ours = thread.inside == (place % 2 == 0)
    inside = (person.emp_id, person.email, person.name)
    outside = (None, partner.email, partner.contact)
    sender, recipient = (inside, outside) if ours else (outside, inside)
    role, value = thread.roles[place], thread.values[place]
    facts = {"thread": thread.key, "partner": partner.business, "contact": partner.contact}
    facts |= {"goods": partner.goods, "aspect": thread.aspect, "role": role}
    if value is not None:
        last = max(n for n, one in enumerate(thread.roles) if one in STATING)
        facts |= {"value": value, "state": "current" if place == last else "superseded"}
    subject = told.say(data["intents"][thread.intent]["subject"])
    ref = draft.add(
        "mail",
        email_id=email_id,
        thread_id=thread.key,
        date=thread.times[place],
        sender_emp_id=sender[0],
        sender_email=sender[1],
        sender_name=sender[2],
        recipient_emp_id=recipient[0],
        recipient_email=recipient[1],
        recipient_name=recipient[2],
        subject=f"Re: {subject}" if place else subject,
        body=_body(numbers, thread, place, facts, (sender[2], recipient[2]), told),
        importance="High"
        if numbers.random() < (_HIGH_COMPLAINT if "complaint" in thread.intent else _HIGH)
        else "Normal",
        category=CATEGORY,
        signature=f"{person.name}\n{person.title}\n{NAME}"
        if ours
        else f"{partner.contact}\n{partner.business}",
        confidentiality_notice=numbers.choice(data["notice"]["company" if ours else "partner"]),
    )
    draft.latent(ref, thread.intent, facts, (partner.ref,))


def _body(
    numbers: random.Random,
    thread: PartnerThread,
    place: int,
    facts: Mapping[str, str],
    names: tuple[str, str],
    told: _Told,
) -> str:
    data: Mapping[str, Any] = texts("partner_mail")
    role, (sender, recipient) = thread.roles[place], names
    side = "company" if thread.inside == (place % 2 == 0) else "partner"
    asking = (thread.roles[0] == "open") == (place % 2 == 0)
    lead = told.say(numbers.choice(_leads(thread, place, side, asking)), signed=sender)
    pool = "a" if asking else "b"
    if "value" in facts:
        point = partner_grammar().say(numbers, role, facts)
    elif role == "open":
        point = f"{told.tell('a')} {told.tell('ask')}"
    else:
        point = told.tell(role if asking else "b")
    end = told.tell(side)
    if role == "thanks":
        paragraphs = [lead, f"{point} {told.tell(role if asking else 'b')}", end]
    else:
        paragraphs = [f"{lead} {told.tell(pool)}", point, f"{told.tell(pool)} {end}"]
    greeting = numbers.choice(data["greeting"]["lines"]).format(name=recipient, first=recipient.split()[0])
    closing = numbers.choice(data["closing"]["lines"]).format(signed=sender)
    first, named, rest = "\n\n".join(paragraphs).partition(thread.partner.goods)
    if named:
        rest = rest.replace(named, thread.partner.briefly)
    return f"{greeting}\n\n{first}{named}{rest}\n\n{closing}"


def _leads(thread: PartnerThread, place: int, side: str, asking: bool) -> list[str]:
    """What a mail may begin with."""
    data, role = texts("partner_mail"), thread.roles[place]
    if not place:
        found: list[str] = data["lead"][side if role == "open" else role]
    else:
        found = data["reply"]["noted" if role == "thanks" and not asking else role]
    return found
