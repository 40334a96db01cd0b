"""Whatever a grammar says can be read back."""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.kinds.enterprise.generate.grammar import Grammar, grammar, long_day
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.talk.mail import mail_grammar
from worksmith.tools.kinds.enterprise.generate.talk.posts import post_grammar
from worksmith.tools.kinds.enterprise.stated.sentences import problems, read

CONTEXT = {"topic": "leave calendar", "project": "Amber Heron", "aspect": "deadline"}
VALUES = {
    "day": st.dates(date(2012, 1, 1), date(2024, 1, 1)).map(date.isoformat),
    "money": st.integers(1, 10**8).map(str),
    "percent": st.integers(0, 100).map(str),
    "number": st.integers(0, 10**6).map(str),
    "person": st.sampled_from(["Asha Rao", "Jean-Luc D'Souza", "K. P. Menon", "Anil St. Clair"]),
    "name": st.sampled_from(["Tezz Kettle, 1.5 litres, white", "Rao & Sons Ltd.", "3 Rivers"]),
    "key": st.sampled_from(["ISS-0001", "TypeError", "SQE-1042"]),
    "code": st.sampled_from(["f([1, 2], 'a. b')", "{'a': 1}", "src/a_b.py"]),
}
MIXED = st.one_of(
    VALUES["day"],
    VALUES["money"],
    VALUES["person"],
    st.just("2022-03-04T09:30"),
    st.integers(0, 100).map(lambda n: f"{n} percent"),
    st.just("release 2.3"),
)


def said(words: Grammar) -> list[tuple[Grammar, str, str]]:
    """Each kind of sentences with the slot that it states."""
    return [
        (words, kind, kind.split("_")[0] if kind not in {*words.types, *words.pools} else kind)
        for kind in words.data["say"]
    ]


@pytest.mark.parametrize("name", ["conversations", "issues", "posts"])
@given(data=st.data(), seed=st.integers(0, 999))
def test_every_slot_is_read_back(name: str, data: st.DataObject, seed: int) -> None:
    numbers = random.Random(seed)
    for words, kind, slot in said(post_grammar(packaged()) if name == "posts" else grammar(name)):
        sort = words.data["types"].get(slot)
        value = data.draw(VALUES[sort]) if sort else words.value(numbers, slot)
        text = f"Right. {words.say(numbers, kind, {**CONTEXT, slot: value})} See you. It was nice."
        assert read(words, kind, text, slot) == {value}


@given(data=st.data(), seed=st.integers(0, 999))
def test_what_mails_state_is_read_back(data: st.DataObject, seed: int) -> None:
    numbers, words = random.Random(seed), mail_grammar()
    for kind in words.data["say"]:
        slot = "decided_by" if kind.startswith(("by_", "own_")) else "value"
        value = data.draw(VALUES["person"] if slot == "decided_by" else MIXED)
        text = f"Hello,\n\n{words.say(numbers, kind, {**CONTEXT, slot: value})} Thank you.\n\nAsha"
        assert read(words, kind, text, slot) == {value}


def test_a_text_that_says_two_things_is_a_problem() -> None:
    words = grammar("conversations")
    text = "The new target date is 4 March 2022. Count on 5 March 2022."
    assert read(words, "due", text) == {"2022-03-04", "2022-03-05"}
    assert problems(words, "CV-1", text, {"due": "2022-03-04"}, ["due"])
    assert problems(words, "CV-1", "Nothing.", {"due": "2022-03-04"}, ["due"])
    assert not problems(words, "CV-1", "Count on 4 March 2022.", {"due": "2022-03-04"}, ["due"])


def test_days_are_written_out() -> None:
    assert long_day("2022-03-04") == "4 March 2022"
