"""The announcements on the company's social platform."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee, Project
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.projects import colleagues, workday

_AHEAD = (5, 50)
_TRIES = 200


def add_posts(draft: Draft) -> None:
    """Announcements by members of projects. Of one kind and topic a project makes one."""
    taken: set[tuple[str, str, str]] = set()
    for number in range(1, draft.counts.posts + 1):
        numbers = draft.rng("posts", number)
        kind, project, topic, author, day = _draw(draft, numbers, taken)
        _add(draft, numbers, f"POST-{number:05d}", kind, project, topic, author, day)


def _draw(
    draft: Draft, numbers: random.Random, taken: set[tuple[str, str, str]]
) -> tuple[str, Project, str, Employee, date]:
    """Author, kind, topic and day of each post."""
    kinds: dict[str, list[str]] = grammar("posts").data["kinds"]
    for _ in range(_TRIES):
        project = numbers.choice([one for one in draft.projects if one.members])
        topic = numbers.choice(project.topics)
        kind = numbers.choice([one for one in kinds if _fits(one, project)])
        author = draft.people[numbers.choice(project.members)]
        window = project.window(author)
        if window is not None and (project.name, topic, kind) not in taken:
            taken.add((project.name, topic, kind))
            return kind, project, topic, author, workday(numbers, *window)
    raise ValueError("there is nothing left to announce")


def _fits(kind: str, project: Project) -> bool:
    """Product news need a product, partnerships a client."""
    if kind in ("launch", "recall", "milestone"):
        return project.product is not None
    return kind != "partnership" or project.client is not None


def _add(
    draft: Draft,
    numbers: random.Random,
    key: str,
    kind: str,
    project: Project,
    topic: str,
    author: Employee,
    day: date,
) -> None:
    words = grammar("posts")
    slots: list[str] = words.data["kinds"][kind]
    facts = {"project": project.name, "topic": topic}
    facts |= {slot: _value(draft, numbers, project, kind, slot, day) for slot in slots}
    sentences = [words.say(numbers, slot, facts) for slot in slots]
    opening = words.fill(numbers.choice(words.data["opening"][kind]), facts)
    if topic not in opening:
        opening = f"{opening} It grew out of the {topic}."
    if project.name not in opening:
        opening = f"{opening} The team behind it is {project.name}."
    closing = " ".join(numbers.sample(words.data["closing"]["lines"], numbers.choice((1, 2))))
    title = words.fill(numbers.choice(words.data["title"][kind]), facts)
    ref = draft.add(
        "posts",
        post_id=key,
        title=title[0].upper() + title[1:],
        body=" ".join((opening, *sentences, closing)),
        emp_id=author.emp_id,
        author=author.name,
        date=day,
    )
    refs: tuple[str, ...] = ()
    if "about" in facts:
        client = kind == "partnership" and project.client is not None
        refs = (
            reference("clients", project.client.client_id)
            if client and project.client
            else reference("products", project.product.product_id if project.product else ""),
        )
    draft.latent(ref, kind, facts, refs)


def _value(draft: Draft, numbers: random.Random, project: Project, kind: str, slot: str, day: date) -> str:
    if slot == "day":
        return (day + timedelta(days=numbers.randint(*_AHEAD))).isoformat()
    if slot == "figure":
        return str(
            numbers.randint(3, 40) if kind in ("hiring", "volunteering") else numbers.randint(12, 980) * 10
        )
    if slot == "who":
        present = [one for one in colleagues(draft, project) if one.active_on(day)]
        return numbers.choice(present).name
    if slot == "about":
        other = project.client if kind == "partnership" else project.product
        assert other is not None
        return other.name
    return grammar("posts").value(numbers, slot)
