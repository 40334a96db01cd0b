"""The facts of knowledge articles: their names, the truth, and the statements of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.wording import wording
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.generate.conversation_reader import read_rules
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.wording import texts

_NAME = "knowledge_qa"
_RULES = "rules"


@dataclass(frozen=True)
class Fact:
    """Something that articles of a kind state, see `wording/knowledge_qa.toml`.

    Attributes:
        of: `rules`, or the topic of advice: `care`, `fit` or `last`.
        unit: of its values; empty if they are words.
    """

    key: str
    of: str
    cue: str
    search: str
    ask: tuple[str, ...]
    tell: str
    says: str
    unit: str = ""


@cache
def facts(industry: Industry) -> Mapping[str, Fact]:
    """Those of the rules on issues, then those of the advice."""
    known = wording(_NAME)["facts"]
    found = {key: Fact(key=key, **{**fact, "ask": tuple(fact["ask"])}) for key, fact in known.items()}
    return found | {
        key: Fact(key, own.of, own.cue, own.search, tuple(own.ask), own.tell, own.says)
        for key, own in industry.data.advice.facts.items()
    }


@cache
def issues() -> tuple[str, ...]:
    return tuple(policy["key"] for policy in texts("policies")["policies"])


def subjects(fact: Fact, industry: Industry) -> tuple[str, ...]:
    return issues() if fact.of == _RULES else tuple(industry.called)


def called(subject: str, random: Random, industry: Industry) -> str:
    if subject not in issues():
        return subject
    policy = next(each for each in industry.policies if each["key"] == subject)
    return random.choice((wording(_NAME)["short"][subject], f'the article "{policy["title"]}"'))


def under(subject: str, random: Random, industry: Industry) -> str:
    topic = industry.topics.get(subject)
    return random.choice((f"under {called(subject, random, industry)}", f"when it is about {topic}"))


def read_subjects(text: str, industry: Industry) -> tuple[list[str], str]:
    """The subjects that a text names, sorted, and the text without them."""
    names = {name: name for name in (*industry.called, *industry.data.advice.unknown)}
    for policy in industry.policies:
        key = policy["key"]
        names |= {
            policy["title"]: key,
            wording(_NAME)["short"][key]: key,
            industry.topics[key]: key,
        }
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    by_lower = {name.lower(): subject for name, subject in names.items()}
    found = {by_lower[name.lower()] for name in pattern.findall(text)}
    return sorted(found), pattern.sub("", text)


def true_value(org: OrgRecords, key: str, subject: str) -> str | None:
    """The truth of the generated org; None if no article states it."""
    fact = facts(org.built.industry)[key]
    if fact.of != _RULES:
        return _advice(org).get(subject, {}).get(key)
    policy = next((each for each in org.built.policies if each.key == subject), None)
    if policy is None or key == "step":
        return policy.step if policy else None
    remedy, _, limit = key.partition(".")
    value = policy.remedies.get(remedy, {}).get(limit)
    return None if value is None else _counted(value, fact.unit)


def true_article(org: OrgRecords, key: str, subject: str) -> str | None:
    if facts(org.built.industry)[key].of == _RULES:
        return next(each.article for each in org.built.policies if each.key == subject)
    kinds = org.built.latents_of("advice").items()
    return next(
        (each for each, latent in kinds if latent.facts["category"] == subject and key in latent.facts), None
    )


def read_value(key: str, subject: str, title: str, text: str, industry: Industry) -> str | None:
    """An article's value of a fact about a subject; None for another subject."""
    fact = facts(industry)[key]
    if fact.of != _RULES:
        topic = industry.data.advice.topics[fact.of]
        if title != topic.title.format(category=subject):
            return None
        return next((said.facts[key] for said in industry.advice.read(text) if said.kind == key), None)
    if not title.endswith(wording(_NAME)["short"].get(subject, title + "?").removeprefix("the ")):
        return None
    rules = read_rules(text, industry)
    remedy, _, limit = key.partition(".")
    if not limit:
        return rules.step
    value = rules.limits.get(remedy, {}).get(limit)
    return None if value is None else _counted(value, fact.unit)


def entity(key: str, value: str, industry: Industry) -> Entity:
    fact = facts(industry)[key]
    alias = [*wording(_NAME)["alias"].get(value, ()), *industry.data.alias.get(value, ())]
    number = value.partition(" ")[0]
    if fact.unit or number.isdecimal():
        alias.append(number)
    return Entity(type="text", value=value, alias=tuple(alias))


@lru_cache(maxsize=2)
def _advice(org: OrgRecords) -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for latent in org.built.latents_of("advice").values():
        found.setdefault(latent.facts["category"], {}).update(latent.facts)
    return found


def _counted(value: int, unit: str) -> str:
    return f"{value} {unit}" if unit == "percent" or value == 1 else f"{value} {unit}s"
