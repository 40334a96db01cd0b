"""How chats between colleagues are worded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import mean

from tests.tools.kinds.enterprise.generate.worlds import records, small
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.talk.phrases import joined
from worksmith.tools.kinds.enterprise.generate.topics import details
from worksmith.tools.kinds.enterprise.generate.wording import texts


def chats() -> list[tuple[list[str], dict[str, str], str]]:
    """Of each chat the turns without speakers, the facts and the intent."""
    rows = {row["conversation_id"]: row for row in records(small(), "conversations")}
    return [
        (
            [turn.partition(": ")[2] for turn in rows[one.ref.partition("/")[2]]["text"].splitlines()],
            dict(one.facts),
            one.kind,
        )
        for one in small().latents_of("conversations")
    ]


def test_chats_are_long_enough_to_say_something() -> None:
    assert mean(len(" ".join(turns).split()) for turns, _, _ in chats()) >= 200


def test_nobody_says_a_sentence_twice_in_a_chat() -> None:
    for turns, _, _ in chats():
        said = [one for turn in turns for one in re.split(r"(?<=[.?!]) ", turn) if len(one.split()) > 3]
        assert len(set(said)) == len(said), turns


def test_each_chat_has_details_of_its_topic() -> None:
    for turns, facts, _ in chats():
        bank = details(packaged(), facts["topic"])
        text = " ".join(turns)
        told = [
            form
            for kind in (bank.done, bank.trouble, bank.next, bank.gain)
            for form in kind
            if max(re.split(r"\{\w+\}", form[1:]), key=len) in text
        ]
        assert len(told) >= 2, text


def test_small_talk_stands_at_one_end_and_never_before_an_outage() -> None:
    pairs = [(place, pair) for place, found in texts("dialogue")["small"].items() for pair in found]
    seen = 0
    for turns, _, intent in chats():
        for place, pair in pairs:
            longest = max(re.split(r"\{\w+\}", pair["say"]), key=len)
            where = [number for number, turn in enumerate(turns) if longest in turn]
            if where:
                seen += 1
                assert where == [0 if place == "begin" else len(turns) - 2]
                assert place == "end" or intent != "incident"
    assert seen


def test_progress_is_told_by_who_was_asked() -> None:
    for turns, facts, intent in chats():
        if intent == "status":
            place = next(
                number for number, turn in enumerate(turns) if f"{facts['progress']} percent" in turn
            )
            assert place % 2 == 1


def test_a_name_at_the_beginning_stays_a_name() -> None:
    assert joined(packaged(), "well, ", "We did it.") == "Well, we did it."
    assert joined(packaged(), "well, ", "Claims Processing did it.") == "Claims Processing did it."
    assert joined(packaged(), "well, ", "Kochi did it.") == "Kochi did it."
    assert joined(packaged(), "well, ", "In Kochi we did it.") == "Well, in Kochi we did it."
    assert joined(packaged(), "then: ", "Next we do it.") == "Next we do it."


def test_a_reply_leaves_no_question_open() -> None:
    def lines(found: object) -> Iterator[str]:
        if isinstance(found, dict):
            for one in found.values():
                yield from lines(one)
        elif isinstance(found, list):
            yield from found

    assert [one for one in lines(texts("dialogue")["react"]) if "?" in one] == []
