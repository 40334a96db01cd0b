"""Checks that what is said about a case fits the product that it is about, and hangs together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tests.tools.kinds.crm.generate.checks.conversations import turns_by_case
from worksmith.tools.kinds.crm.generate.draft import Built
from worksmith.tools.kinds.crm.generate.industry import Industry

_SHAPES_OF_PARTS = {
    "shoes": {
        "heel|toes?": {"shoe", "sandal", "sock"},
        "soles?|tread": {"shoe", "sandal"},
        "foot|feet": {"shoe", "sandal"},
        "footbed": {"sandal"},
        "shoehorn": {"shoe"},
        "pair": {"shoe", "sandal"},
        "socks?": {"shoe"},
        "ankles?": {"shoe", "sock"},
        "calf|calves": {"sock"},
        "chest|arms?|shoulders?": {"top"},
        "hem|fabric": {"top", "bottom"},
        "waist|waistband|hips?|thighs?|knees?|legs": {"bottom"},
        "temples|forehead|head|face|eyes": {"head"},
        "straps?": {"head", "bag"},
        "shoes?|boots?": {"addon"},
        "seams?": {"shoe", "top", "bottom", "sock"},
        "hole": {"top", "bottom", "sock", "bag"},
        "zips?|laces?|sleeves?|collar": set[str](),
    },
    "furniture": {
        "legs": {"seat", "table", "storage", "bed"},
        "armrests?": {"seat"},
        "knees?": {"table"},
        "slats?": {"bed"},
        "mattress": {"bed"},
        "staircase": {"seat", "table", "storage", "bed"},
        "screws?": {"seat", "table", "storage", "bed"},
        "varnish|marble": {"table"},
        "boards?": {"storage"},
        "folders|ceiling": {"storage"},
        "cord|socket|flickers?": {"lamp"},
        "shade": {"lamp"},
        "folds|thread|seam|hole": {"textile", "seat", "table", "storage", "bed"},
        "tags|frays?": {"textile"},
        "heel|soles?|laces?|sleeves?": set[str](),
    },
}
"""By industry and words for parts of things and bodies: the shapes of products of which they may be used."""

_STATELESS = {"billing", "stock", "points"}
"""Issues that say nothing of where the product is and in what state."""


def problems(built: Built) -> Iterator[str]:
    """Cases whose texts speak of parts that the product has not, or of two states that exclude each other."""
    kinds = {product.id: product.kind for product in built.products}
    industry = built.industry
    grammar, parts = industry.conversations, _SHAPES_OF_PARTS.get(industry.name, {})
    names = {product.id: product.name for product in built.products}
    products = {str(item["Id"]): str(item["Product2Id"]) for item in built.records("OrderItem")}
    texts, turns, truths = _texts(built), turns_by_case(built), built.latents_of("conversation")
    cases, after = built.latents_of("case"), {each["key"]: each.get("after", 0) for each in industry.policies}
    yield from _materials(built)
    for case in built.records("Case"):
        key, product = str(case["Id"]), products[str(case["OrderItemId__c"])]
        shape, issue = industry.shapes[kinds[product]], truths[key].facts["1.issue"]
        for text in texts[key]:
            plain = _without_facts(text, names[product], industry)
            for words, fitting in parts.items():
                found = re.search(rf"\b(?:{words})\b", plain, re.IGNORECASE)
                if found and shape not in fitting:
                    yield f"Case/{key}: speaks of {found[0]!r} of a {kinds[product]}"
        remedies = {truths[key].facts.get(f"{number}.remedy", "") for number in (1, 2)}
        refused = any(truths[key].facts.get(f"{number}.refused") for number in (1, 2))
        around = {str(case["Origin"]).lower(), "" if refused else "granted"}
        days = int(cases[key].facts["days_since_order"])
        if days < after[issue]:
            yield f"Case/{key}: {issue} {days} days after the order"
        described = [(each, "written") for each in grammar.read(str(case["Description"]))]
        style = truths[key].facts["style"]
        said = [(each, style) for turn in turns[key] for each in grammar.read(turn.text)]
        for each, style in described + said:
            if each.only and each.only.isdisjoint({shape, issue, style, *remedies, *around}):
                yield f"Case/{key}: {each.text!r} does not fit a {kinds[product]} or {issue}"
        second = truths[key].facts.get("2.issue")
        together = not second or {issue, second} & _STATELESS or {issue, second} == {"defect", "size"}
        if not together and any(each.kind == "besides" for each, _ in said):
            yield f"Case/{key}: {issue} and {second} of one product"


def _materials(built: Built) -> Iterator[str]:
    """Products made of what their kind cannot be made of."""
    data = built.industry.data
    made_of = {
        kind: category.materials_of(kind) or data.materials
        for category in data.categories
        for kind, *_ in category.kinds
    }
    for key, latent in built.latents_of("product").items():
        if latent.facts["material"] not in made_of[latent.facts["kind"]]:
            yield f"Product2/{key}: a {latent.facts['kind']} of {latent.facts['material']}"


def _texts(built: Built) -> dict[str, list[str]]:
    """All that stands in the records about a case, by case."""
    texts: dict[str, list[str]] = defaultdict(list)
    for name, case, fields in (
        ("Case", "Id", ("Subject", "Description")),
        ("EmailMessage", "ParentId", ("Subject", "TextBody")),
        ("LiveChatTranscript", "CaseId", ("Body",)),
    ):
        for record in built.records(name):
            texts[str(record[case])].append("\n".join(str(record[field]) for field in fields))
    return texts


def _without_facts(text: str, product: str, industry: Industry) -> str:
    """A text without the product's name and what the articles ask for."""
    for fact in (product, *industry.conversations.pools["step"]):
        text = text.replace(fact, "")
    return text
