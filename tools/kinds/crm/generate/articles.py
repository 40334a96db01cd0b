"""Knowledge articles: advice, and for each kind of issue what agents may do about it."""

from __future__ import annotations

import random
from itertools import islice, product

from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import Policy
from worksmith.tools.kinds.crm.generate.industry import Industry

ADVICE = 35
"""The most advice articles, at any size of the org."""


def add_article(draft: Draft, *, title: str, url: str, summary: str, text: str) -> str:
    """Publish an article; returns its id."""
    return draft.add(
        "Knowledge__kav",
        Id=draft.id("Knowledge__kav"),
        KnowledgeArticleId=draft.id_of("kA0"),
        ArticleNumber=f"{draft.size('Knowledge__kav') + 1:09d}",
        Title=title,
        FAQ_Answer__c=text,
        Summary=summary,
        UrlName=url,
        PublishStatus="Online",
        Language="en_US",
    )


def add_advice(draft: Draft) -> None:
    """Articles on caring for, fitting and keeping the products of each category."""
    grammar, own = draft.industry.advice, draft.industry.data.advice
    numbers = draft.rng("advice")
    for category, (topic, entry) in islice(product(draft.industry.called, own.topics.items()), ADVICE):
        kinds = [key for key, fact in own.facts.items() if fact.of == topic]
        facts = {"category": category} | {kind: numbers.choice(grammar.pools[kind]) for kind in kinds}
        stated = [grammar.say(numbers, kind, facts) for kind in kinds]
        title = entry.title.format(category=category)
        article = add_article(
            draft,
            title=title,
            url=title.lower().replace(" ", "-"),
            summary=entry.summary.format(category=category),
            text="\n\n".join([grammar.say(numbers, "hello"), " ".join(stated), grammar.say(numbers, "bye")]),
        )
        draft.latent("Knowledge__kav", article, "advice", {"title": title, **facts})


def add_policies(draft: Draft) -> None:
    numbers = draft.rng("policies")
    for entry in draft.industry.policies:
        remedies = {
            remedy: {limit: numbers.choice(values) for limit, values in limits.items()}
            for remedy, limits in entry["remedies"].items()
        }
        issue = draft.add("Issue__c", Id=draft.id("Issue__c"), Name=entry["name"])
        topic = draft.industry.topics[entry["key"]]
        article = add_article(
            draft,
            title=entry["title"],
            url=entry["url"],
            summary=f"What may be done about {topic}.",
            text=_text(draft.industry, numbers, topic, entry["step"], remedies),
        )
        draft.policies.append(Policy(entry["key"], entry["name"], issue, article, entry["step"], remedies))
        facts: dict[str, object] = {"title": entry["title"], "topic": topic, "step": entry["step"]}
        for remedy, limits in remedies.items():
            facts |= {f"limit_{remedy}.{limit}": value for limit, value in limits.items()}
        draft.latent("Knowledge__kav", article, "rules", facts, (f"Issue__c/{issue}",))
        draft.latent("Issue__c", issue, "issue", {"key": entry["key"], "weight": float(entry["weight"])})


def _text(
    industry: Industry,
    numbers: random.Random,
    topic: str,
    step: str,
    remedies: dict[str, dict[str, int]],
) -> str:
    grammar = industry.rules
    limits = [
        grammar.say(numbers, f"limit_{remedy}", {name: str(value) for name, value in values.items()})
        for remedy, values in remedies.items()
    ]
    paragraphs = [
        [grammar.say(numbers, "scope", {"topic": topic}), grammar.say(numbers, "step", {"step": step})],
        [*limits, grammar.say(numbers, "count")],
        [grammar.say(numbers, "only"), grammar.say(numbers, "no_promises")],
    ]
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs)
