"""The announcements on the company's social platform."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.talk.announcements import Announcement, announcements
from worksmith.tools.kinds.enterprise.generate.topics import details, said
from worksmith.tools.kinds.enterprise.generate.wording import texts, with_article

_TOPIC = ("done", "trouble", "next", "gain")
_PRODUCT = ("tested", "home", "asks")


def add_posts(draft: Draft) -> None:
    """Announcements by members of projects; nothing is announced twice."""
    for number, one in enumerate(announcements(draft), 1):
        numbers = draft.rng("posts", number, "text")
        title = post_grammar(draft.industry).fill(
            numbers.choice(texts("posts/facts")["title"][one.kind]), one.facts
        )
        ref = draft.add(
            "posts",
            post_id=f"POST-{number:05d}",
            title=title[0].upper() + title[1:],
            body=_body(draft.industry, numbers, one),
            emp_id=one.author.emp_id,
            author=one.author.name,
            date=one.day,
        )
        draft.latent(ref, one.kind, one.facts, one.refs)


@cache
def post_grammar(industry: Industry) -> Grammar:
    """The sentences that state a post's facts, each kind named after the fact and the kind of post."""
    data = texts("posts/facts")
    places = [place for pool in data["places"].values() for place in pool]
    pools = {"place": [*places, *texts("posts/stories")["help"]], "range": list(industry.kinds)}
    return Grammar({**data, "pools": pools})


def _body(industry: Industry, numbers: random.Random, one: Announcement) -> str:
    facts = texts("posts/facts")["kinds"][one.kind]
    sources = {name: iter(_shuffled(numbers, forms)) for name, forms in _forms(industry, one).items()}
    things = _things(industry, numbers, one)
    paragraphs = []
    for parts in facts["paragraphs"]:
        sentences = []
        for part in parts:
            if part in facts["facts"]:
                sentences.append(post_grammar(industry).say(numbers, f"{part}_{one.kind}", one.facts))
            else:
                sentences.append(_worded(industry, numbers, next(sources[part]), one, things))
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)


def _forms(industry: Industry, one: Announcement) -> dict[str, list[str]]:
    """By part of a post the sentences that may stand there."""
    stories = texts("posts/stories")
    bank = details(industry, one.topic)
    found = {name: list(getattr(bank, name)) for name in _TOPIC}
    found |= stories["also"]
    found |= {
        name: stories[name][one.kind] for name in ("open", "more", "since") if one.kind in stories[name]
    }
    found["tasks"] = stories["tasks"][one.project.department]
    if one.product is not None:
        found |= {name: industry.launches[one.product.kind][name] for name in _PRODUCT}
    if one.client is not None:
        found["scene"] = industry.clients[one.client.industry]["scene"]
    if one.person is not None:
        found["career"] = stories["career"][one.person.department]
    if "place" in one.facts and one.kind == "volunteering":
        found["help"] = stories["help"][one.facts["place"]]
    return found


def _worded(
    industry: Industry, numbers: random.Random, form: str, one: Announcement, things: Iterator[str]
) -> str:
    slots = {"project": one.project.name, "topic": one.topic}
    slots |= {"author": one.author.first_name, "team": one.author.team}
    for slot in ("thing", "other"):
        if f"{{{slot}}}" in form:
            slots[slot] = next(things)
    if "{skill}" in form:
        slots["skill"] = _skill(numbers, one)
    if one.product is not None:
        slots |= {
            "kind": one.product.kind,
            "a_kind": with_article(one.product.kind),
            "brand": one.product.brand,
            "use": industry.kinds[one.product.kind]["use"],
            "part": one.part,
        }
        slots["fault"] = one.fault
    if one.client is not None:
        slots["client_use"] = one.client.use
    if one.person is not None:
        slots |= _person(one.person)
    return said(numbers, form, **slots)


def _person(person: Employee) -> dict[str, str]:
    return {
        "first": person.first_name,
        "year": str(person.doj.year),
        "title": person.title,
        "home": person.team,
    }


def _skill(numbers: random.Random, one: Announcement) -> str:
    """A skill of the person, else one of the department, as it stands within a sentence."""
    skills = (
        one.person.skills
        if one.person
        else texts("employees")["departments"][one.project.department]["skills"]
    )
    skill: str = numbers.choice(list(skills))
    return skill if skill in texts("posts/stories")["names"]["skills"] else skill[0].lower() + skill[1:]


def _things(industry: Industry, numbers: random.Random, one: Announcement) -> Iterator[str]:
    """The things of the topic in random order, over and over."""
    things = _shuffled(numbers, list(details(industry, one.topic).things))
    while True:
        yield from things


def _shuffled(numbers: random.Random, forms: list[str]) -> list[str]:
    return numbers.sample(forms, len(forms))
