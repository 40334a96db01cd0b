from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.tables import each_row
from worksmith.retrievers import strict_json
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import cut_torn_line, read_json, read_lines, read_model, read_models


class Note(BaseModel):
    title: str
    marks: dict[str, float] = {}


def test_a_document_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "note.json"
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + '{"title": "naïve ✓ \U0001f600", "marks": {"a": 1}}'.encode())
        assert read_model(file, Note, "a note") == Note(title="naïve ✓ \U0001f600", marks={"a": 1.0})


def test_lines_come_with_their_places(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes('{"title": "a\u2028b"}\r\n\n{"title": "c"}'.encode())

    assert [note.title for note in read_models(file, Note, "a note")] == ["a\u2028b", "c"]
    assert [where for where, _ in read_lines(file, "a note")] == [f"{file}:1", f"{file}:3"]


@each_row(
    ("data", "said"),
    [
        (b"[" * 100_000, "recursion limit"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "recursion limit"),
        (b'{"title": "\\ud800"}', "hex escape"),
        (b'{"title": "\xed\xa0\x80"}', "invalid unicode"),
        (b"\xff", "expected value"),
        (b'{"title": "a", "title": "b"}', 'duplicate key "title"'),
        (b'{"title": "a", "marks": {"b": NaN}}', "expected value"),
        (b'{"title": "a", "marks": {"b": -Infinity}}', "invalid number"),
        (b'{"title": "a", "marks": {"b": [1e999]}}', "too large"),
        (b'{"title": "a", "marks": {"b": ' + b"9" * 400 + b".0}}", "too large"),
        (b"1" * 10_000, "number out of range"),
        (b'{"title": "a"} {}', "trailing characters"),
        (b'{"title": "a"', "EOF"),
        (b"", "EOF"),
        (b"[]", "not a note: an object is needed"),
        (b"{}", "not a note: title: Field required"),
        (b'{"title": "a", "marks": {"b": "many"}}', r"not a note: marks\.b: Input should be a valid number"),
    ],
)
def test_what_is_no_sound_document_is_one_line_with_place_and_remedy(
    tmp_path: Path, data: bytes, said: str
) -> None:
    file = tmp_path / "note.json"
    file.write_bytes(data)
    with pytest.raises(InputError, match=f"(?i){said}") as caught:
        read_model(file, Note, "a note", hint="write it again")

    assert str(caught.value).startswith(f"{file}: not a note: ")
    assert str(caught.value).endswith("(write it again)")
    assert "\n" not in str(caught.value)


def _directory(path: Path) -> None:
    path.mkdir()


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "not a regular file"),
        (_device, "not a regular file"),
        (_directory, "Is a directory"),
        (_loop, "Too many levels of symbolic links"),
        (lambda path: None, "No such file"),
    ],
)
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    path = tmp_path / "note.json"
    make(path)
    for read in (read_json, lambda path, what: list(read_lines(path, what))):
        with pytest.raises(InputError, match=rf"note\.json: cannot read a note: {said}"):
            read(path, "a note")


def test_what_is_too_large_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_json, "MOST_BYTES", 1000)
    monkeypatch.setattr(strict_json.read_regular, "__defaults__", (1000,))
    file = tmp_path / "note.json"
    with file.open("wb") as sparse:
        sparse.truncate(2**40)

    with pytest.raises(InputError, match="more than 1,000 bytes"):
        read_json(file, "a note")
    with pytest.raises(InputError, match="a line of more than 1,000 bytes"):
        list(read_lines(file, "a note"))


@pytest.mark.parametrize("kept", [1, 5, 14])
def test_the_torn_end_of_a_file_that_is_appended_to_is_left_out_and_can_be_cut(
    tmp_path: Path, kept: int
) -> None:
    file = tmp_path / "notes.jsonl"
    line = b'{"title": "a"}\n'
    file.write_bytes(line + line[:kept])

    assert len(list(read_models(file, Note, "a note", appended=True))) == 1
    assert cut_torn_line(file) == kept
    assert file.read_bytes() == line
    assert cut_torn_line(file) == 0


def test_a_torn_end_that_is_long_is_cut_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes(b"1\n" + b" " * 200_000)

    assert cut_torn_line(file) == 200_000
    assert file.read_bytes() == b"1\n"
    file.write_bytes(b" " * 200_000)
    assert cut_torn_line(file) == 200_000
    assert file.read_bytes() == b""


def test_a_damaged_line_is_named_also_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes(b'{"title": "a"}\n{"title": 3}\n')

    with pytest.raises(
        InputError, match=r"notes\.jsonl:2: not a note: title: Input should be a valid string"
    ):
        list(read_models(file, Note, "a note", appended=True))
