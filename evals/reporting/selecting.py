"""Choosing episodes: by program, by what they are about, by how they ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evals.reporting.figures import FIELDS
from evals.reporting.html.episodes import ShownEpisode
from evals.tasks.task_filter import Condition
from tools.errors import InputError


@dataclass(frozen=True)
class Selection:
    """Which episodes are wanted; what is empty does not count.

    Attributes:
        arms: labels of programs, of which an episode must have one.
        where: conditions on fields of `evals.reporting.figures.FIELDS`.
        verdict: `right`, `wrong` or `lost`.
        text: must be in the query, a call, an observation or the answer; letter case does not count.
    """

    arms: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    verdict: str = ""
    text: str = ""

    def __call__(self, episodes: Iterable[ShownEpisode]) -> list[ShownEpisode]:
        """Those of `episodes` that are wanted, in their order."""
        return [episode for episode in episodes if self._wants(episode)]

    def _wants(self, episode: ShownEpisode) -> bool:
        return (
            (not self.arms or episode.arm in self.arms)
            and all(each.allows([FIELDS[each.field](episode.record)]) for each in self.where)
            and (not self.verdict or episode.verdict == self.verdict)
            and (not self.text or self.text.casefold() in _said(episode))
        )


def find_episode(episodes: Iterable[ShownEpisode], name: str) -> ShownEpisode:
    """The episode whose id begins with `name`, or whose task is called so.

    Raises:
        InputError: there is none, or there are several.
    """
    found = {
        episode.record.key: episode
        for episode in episodes
        if episode.record.key.startswith(name) or episode.record.task_id == name
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise InputError(f"no episode {name!r}", where="--show", hint="without --show, they are listed")
    hint = "give more digits of an id, or --arm and --where trial=0"
    raise InputError(f"{len(found)} episodes are called {name!r}", where="--show", hint=hint)


def _said(episode: ShownEpisode) -> str:
    record = episode.record
    calls = (f"{call.tool} {call.arguments} {call.observation}" for call in record.calls)
    return "\n".join((record.query, record.answer, record.task_id, *calls)).casefold()
