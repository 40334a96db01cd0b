"""Runs at rest: the episodes of one program, and a card that says what ran on what.

A card lies beside its log: `react.card.json` beside `react.jsonl`. It is written before the first episode,
so a run that was stopped can be read as well. A log without a card is read, too; its card is made up from
what the records say.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from evals.records.compile_facts import CompileFacts
from evals.records.log import read_log
from evals.records.parts import Judgement
from evals.records.record import EpisodeRecord
from evals.records.verdicts import judged, read_verdicts
from tools.errors import InputError
from tools.files.atomic import write_atomically
from tools.files.json_files import read_model

if TYPE_CHECKING:
    from evals.tasks.suite import Suite

CARD, JUDGEMENTS, RATINGS = ".card.json", ".judgements.jsonl", ".ratings.jsonl"
"""How the names of the files beside a log `NAME.jsonl` end: `NAME.card.json` and so on."""

CARD_ARTIFACT = "episodes/card.json"
"""Where a run in MLflow keeps its card."""

_PACKAGES = ("worksmith", "dspy")


class RunCard(BaseModel):
    """What was run on what.

    Attributes:
        label: what tables call it.
        command: by which it was run, e.g. `eval`.
        suite: its path as it was given.
        kind: of the suite's world.
        lm: the model's name as it was given.
        program: its digest.
        artifact: the file of the compiled program, for people: a card may come from a stranger, and nothing
            opens what it names. Empty for a program that was not compiled.
        compiled: what its compile tried.
        baseline, without: see `evals.running.study.Arm`.
        place: of the run among those of its comparison, from 0; the first is the reference.
        scorers: digest of what scored its episodes; those that a log holds of others are left out.
        settings: whatever else was set.
        versions: of Python and the packages that results depend on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    command: str = ""
    suite: str = ""
    suite_digest: str = ""
    kind: str = ""
    split: str = ""
    lm: str = ""
    strategy: str = ""
    optimizer: str = "none"
    program: str = ""
    artifact: str = ""
    compiled: CompileFacts | None = None
    baseline: bool = False
    without: str = ""
    place: int = 0
    seed: int = 0
    trials: int = 1
    scorers: str = ""
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}


@dataclass(frozen=True)
class LoadedRun:
    """A run with its episodes; `path` is the log they come from, or the address of the run in MLflow."""

    card: RunCard
    records: tuple[EpisodeRecord, ...]
    path: str


def beside(log: Path, ending: str) -> Path:
    """The file beside a log, by what its name ends in: `CARD`, `JUDGEMENTS` or `RATINGS`."""
    return log.with_name(log.name.removesuffix(".jsonl") + ending)


def write_card(log: Path, card: RunCard) -> None:
    """Put a card beside its log."""
    write_atomically(beside(log, CARD), card.model_dump_json(indent=1).encode() + b"\n")


def make_room(log: Path) -> Path | None:
    """See that a run can begin anew in `log`.

    Verdicts and ratings are of the episodes that were there, not of those to come. Where there are some, all
    of it goes to a folder `earlier-N` beside the log; without any, the log is removed.

    Returns:
        Where the log went, if it is kept.
    """
    sidecars = [file for ending in (JUDGEMENTS, RATINGS) if (file := beside(log, ending)).exists()]
    if not log.exists() or not sidecars:
        log.unlink(missing_ok=True)
        return None
    folder = next(place for n in count(1) if not (place := log.parent / f"earlier-{n}" / log.stem).exists())
    folder.mkdir(parents=True)
    for file in (beside(log, CARD), *sidecars, log):
        if file.exists():
            file.rename(folder / file.name)
    return folder / log.name


def versions() -> dict[str, str]:
    """What a card says of Python and packages."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def open_runs(
    names: Sequence[str], *, tracking_uri: str | None = None, suite: Suite | None = None
) -> list[LoadedRun]:
    """The runs that `names` name, in that order; those of a comparison in theirs.

    Args:
        names: episode logs; folders of logs, such as a comparison leaves; ids of MLflow runs, with those
            below them; and, where a suite is given, published prediction files or folders of them.
        tracking_uri: the MLflow store, see `evals.tracking.store.tracking_uri`.

    Raises:
        InputError: nothing is called so, or what it is cannot be read.
    """
    runs = [run for name in names for run in _open(name, tracking_uri, suite)]
    if not runs:
        raise InputError("no run is named", hint="give an episode log, a folder of logs or an MLflow run id")
    return _with_labels_of_their_own(runs)


def open_log(log: Path) -> LoadedRun:
    """The run of one log, with the verdicts that judges gave later.

    Raises:
        InputError: the log, its card or the file of verdicts cannot be read.
    """
    records = {record.key: record for record in read_log(log)}
    card = _card_of(log, list(records.values()))
    by = card.scorers
    owed = (record for record in records.values() if not by or record.digests.scorers == by)
    kept = [record for record in owed if record.trial < max(card.trials, 1)]
    kept.sort(key=lambda record: (record.task_id, record.trial))  # logs are in the order of ending
    return LoadedRun(card, tuple(_judged(kept, beside(log, JUDGEMENTS))), str(log))


def inferred_card(label: str, records: Sequence[EpisodeRecord], **known: Any) -> RunCard:
    """A card from what records say of themselves, and what is known besides."""
    said: dict[str, Any] = {"label": label}
    if records:
        first = records[0]
        splits = {record.split for record in records}
        said |= {
            "split": first.split if len(splits) == 1 else "all",
            "strategy": first.strategy,
            "program": first.digests.program,
            "seed": first.seed,
            "trials": 1 + max(record.trial for record in records),
        }
    return RunCard(**{**said, **known})


def _open(name: str, tracking_uri: str | None, suite: Suite | None) -> list[LoadedRun]:
    path = Path(name)
    if suite is not None and path.exists() and _published(path):
        from evals.kinds.office.workbench.runs import recorded_runs

        return recorded_runs(suite, [path])
    if path.is_dir():
        logs = _logs(path)
        if logs:
            return _newest([open_log(log) for log in logs])
    elif path.is_file() and path.suffix == ".jsonl":
        return [open_log(path)]
    if path.exists():
        hint = "logs are .jsonl files; published result files need --suite"
        raise InputError("no episode log is here", where=name, hint=hint)
    from evals.tracking.loading import open_tracked

    return open_tracked(name, tracking_uri)


def _published(path: Path) -> bool:
    """Whether these are result files of the original."""
    return path.suffix == ".csv" if path.is_file() else next(path.rglob("*.csv"), None) is not None


def _logs(folder: Path) -> list[Path]:
    """The logs in a folder: those with a card, or where none has one, all."""
    sidecars = (JUDGEMENTS, RATINGS)
    logs = [log for log in sorted(folder.glob("*.jsonl")) if not log.name.endswith(sidecars)]
    return [log for log in logs if beside(log, CARD).is_file()] or logs


def _newest(runs: Iterable[LoadedRun]) -> list[LoadedRun]:
    """In their places; of those with one label, which an arm leaves that was compiled anew, the last."""
    latest: dict[str, LoadedRun] = {}
    for run in sorted(runs, key=lambda run: Path(run.path).stat().st_mtime):
        latest[run.card.label] = run
    return sorted(latest.values(), key=lambda run: (run.card.place, run.card.label))


def _card_of(log: Path, records: Sequence[EpisodeRecord]) -> RunCard:
    file = beside(log, CARD)
    if not file.is_file():
        return inferred_card(log.stem, records)
    return read_card(file)


def read_card(file: Path) -> RunCard:
    """The card of a run.

    Raises:
        InputError: it cannot be read, or is none.
    """
    return read_model(file, RunCard, "the card of a run", hint="delete it, and the log speaks for itself")


def _judged(records: Sequence[EpisodeRecord], file: Path) -> list[EpisodeRecord]:
    """The records with the verdicts in `file`, if there is one."""
    found: dict[str, list[Judgement]] = {}
    for verdict in read_verdicts(file):
        found.setdefault(verdict.key, []).append(verdict.judgement)
    return [judged(record, found[record.key]) if record.key in found else record for record in records]


def _with_labels_of_their_own(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The runs; where several have one label, their files' names tell them apart."""
    labels = [run.card.label for run in runs]
    if len(set(labels)) == len(labels):
        return list(runs)
    named, seen = [], set()
    for run in runs:
        label, count = run.card.label, 2
        while label in seen:
            label, count = f"{run.card.label} ({count})", count + 1
        seen.add(label)
        named.append(LoadedRun(run.card.model_copy(update={"label": label}), run.records, run.path))
    return named
