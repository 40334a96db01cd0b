"""Knowledge articles, and the questions that they answer."""

from __future__ import annotations

from itertools import islice, product

from tools.crm.generate.draft import Draft
from tools.crm.generate.wording import Grammar, advice, rules
from tools.generating.latent import Latent

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


def questions(latent: Latent) -> list[tuple[list[str], str]]:
    """What an article can be asked, from its truths: ways to word the question, and the answer.

    Args:
        latent: of kind `rules` or `advice`.
    """
    grammar = rules() if latent.kind == "rules" else advice()
    found = []
    for kind, forms in grammar.data["ask"].items():
        answer = latent.facts.get(kind) or _limit(grammar, kind, latent)
        if answer is not None:
            found.append(([form.format_map(latent.facts) for form in forms], answer))
    return found


def _limit(grammar: Grammar, kind: str, latent: Latent) -> str | None:
    """The limit that a question is about, as the article writes it: the first of those of its remedy."""
    for name, value in latent.facts.items():
        before, _, limit = name.partition(".")
        if before == kind:
            return grammar.fill(f"{{{limit}}}", {limit: value})
    return None
