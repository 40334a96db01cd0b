from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.files import directories
from worksmith.tools.files.directories import bring_back, directory_atomically
from worksmith.tools.files.locking import InUseError


def write(out: Path, text: str) -> None:
    with directory_atomically(out) as place:
        (place / "file").write_text(text)


@pytest.fixture(params=["one step", "two steps"])
def steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a system that cannot let two directories change places."""
    if request.param == "two steps":
        monkeypatch.setattr(directories, "_exchanged", lambda *_: False)


@pytest.mark.usefixtures("steps")
def test_a_directory_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    for text in ("old", "new"):
        write(out, text)
        assert (out / "file").read_text() == text

    assert list(out.parent.iterdir()) == [out]
    assert out.stat().st_mode & 0o777 == 0o777 & ~_umask()


@pytest.mark.usefixtures("steps")
def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")

    def fail(error: BaseException) -> None:
        with directory_atomically(tmp_path / "out") as place:
            (place / "file").write_text("half")
            raise error

    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            fail(error)

    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "file").read_text() == "old"


def test_a_reader_never_finds_nothing(tmp_path: Path) -> None:
    if not directories._exchanged(tmp_path, tmp_path):
        pytest.skip("this system cannot let two directories change places")
    out = tmp_path / "out"
    write(out, "0")
    missing: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            if not out.exists():
                missing.append(1)

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(200):
        write(out, str(number))
    done.set()
    reader.join()
    assert not missing


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, "old")
    code = f"""
import time
from pathlib import Path
from worksmith.tools.files.directories import directory_atomically
with directory_atomically(Path({str(out)!r})) as place:
    (place / "file").write_text("half")
    print("there", flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(InUseError, match=f"process {process.pid} is at work here"):
            write(out, "other")
        process.send_signal(signal.SIGKILL)

    assert (out / "file").read_text() == "old"
    assert len(list(tmp_path.iterdir())) > 1
    write(out, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "file").read_text() == "new"


def test_what_was_put_away_when_a_process_was_killed_comes_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, "old")
    os.rename(out, tmp_path / ".out.old")
    bring_back(out)

    assert (out / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", "new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "new"


def test_a_place_where_no_directory_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="file: a file is in the directory's place"):
        write(tmp_path / "file", "new")
    with pytest.raises(InputError, match="file/below: cannot write there"):
        write(tmp_path / "file" / "below", "new")
    assert (tmp_path / "file").read_text() == "mine"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
