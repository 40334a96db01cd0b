from __future__ import annotations

from pathlib import Path

import pytest

from tools.errors import InputError
from tools.files import check_writable, write_atomically


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file"
    for data in (b"old", b"new"):
        write_atomically(file, data)

    assert file.read_bytes() == b"new"
    assert list(file.parent.iterdir()) == [file]


def test_a_check_leaves_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    check_writable(file)
    check_writable(tmp_path / "new")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"old"


def test_a_place_where_no_file_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "below"
    for write in (check_writable, lambda path: write_atomically(path, b"")):
        with pytest.raises(InputError, match="file/below: cannot write there"):
            write(place)
