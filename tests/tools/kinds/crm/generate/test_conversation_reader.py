"""Conversations that were written by hand, and who breaks which article in them."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from worksmith.tools.kinds.crm.generate.conversation_reader import (
    Hearing,
    Turn,
    hear,
    read_rules,
    turns_of_transcript,
    verdict,
)
from worksmith.tools.kinds.crm.generate.industry import packaged

ARTICLE = read_rules(
    "No remedy is given until the customer has supplied a photo of the damage.\n\n"
    "A replacement may be sent up to 25 days after the order. "
    "Agents may lengthen the warranty, though by no more than 90 days.",
    packaged(),
)
PROBLEM = "The strap at the back of the Corvane Cap broke at the first try."
PHOTO = "Here you have a photo of the damage."
REPLACED = "We replace it with a new one."


def talk(customer: str, agent: str) -> Hearing:
    return hear([Turn("Ana Diaz", False, customer), Turn("Bo Lee", True, agent)], packaged())


@each_row(
    ("customer", "agent", "days", "broken"),
    [
        (f"{PROBLEM} {PHOTO}", REPLACED, 25, set()),
        (f"{PROBLEM} {PHOTO}", REPLACED, 26, {"late"}),
        (f"{PROBLEM} {PHOTO}", "We add 90 days to the warranty.", 300, set()),
        (f"{PROBLEM} {PHOTO}", "We add 91 days to the warranty.", 1, {"excess"}),
        (f"{PROBLEM} {PHOTO}", "You get all your money back.", 1, {"unlisted"}),
        (PROBLEM, REPLACED, 1, {"skipped_step"}),
        (f"{PROBLEM} Here you have the tracking number.", REPLACED, 1, {"skipped_step"}),
        (PROBLEM, f"Never mind a photo of the damage, I trust you. {REPLACED}", 1, {"skipped_step"}),
        (
            f"{PROBLEM} {PHOTO}",
            f"{REPLACED} You have my word that we will service it for the rest of your life.",
            1,
            {"promise"},
        ),
        (f"{PROBLEM} {PHOTO}", f"{REPLACED} I cannot promise you a delivery day.", 1, set()),
        (
            f"{PROBLEM} {PHOTO} Would a refund be possible?",
            f"Unfortunately I cannot agree to a refund here. {REPLACED}",
            1,
            set(),
        ),
        (PROBLEM, "I understand that this is annoying.", 90, set()),
    ],
)
def test_verdicts(customer: str, agent: str, days: int, broken: set[str]) -> None:
    hearing = talk(customer, agent)
    assert hearing.unclear == []
    assert [heard.issue for heard in hearing.concerns] == ["defect"]
    assert verdict(hearing.concerns[0], ARTICLE, days) == broken


def test_a_proof_that_comes_after_the_remedy_is_too_late() -> None:
    turns = [Turn("Ana Diaz", False, PROBLEM), Turn("Bo Lee", True, REPLACED), Turn("Ana Diaz", False, PHOTO)]
    assert verdict(hear(turns, packaged()).concerns[0], ARTICLE, 1) == {"skipped_step"}


def test_remedies_belong_to_what_was_brought_up_last() -> None:
    second = "There is one more thing. My balance did not change after I bought the Corvane Cap."
    hearing = hear(
        [
            Turn("Ana Diaz", False, f"{PROBLEM} {PHOTO}"),
            Turn("Bo Lee", True, REPLACED),
            Turn("Ana Diaz", False, f"{second} I have attached the membership number."),
            Turn("Bo Lee", True, "As compensation I have added 100 points."),
        ],
        packaged(),
    )
    assert [(heard.issue, heard.remedies) for heard in hearing.concerns] == [
        ("defect", [("replacement", {})]),
        ("points", [("points", {"points": 100})]),
    ]


def test_transcripts_are_read_as_they_are_escaped() -> None:
    turns = turns_of_transcript(
        "[09:00:00] Ana Diaz (Customer): A &lt;b&gt; &amp; c\n[09:01:00] Bo Lee (Agent): Yes"
    )
    assert turns == [Turn("Ana Diaz", False, "A <b> & c"), Turn("Bo Lee", True, "Yes")]
    with pytest.raises(ValueError, match="not a line"):
        turns_of_transcript("Ana: hello")
