"""Rewording of the texts of records with a model. The owner of the texts checks the replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.evals.authoring.rewriting.asking import WORKERS, Ask, UnreadableRewordingError, asking
from worksmith.tools.files.data_files import read_toml

_FRAME = 360
"""Tokens of instructions and fields around a text, about."""


class Text(NamedTuple):
    """A text to be reworded, and its parts that stay word for word."""

    text: str
    verbatim: tuple[str, ...] = ()


class Reply(NamedTuple):
    """The reworded text; or empty, with the reason."""

    text: str
    failed: str = ""


def forecast(tokens: int) -> tuple[int, int, int]:
    """The calls, prompt tokens and completion tokens for a text of this many tokens, the tokens by guess.

    The prompt has the text, and about a third of it again: the sentences that stay.
    """
    return 1, _FRAME + tokens * 4 // 3, tokens * 9 // 8 + 20


def reword(
    texts: Sequence[Text],
    lm: Any,
    cache: Path | None,
    *,
    workers: int = WORKERS,
    tick: Callable[[int], None] = lambda _: None,
) -> list[Reply]:
    """Ask a model for another wording of each text, in the same order. Equal texts are asked once.

    Args:
        lm: a `dspy.LM`.
        cache: a folder for the model's replies, so that each is paid for once; None to keep no reply.
        tick: is called with the number of replies.

    Raises:
        WorksmithError: the model gave no reply.
    """
    ask = asking(lm, cache, _data()["stages"])
    different = list(dict.fromkeys(texts))
    found: dict[Text, Reply] = {}
    with ThreadPoolExecutor(workers) as pool:
        for one, reply in zip(different, pool.map(lambda one: _reply(one, ask), different), strict=True):
            found[one] = reply
            tick(len(found))
    return [found[one] for one in texts]


def _reply(one: Text, ask: Ask) -> Reply:
    try:
        return Reply(ask("reword", {"text": one.text, "verbatim": "\n".join(one.verbatim)})["reworded"])
    except UnreadableRewordingError as error:
        return Reply("", str(error))


@cache
def _data() -> dict[str, Any]:
    return read_toml(__package__, "texts.toml")
