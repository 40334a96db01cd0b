"""Rewording texts of records: what is taken, what is mended, what stays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evals.authoring.rewriting.asking import UnreadableReplyError
from evals.authoring.rewriting.texts import Reworded, Text, reword, reword_text


def only_with(word: str) -> Text:
    return Text(
        f"All about {word}.", (word,), (), (), lambda text: [] if word in text else [f"{word} is lost"]
    )


class Model:
    """Replies one after the other, and notes what it was asked."""

    def __init__(self, *replies: str) -> None:
        self._replies = iter(replies)
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def __call__(self, stage: str, inputs: Mapping[str, str]) -> dict[str, str]:
        self.asked.append((stage, inputs))
        return {"reworded": next(self._replies)}


def test_a_text_without_objections_is_taken_at_once() -> None:
    model = Model(" Tea is what it is about. ")
    assert reword_text(only_with("Tea"), model) == Reworded("Tea is what it is about.")
    assert [stage for stage, _ in model.asked] == ["reword"]


def test_a_text_with_objections_is_mended_once() -> None:
    model = Model("Coffee, all in all.", "Tea, all in all.")
    assert reword_text(only_with("Tea"), model) == Reworded("Tea, all in all.")
    stage, told = model.asked[1]
    assert (stage, told["draft"], told["failed"]) == ("mend", "Coffee, all in all.", "Tea is lost")


def test_the_old_text_stays_where_mending_does_not_help() -> None:
    assert reword_text(only_with("Tea"), Model("Coffee.", "Water.")) == Reworded(
        "All about Tea.", "Tea is lost"
    )
    kept = reword_text(only_with("Tea"), Model("All about Tea."))
    assert kept.text == "All about Tea."
    assert kept.kept


def test_an_unreadable_reply_keeps_the_old_text() -> None:
    def unreadable(_stage: str, _inputs: Mapping[str, str]) -> dict[str, str]:
        raise UnreadableReplyError("no text at all")

    assert reword_text(only_with("Tea"), unreadable) == Reworded("All about Tea.", "no text at all")


@pytest.mark.slow
def test_replies_are_kept_and_equal_texts_asked_once(tmp_path: Path) -> None:
    from dspy.utils import DummyLM

    texts = [only_with("Tea"), only_with("Salt"), only_with("Tea")]
    lm: Any = DummyLM([{"reworded": "Tea, then Salt."}, {"reworded": "Salt, then Tea."}])
    first = reword(texts, lm, tmp_path, workers=1)
    assert len(lm.history) == 2
    assert first[0] == first[2]
    assert reword(texts, DummyLM([]), tmp_path) == first
