"""Checks of knowledge articles: they state what their truths say, each thing once."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.generate.conversation_reader import read_rules
from worksmith.tools.kinds.crm.generate.draft import Built
from worksmith.tools.kinds.crm.generate.industry import Industry

_SMALL_TALK = ("hello", "bye")


def problems(built: Built) -> Iterator[str]:
    texts = {str(record["Id"]): str(record["FAQ_Answer__c"]) for record in built.records("Knowledge__kav")}
    for key, latent in built.latents_of("rules").items():
        yield from _rules(key, texts[key], latent, built.industry)
    for key, latent in built.latents_of("advice").items():
        said = [each for each in built.industry.advice.read(texts[key]) if each.kind not in _SMALL_TALK]
        stated = {each.kind: each.facts.get(each.kind, "") for each in said}
        wanted = {name: value for name, value in latent.facts.items() if name not in ("title", "category")}
        categories = {each.facts.get("category") for each in said} - {None}
        if stated != wanted or len(stated) != len(said) or not categories <= {latent.facts["category"]}:
            yield f"Knowledge__kav/{key}: says {stated} instead of {wanted}"


def _rules(key: str, text: str, latent: Latent, industry: Industry) -> Iterator[str]:
    try:
        found = read_rules(text, industry)
    except ValueError as error:
        yield f"Knowledge__kav/{key}: {error}"
        return
    stated = {
        f"limit_{remedy}.{name}": str(value)
        for remedy, limits in found.limits.items()
        for name, value in limits.items()
    }
    wanted = {name: value for name, value in latent.facts.items() if name.startswith("limit_")}
    if stated != wanted or found.step != latent.facts["step"]:
        yield f"Knowledge__kav/{key}: says {stated} instead of {wanted}"
