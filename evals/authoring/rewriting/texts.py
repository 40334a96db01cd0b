"""Rewording of the texts of records with a model.

A new text is taken only if the checks that its owner gives have no objection. It is mended once; then the
text of our own stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evals.authoring.rewriting.asking import WORKERS, Ask, UnreadableReplyError, asking
from tools.files.data_files import read_toml

CALLS_AT_MOST = 2
"""Calls of the model for one text: the rewording, and its mending."""

_FRAME = 480
"""Tokens of instructions and fields around a text, about."""

_MOST_NAMED = 12
"""So many objections the model is told at most."""


def forecast(tokens: int) -> tuple[int, int, int]:
    """At most so many calls, prompt tokens and completion tokens for a text of so many tokens, by guess.

    The model is told the text and about half of it again as what has to stay, and for mending its own draft.
    """
    once, draft = _FRAME + tokens * 3 // 2, tokens + 20
    return CALLS_AT_MOST, CALLS_AT_MOST * once + draft, CALLS_AT_MOST * draft


@dataclass(frozen=True)
class Text:
    """A text to be reworded.

    Attributes:
        verbatim: what has to stand in it word for word.
        values: facts with their values, as the model is told of them.
        barred: phrases that may not stand in it.
        objections: gives the reasons why a new text cannot stand for it.
    """

    text: str
    verbatim: tuple[str, ...]
    values: tuple[str, ...]
    barred: tuple[str, ...]
    objections: Callable[[str], list[str]]

    @property
    def asked(self) -> dict[str, str]:
        """What the model is told."""
        return {
            "text": self.text,
            "verbatim": "\n".join(self.verbatim),
            "values": "\n".join(self.values),
            "barred": ", ".join(self.barred),
        }


@dataclass(frozen=True)
class Reworded:
    """The text that stands now.

    Attributes:
        kept: why the old text stayed; empty if there is a new one.
    """

    text: str
    kept: str = ""


def reword(texts: Sequence[Text], lm: Any, cache: Path | None, *, workers: int = WORKERS) -> list[Reworded]:
    """Reword texts, in the same order. Of equal texts the first one decides.

    Args:
        lm: a `dspy.LM`.
        cache: a folder for the model's replies, so that none is paid for twice; None keeps none.

    Raises:
        WorksmithError: the model gave no reply.
    """
    ask = asking(lm, cache, _data()["stages"])
    different = {tuple(one.asked.items()): one for one in reversed(texts)}
    with ThreadPoolExecutor(workers) as pool:
        found = dict(
            zip(different, pool.map(lambda one: reword_text(one, ask), different.values()), strict=True)
        )
    return [found[tuple(one.asked.items())] for one in texts]


def reword_text(one: Text, ask: Ask) -> Reworded:
    """Reword one text, mend it if there are objections, and keep the old one if there are still some."""
    try:
        draft = ask("reword", one.asked)["reworded"].strip()
        failed = one.objections(draft)
        if failed:
            told = {**one.asked, "draft": draft, "failed": "\n".join(failed[:_MOST_NAMED])}
            draft = ask("mend", told)["reworded"].strip()
            failed = one.objections(draft)
    except UnreadableReplyError as error:
        return Reworded(one.text, str(error))
    if draft == one.text:
        return Reworded(one.text, "the model changed nothing")
    return Reworded(one.text, "; ".join(failed)) if failed else Reworded(draft)


@cache
def _data() -> dict[str, Any]:
    return read_toml(__package__, "texts.toml")
