"""Documents: conversations of one world in a row, as compact prompts show demonstrations before a task."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from worksmith.evals.tasks.task import same_text
from worksmith.exports.training.renaming import Renaming
from worksmith.exports.training.rows import Row
from worksmith.exports.training.trajectories import ASSISTANT, Message
from worksmith.programs.prompting.forms import COMPACT
from worksmith.programs.prompting.prompt import with_policies
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import SftSettings


def check_documents(settings: SftSettings) -> None:
    """Check that options go together."""
    if settings.conversations == 1 and settings.renamed:
        raise InputError(
            "a renamed call is copied from an earlier conversation",
            where=f"--renamed {settings.renamed}",
            hint="add --conversations with 2 or more",
        )
    if settings.conversations > 1 and not settings.prompt.startswith(COMPACT):
        raise InputError(
            "only compact prompts are one conversation after another",
            where=f"--conversations {settings.conversations}",
            hint="leave --prompt out",
        )


def documents(
    rows: Sequence[Row], wanted: int, settings: SftSettings, size: Callable[[str], int]
) -> list[Row]:
    """Documents that end with the conversations of rows.

    Args:
        rows: of one conversation each.
        wanted: the number of documents; a conversation ends several where there are fewer.
        size: gives the tokens of a text.
    """
    worlds: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        worlds[row.about.suite.digest, row.messages[0]["content"]].append(row)
    opened = {place: _World(together) for place, together in worlds.items()}
    found = []
    for number, row in enumerate(_ends(rows, wanted, settings)):
        world = opened[row.about.suite.digest, row.messages[0]["content"]]
        draw = rng(settings.seed, "document", number)
        count = draw.randint(1, settings.conversations)
        renamed, near = draw.random() < settings.renamed, draw.random() < settings.near
        # A call under a new name can be known only from one like it.
        before = world.near(row, count - 1) if renamed or near else world.drawn(row, count - 1, draw)
        room = settings.document_tokens - _tokens([row], size)
        while before and _tokens(before, size) > room:
            before = before[1:]
        known = bool(before) and _tools_of(before).issuperset(_tools(row))
        names = Renaming(world.words, draw) if renamed and known else None
        found += _parted(row, before, names, settings)
    return found


def _ends(rows: Sequence[Row], wanted: int, settings: SftSettings) -> Iterator[Row]:
    """The last conversation of each document."""
    for turn in range(-(-wanted // len(rows)) if rows else 0):
        order = list(rows)
        if settings.documents is not None:
            rng(settings.seed, "ends", turn).shuffle(order)
        yield from order[: wanted - turn * len(rows)]


class _World:
    """The conversations of one world with one system turn."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._texts = [same_text(row.about.task.query) for row in rows]

    def near(self, row: Row, count: int) -> list[Row]:
        """The conversations nearest to one, the nearest last, as prompts show demonstrations."""
        same = same_text(row.about.task.query)
        out = {_key(place) for place, text in enumerate(self._texts) if text == same}
        hits = self._index.search(row.about.task.query, min(count, len(self._rows) - len(out)), exclude=out)
        return [self._rows[int(hit.key)] for hit in reversed(hits)]

    def drawn(self, row: Row, count: int, draw: random.Random) -> list[Row]:
        same = same_text(row.about.task.query)
        others = [one for one, text in zip(self._rows, self._texts, strict=True) if text != same]
        return draw.sample(others, min(count, len(others)))

    @cached_property
    def words(self) -> list[str]:
        """The words of the names of tools and arguments."""
        calls = [call for row in self._rows for call in row.about.calls]
        names = {name for tool, arguments in calls for name in (tool.rpartition(".")[2], *arguments)}
        return sorted({word for name in names for word in name.split("_") if len(word) > 2})

    @cached_property
    def _index(self) -> LexicalIndex:
        ways = {
            _key(at): " ".join(tool for tool, _ in groupby(_tools(row))) for at, row in enumerate(self._rows)
        }
        queries = {_key(at): row.about.task.query for at, row in enumerate(self._rows)}
        return LexicalIndex(queries, {key: way for key, way in ways.items() if way})


def _key(place: int) -> str:
    return f"{place:06}"


def _tools(row: Row) -> list[str]:
    return [tool for tool, _ in row.about.calls]


def _tools_of(rows: Sequence[Row]) -> set[str]:
    return {tool for row in rows for tool in _tools(row)}


def _tokens(rows: Sequence[Row], size: Callable[[str], int]) -> int:
    return sum(size(message["content"]) for row in rows for message in row.messages)


def _parted(row: Row, before: Sequence[Row], names: Renaming | None, settings: SftSettings) -> list[Row]:
    """A document as rows, by its taught parts.

    The last conversation is taught, and those before it back to one with a tool that none before it calls.
    """
    system, *last = row.messages
    chats = [*(_shown(one) for one in before), last]
    if names is not None:
        chats = [names.of(chat, one.about.calls) for chat, one in zip(chats, (*before, row), strict=True)]
    first = len(before)
    while first > 1 and _tools_of(before[: first - 1]).issuperset(_tools(before[first - 1])):
        first -= 1
    messages = [system, *(message for chat in chats for message in chat)]
    start = 1 + sum(map(len, chats[:first]))
    turns = [at for at, one in enumerate(messages) if at >= start and one["role"] == ASSISTANT]
    made = replace(row, before=tuple(one.about for one in before), renamed=names is not None)
    if settings.each_turn:
        return [_split(made, messages, at, at + 1) for at in turns]
    if settings.conversations > 1:
        return [_split(made, messages, turns[0], len(messages))]
    return [made]


def _split(row: Row, messages: list[Message], start: int, stop: int) -> Row:
    return replace(row, columns={"prompt": messages[:start], "completion": messages[start:stop]})


def _shown(row: Row) -> list[Message]:
    """The turns of a demonstration: without the system turn and the task's own context."""
    _, opening, *rest = row.messages
    own, text = with_policies("", row.about.task.context), opening["content"]
    return [{**opening, "content": text.replace(own, "", 1) if own else text}, *rest]
