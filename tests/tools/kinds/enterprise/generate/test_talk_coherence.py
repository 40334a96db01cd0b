"""A chat between colleagues that makes no sense is found."""

from __future__ import annotations

from tests.tools.kinds.enterprise.generate.checks.coherence.conversations import incoherent_talk
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW

CHAT = """\
Asha: Hi Ravi, how are things going with the coupon engine in Amber Heron?
Ravi: Sure, let me look at the board. We rewrote the stacking order so that a percentage always \
applies before a fixed amount.
Asha: Nice work. And the delivery date?
Ravi: You can tell them 4 March 2022.
Asha: I am putting that date into the Amber Heron plan. So what do I write about the coupon engine?
Ravi: I have looked at all of the coupon engine twice. In short, we are on track.
Asha: Good, then I can sleep about the coupon engine. That is all I need for Amber Heron. Before I forget, \
there is a parcel for you at the front desk.
Ravi: That must be the books on chess, Asha."""


def faults(old: str = "", new: str = "") -> list[str]:
    assert old in CHAT
    return list(incoherent_talk({"text": CHAT.replace(old, new, 1)}, Facts(Built({}, []), DEFAULT_NOW)))


def test_a_sound_chat_has_no_fault() -> None:
    assert faults() == []


def test_a_detail_of_another_topic_is_found() -> None:
    assert faults("We rewrote", "We redrew the poster in portrait format. We rewrote")


def test_a_filler_of_no_table_is_found() -> None:
    assert faults("Sure,", "I checked it against my own notes, and it matches. Sure,")


def test_a_reply_to_what_nobody_said_is_found() -> None:
    assert faults("Sure,", "Nice work. Sure,")
    assert faults("Nice work.", "I was afraid of that.")
    assert faults("Good, then I can sleep about the coupon engine.", "I had feared it, Ravi.")


def test_an_outcome_that_does_not_fit_what_stands_before_is_found() -> None:
    assert faults("I have looked at all of the coupon engine twice.", "I do not want to promise too much.")


def test_a_question_about_another_matter_is_found() -> None:
    assert faults("And the delivery date?", "Who will take over for the coupon engine?")
    assert faults("Amber Heron plan", "Quiet Teak plan")


def test_small_talk_amid_the_matter_is_found() -> None:
    assert faults("Nice work.", "Nice work. The lift is out again, so mind the 20 steps on your way.")


def test_a_chat_without_a_matter_is_found() -> None:
    assert faults("how are things going with the coupon engine in Amber Heron?", "how are you?")
