"""Exactly the assistant's tokens carry loss, in the model's own form of a chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worksmith.training.tiny import tiny_tokenizer, turn
from worksmith.tools.errors import InputError
from worksmith.training.encoding import UNTAUGHT, Encoded, Pair, TokenEncoder
from worksmith.training.rows import Completion, Conversation, Preference

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return tiny_tokenizer()


def _taught(tokenizer: Any, encoded: Encoded | Pair) -> list[str]:
    """The stretches of text that carry loss."""
    assert isinstance(encoded, Encoded)
    assert all(label in (UNTAUGHT, token) for token, label in zip(*encoded, strict=True))
    stretches: list[list[int]] = [[]]
    for token, label in zip(*encoded, strict=True):
        if label == UNTAUGHT:
            stretches.append([])
        else:
            stretches[-1].append(token)
    return [tokenizer.decode(each) for each in stretches if each]


@pytest.mark.parametrize("said", ["Ada", " two\nlines ", "\nbreak first", "naïve 😀", "<|im_start|>user"])
def test_the_texts_of_the_assistant_and_their_ends_carry_loss(tokenizer: Any, said: str) -> None:
    turns = [turn("user", "Who?"), turn("assistant", said), turn("user", "And?"), turn("assistant", "Bob")]
    encoded = TokenEncoder(tokenizer).encode(Conversation.model_validate({"messages": turns}))
    assert _taught(tokenizer, encoded) == [f"{said}<|im_end|>", "Bob<|im_end|>"]


def test_a_prompt_is_as_the_model_gets_it_and_carries_no_loss(tokenizer: Any) -> None:
    prompt = [turn("system", "Be."), turn("user", "Who?"), turn("assistant", "Ada"), turn("user", "And?")]
    row = Completion.model_validate({"prompt": prompt, "completion": [turn("assistant", "Bob")]})
    encoded = TokenEncoder(tokenizer).encode(row)
    assert _taught(tokenizer, encoded) == ["Bob<|im_end|>"]
    asked = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False)
    assert isinstance(encoded, Encoded)
    assert encoded.tokens[: len(asked)] == asked


def test_both_replies_of_a_preference_follow_the_prompt(tokenizer: Any) -> None:
    row = {"prompt": [turn("user", "Who?")], "chosen": [turn("assistant", "Ada")]}
    worse = [turn("assistant", "I"), turn("user", "You?"), turn("assistant", "Yes")]
    pair = TokenEncoder(tokenizer).encode(Preference.model_validate({**row, "rejected": worse}))
    assert isinstance(pair, Pair)
    assert _taught(tokenizer, pair.chosen) == ["Ada<|im_end|>"]
    assert _taught(tokenizer, pair.rejected) == ["I<|im_end|>", "Yes<|im_end|>"]


def test_a_template_that_nobody_has_marks_for_is_refused() -> None:
    other = tiny_tokenizer()
    other.chat_template = "{% for message in messages %}[{{ message['content'] }}]{% endfor %}"
    with pytest.raises(InputError, match="does not mark"):
        TokenEncoder(other)
    other.chat_template = None
    with pytest.raises(InputError, match="no chat template"):
        TokenEncoder(other)
