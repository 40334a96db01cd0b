"""Conversations as tokens, with a mark on those of the assistant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.tools.errors import InputError
from worksmith.training.rows import ASSISTANT, Conversation, Message, Preference, Row

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

UNTAUGHT = -100
"""The label of a token that carries no loss."""

_CHATML_TURN = re.compile(
    r"\{\{\s*'<\|im_start\|>'\s*\+\s*message\['role'\]\s*\+\s*'(?:\n|\\n)'\s*\+\s*message\['content'\]"
    r"\s*\+\s*'<\|im_end\|>'\s*\+\s*'(?:\n|\\n)'\s*\}\}"
)
"""A turn in ChatML, as SmolLM2 and others have it; TRL has no training template for those."""

_MARKED_TURN = (
    r"{{ '<|im_start|>' + message['role'] + '\n' }}"
    r"{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] + '<|im_end|>' }}"
    r"{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\n' }}"
)


class Encoded(NamedTuple):
    """Tokens, and for each its own number where it carries loss, else `UNTAUGHT`."""

    tokens: list[int]
    labels: list[int]


class Pair(NamedTuple):
    """A prompt with its chosen, and with its rejected reply."""

    chosen: Encoded
    rejected: Encoded


def training_template(tokenizer: PreTrainedTokenizerBase) -> str:
    """A chat template that renders as the tokenizer's own and marks the assistant's tokens.

    Raises:
        InputError: the model has no chat template, or one without known marks.
    """
    from trl.chat_template_utils import get_training_chat_template, has_generation_markers

    own = tokenizer.chat_template
    if not isinstance(own, str):
        raise InputError("the model has no chat template", hint="train an instruct model")
    if has_generation_markers(own):
        return own
    marked, found = _CHATML_TURN.subn(lambda _: _MARKED_TURN, own)
    if found:
        return marked
    try:
        return str(get_training_chat_template(tokenizer))
    except ValueError as error:
        raise InputError(
            "the model's chat template does not mark the assistant's turns, and TRL knows no marks for it",
            hint="put {% generation %} marks into the template of a copy of the model",
        ) from error


class TokenEncoder:
    """Turns rows into tokens.

    Each text of the assistant, with the end of its turn, is encoded on its own, as the model generates it
    after a prompt.

    Raises:
        InputError: see `training_template`.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer: Any = tokenizer
        self._template = training_template(tokenizer)

    def encode(self, row: Row) -> Encoded | Pair:
        """The tokens of a row; of a preference those of both replies."""
        if isinstance(row, Conversation):
            return self._encoded(row.messages)
        if isinstance(row, Preference):
            return Pair(self._encoded(row.prompt, row.chosen), self._encoded(row.prompt, row.rejected))
        return self._encoded(row.prompt, row.completion)

    def _encoded(self, first: Sequence[Message], then: Sequence[Message] = ()) -> Encoded:
        """The tokens of turns. If there are two parts, the first one carries no loss."""
        from transformers.utils.chat_template_utils import render_jinja_template

        turns = [message.model_dump() for message in (*first, *then)]
        (text,), (spans,) = render_jinja_template(
            conversations=[turns],
            chat_template=self._template,
            return_assistant_tokens_mask=True,
            **self._tokenizer.special_tokens_map,
        )
        untaught = sum(message.role == ASSISTANT for message in first) if then else 0
        tokens: list[int] = []
        labels: list[int] = []
        end = 0
        for number, (start, stop) in enumerate(spans):
            for piece, taught in ((text[end:start], False), (text[start:stop], number >= untaught)):
                found = self._tokenizer.encode(piece, add_special_tokens=False)
                tokens += found
                labels += found if taught else [UNTAUGHT] * len(found)
            end = stop
        return Encoded(tokens, labels)
