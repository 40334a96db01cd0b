"""Making calls that are all known beforehand, in one go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import apsw

from tools.dispatch import Observation, dispatch
from tools.episode import Episode


def run_batch(episode: Episode, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Observation]:
    """Make `calls` in `episode`, with the effect of making them one after another.

    The sandbox is borrowed and the changes are captured once instead of once a call. Every call passes
    the one dispatch point; a call that fails changes nothing. The calls are not added to `episode.calls`.

    Returns:
        What came back from each call.
    """

    def body(connection: apsw.Connection) -> list[Observation]:
        held = _HeldEpisode(episode, connection)
        return [dispatch(name, arguments, held)[0] for name, arguments in calls]

    calls = list(calls)
    with episode._pool.borrow() as sandbox:
        try:
            observations, episode.changeset = sandbox.run(episode.changeset, body)
            return observations
        except _HalfDoneError:
            pass
    # Rare enough that the common case need not pay for a savepoint a call.
    return [dispatch(name, arguments, episode)[0] for name, arguments in calls]


class _HalfDoneError(BaseException):
    """A call changed something and then failed, or only reads: what it did has to be undone.

    Not an `Exception`, so that the dispatch point does not take it for a failure of the tool.
    """


class _HeldEpisode(Episode):
    """An episode whose state is in the database that it holds on to."""

    def __init__(self, episode: Episode, connection: apsw.Connection) -> None:
        super().__init__(
            episode._pool,
            episode.kind,
            episode.persona,
            episode.now,
            episode.toolset,
            episode.policy,
            episode.library,
        )
        self._connection = connection
        self._ctx = self.ctx(connection)

    def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool's function on the database."""
        tool = self.toolset[name]
        before = self._connection.total_changes()
        keep = False
        try:
            value = tool.function(self._ctx, **arguments)
            keep = tool.writes
            return value
        finally:
            if not keep and self._connection.total_changes() != before:
                raise _HalfDoneError
