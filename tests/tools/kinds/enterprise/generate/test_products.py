"""What the shop says of a product is about its kind, and says nothing that a fact might contradict."""

from __future__ import annotations

import random
import re

from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.wording import vary

_DATA = packaged().catalogue
_FACTS = ("warranty", "guarantee", "rupees", "discount", "stock", "colour is", "made in", "version")


def test_every_kind_has_its_own_sentences() -> None:
    banks = packaged().features
    sentences = [sentence for bank in banks.values() for sentence in bank]

    assert banks.keys() == {kind["name"] for kind in _DATA["kinds"]}
    assert min(map(len, banks.values())) >= 12
    assert len(sentences) == len(set(sentences))


def test_sentences_state_no_fact_of_a_product() -> None:
    forbidden = {*_FACTS, *map(str.lower, _DATA["origins"])}
    for bank in packaged().features.values():
        for sentence in bank:
            assert set(re.findall(r"\{\w+\}", sentence)) <= {"{series}"}
            assert not [word for word in forbidden if word in sentence.lower()], sentence


def test_one_phrase_of_a_choice_is_taken() -> None:
    said = {vary(random.Random(seed), "It is [dry|damp] here.") for seed in range(20)}

    assert said == {"It is dry here.", "It is damp here."}
