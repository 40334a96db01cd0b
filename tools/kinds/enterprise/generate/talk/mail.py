"""The mails between colleagues."""

from __future__ import annotations

import random
from functools import cache

from tools.kinds.enterprise.generate.company import NAME
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee
from tools.kinds.enterprise.generate.grammar import Grammar
from tools.kinds.enterprise.generate.talk.threads import Thread, plan_threads
from tools.kinds.enterprise.generate.wording import texts

_CITING = 0.15
_HIGH = {"decision": 0.3, "meeting": 0.2, "urgent": 1.0}


def add_mail(draft: Draft) -> None:
    """All threads, replies alternating between two people; a later mail may change what one before said."""
    for thread in plan_threads(draft):
        for place in range(len(thread.roles)):
            _add(draft, draft.rng("mail", thread.key, place), thread, place)


@cache
def mail_grammar() -> Grammar:
    """The grammar of mails; the phrases that a value may be are those of the aspects."""
    data = texts("mail")
    kinds = [kind for intent in data["intents"].values() for kind in intent["aspects"].values()]
    phrases = [phrase for kind in kinds if not isinstance(kind, str) for phrase in kind]
    return Grammar({**data, "pools": {"value": phrases}})


def _add(draft: Draft, numbers: random.Random, thread: Thread, place: int) -> None:
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
        body=_body(numbers, thread, place, facts, (sender, recipient), cited[1]),
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
    """A record of the project that one of the two knows of, and the sentence that names it; often none."""
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
    mention: str,
) -> str:
    sender, recipient = people
    data, words = texts("mail"), mail_grammar()
    context = words.fill(numbers.choice(data["context"]["later" if place else "first"]), facts)
    role = facts["role"]
    if "value" in facts:
        main = words.say(numbers, f"{role}_{thread.intent}", facts)
    else:
        main = words.fill(numbers.choice(data["silent"][role][thread.intent]), facts)
    if "decided_by" in facts:
        main = f"{main} {words.say(numbers, f'by_{thread.intent}', facts)}"
    more = numbers.sample(data["filler"]["lines"], numbers.choice((1, 1, 2, 3)))
    greeting = numbers.choice(data["greeting"]["lines"]).format(first=recipient.first_name)
    closing = numbers.choice(data["closing"]["lines"])
    paragraphs = [greeting, f"{context} {main}", " ".join([*more, mention]).strip()]
    signed = sender.name if sender.first_name == recipient.first_name else sender.first_name
    return "\n\n".join([*paragraphs, f"{closing}\n{signed}"])
