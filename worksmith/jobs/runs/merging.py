"""Make one run of the logs of its parts, see `worksmith.evals.records.shard`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.run_card import (
    CARD,
    JUDGEMENTS,
    RATINGS,
    RunCard,
    beside,
    make_room,
    write_card,
)
from worksmith.evals.records.shard import Shard, digest_of_ids
from worksmith.jobs.showing.printing import Printed
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_free, replacing, write_atomically
from worksmith.tools.files.locking import Lock

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.jobs.settings.runs import MergeSettings

_OWN = ("shard", "suite", "artifact", "command", "date")
"""Fields of a card in which parts may differ: paths are those of a machine, and digests are compared."""

_PATHS = ("suite", "program", "rubric")
"""Settings that are names of files; their contents have digests."""

_SIDECARS = (JUDGEMENTS, RATINGS)


@dataclass(frozen=True)
class _ShardLog:
    """The log of a part.

    Attributes:
        tasks: the number of episodes of each.
        identity: the digests, the strategy and the seed that all episodes have.
    """

    log: Path
    card: RunCard
    shard: Shard
    records: Sequence[EpisodeRecord]
    tasks: Counter[str]
    identity: dict[str, Any]

    @classmethod
    def open(cls, log: Path) -> Self:
        run = open_log(log, verdicts=False)
        if run.card.shard is None:
            hint = "worksmith eval --shard K/N makes parts"
            raise InputError("the run is whole, and no part of another", where=str(log), hint=hint)
        tasks: Counter[str] = Counter()
        identity: dict[str, Any] = {}
        for record in run.records:
            tasks[record.task_id] += 1
            identity = record.shared
        return cls(log, run.card, run.card.shard, run.records, tasks, identity)

    def check_complete(self) -> None:
        due = self.shard.size * self.card.trials
        if len(self.records) < due or len(self.tasks) != self.shard.size:
            raise InputError(
                f"part {self.shard} has {len(self.records)} of its {due} episodes",
                where=str(self.log),
                hint="run it again with --resume",
            )


def merge_logs(settings: MergeSettings) -> Printed:
    """Make one run of the logs of its parts; the result is that of a run without parts.

    Raises:
        InputError: a log is not a part of a run, parts differ in more than their tasks, one is missing,
            incomplete or repeated, or the file exists.
    """
    if not settings.parts:
        raise InputError("no log is named", hint="name the logs of all parts")
    parts = sorted((_ShardLog.open(log) for log in settings.parts), key=lambda part: part.shard.part)
    _check(parts)
    out = settings.out
    if out.resolve() in [part.log.resolve() for part in parts]:
        raise InputError("the file is one of the parts", where=str(out), hint="choose another")
    for file in (out, *(beside(out, each) for each in (CARD, *_SIDECARS))):
        check_free(file, force=settings.force)
    if beside(out, CARD).resolve() in [beside(part.log, CARD).resolve() for part in parts]:
        raise InputError("its card would be that of a part", where=str(out), hint="choose another name")
    lock = Lock(out.with_name(out.name + ".lock"), out)
    try:
        _write(out, parts)
    finally:
        lock.release()
    facts = {"log": str(out), "episodes": sum(len(part.records) for part in parts), "parts": len(parts)}
    return Printed(facts, (f"{facts['episodes']} episodes of {len(parts)} parts: {out}",))


def _write(out: Path, parts: Sequence[_ShardLog]) -> None:
    """Write log, card, verdicts and ratings; an earlier log with verdicts or ratings is moved aside."""
    with replacing(out) as log:
        for part in parts:
            log.writelines(map(log_line, part.records))
        make_room(out)
    write_card(out, _whole(parts[0].card))
    for ending in _SIDECARS:
        files = [file for part in parts if (file := beside(part.log, ending)).exists()]
        if files:
            write_atomically(beside(out, ending), b"".join(map(_whole_lines, files)))
        else:
            beside(out, ending).unlink(missing_ok=True)


def _check(parts: Sequence[_ShardLog]) -> None:
    first = parts[0]
    for part in parts[1:]:
        _check_same(_comparable(first.card), _comparable(part.card), part.log, str(first.log))
        _check_same(_run(first.shard), _run(part.shard), part.log, str(first.log))
    numbers = [part.shard.part for part in parts]
    for part, before in zip(parts[1:], numbers, strict=False):
        if part.shard.part == before:
            raise InputError(f"part {part.shard} is given twice", where=str(part.log))
    if missing := sorted(set(range(1, first.shard.of + 1)) - set(numbers)):
        listed = ", ".join(map(str, missing[:10])) + (" ..." if len(missing) > 10 else "")
        raise InputError(f"of {first.shard.of} parts these are missing: {listed}", where=str(first.log))
    for part in parts:
        part.check_complete()
        _check_same(first.identity, part.identity, part.log, str(first.log))
    tasks = [task for part in parts for task in part.tasks]
    if digest_of_ids(tasks) != first.shard.tasks:
        raise InputError("the tasks of all parts are not those of the run", where=str(first.log))


def _comparable(card: RunCard) -> dict[str, Any]:
    data = card.model_dump(exclude={*_OWN, "settings"})
    settings = {name: value for name, value in _without_shard(card).items() if name not in _PATHS}
    return data | {f"settings.{name}": value for name, value in settings.items()}


def _run(shard: Shard) -> dict[str, Any]:
    return {"number of parts": shard.of, "number of tasks": shard.total, "tasks": shard.tasks}


def _without_shard(card: RunCard) -> dict[str, Any]:
    return {name: value for name, value in card.settings.items() if name != "shard"}


def _whole(card: RunCard) -> RunCard:
    command = re.sub(r" --shard \S+", "", card.command)
    whole = {"command": command, "shard": None, "settings": _without_shard(card)}
    return card.model_copy(update=whole)


def _check_same(one: dict[str, Any], other: dict[str, Any], where: Path, named: str) -> None:
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    if names:
        raise InputError(
            f"it differs from {named} in: {', '.join(names)}",
            where=str(where),
            hint="parts of a run have the same suite, program, model and settings",
        )


def _whole_lines(file: Path) -> bytes:
    data = file.read_bytes()
    return data[: data.rfind(b"\n") + 1]
