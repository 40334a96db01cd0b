from __future__ import annotations

import sqlite3
from typing import NoReturn

import pytest
from chromadb.errors import InternalError
from sqlalchemy.exc import OperationalError

from worksmith.cli import boundary
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.errors import InputError, WorksmithError


def ended(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The exit code of a command that `error` stops, and what is said."""

    def command() -> NoReturn:
        raise error

    with pytest.raises(SystemExit) as caught:
        boundary.run(command)
    return caught.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            InputError("no such thing", where="--option", hint="try another"),
            2,
            "--option: no such thing (try",
        ),
        (RetrievalError("is damaged", where="index"), 2, "index: is damaged"),
        (WorksmithError("it failed"), 1, "it failed"),
        (OSError(28, "No space left on device", "a.json"), 1, "a.json: No space left on device (free some"),
        (
            OSError(28, "No space left on device"),
            1,
            "No space left on device (free some space; finished work",
        ),
        (OSError(30, "Read-only file system", "a"), 1, "a: Read-only file system (choose a place that"),
        (PermissionError(13, "Permission denied", "a"), 1, "a: Permission denied (choose a place that"),
        (OSError("31872 requested and 2016 written"), 1, "31872 requested and 2016 written"),
        (ConnectionRefusedError(111, "Connection refused"), 1, "Connection refused"),
        (MemoryError(), 1, "the memory does not suffice (try fewer --workers"),
        (RecursionError("maximum recursion depth exceeded"), 1, "something that was read is nested too"),
        (sqlite3.DatabaseError("file is not a database"), 1, "a database failed: file is not a database"),
        (OperationalError("SELECT 1", {}, Exception("disk is full")), 1, "a database failed: (builtins.Exc"),
        (InternalError("compaction failed"), 1, "a database failed: compaction failed"),
        (KeyboardInterrupt(), 130, "interrupted; --resume continues commands that have it"),
        (SystemExit(130), 130, "interrupted; --resume continues commands that have it"),
    ],
)
def test_what_a_person_can_mend_is_one_sentence_and_an_exit_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, shown = ended(error, capsys)

    assert found == code
    assert shown.startswith(f"worksmith: {said}")
    assert shown.count("\n") == 1


def test_what_a_message_quotes_is_cut_in_the_middle(capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = ended(InputError("x" * 100_000, where="a.json", hint="make it anew"), capsys)

    assert len(shown) < 2_100
    assert shown.startswith("worksmith: a.json: xxx")
    assert shown.endswith("xxx (make it anew)\n")


def test_a_defect_of_the_program_keeps_its_traceback() -> None:
    assert boundary.explained(KeyError("name")) is None
    assert boundary.explained(AttributeError("name")) is None


def test_developers_can_have_every_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(boundary.TRACEBACK, "1")

    def command() -> NoReturn:
        raise InputError("no such thing")

    with pytest.raises(InputError):
        boundary.run(command)
