"""Every sentence can be read back to what it states, and to nothing else."""

from __future__ import annotations

import random
import re

import pytest

from worksmith.tools.kinds.crm.generate.dialogue import describe
from worksmith.tools.kinds.crm.generate.industry import industry_names, packaged
from worksmith.tools.kinds.crm.generate.wording import Grammar, long_day, texts

VALUES = {
    "product": "Corvane Road Racer 2",
    "day": "2022-03-04",
    "first": "Ana",
    "agent": "Mei Lucia O'Hara-Smith",
    "percent": "15",
    "validity": "1",
    "extension": "90",
    "hold": "7",
    "within": "30",
    "points": "250",
    "category": "running shoes",
}
GRAMMARS = ("conversations", "rules", "advice")


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("industry", industry_names())
def test_every_sentence_is_read_back_to_its_kind_and_facts(industry: str, name: str) -> None:
    grammar: Grammar = getattr(packaged(industry), name)
    for form in grammar.forms():
        slots = re.findall(r"\{(\w+)\}", form.text)
        pools = {slot: grammar.pools[slot][:10] for slot in slots if slot in grammar.pools}
        for turn in range(max([1, *map(len, pools.values())])):
            facts = {slot: VALUES.get(slot, "") for slot in slots}
            facts |= {slot: values[turn % len(values)] for slot, values in pools.items()}
            sentence = grammar.fill(form.text, facts)
            read = list(grammar.read(sentence))
            assert [(said.kind, said.facts, said.only) for said in read] == [(form.kind, facts, form.only)], (
                sentence
            )


@pytest.mark.parametrize(("product", "article"), [("Ulster Slip-On", "an"), ("Yarrow Cap", "a")])
def test_products_have_the_right_article(product: str, article: str) -> None:
    grammar = packaged().conversations
    sentence = grammar.fill("My wife ordered a {product} too, so this one can go back.", {"product": product})
    assert f" ordered {article} {product} too" in sentence
    assert [said.facts for said in grammar.read(sentence)] == [{"product": product}]


def test_what_no_sentence_says_is_unclear() -> None:
    said = list(
        packaged().conversations.read("What can you do for me? The moon is made of cheese.\nI order you.")
    )
    assert [each.kind for each in said] == ["wish", "", ""]


def test_a_sentence_with_two_readings_is_unclear() -> None:
    grammar = Grammar({"say": {"one": ["It is {a}."], "two": ["It is {b}."]}})
    assert [each.kind for each in grammar.read("It is so.")] == [""]


def test_days_are_written_as_customers_write_them() -> None:
    assert long_day("2021-12-01") == "December 1, 2021"
    assert (
        packaged().conversations.fill("{validity} {day}", {"validity": "1", "day": "2020-02-29"})
        == "1 day February 29, 2020"
    )


def test_descriptions_imply_the_issue_without_naming_it() -> None:
    for policy in texts("policies")["policies"]:
        words = {
            word for word in policy["name"].lower().split() if word not in ("and", "product", "order", "item")
        }
        for number in range(30):
            subject, description = describe(
                packaged(), random.Random(number), policy["key"], "Corvane Cap", "2022-03-04"
            )
            kinds = {said.kind for said in packaged().conversations.read(description)}
            assert f"problem_{policy['key']}" in kinds
            assert not words & set(re.findall(r"[a-z]+", f"{subject} {description}".lower()))
