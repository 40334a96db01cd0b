"""What of long prompts is shown."""

from __future__ import annotations

from worksmith.evals.records.prompts import LONGEST_MESSAGE, LONGEST_PROMPT, NOTE, shown_messages, shown_text
from worksmith.tools.episode_result import Exchange, Message


def messages(*sizes: int) -> tuple[Message, ...]:
    return tuple(Message("user", f"{number}: ".ljust(size, "x")) for number, size in enumerate(sizes))


def test_a_prompt_within_the_size_is_shown_whole() -> None:
    prompt = messages(*[LONGEST_MESSAGE] * 4)

    assert shown_messages(Exchange(0, prompt, "")) == list(prompt)


def test_of_a_longer_one_the_middle_is_left_out_and_said() -> None:
    prompt = messages(*[5_000] * 12)
    shown = shown_messages(Exchange(0, prompt, ""))
    head, note, tail = shown[:4], shown[4], shown[5:]

    assert (*head, *tail) == (*prompt[:4], *prompt[-4:])
    assert note == Message(NOTE, "[4 messages of 20,000 characters are left out here]")
    assert sum(len(message.text) for message in (*head, *tail)) <= LONGEST_PROMPT


def test_the_first_and_the_last_message_are_always_there() -> None:
    prompt = messages(3 * LONGEST_PROMPT, *[LONGEST_MESSAGE] * 8, 3 * LONGEST_PROMPT)
    shown = shown_messages(Exchange(0, prompt, ""))

    assert shown[0].text.startswith("0: xx")
    assert shown[-1].text.startswith("9: xx")
    assert shown[0].text.endswith("… [110,000 characters more]")


def test_messages_of_the_question_before_are_counted() -> None:
    assert shown_messages(Exchange(7, messages(10), ""))[0] == (
        NOTE, "[7 messages as in the question before]",
    )  # fmt: skip


def test_a_long_reply_is_cut() -> None:
    assert shown_text("y" * (LONGEST_MESSAGE + 3)).endswith("y… [3 characters more]")
