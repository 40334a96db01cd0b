"""The run that a log holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from worksmith.evals.records.groups import grouped
from worksmith.evals.records.logs.lines import LogRecords, Place
from worksmith.evals.records.logs.log import placed_records, read_log
from worksmith.evals.records.logs.log_index import LogIndex
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import (
    CARD,
    JUDGEMENTS,
    LoadedRun,
    RunCard,
    beside,
    inferred_card,
    read_card,
)
from worksmith.evals.records.verdicts import judged, read_verdicts

_SHORT = 32 * 2**20
"""Bytes of a log whose records may all be in memory; they need about three times as many there."""


def open_log(log: Path, *, verdicts: bool = True) -> LoadedRun:
    """The run of one log; without a card, all of its episodes are one run.

    Args:
        verdicts: give records the later verdicts of judges.

    Raises:
        InputError: the log, its card or the file of verdicts cannot be read.
    """
    change: Callable[[EpisodeRecord], EpisodeRecord] = _judging(log) if verdicts else lambda record: record
    card = read_card(beside(log, CARD)) if beside(log, CARD).is_file() else None
    places = _places(log, card)
    if places is not None:  # records of a long log are read when they are asked for
        if card is None:
            card = inferred_card(log.stem, LogRecords(log, places))
        return LoadedRun(card, LogRecords(log, places, change), str(log))
    if card is not None:
        return LoadedRun(card, tuple(map(change, of_run(read_log(log), card))), str(log))
    every = list({record.key: record for record in read_log(log)}.values())
    card = inferred_card(log.stem, every)
    # Logs are in the order of ending.
    every.sort(key=lambda record: (record.task_id, record.trial, record.key))
    return LoadedRun(card, tuple(map(change, every)), str(log))


def of_run(records: Iterable[EpisodeRecord], card: RunCard) -> list[EpisodeRecord]:
    """The episodes of a run, by task and trial.

    A log that was resumed after a change holds older ones as well. The run is that of the record that was
    written last, and of each task and trial the last record counts.

    Args:
        records: of a log, in the order of writing.
    """
    owed = [
        record
        for record in records
        if record.trial < max(card.trials, 1) and card.scorers in ("", record.digests.scorers)
    ]
    last = {(record.task_id, record.trial): record for record in owed if record.shared == owed[-1].shared}
    return [last[place] for place in sorted(last)]


def _places(log: Path, card: RunCard | None) -> list[Place] | None:
    """The places of the run's records, by task and trial; None of a short log without an index."""
    index = LogIndex.open(log)
    if index is not None and index.covered < log.stat().st_size:
        index.close()
        index = None
    if index is None:
        if not (log.is_file() and log.stat().st_size > _SHORT):
            return None
        index = LogIndex.in_memory(log, placed_records(log))
    try:
        return list(index.all() if card is None else index.of_run(card))
    finally:
        index.close()  # while it is open, no run can add to it


def _judging(log: Path) -> Callable[[EpisodeRecord], EpisodeRecord]:
    """Gives a record the later verdicts of judges, if there are any."""
    found = grouped((each.key, each.judgement) for each in read_verdicts(beside(log, JUDGEMENTS)))
    return lambda record: judged(record, found[record.key]) if record.key in found else record
