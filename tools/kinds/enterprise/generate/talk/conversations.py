"""The chats between colleagues."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.projects import colleagues, workday
from tools.kinds.enterprise.generate.talk.threads import cite_threads

TEAMS = {
    "Engineering and IT": ("EN", "IN"),
    "Finance": ("FI",),
    "HR": ("HR",),
    "Management": ("MA", "BU", "BP"),
    "Software Development": ("EN",),
    "Sales": ("SA",),
}
"""The six teams whose chats are kept, by the departments of who writes first."""

_SHORTEST, _LONGEST = 400, 1200
_FACTS = (1, 2, 2, 3)
_CITING = 0.35
_AHEAD = (3, 60)
_TRIES = 200
_ASKED = {
    "status": ("progress", "blocker", "due", "outcome"),
    "request": ("approver", "outcome"),
}
"""What the one who was written to knows, by intent. All else is told by who began."""


_Topic = tuple[str, str, str]
"""Somebody's id, the name of a project, and one of its topics."""


@dataclass
class _Chat:
    """One chat before it is worded."""

    project: Project
    topic: str
    day: date
    sender: Employee
    recipient: Employee
    intent: str
    facts: dict[str, str] = field(default_factory=dict)
    cited: Citable | None = None


def add_conversations(draft: Draft) -> None:
    """Chats of the six teams in equal numbers; of one topic a person has one chat at most."""
    numbers = draft.rng("conversations")
    teams = list(TEAMS)
    taken: set[_Topic] = set()
    cite_products(draft)
    cite_threads(draft)
    chats = []
    for number in range(draft.counts.conversations):
        chance = draft.rng("conversations", number)
        # A small team may have said all that there is to say; then the next one talks.
        for team in (*teams[number % len(teams) :], *teams[: number % len(teams)]):
            if chat := _draw(draft, chance, team, taken):
                chats.append((chat, team, number))
                break
    numbers.shuffle(chats)  # else the ids would tell the team
    for place, (chat, team, number) in enumerate(chats, 1):
        _add(draft, draft.rng("conversations", number, "text"), f"CV-{place:05d}", chat, team)


def _draw(draft: Draft, numbers: random.Random, team: str, taken: set[_Topic]) -> _Chat | None:
    """Who talks when about what; None if nobody of the team has anything left to talk about.

    Two members of one project, both employed on that day.
    """
    projects = [one for one in draft.projects if colleagues(draft, one, *TEAMS[team])]
    for project, topic, sender, recipient in _pairs(draft, numbers, team, projects):
        window = project.window(sender, recipient)
        keys = {(one.emp_id, project.name, topic) for one in (sender, recipient)}
        if sender is recipient or window is None or keys & taken:
            continue
        taken |= keys
        day = workday(numbers, *window)
        intent = numbers.choice(list(grammar("conversations").data["slots"]))
        return _Chat(project, topic, day, sender, recipient, intent)
    return None


def _pairs(
    draft: Draft, numbers: random.Random, team: str, projects: Sequence[Project]
) -> Iterator[tuple[Project, str, Employee, Employee]]:
    """Pairs of speakers with a topic: by chance first, then the rest in random order."""
    for _ in range(_TRIES if projects else 0):
        project = numbers.choice(projects)
        topic = project.topic(numbers)
        sender = numbers.choice(colleagues(draft, project, *TEAMS[team]))
        yield project, topic, sender, draft.people[numbers.choice(project.members)]
    rest = [
        (project, topic, sender)
        for project in projects
        for topic in project.topics
        for sender in colleagues(draft, project, *TEAMS[team])
    ]
    numbers.shuffle(rest)
    for project, topic, sender in rest:
        for recipient in numbers.sample(project.members, len(project.members)):
            yield project, topic, sender, draft.people[recipient]


def _add(draft: Draft, numbers: random.Random, key: str, chat: _Chat, team: str) -> None:
    words = grammar("conversations")
    slots: list[str] = words.data["slots"][chat.intent]
    count = min(numbers.choice(_FACTS), len(slots))
    chosen = [slots[0], *sorted(numbers.sample(slots[1:], count - 1), key=slots.index)]
    chat.facts = {slot: _value(draft, numbers, chat, slot) for slot in chosen}
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
        text=_text(numbers, chat),
    )
    facts = {"project": chat.project.name, "topic": chat.topic, **chat.facts}
    refs = (chat.cited.ref,) if chat.cited else ()
    draft.latent(ref, chat.intent, facts, refs)


def _value(draft: Draft, numbers: random.Random, chat: _Chat, slot: str) -> str:
    kind = grammar("conversations").data["types"].get(slot)
    if kind == "percent":
        return str(numbers.randint(1, 19) * 5)
    if kind == "day":
        return (chat.day + timedelta(days=numbers.randint(*_AHEAD))).isoformat()
    if kind == "money":
        return str(numbers.randint(4, 180) * 5000)
    if kind == "number":
        return str(numbers.randint(8, 240))
    if kind == "person":
        return _third(draft, numbers, chat).name
    return grammar("conversations").value(numbers, slot)


def _third(draft: Draft, numbers: random.Random, chat: _Chat) -> Employee:
    """An active member of the project, or a manager of the first speaker."""
    present = [one for one in colleagues(draft, chat.project) if one.active_on(chat.day)]
    others = [one for one in present if one not in (chat.sender, chat.recipient)]
    others += [one for one in draft.people.chain(chat.sender.emp_id) if one.active_on(chat.day)]
    return numbers.choice(others or present)


def _cited(draft: Draft, numbers: random.Random, chat: _Chat) -> Citable | None:
    """A record of the project that existed and that a speaker knows of."""
    near = [
        one
        for one in draft.citable.get(chat.project.name, [])
        if one.day <= chat.day and one.known_to(chat.sender, chat.recipient)
    ]
    return numbers.choice(near) if near else None


def _text(numbers: random.Random, chat: _Chat) -> str:
    """The dialogue: question and answer for each fact, small talk until it is long enough."""
    turns = _turns(numbers, chat)
    talk = list(grammar("conversations").data["filler"]["talk"])
    numbers.shuffle(talk)
    more = list(grammar("conversations").data["filler"]["more"])
    numbers.shuffle(more)
    wanted = round(numbers.triangular(_SHORTEST, _LONGEST - 150, _SHORTEST))
    while len(_worded(chat, turns)) < wanted and (talk or more):
        pool = more if more and (not talk or numbers.random() < 0.6) else talk
        turn = turns[numbers.randrange(1, len(turns) - 1)]
        turn[1] = _with_talk(turn[1], pool.pop())
    return _worded(chat, turns)


def _turns(numbers: random.Random, chat: _Chat) -> list[list[str]]:
    """Speaker and words of each turn: for each fact a question and the answer."""
    words = grammar("conversations")
    data = words.data
    first, second = _called(chat.sender, chat.recipient)
    asked = _ASKED.get(chat.intent, ())
    context = {"topic": chat.topic, "project": chat.project.name, **chat.facts}
    opening = words.fill(numbers.choice(data["opening"][chat.intent]), {**context, "other": second})
    turns = [[first, opening], [second, numbers.choice(data["answer"][chat.intent])]]
    for slot in chat.facts:
        teller, listener = (second, first) if slot in asked else (first, second)
        if slot == "outcome":
            if turns[-1][0] != listener:
                _say(turns, listener, numbers.choice(data["filler"]["lines"]))
            _say(turns, teller, words.say(numbers, f"outcome_{chat.intent}", chat.facts))
        else:
            if turns[-1][0] != listener and len(turns) > 2:
                _say(turns, listener, numbers.choice(data["filler"]["lines"]))
            if turns[-1][0] == listener:
                _say(turns, listener, numbers.choice(data["ask"][slot]))
            _say(turns, teller, words.say(numbers, slot, context))
            if chat.cited and slot == next(iter(chat.facts)):
                _say(turns, teller, chat.cited.mention(numbers))
    last, other = (first, second) if turns[-1][0] == second else (second, first)
    return [*turns, [last, words.fill(numbers.choice(data["closing"]["lines"]), {"other": other})]]


def _say(turns: list[list[str]], speaker: str, said: str) -> None:
    """Join to the words of the same speaker just before."""
    if turns[-1][0] == speaker:
        turns[-1][1] += f" {said}"
    else:
        turns.append([speaker, said])


def _with_talk(said: str, talk: str) -> str:
    """Small talk comes after a statement and before a question, which waits for its answer."""
    return f"{talk} {said}" if said.endswith("?") else f"{said} {talk}"


def _called(one: Employee, other: Employee) -> tuple[str, str]:
    """First names, full ones if these are equal."""
    if one.first_name == other.first_name:
        return one.name, other.name
    return one.first_name, other.first_name


def _worded(chat: _Chat, turns: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"{speaker}: {said}" for speaker, said in turns)


def cite_products(draft: Draft) -> None:
    """Let people mention the product that their project is for."""
    for project in draft.projects:
        if project.product is not None:
            key = project.product.product_id
            one = Citable(reference("products", key), key, project.start, name=project.product.name)
            draft.cite(project.name, one)
