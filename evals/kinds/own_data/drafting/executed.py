"""One call of a draft, made as a persona."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.outcome import RowChange


@dataclass(frozen=True)
class Executed:
    """The result of a call.

    Attributes:
        status: of the observation.
        records: the objects in the result.
        lists: the lists of plain values in it.
        changes: its changes.
    """

    status: str
    records: Sequence[Mapping[str, Any]]
    lists: Sequence[Sequence[Any]]
    changes: Sequence[RowChange]


def execute(env: Environment, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Executed:
    """Make a call in a new episode."""
    episode = env.episode(persona=persona, rehearsal=True)
    seen = episode.call(tool, dict(arguments))
    value = seen.value if seen.status == "ok" else None
    return Executed(seen.status, list(_objects(value)), list(_lists(value)), episode.outcome().changes)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The records of a result: objects whose values are not records themselves."""
    if isinstance(value, Mapping):
        inner = [each for each in value.values() if isinstance(each, list | Mapping)]
        if inner:
            for each in inner:
                yield from _objects(each)
        else:
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from _objects(each)


def _lists(value: Any) -> Iterator[Sequence[Any]]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _lists(each)
    elif isinstance(value, list) and not any(isinstance(each, list | Mapping) for each in value):
        yield value
