"""Estimated tokens."""

from __future__ import annotations

from worksmith.evals.lm.estimates import LONGEST_COUNTED, tokens_in


def test_a_very_long_text_has_tokens_in_proportion() -> None:
    text = "an endless reply " * (LONGEST_COUNTED // 17)

    assert tokens_in(text) == 3 * (LONGEST_COUNTED // 17)
    assert abs(tokens_in(text * 100) - 100 * tokens_in(text)) < 100
