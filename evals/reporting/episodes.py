"""Episodes of several programs: their labels and fields, and which are selected."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from worksmith.evals.records.groups import actions_of, domain_of
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.run_card import TASK
from worksmith.evals.tasks.task_filter import Condition
from worksmith.tools.errors import InputError

SHORT_KEY = 12
"""Digits of an episode's key that pages and tables show."""

FIELDS: Mapping[str, Callable[[EpisodeRecord], str]] = {
    "domain": domain_of,
    "actions": actions_of,
    "intent": lambda record: record.intent or "",
    "status": lambda record: record.status,
    "fault": lambda record: record.fault.kind if record.fault else "",
    "task": lambda record: record.task_id,
    "trial": lambda record: str(record.trial),
}
"""The fields by which episodes can be selected; facets of their tasks come to them."""


def field_value(record: EpisodeRecord, name: str) -> str:
    """The value of a field or facet; empty without one."""
    return FIELDS[name](record) if name in FIELDS else record.facet(name)


def facet_names(records: Iterable[EpisodeRecord]) -> list[str]:
    """The facets that these episodes have, in the order of their kind."""
    return list(dict.fromkeys(name for record in records for name in record.labels.facets))


@dataclass(frozen=True)
class ShownEpisode:
    """An episode under the label of its program.

    Attributes:
        rerun: see `worksmith.evals.running.study.StudyArm`.
        log, place: the record with its trajectory, if `record` lacks it.
    """

    arm: str
    record: EpisodeRecord
    rerun: tuple[str, ...] = ()
    log: Sequence[EpisodeRecord] = ()
    place: int = 0

    @property
    def whole(self) -> ShownEpisode:
        """The same with its trajectory."""
        return replace(self, record=self.log[self.place], log=()) if self.log else self

    @property
    def prompts(self) -> str:
        """The command that shows the prompts of its task; empty without one."""
        return shlex.join(self.record.task_id if word == TASK else word for word in self.rerun)

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, or `lost` to the infrastructure."""
        if not self.record.graded:
            return "lost"
        return "right" if self.record.scores.get(PRIMARY, 0.0) >= 1 else "wrong"

    @property
    def short_key(self) -> str:
        return self.record.key[:SHORT_KEY]

    @property
    def scores(self) -> str:
        scores = self.record.scores.items()
        return ", ".join(f"{name} {value:g}" for name, value in scores) or "not graded"

    @property
    def cost(self) -> str:
        record = self.record
        return f"{record.model_calls} model calls, {record.usage}, {record.seconds:.1f} s"

    @property
    def subtitle(self) -> str:
        """Program, task, attempt, failure and number of calls in one line."""
        record = self.record
        fault = record.fault.kind.replace("_", " ") if record.fault else ""
        attempt = f"attempt {record.trial + 1}" if record.trial else ""
        ended = record.status.replace("_", " ") if record.status != "finished" else ""
        calls = f"{record.steps or len(record.calls)} calls"
        return " · ".join(filter(None, (self.arm, record.task_id, attempt, fault, ended, calls)))

    @property
    def searched_text(self) -> str:
        """Query, answer, task and calls in lower case."""
        record = self.record
        calls = (f"{call.tool} {call.arguments} {call.observation}" for call in record.calls)
        return "\n".join((record.query, record.answer, record.task_id, *calls)).casefold()


@dataclass(frozen=True)
class Selection:
    """A choice of episodes; an empty condition allows all.

    Attributes:
        arms: labels of programs, of which an episode must have one.
        where: conditions on fields of `FIELDS`.
        verdict: `right`, `wrong` or `lost`.
        text: must be in the query, a call, an observation or the answer; letter case does not count.
    """

    arms: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    verdict: str = ""
    text: str = ""

    def __call__(self, episodes: Iterable[ShownEpisode]) -> list[ShownEpisode]:
        """The selected episodes, in their order."""
        return [episode for episode in episodes if self._selects(episode)]

    def _selects(self, episode: ShownEpisode) -> bool:
        return (
            (not self.arms or episode.arm in self.arms)
            and all(each.allows([field_value(episode.record, each.field)]) for each in self.where)
            and (not self.verdict or episode.verdict == self.verdict)
            and (not self.text or self.text.casefold() in episode.searched_text)
        )


def find_episode(episodes: Iterable[ShownEpisode], name: str) -> ShownEpisode:
    """The episode whose id begins with `name`, or whose task has that id.

    Raises:
        InputError: no episode has it, or several do.
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
