"""Usage: the tokens that questions to models used, and the requests and tokens that were paid."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class Usage(BaseModel):
    """Tokens and requests of one or more questions to models.

    Used tokens do not depend on where replies come from. Paid are the requests that reached a model, failed
    ones and further tries included, and the tokens of those that it answered; a reply out of a cache, a
    journal or a recording is not paid.

    Attributes:
        prompt_tokens, completion_tokens: used.
        estimated: whether some tokens were estimated, because the model's server reports none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    paid_requests: NonNegativeInt = 0
    paid_prompt_tokens: NonNegativeInt = 0
    paid_completion_tokens: NonNegativeInt = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            paid_requests=self.paid_requests + other.paid_requests,
            paid_prompt_tokens=self.paid_prompt_tokens + other.paid_prompt_tokens,
            paid_completion_tokens=self.paid_completion_tokens + other.paid_completion_tokens,
            estimated=self.estimated or other.estimated,
        )

    @property
    def used_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def paid_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.paid_prompt_tokens + self.paid_completion_tokens

    @property
    def paid(self) -> Usage:
        """The paid requests and tokens alone."""
        return Usage(
            paid_requests=self.paid_requests,
            paid_prompt_tokens=self.paid_prompt_tokens,
            paid_completion_tokens=self.paid_completion_tokens,
        )

    def __str__(self) -> str:
        """Both figures; `~` marks estimates."""
        counts = (self.used_tokens, self.paid_tokens)
        used, paid = (f"{'~' if self.estimated and count else ''}{count:,}" for count in counts)
        return f"{used} used tokens, {paid} paid tokens"

    @classmethod
    def all_paid(cls, prompt_tokens: int, completion_tokens: int, requests: int) -> Self:
        """The usage of so many requests that no cache answered."""
        return cls(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            paid_requests=requests,
            paid_prompt_tokens=prompt_tokens,
            paid_completion_tokens=completion_tokens,
        )
