"""The interface of scorers, and the further knowledge that some of them have.

A scorer is any function from a whole task and an episode to scores by name:

    def short(task: Task, episode: EpisodeResult) -> dict[str, float]:
        return {"short": len(episode.answer) < 200}

    EvalSettings(env=env, lm=lm, scorers=[*scorers_for(env), short])

`EpisodeWorker` calls each scorer once an episode, after the program. `outcome` is the score that decides
about success. The further protocols below are optional: a report says more where a scorer has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from worksmith.evals.lm.failures import calling
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.record import PRIMARY
from worksmith.tools.errors import InputError, unknown

if TYPE_CHECKING:
    from worksmith.evals.records.entries import FaultEntry
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult
    from worksmith.tools.sqlite.outcome import Outcome


class Scorer(Protocol):
    """Gives named scores to an episode; called once an episode, from many threads."""

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name; booleans count as 0 and 1."""
        ...


@runtime_checkable
class KnowsExpected(Protocol):
    """A scorer that knows the expected changes."""

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        """Of the outcomes that count as right, the one nearest to `outcome`."""
        ...


@runtime_checkable
class KnowsTools(Protocol):
    """A scorer that knows which tools change the world."""

    writing_tools: frozenset[str]


@runtime_checkable
class KnowsFault(Protocol):
    """A scorer that knows itself why an episode is not right."""

    def fault(self, task: Task, episode: EpisodeResult) -> FaultEntry | None:
        """The fault of an episode that ended by itself and is not right; None for the rules of all kinds."""
        ...


@runtime_checkable
class KnowsNames(Protocol):
    """A scorer that knows the names of all its scores."""

    score_names: frozenset[str]


def scores_of(scorers: Iterable[Scorer], task: Task, episode: EpisodeResult) -> dict[str, float]:
    """The scores of all `scorers`; the last one's counts for a name that several give.

    Raises:
        InputError: the outcome does not lie between 0 and 1.
        UserCodeError: the first that a scorer of the user's raised; it has the scores, and 0 as the outcome.
    """
    scores: dict[str, float] = {}
    failure: UserCodeError | None = None
    for scorer in scorers:
        try:
            with nullcontext() if _is_ours(scorer) else calling(f"the scorer {name_of(scorer)}"):
                given = {name: float(value) for name, value in scorer(task, episode).items()}
        except UserCodeError as error:
            failure, given = failure or error, dict(error.scores)
        scores |= given
    if failure is not None:
        failure.scores = {**scores, PRIMARY: 0.0}
        raise failure
    check_range(PRIMARY, scores.get(PRIMARY, 0.0), task)
    return scores


def _is_ours(scorer: Scorer) -> bool:
    return type(scorer).__module__.startswith("worksmith.")


def name_of(part: Any) -> str:
    """The name of a function, else that of an object's class."""
    return str(getattr(part, "__name__", type(part).__name__))


def check_range(name: str, value: float, task: Task) -> None:
    """Check a score by which programs are compared: tests and intervals hold for scores from 0 to 1.

    Raises:
        InputError: it lies outside.
    """
    if not 0 <= value <= 1:
        raise InputError(
            f"the score {name!r} of {task.id} is {value:g}",
            hint="a score by which programs are compared lies between 0 and 1",
        )


def check_score_names(scorers: Sequence[Scorer], names: Iterable[str], *, where: str) -> None:
    """Check the names of scores, if all scorers know theirs.

    Raises:
        InputError: no scorer gives a score of one of the `names`.
    """
    knowing = [scorer for scorer in scorers if isinstance(scorer, KnowsNames)]
    known = frozenset().union(*(scorer.score_names for scorer in knowing))
    strange = next((name for name in names if name not in known), None)
    if len(knowing) == len(scorers) and strange is not None:
        raise unknown("episodes have no score", strange, sorted(known), where)
