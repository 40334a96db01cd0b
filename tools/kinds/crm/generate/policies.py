"""The kinds of issues, and for each the article that says what agents may do about it."""

from __future__ import annotations

import random

from tools.kinds.crm.generate.articles import add_article
from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.entities import Policy
from tools.kinds.crm.generate.wording import rules, texts


def add_policies(draft: Draft) -> None:
    """Issues and policies with limits drawn for this org."""
    numbers = draft.rng("policies")
    for entry in texts("policies")["policies"]:
        remedies = {
            remedy: {limit: numbers.choice(values) for limit, values in limits.items()}
            for remedy, limits in entry["remedies"].items()
        }
        issue = draft.add("Issue__c", Id=draft.id("Issue__c"), Name=entry["name"])
        topic = texts("policies")["topics"][entry["key"]]
        article = add_article(
            draft,
            title=entry["title"],
            url=entry["url"],
            summary=f"What may be done about {topic}.",
            text=_text(numbers, topic, entry["step"], remedies),
        )
        draft.policies.append(Policy(entry["key"], entry["name"], issue, article, entry["step"], remedies))
        facts: dict[str, object] = {"title": entry["title"], "topic": topic, "step": entry["step"]}
        for remedy, limits in remedies.items():
            facts |= {f"limit_{remedy}.{limit}": value for limit, value in limits.items()}
        draft.latent("Knowledge__kav", article, "rules", facts, (f"Issue__c/{issue}",))
        draft.latent("Issue__c", issue, "issue", {"key": entry["key"], "weight": float(entry["weight"])})


def _text(numbers: random.Random, topic: str, step: str, remedies: dict[str, dict[str, int]]) -> str:
    grammar = rules()
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
