from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evals.episodes import make_episode, make_record, make_task
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.records.record import WorkUnit
from worksmith.evals.records.recording import LONGEST_OBSERVATION, record_episode
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode_result import CallRecord
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.files.locking import InUseError
from worksmith.tools.files.sealed_lines import sealed


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "episodes.jsonl"
    records = [make_record(number, answer="naïve ✓") for number in range(3)]
    with EpisodeLog.open(path) as log:
        for record in records:
            log.append(record)

    assert list(read_log(path)) == records


def test_a_place_where_no_log_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InputError, match=r"file/episodes\.jsonl: cannot write there"):
        EpisodeLog.open(tmp_path / "file" / "episodes.jsonl")


@pytest.mark.parametrize("resume", [False, True])
def test_a_log_that_is_no_file_is_refused_at_once(tmp_path: Path, resume: bool) -> None:
    os.mkfifo(tmp_path / "episodes.jsonl")

    with pytest.raises(InputError, match=r"episodes\.jsonl: cannot write the episode log"):
        EpisodeLog.open(tmp_path / "episodes.jsonl", resume=resume)


def test_an_existing_log_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with EpisodeLog.open(path) as log:
        log.append(make_record(1))

    with pytest.raises(InputError, match="--resume"):
        EpisodeLog.open(path)


def test_resuming_nothing_starts_a_log(tmp_path: Path) -> None:
    with EpisodeLog.open(tmp_path / "episodes.jsonl", resume=True) as log:
        assert len(log) == 0


@pytest.mark.parametrize("kept", range(1, 400, 57))
def test_a_torn_last_line_is_owed_again(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with EpisodeLog.open(path) as log:
        log.append(make_record(1))
        whole = path.stat().st_size
        log.append(make_record(2))
    os.truncate(path, whole + kept)

    with EpisodeLog.open(path, resume=True) as log:
        assert log.finished(make_record(1).key) is not None
        assert log.finished(make_record(2).key) is None
        log.append(make_record(2))
    assert [record.task_id for record in read_log(path)] == ["task-001", "task-002"]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"outcome":1.0', b'"outcome":0.5'), (b"task-002", b"task-009"), (b"{", b""), (b',"sum"', b',"sun"')],
)
def test_a_damaged_line_is_named_by_readers_and_owed_again(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "episodes.jsonl"
    lines = [log_line(make_record(number)) for number in range(1, 4)]
    assert old in lines[1]
    path.write_bytes(b"".join([lines[0], lines[1].replace(old, new), lines[2]]))

    with pytest.raises(InputError, match=r"episodes\.jsonl:2: .*: its content does not fit"):
        list(read_log(path))
    with pytest.warns(Notice, match=r"episodes\.jsonl:2: what is there does not fit its checksum"):
        opened = EpisodeLog.open(path, resume=True)
    with opened as log:
        assert log.finished(make_record(2).key) is None
        log.append(make_record(2))
    assert [record.task_id for record in read_log(path)] == ["task-001", "task-003", "task-002"]


def test_infrastructure_failures_are_owed_again_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    failed = make_record(1, status="model_error", scores={})
    with EpisodeLog.open(path) as log:
        log.append(failed)
        assert log.finished(failed.key) is None
        log.append(make_record(1))

    with EpisodeLog.open(path, resume=True) as log:
        assert log.finished(failed.key) == make_record(1)
        assert len(log) == 1


def test_long_observations_are_cut_and_say_so() -> None:
    long = CallRecord("email.search_emails", "not an object", Observation("ok", "", "x" * 5000), None, 0.0)
    task = make_task(1)
    unit = WorkUnit(task_id=task.id, strategy="", seed=0, trial=0, digests=make_record(1).digests)
    entry = record_episode(unit, task, make_episode(calls=[long], thoughts=[]), scores={}).calls[0]

    assert entry.truncated
    assert len(entry.observation) == LONGEST_OBSERVATION
    assert entry.arguments == "not an object"


def test_a_log_is_for_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with EpisodeLog.open(path) as log:
        for resume in (False, True):
            with pytest.raises(InUseError, match=rf"episodes\.jsonl: process {os.getpid()} is at work here"):
                EpisodeLog.open(path, resume=resume)
        log.append(make_record(1))
        assert len(list(read_log(path))) == 1  # readers may look

    with EpisodeLog.open(path, resume=True) as log:
        assert len(log) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["episodes.jsonl"]


def test_a_log_that_cannot_be_opened_is_free_again(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text("nonsense\n")
    for _ in range(2):
        with pytest.raises(InputError, match=r"episodes\.jsonl: it holds no episode record"):
            EpisodeLog.open(path, resume=True)


def test_the_lock_of_a_killed_process_locks_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    code = f"""
import os, time
from worksmith.evals.records.logs.log import EpisodeLog
log = EpisodeLog.open({str(path)!r})
print(os.getpid(), flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        with pytest.raises(InUseError, match=f"process {process.pid} is at work"):
            EpisodeLog.open(path, resume=True)
        process.kill()
    with EpisodeLog.open(path, resume=True) as log:
        log.append(make_record(1))


@pytest.mark.filterwarnings("ignore::worksmith.tools.errors.Notice")
@pytest.mark.parametrize("data", [b"nonsense", b'{"key": "abc', b"\n\n"])
def test_a_file_without_any_record_is_no_empty_log(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"episodes\.jsonl: it holds no episode record"):
        list(read_log(path))


@pytest.mark.filterwarnings("ignore::worksmith.tools.errors.Notice")
def test_what_is_no_log_is_not_cut_but_a_first_line_that_was_torn_is(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    for data in (b"my notes", b'{"id": "a task"}\n{"id": "another"}\n', b'{"id": "a task"}\n{"id'):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"episodes\.jsonl: it holds no episode record"):
            EpisodeLog.open(path, resume=True)
        assert path.read_bytes() == data

    path.write_bytes(log_line(make_record(1))[:50])
    with EpisodeLog.open(path, resume=True) as log:
        log.append(make_record(1))
    assert list(read_log(path)) == [make_record(1)]


def test_a_torn_last_line_is_said_and_any_other_damage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    whole = log_line(make_record(1))
    path.write_bytes(whole + whole[:50])
    with pytest.warns(Notice, match=r"episodes\.jsonl:2: the last line is not whole"):
        assert len(list(read_log(path))) == 1

    path.write_bytes(whole + whole[:50] + b"\n")
    with pytest.raises(InputError, match=r"episodes\.jsonl:2: not an episode record"):
        list(read_log(path))


def test_a_field_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_bytes(sealed(make_record(1).model_dump_json().replace('"task_id"', '"task"').encode()))
    with pytest.raises(InputError, match=r"not an episode record: task_id: Field required \(remove the line"):
        list(read_log(path))


def test_a_file_of_tasks_is_not_taken_for_a_damaged_log(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"query": "How many?", "answer": 3}\n')
    with pytest.raises(InputError, match=r"tasks\.jsonl: it holds no episode record \(name the log of a run"):
        list(read_log(path))
