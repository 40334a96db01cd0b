from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_writable, write_atomically


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


def test_a_line_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    code = f"""
import os, resource
from pathlib import Path
from worksmith.tools.files.atomic import append
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
path = Path({str(file)!r})
handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
for _ in range(3):
    try:
        append(handle, b"x" * 39 + b"\\n", path)
    except OSError as error:
        print(error.filename == str(path), error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "True No space left on device\n"
    assert file.read_bytes() == (b"x" * 39 + b"\n") * 2


def test_a_file_that_does_not_fit_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    code = f"""
import resource
from pathlib import Path
from worksmith.tools.files.atomic import write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_atomically(Path({str(file)!r}), b"x" * 1000)
except OSError as error:
    print(error.filename, error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == f"{file} File too large\n"
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
