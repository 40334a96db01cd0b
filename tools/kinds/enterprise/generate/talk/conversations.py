"""The chats between colleagues."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import timedelta

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.projects import colleagues, workday
from worksmith.tools.kinds.enterprise.generate.talk.dialogue import Chat, worded
from worksmith.tools.kinds.enterprise.generate.talk.threads import cite_threads

TEAMS = {
    "Engineering and IT": ("EN", "IN"),
    "Finance": ("FI",),
    "HR": ("HR",),
    "Management": ("MA", "BU", "BP"),
    "Software Development": ("EN",),
    "Sales": ("SA",),
}
"""The six teams whose chats are kept, by the departments of who writes first."""

_FACTS = (1, 2, 2, 3)
_CITING = 0.35
_AHEAD = (3, 60)
_PACE = (0.2, 0.6)
"""Days that a percent of the work takes."""

_TRIES = 200
_Topic = tuple[str, str, str]
"""A person's id, the name of a project, and one of its topics."""

_Members = tuple[Project, list[Employee]]
"""A project and those of its members who belong to a team."""


def add_conversations(draft: Draft) -> None:
    """Chats of the six teams in equal numbers; of one topic a person has one chat at most."""
    numbers = draft.rng("conversations")
    teams = list(TEAMS)
    projects = {team: _projects(draft, team) for team in teams}
    taken: set[_Topic] = set()
    cite_products(draft)
    cite_threads(draft)
    chats = []
    for number in range(draft.counts.conversations):
        chance = draft.rng("conversations", number)
        # A small team may have no topic left; then the next one talks.
        for team in (*teams[number % len(teams) :], *teams[: number % len(teams)]):
            if chat := _draw(draft, chance, projects[team], taken):
                chats.append((chat, team, number))
                break
    numbers.shuffle(chats)  # else the ids would reveal the team
    for place, (chat, team, number) in enumerate(chats, 1):
        _add(draft, draft.rng("conversations", number, "text"), f"CV-{place:05d}", chat, team)


def _projects(draft: Draft, team: str) -> list[_Members]:
    found = [(one, colleagues(draft, one, *TEAMS[team])) for one in draft.projects]
    return [(project, members) for project, members in found if members]


def _draw(
    draft: Draft, numbers: random.Random, projects: Sequence[_Members], taken: set[_Topic]
) -> Chat | None:
    """The members, time and topic of a chat; None if the team has no topic left.

    Two members of one project, both employed on that day.
    """
    for project, topic, sender, recipient in _pairs(draft, numbers, projects):
        window = project.window(sender, recipient)
        keys = {(one.emp_id, project.name, topic) for one in (sender, recipient)}
        if sender is recipient or window is None or keys & taken:
            continue
        taken |= keys
        day = workday(numbers, *window)
        intent = numbers.choice(list(grammar("conversations").data["slots"]))
        return Chat(project, topic, day, sender, recipient, intent)
    return None


def _pairs(
    draft: Draft, numbers: random.Random, projects: Sequence[_Members]
) -> Iterator[tuple[Project, str, Employee, Employee]]:
    """Pairs of speakers with a topic: by chance first, then the rest in random order."""
    for _ in range(_TRIES if projects else 0):
        project, members = numbers.choice(projects)
        topic = project.topic(numbers)
        yield project, topic, numbers.choice(members), draft.people[numbers.choice(project.members)]
    rest = [
        (project, topic, sender)
        for project, members in projects
        for topic in project.topics
        for sender in members
    ]
    numbers.shuffle(rest)
    for project, topic, sender in rest:
        for recipient in numbers.sample(project.members, len(project.members)):
            yield project, topic, sender, draft.people[recipient]


def _add(draft: Draft, numbers: random.Random, key: str, chat: Chat, team: str) -> None:
    words = grammar("conversations")
    slots: list[str] = words.data["slots"][chat.intent]
    count = min(numbers.choice(_FACTS), len(slots))
    chosen = [slots[0], *sorted(numbers.sample(slots[1:], count - 1), key=slots.index)]
    for slot in chosen:
        chat.facts[slot] = _value(draft, numbers, chat, slot)
    chat.facts["outcome"] = numbers.choice(words.data["outcomes"][chat.intent])
    if numbers.random() < _CITING:
        chat.cited = _cited(draft, numbers, chat)
    ref = draft.add(
        "conversations",
        conversation_id=key,
        sender_emp_id=chat.sender.emp_id,
        recipient_emp_id=chat.recipient.emp_id,
        category=team,
        date=chat.day,
        text=worded(numbers, chat),
    )
    facts = {"project": chat.project.name, "topic": chat.topic, **chat.facts}
    refs = (chat.cited.ref,) if chat.cited else ()
    draft.latent(ref, chat.intent, facts, refs)


def _value(draft: Draft, numbers: random.Random, chat: Chat, slot: str) -> str:
    kind = grammar("conversations").data["types"].get(slot)
    if kind == "percent":
        return str(numbers.randint(1, 19) * 5)
    if slot == "due":
        left = 100 - int(chat.facts["progress"])
        return (chat.day + timedelta(days=_AHEAD[0] + round(left * numbers.uniform(*_PACE)))).isoformat()
    if kind == "day":
        return (chat.day + timedelta(days=numbers.randint(*_AHEAD))).isoformat()
    if kind == "money":
        return str(numbers.randint(4, 180) * 5000)
    if kind == "number":
        return str(numbers.randint(8, 240))
    if kind == "person":
        return _third(draft, numbers, chat).name
    return grammar("conversations").value(numbers, slot, chat.project.department)


def _third(draft: Draft, numbers: random.Random, chat: Chat) -> Employee:
    """An active member of the project, or a manager of the first speaker."""
    present = [one for one in colleagues(draft, chat.project) if one.active_on(chat.day)]
    others = [one for one in present if one not in (chat.sender, chat.recipient)]
    others += [one for one in draft.people.chain(chat.sender.emp_id) if one.active_on(chat.day)]
    return numbers.choice(others or present)


def _cited(draft: Draft, numbers: random.Random, chat: Chat) -> Citable | None:
    """A record of the project that existed and that a speaker knows of."""
    near = [
        one
        for one in draft.citable.get(chat.project.name, [])
        if one.day <= chat.day and one.known_to(chat.sender, chat.recipient)
    ]
    return numbers.choice(near) if near else None


def cite_products(draft: Draft) -> None:
    """Let people mention the product that their project is for, where their work is about products."""
    near = grammar("conversations").data["domains"]["products"]
    for project in draft.projects:
        if project.product is not None and project.domain in near:
            key = project.product.product_id
            one = Citable(reference("products", key), key, project.start, name=project.product.name)
            draft.cite(project.name, one)
