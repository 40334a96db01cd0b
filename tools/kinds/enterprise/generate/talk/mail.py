"""The mails between colleagues."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import get_args

from worksmith.tools.kinds.enterprise.generate.company import NAME
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.talk.partner_mail import add_partner_mail
from worksmith.tools.kinds.enterprise.generate.talk.threads import Thread, lengths_of, plan_threads
from worksmith.tools.kinds.enterprise.generate.topics import Kind, details
from worksmith.tools.kinds.enterprise.generate.wording import texts

_CITING = 0.15
_KINDS: tuple[Kind, ...] = get_args(Kind)
_WORD = re.compile(r"[a-z]{4,}")
_HIGH = {"decision": 0.3, "meeting": 0.2, "urgent": 1.0}


def add_mail(draft: Draft) -> None:
    """All threads, replies alternating between two people; a later mail may change what one before said."""
    for thread in plan_threads(draft):
        story = _Story(draft.industry, draft.rng("mail", thread.key, "story"), thread.topic)
        for place in range(len(thread.roles)):
            _add(draft, draft.rng("mail", thread.key, place), thread, place, story)
    inside, outside = lengths_of(draft)
    add_partner_mail(draft, outside, thread=len(inside) + 1, mail=sum(inside) + 1)


@cache
def mail_grammar() -> Grammar:
    """The grammar of mails; the phrases that a value may be are those of the aspects."""
    data = texts("mail")
    kinds = [kind for intent in data["intents"].values() for kind in intent["aspects"].values()]
    phrases = [phrase for kind in kinds if not isinstance(kind, str) for phrase in kind]
    return Grammar({**data, "pools": {"value": phrases}})


def _add(draft: Draft, numbers: random.Random, thread: Thread, place: int, story: _Story) -> None:
    sender, recipient = thread.people if place % 2 == 0 else thread.people[::-1]
    intent, role = thread.intent, thread.roles[place]
    facts = {"thread": thread.key, "project": thread.project.name, "topic": thread.topic}
    facts |= {"aspect": thread.aspect, "role": role}
    value, decider = thread.values[place], thread.deciders[place]
    if value is not None:
        facts |= {"value": value, "state": "current" if place == thread.current else "superseded"}
    if decider is not None:
        facts["decided_by"] = decider
    cited = _cited(draft, numbers, thread, place)
    subject = _subject(thread)
    ref = draft.add(
        "mail",
        email_id=thread.mail_id(place),
        thread_id=thread.key,
        date=thread.times[place],
        sender_emp_id=sender.emp_id,
        sender_email=sender.email,
        sender_name=sender.name,
        recipient_emp_id=recipient.emp_id,
        recipient_email=recipient.email,
        recipient_name=recipient.name,
        subject=subject if place == 0 else texts("mail")["subjects"]["reply"].format(subject=subject),
        body=_body(numbers, thread, place, facts, (sender, recipient), story, cited[1]),
        importance="High" if numbers.random() < _HIGH.get(intent, 0.1) else "Normal",
        category=texts("mail")["intents"][intent]["category"],
        signature=f"{sender.name}\n{sender.title}\n{NAME}",
        confidentiality_notice=numbers.choice(texts("mail")["notice"]["lines"]),
    )
    draft.latent(ref, intent, facts, cited[0])


def _subject(thread: Thread) -> str:
    form: str = texts("mail")["intents"][thread.intent]["subject"]
    subject = form.format(aspect=thread.aspect, topic=thread.topic, project=thread.project.name)
    return subject[0].upper() + subject[1:]


def _cited(draft: Draft, numbers: random.Random, thread: Thread, place: int) -> tuple[tuple[str, ...], str]:
    """A record of the project that one of the two knows of, and the sentence that names it; often nothing."""
    if numbers.random() >= _CITING:
        return (), ""
    day = thread.times[place].date()
    near = [
        one
        for one in draft.citable.get(thread.project.name, [])
        if not one.ref.startswith("mail/") and one.day <= day and one.known_to(*thread.people)
    ]
    if not near:
        return (), ""
    chosen = numbers.choice(near)
    return (chosen.ref,), chosen.mention(numbers)


def _body(
    numbers: random.Random,
    thread: Thread,
    place: int,
    facts: dict[str, str],
    people: tuple[Employee, Employee],
    story: _Story,
    mention: str,
) -> str:
    sender, recipient = people
    data, words = texts("mail"), mail_grammar()
    role, intent = facts["role"], thread.intent
    kinds = numbers.choice(data["topic_urgent" if intent == "urgent" else "topic"][role])
    first, second = (story.tell(kind) for kind in kinds)
    slots = facts | story.slots(thread, first)
    main = _opening(numbers, thread, place, slots)
    point = f"{role}_{intent}"
    if "value" in facts:
        stated = words.say(numbers, point, facts)
    else:
        stated = words.fill(numbers.choice(data["silent"][role][intent]), slots)
    if "decided_by" in facts:
        own = facts["decided_by"] == sender.name
        stated = f"{stated} {words.say(numbers, f'own_{intent}' if own else f'by_{intent}', facts)}"
    end = words.fill(numbers.choice(data["end"][role]), {"thing": story.another(slots["thing"], second)})
    greeting = numbers.choice(data["greeting"]["lines"]).format(first=recipient.first_name)
    signed = sender.name if sender.first_name == recipient.first_name else sender.first_name
    closing = numbers.choice(data["closing"]["lines"]).format(signed=signed, team=sender.team)
    paragraphs = (f"{main} {first}", stated, f"{second} {end} {mention}")
    return "\n\n".join([greeting, *(one.strip() for one in paragraphs), closing])


def _opening(numbers: random.Random, thread: Thread, place: int, slots: Mapping[str, str]) -> str:
    """What brought the writer to it: of a reply, what the mail before said."""
    data, role = texts("mail"), thread.roles[place]
    if place:
        forms = data["reply"][f"{role}_{thread.roles[place - 1]}"]
    else:
        forms = data["lead_urgent" if thread.intent == "urgent" else "lead"][role]
    return mail_grammar().fill(numbers.choice(forms), slots)


class _Story:
    """What a thread tells of its topic, nothing twice.

    Args:
        industry: of the company; it has the words of the topic.
        numbers: a stream of the thread's own.
    """

    def __init__(self, industry: Industry, numbers: random.Random, topic: str) -> None:
        bank = details(industry, topic)
        self._things = numbers.sample(bank.things, len(bank.things))
        self._left = list(self._things)
        self._told = {kind: bank.sample(numbers, kind, len(getattr(bank, kind))) for kind in _KINDS}
        self._before = ""

    def slots(self, thread: Thread, told: str) -> dict[str, str]:
        """The part of the topic that `told` speaks of, that of the mail before, and the thread's matter."""
        thing = _nearest(self._left, told)
        self._left.remove(thing)
        before, self._before = self._before, thing
        aspect = thread.aspect
        matter: str = texts("mail")["intents"][thread.intent]["matter"]
        matter = matter.format(aspect=aspect, lower=aspect[0].lower() + aspect[1:])
        return {"thing": thing, "before": before, "matter": matter}

    def another(self, thing: str, told: str) -> str:
        """A part of the topic besides `thing`, that of `told` if it speaks of one."""
        return _nearest([one for one in self._things if one != thing], told)

    def tell(self, kind: Kind) -> str:
        """A sentence of a kind; empty once all have been told."""
        return self._told[kind].pop() if self._told[kind] else ""


def _nearest(things: Sequence[str], told: str) -> str:
    """The part of a topic that shares most words with a sentence, the first of several."""
    words = _words(told)
    return max(things, key=lambda one: len(_words(one) & words))


def _words(text: str) -> set[str]:
    """The longer words of a text, a plural as its singular."""
    return {word.removesuffix("s") for word in _WORD.findall(text.lower())}
