"""Verification: a compiled program is derived again from its journal and compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.lm.prices import Prices
from worksmith.evals.records.logs.log import read_log
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.journal import (
    IncompleteJournalError,
    copied,
    differences,
    read_description,
    short,
)
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.cost.spending import Spent
from worksmith.optimizers.demos.collection import TRACES, read_traces
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.optimizers.compiling.artifact import Artifact
    from worksmith.optimizers.compiling.plan import Plan

_NAMED = 3
"""The most differing fields of one episode that are named."""


class _Ended(Budget):
    """A spent budget that admits the episodes which are run again, and names the limit that ended them."""

    def __init__(self, limit: str) -> None:
        super().__init__()
        self.stopped = limit

    def enter(self, model: str, kind: str) -> int | None:
        with self._changed:
            return self._begin(Spent())


class Derived(NamedTuple):
    """The result of a journal's replies.

    Attributes:
        artifact: the compiled program.
        logs: the differences from the journal's own logs, one sentence an episode.
    """

    artifact: Artifact
    logs: tuple[str, ...]


def derived(
    plan: Plan, *, stopped: str = "", limits: Limits | None = None, prices: Prices | None = None
) -> Derived:
    """Compile `plan` from the model replies in its journal alone.

    Every episode is run and scored again with the replies. No model is asked, and nothing is taken from the
    journal's logs, save which episodes were begun where a budget ended the compile. The journal is not
    changed.

    Args:
        stopped: the limit of the budget that ended the compile; empty without one.
        limits, prices: those that decided what was tried; None without one.

    Raises:
        InputError: the journal is of another plan, or missing.
        InUseError: a process works in it.
        IncompleteJournalError: it lacks replies, or the place where a budget ended the compile.
    """
    then = read_description(plan.folder).fingerprint
    differing = list(differences(then, plan.fingerprint(then["purpose"])))
    if differing:
        words = "; ".join(f"{name} was {was!r} and is {now!r}" for name, was, now in differing)
        raise InputError(
            f"the program was compiled under other circumstances: {words}", where=str(plan.folder)
        )
    if stopped and not plan.optimizer.logged:
        # Their episodes are in no log, so that it is not known which of them were begun.
        raise IncompleteJournalError(
            plan.folder, [f"no word of where its budget ({stopped}) ended {plan.optimizer.name}"]
        )
    with copied(plan.folder) as copy:
        again = replace(plan, folder=copy.asked, resume=True, may_ask=False, budget=None)
        again = replace(again, limits=limits, prices=prices)
        if stopped:
            logged = copy.logged
            again = replace(
                again,
                budget=_Ended(stopped),
                begun=lambda log: _episodes(logged / log.relative_to(copy.asked)).keys(),
            )
        artifact = compile_program(again).artifact
        # An attempt with another budget may have tried other programs.
        others = plan.optimizer.adaptive
        return Derived(artifact, tuple(differing_logs(copy.logged, copy.asked, others=others)))


def differing_parts(ours: Artifact, theirs: Artifact) -> list[str]:
    """The names of the parts in which two compiled programs differ: of the manifest, and of the state."""
    found = [name for name, _, _ in differences(ours.manifest.to_json(), theirs.manifest.to_json())]
    return found + [name for name, _, _ in differences(ours.state_json(), theirs.state_json(), "state")]


def differing_logs(logged: Path, again: Path, *, others: bool = False) -> Iterator[str]:
    """The differences of two folders of logs of the same episodes, one sentence an episode.

    Args:
        logged: the journal's logs.
        again: those of the episodes run again.
        others: whether the journal may have further episodes.
    """
    names = {file.relative_to(folder) for folder in (logged, again) for file in folder.glob("*/**/*.jsonl")}
    for name in sorted(names):
        read = _traces if name.name == TRACES else _episodes
        try:
            then, now = read(logged / name), read(again / name)
        except InputError as error:
            yield str(error).replace(f"{logged}/", "")
            continue
        for key in sorted(now if others else {*then, *now}):
            if words := _difference(then.get(key), now.get(key)):
                yield f"{name}: {words}"


def _difference(then: dict[str, Any] | None, now: dict[str, Any] | None) -> str:
    """The differences of two records of an episode; empty without one."""
    if now is None:
        return f"no replies lead to the episode of {then['task']}" if then else ""
    if then is None:
        return f"the episode of {now['task']} is missing"
    found = [f"{name} is {short(was)}, not {short(new)}" for name, was, new in differences(then, now)]
    return f"{now['task']}: {'; '.join(found[:_NAMED])}" if found else ""


def _episodes(log: Path) -> dict[str, dict[str, Any]]:
    """The last record of each episode by its key; none without a log."""
    records = read_log(log) if log.exists() else ()
    return {record.key: {"task": record.task_id, **record.without_times()} for record in records}


def _traces(file: Path) -> dict[str, dict[str, Any]]:
    """The last trace of each task and run; none without a file."""
    return {f"{trace['run']}/{trace['task']}": trace for trace in read_traces(file)}
