"""The one place where what went wrong becomes a sentence and an exit code.

A fault that a person can repair is shown without a traceback: the fault, the place, and the remedy. Anything
else is a defect of the program, and its traceback is shown. `WORKSMITH_TRACEBACK=1` shows the others' as
well.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, TextIO

import typer

from worksmith.evals.characters import harmless
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.errors import InputError, Notice, WorksmithError

TRACEBACK = "WORKSMITH_TRACEBACK"
"""The environment's variable that has tracebacks shown."""

_INTERRUPTED, _TERMINATED = 130, 128 + signal.SIGTERM

_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space, or ask for more",
    errno.EFBIG: "files may not become so large here",
    errno.EROFS: "choose a place that can be written",
    errno.EACCES: "choose a place that can be written, or change its rights",
    errno.EPERM: "choose a place that can be written, or change its rights",
    errno.EMFILE: "fewer --workers need fewer open files",
}

_OF_STORES = ("sqlalchemy.", "sqlite3", "apsw", "chromadb.", "mlflow.")
"""The packages of database exceptions; by name, so that nothing is imported for it."""

_LITTLE = 2**20
"""With fewer bytes free, a disk is full: libraries often do not report it."""


_LONGEST = 2_000
"""Characters of a message: it may quote others."""


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends everything as Ctrl-C does."""


def run(command: Callable[[], object]) -> NoReturn:
    """Run the command line and end the process.

    The exit code is 0 if all is done, 1 if a run failed, 2 on bad input, 3 if a limit was reached, 130 after
    Ctrl-C and 143 after SIGTERM.
    """
    warnings.showwarning = _show_warning
    with _sigterm_as_ctrl_c() as received:
        try:
            command()
        except (SystemExit, KeyboardInterrupt) as end:
            if isinstance(end, SystemExit) and end.code != _INTERRUPTED:  # the rest of Ctrl-C
                raise
            _say("interrupted; --resume continues commands that have it")
            sys.exit(_TERMINATED if received else _INTERRUPTED)
        except Exception as error:
            said = None if os.environ.get(TRACEBACK) else explained(error)
            if said is None:
                raise
            message, code = said
            _say(message)
            sys.exit(code)
    sys.exit(0)


def explained(error: Exception) -> tuple[str, int] | None:
    """The message for an error and the exit code; None if it is a defect of the program."""
    if isinstance(error, InputError | RetrievalError):
        return str(error) + _disk(error), 2
    if isinstance(error, WorksmithError):
        return str(error) + _disk(error), error.exit_code
    if isinstance(error, OSError):
        return _of_system(error), 1
    if isinstance(error, ValueError) and "null byte" in str(error):
        return "a path or an address has a NUL character (leave it out)", 2
    if isinstance(error, MemoryError):
        return "the memory does not suffice (try fewer --workers, --limit, or a smaller suite)", 1
    if isinstance(error, RecursionError):
        return "something that was read is nested too deeply (leave it out)", 1
    if type(error).__module__.startswith(_OF_STORES):
        said = str(error).partition("\n")[0]
        return f"a database failed: {said}{_disk(error)} (finished episodes are in the logs)", 1
    return None


def _of_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    remedy = _REMEDIES.get(error.errno or 0)
    said = error.strerror or str(error) or type(error).__name__
    return f"{place}{said}" + (f" ({remedy}; finished work is kept)" if remedy else _disk(error))


def _disk(error: Exception) -> str:
    """A word on the disk, if it is full."""
    place = os.path.abspath(getattr(error, "where", None) or ".")
    while not os.path.exists(place):
        place = os.path.dirname(place)
    full = shutil.disk_usage(place).free < _LITTLE
    return "; the disk is full, free some space" if full else ""


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[list[int]]:
    """Let SIGTERM raise what Ctrl-C does; gives a list that holds the signal once it came."""
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise _Terminated

    before = signal.getsignal(signal.SIGTERM)
    if before == signal.SIG_DFL:  # the parent process may have made it ignored
        signal.signal(signal.SIGTERM, stop)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show warnings of worksmith as sentences, and those of libraries as Python does."""
    if issubclass(category, Notice):
        _say(str(message))
    else:
        typer.echo(harmless(warnings.formatwarning(message, category, filename, lineno)), err=True, nl=False)


def _say(message: str) -> None:
    if len(message) > _LONGEST:
        half = _LONGEST // 2
        message = f"{message[:half]} […] {message[-half:]}"
    typer.echo(f"worksmith: {harmless(message)}", err=True)
