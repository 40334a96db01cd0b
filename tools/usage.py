"""What asking models took: what was used, whoever answered, and what was paid."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or more questions to models took.

    Used tokens do not depend on where replies come from. Paid are the requests that reached a model, failed
    ones and further tries included, and the tokens of those that it answered; a reply out of a cache, a
    journal or a recording is not paid.

    Attributes:
        prompt_tokens, completion_tokens: used.
        estimated: whether some tokens were estimated, because the model's server reports none.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    paid_requests: int = 0
    paid_prompt_tokens: int = 0
    paid_completion_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.paid_requests + other.paid_requests,
            self.paid_prompt_tokens + other.paid_prompt_tokens,
            self.paid_completion_tokens + other.paid_completion_tokens,
            self.estimated or other.estimated,
        )

    @property
    def used_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def paid_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.paid_prompt_tokens + self.paid_completion_tokens

    def __str__(self) -> str:
        """Both figures; `~` marks estimates."""
        counts = (self.used_tokens, self.paid_tokens)
        used, paid = (f"{'~' if self.estimated and count else ''}{count:,}" for count in counts)
        return f"{used} used tokens, {paid} paid tokens"

    @classmethod
    def all_paid(cls, prompt_tokens: int, completion_tokens: int, requests: int) -> Self:
        """Of so many requests that no cache answered."""
        return cls(prompt_tokens, completion_tokens, requests, prompt_tokens, completion_tokens)

    @classmethod
    def of(cls, thing: object) -> Self:
        """What an object says under the same names, e.g. a record."""
        return cls(**{each.name: getattr(thing, each.name) for each in fields(cls)})
