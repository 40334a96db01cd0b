"""Knowledge articles."""

from __future__ import annotations

from itertools import islice, product

from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.wording import advice

ADVICE = 35
"""How many advice articles there are, whatever the size of the org."""


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
    grammar = advice()
    numbers = draft.rng("advice")
    for category, topic in islice(product(grammar.data["categories"], grammar.data["topics"]), ADVICE):
        entry = grammar.data["topics"][topic]
        facts = {"category": category} | {
            kind: numbers.choice(grammar.pools[kind]) for kind in entry["facts"]
        }
        stated = [grammar.say(numbers, kind, facts) for kind in entry["facts"]]
        title = entry["title"].format(category=category)
        article = add_article(
            draft,
            title=title,
            url=title.lower().replace(" ", "-"),
            summary=entry["summary"].format(category=category),
            text="\n\n".join([grammar.say(numbers, "hello"), " ".join(stated), grammar.say(numbers, "bye")]),
        )
        draft.latent("Knowledge__kav", article, "advice", {"title": title, **facts})
