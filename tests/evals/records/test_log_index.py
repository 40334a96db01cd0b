"""A long log is read through its index, which is made again where it does not fit."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.records.logs.lines import log_line, record_of
from worksmith.evals.records.logs.log import MOST_HELD, EpisodeLog
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import RunCard, index_beside, write_card
from worksmith.tools.files.sealed_lines import SealedLine


def long_log(path: Path, *, more: int = 5, reverse_keys: bool = False) -> list[EpisodeRecord]:
    """A log of so many records more than are held in memory."""
    made = (make_record(number % 400, trial=number // 400) for number in range(MOST_HELD + more))
    records = [record.model_copy(update={"key": record.key[::-1]} if reverse_keys else {}) for record in made]
    with EpisodeLog.open(path) as log:
        for record in records:
            log.append(record)
    return records


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[EpisodeRecord]]:
    folder = tmp_path_factory.mktemp("long")
    return folder, long_log(folder / "episodes.jsonl")


@pytest.fixture
def log_of(tmp_path: Path, written: tuple[Path, list[EpisodeRecord]]) -> tuple[Path, list[EpisodeRecord]]:
    """A long log in a folder of the test, and its records."""
    folder, records = written
    return shutil.copytree(folder, tmp_path / "runs") / "episodes.jsonl", [*records]


@pytest.mark.slow
def test_a_long_log_resumes_from_its_index(
    log_of: tuple[Path, list[EpisodeRecord]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, records = log_of
    with path.open("ab") as file:  # as a process leaves it that is killed before it writes the index
        file.write(log_line(make_record(401)))
    monkeypatch.setattr("worksmith.evals.records.logs.log.record_of", counting := Counting(record_of))

    with EpisodeLog.open(path, resume=True) as log:
        assert counting.calls == 1
        assert len(log) == len(records) + 1
        assert all(log.is_finished(record.key) for record in [*records, make_record(401)])
        assert log.last(records[3].key) == records[3]
        found = log.records_of(record.key for record in records[:7])
    path.rename(tmp_path / "moved")
    assert list(found) == records[:7]


@pytest.mark.slow
def test_a_run_of_a_long_log_is_the_same_without_its_index(log_of: tuple[Path, list[EpisodeRecord]]) -> None:
    path, records = log_of
    others = make_record(7).digests.model_copy(update={"scorers": "others"})
    with EpisodeLog.open(path, resume=True) as log:
        log.append(make_record(3, answer="again"))
        log.append(make_record(7, key="of-others", digests=others))
        log.append(make_record(7, key="0-the-same-task-and-trial"))
    for trials, episodes in ((0, len(records) + 2), (2, 800), (3, 1)):
        if trials:
            write_card(path, RunCard(label="react", split="test", trials=trials))
        if trials == 3:  # the run was resumed with another program
            changed = others.model_copy(update={"program": "changed"})
            with EpisodeLog.open(path, resume=True) as log:
                log.append(make_record(8, key="changed", digests=changed))
        index = index_beside(path).read_bytes()
        found = open_log(path)
        index_beside(path).unlink()
        without = open_log(path)
        index_beside(path).write_bytes(index)

        assert type(found.records) is not type(without.records)
        assert list(found.records) == list(without.records)
        assert found.card == without.card
        assert len(found.records) == episodes


@pytest.mark.slow
def test_a_long_log_that_came_without_its_index_is_not_held_in_memory(
    log_of: tuple[Path, list[EpisodeRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = log_of
    write_card(path, RunCard(label="react", split="test", trials=3))
    index_beside(path).unlink()
    without = open_log(path)
    monkeypatch.setattr("worksmith.evals.records.logs.run_log._SHORT", 1_000)
    found = open_log(path)

    assert type(found.records) is not type(without.records)
    assert list(found.records) == list(without.records)
    assert not index_beside(path).exists()


FORGED = {
    "view": "ALTER TABLE episodes RENAME TO others; CREATE VIEW episodes AS SELECT * FROM others",
    "places": "PRAGMA ignore_check_constraints = 1; UPDATE episodes SET start = 'there' WHERE trial = 0",
}
"""What somebody else may have written into the index of a log that they give away."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage", ["stale", "of another log", "of a shorter log", "garbage", "view", "places"]
)
def test_an_index_that_does_not_fit_is_made_again(
    log_of: tuple[Path, list[EpisodeRecord]], tmp_path: Path, damage: str
) -> None:
    path, records = log_of
    index = index_beside(path)
    if damage == "stale":
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
        del records[0]
    elif damage.startswith("of "):
        other = tmp_path / "other.jsonl"
        long_log(other, reverse_keys=True, more=5 if damage == "of another log" else 2)
        index_beside(other).rename(index)
    elif damage in ("view", "places"):
        with closing(sqlite3.connect(index)) as rows:
            rows.executescript(FORGED[damage])
    else:
        index.write_bytes(b"no")

    assert {record.key: record for record in open_log(path).records} == {each.key: each for each in records}
    with EpisodeLog.open(path, resume=True) as log:
        assert len(log) == len(records)
        assert log.is_finished(make_record(0).key) == (damage != "stale")
        assert log.records_of(each.key for each in records[-3:])[:] == records[-3:]
    assert len(open_log(path).records) == len(records)


@pytest.mark.slow
def test_a_reader_that_holds_the_index_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "episodes.jsonl"
    long_log(path)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.01))
    with closing(sqlite3.connect(index_beside(path), isolation_level=None)) as reader:
        with EpisodeLog.open(path, resume=True) as log:
            before = len(log)
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM covered").fetchone()
            for number in range(450):
                log.append(make_record(10_000 + number, key=f"more-{number}"))
            assert len(log) == before + 450
        reader.execute("COMMIT")
    with EpisodeLog.open(path, resume=True) as log:
        assert len(log) == before + 450


class Counting:
    def __init__(self, function: Callable[[SealedLine], EpisodeRecord]) -> None:
        self._function, self.calls = function, 0

    def __call__(self, line: SealedLine) -> EpisodeRecord:
        self.calls += 1
        return self._function(line)
