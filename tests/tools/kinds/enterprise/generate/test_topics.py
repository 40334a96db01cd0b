"""The words of topics."""

from __future__ import annotations

import random
import re

import pytest

from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.kinds.enterprise.generate.topics import Kind, details, domains

KINDS: tuple[Kind, ...] = ("done", "trouble", "next", "gain")
COUNTS = {"things": 8, "done": 6, "trouble": 6, "next": 5, "gain": 4}
TOPICS = [
    topic
    for department in ORDINARY
    for topics in domains(packaged(), department).values()
    for topic in topics
]


def test_each_topic_has_its_number_of_sentences() -> None:
    for topic in TOPICS:
        assert {name: len(set(getattr(details(packaged(), topic), name))) for name in COUNTS} == COUNTS, topic


def test_sentences_are_whole_and_have_no_open_slot() -> None:
    numbers = random.Random(7)
    for topic in TOPICS:
        for kind in KINDS:
            for said in details(packaged(), topic).sample(numbers, kind, 9):
                assert re.fullmatch(r"[A-Z0-9][^{}\n]*[.?]", said), said
                assert 7 <= len(said.split()) <= 26, said


def test_a_sample_does_not_say_the_same_twice_and_depends_on_its_stream_only() -> None:
    bank = details(packaged(), "coupon engine")
    said = bank.sample(random.Random(3), "done", 4)
    assert len(set(said)) == 4
    assert said == bank.sample(random.Random(3), "done", 4)
    assert len(bank.sample(random.Random(3), "next", 40)) == 5


def test_nobody_knows_a_topic_that_no_department_has() -> None:
    with pytest.raises(KeyError):
        details(packaged(), "moon landing")


def test_a_sentence_is_about_the_part_that_it_names() -> None:
    bank = details(packaged(), "checkout redesign")
    assert bank.part_in("We moved the voucher box below the total.") == "the voucher box"
    assert bank.part_in("Guests check out without a form.") != "the voucher box"
    assert bank.part_in("It rained all day.") is None


def test_a_plan_answers_the_trouble_with_the_same_part() -> None:
    bank = details(packaged(), "checkout redesign")
    plans = ["The designers redraw the delivery boxes.", "The voucher box stays folded."]
    assert bank.answer_in(plans, "Nobody sees the voucher box.") == plans[1]
    assert bank.answer_in(plans, "It rained all day.") is None
