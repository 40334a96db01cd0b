"""A user who answers by rule: what it tells, what it agrees to, and that it ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.user import GOODBYE, UNKNOWN, YES, User

WANTS = "I want to cancel an order."
USER = User.model_validate(
    {
        "wants": WANTS,
        "facts": {
            "name": "Yara Ito",
            "zip code": 75284,
            "email": None,
            "orders": ["#W1001", "#W1002"],
            "reason": "bought twice",
        },
        "confirms": [["cancel", "#W1001", "reason"], ["refund", "card_777401"], ["move", "ZIP 75284"]],
    }
)
TOLD = [("How can I help you?", WANTS)]


@each_row(
    ("message", "reply"),
    [
        ("Hello!", WANTS),
        ("How can I help you?", WANTS),
        ("What is your name?", "My name is Yara Ito."),
        ("Tell me the ZIP and the order, please", "My zip code is 75284. My orders: #W1001 and #W1002."),
        ("May I have your email?", "I do not remember my email."),
        ("Which colour do you like?", WANTS),
        ("Is your name Yara Ito, and your zip code 75284?", YES),
        ("Is your name Yara Ito, and your zip code 75285?", "No. My zip code is 75284."),
        ("Can you confirm your zip code?", "My zip code is 75284."),
        ("I will cancel #W1001, which you bought twice. Shall I go ahead (yes or no)?", YES),
        ("Please confirm: CANCEL order #w1001 (reason: bought twice).", YES),
        ("Cancel #W1001, bought twice, and refund 499.50 to card_777401? yes/no", YES),
        ("Cancel #W1001 and #W1002, bought twice: yes or no?", f"No. {WANTS}"),
        ("Shall I cancel #W1001?", f"No. {WANTS}"),
        ("Shall I return #W1001, bought twice?", f"No. {WANTS}"),
        ("Shall I cancel order #W10012, bought twice?", "No. My orders: #W1001 and #W1002."),
        ("Before I proceed I need your name.", "No. My name is Yara Ito."),
        ("It is cancelled. Is there anything else?", GOODBYE),
        ("You get an email on #W1001 right away. Anything else?", GOODBYE),
    ],
)
def test_the_reply_to_a_first_message(message: str, reply: str) -> None:
    assert USER.reply([], message) == reply


@each_row(
    ("message", "reply"),
    [
        ("What is your shoe size?", UNKNOWN),
        ("Which colour do you like?", WANTS),
        ("The order is cancelled.", GOODBYE),
        ("And your name?", "My name is Yara Ito."),
    ],
)
def test_the_reply_to_a_later_message(message: str, reply: str) -> None:
    assert USER.reply(TOLD, message) == reply


WORDS = st.sampled_from(["yes or no?", "#W1001", "card", "your", "reason", "email"])


@given(st.lists(st.text() | WORDS))
def test_any_message_gets_the_same_reply_twice_and_no_value_that_is_only_compared(parts: list[str]) -> None:
    message = " ".join(parts)
    reply = USER.reply(TOLD, message)
    assert reply == USER.model_copy(deep=True).reply(list(TOLD), message)
    assert reply
    assert "777401" not in reply
    assert USER.reply([*TOLD, (message, reply)], "That is all. Goodbye.") == GOODBYE
