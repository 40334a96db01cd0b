"""The journal of a compile: a folder that holds everything its result was made from.

    OUT.journal/
        compile.json     what decides the result, so that nothing else is gone on with
        lock             held by the process at work, with its number
        replies.jsonl    model replies by what was asked, see `optimizers.compiling.replies`
        teacher/ student/    episode logs and caught traces

A compile that was killed goes on from it and comes to the same result: finished episodes are in the logs,
and of those that were under way the model's replies are there. A compile that is done can be derived anew
from it without asking any model.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self

import dspy
from pydantic import BaseModel

from optimizers.compiling.replies import RememberingEngine, ReplyStore
from retrievers.strict_json import open_regular
from tools.episode_result import Usage
from tools.errors import InputError, WorksmithError
from tools.files.atomic import write_atomically
from tools.files.json_files import read_model
from tools.files.locking import Lock

SUFFIX: Final = ".journal"
"""Added to the name of the file that a compile writes."""

FORMAT: Final = "worksmith-journal/1"

_DESCRIPTION, _LOCK, REPLIES = "compile.json", "lock", "replies.jsonl"


class IncompleteJournalError(WorksmithError):
    """A journal does not hold all that it takes to derive its result.

    Attributes:
        lacking: what it does not hold, in words.
    """

    def __init__(self, folder: Path, lacking: Sequence[str]) -> None:
        more = f", and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        super().__init__(f"{folder}: the journal has {lacking[0]}{more}")
        self.lacking = tuple(lacking)


class _Description(BaseModel):
    """What a journal is about."""

    format: Literal["worksmith-journal/1"]
    decides: dict[str, Any]
    given: dict[str, Any]


class Journal:
    """A journal that this process works in; a context manager. Use `Journal.open`.

    Attributes:
        asking: whether models may be asked what the journal does not answer.
    """

    def __init__(self, folder: Path, lock: Lock, *, asking: bool) -> None:
        self.folder = folder
        self.asking = asking
        self._lock = lock
        self._engines: list[RememberingEngine] = []
        self._replies = ReplyStore(folder / REPLIES)

    @classmethod
    def open(
        cls,
        folder: Path,
        decides: Mapping[str, Any],
        *,
        resume: bool,
        given: Mapping[str, Any] | None = None,
        asking: bool = True,
    ) -> Self:
        """The journal in `folder`, which is made if there is none.

        Args:
            decides: everything that decides the result, as JSON-able data.
            resume: go on with what is there.
            given: what was said besides and helps to find things again.

        Raises:
            InputError: there is a journal and `resume` is not set, or of something else.
            InUseError: another process works in it.
        """
        lock = _lock(folder)
        try:
            _describe(folder, dict(decides), dict(given or {}), resume=resume)
            return cls(folder, lock, asking=asking)
        except BaseException:
            lock.release()
            raise

    def remembering(self, lm: dspy.LM) -> dspy.LM:
        """A model that answers as `lm` does, and asks it nothing that the journal has the reply to."""
        engine = RememberingEngine(lm, self._replies, asking=self.asking)
        self._engines.append(engine)
        return engine.installed()

    @property
    def paid(self) -> dict[str, Usage]:
        """What was paid for the replies and failures in it, of all attempts, by the model's name."""
        return self._replies.paid

    def check(self) -> None:
        """Mind what was asked of a journal that did not hold it, where no model may be asked.

        Raises:
            IncompleteJournalError: there was such a thing.
        """
        lacking = [lack for engine in self._engines for lack in engine.lacking]
        if lacking:
            raise IncompleteJournalError(self.folder, lacking)

    def close(self) -> None:
        """Let others work in it."""
        self._replies.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None or isinstance(error, Exception):
            self.check()


def journal_beside(file: Path) -> Path:
    """The folder of the journal of a compile that writes `file`."""
    return file.with_name(file.name + SUFFIX)


def discard(folder: Path) -> None:
    """Remove a journal, if there is one.

    Raises:
        InUseError: a process works in it.
    """
    if folder.exists():
        with _lock(folder):
            shutil.rmtree(folder)


class Copied(NamedTuple):
    """A copy of a journal in two folders.

    Attributes:
        asked: what was to be made, and what models replied.
        logged: the logs of episodes and traces that were written on the way.
    """

    asked: Path
    logged: Path


@contextmanager
def copied(folder: Path) -> Iterator[Copied]:
    """A copy of a journal, for as long as the block lasts. Only regular files are copied.

    Raises:
        InUseError: a process works in it.
        InputError: a file cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="journal-") as place:
        copy = Copied(Path(place) / "asked", Path(place) / "logged")
        with _lock(folder):
            for file in (folder / _DESCRIPTION, *sorted(folder.rglob("*.jsonl"))):
                name = file.relative_to(folder)
                _copy(file, (copy.asked if len(name.parts) == 1 else copy.logged) / name)
        yield copy


def _copy(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open_regular(file) as source, to.open("wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        raise InputError("cannot read the journal", where=str(file), hint=str(error)) from error


def read_description(folder: Path) -> dict[str, Any]:
    """What a journal is about: `decides`, and what else was `given`.

    Raises:
        InputError: there is no journal.
    """
    path = folder / _DESCRIPTION
    if not os.path.lexists(path):
        raise InputError("there is no journal of a compile here", where=str(folder))
    return read_model(path, _Description, "a journal's description").model_dump()


def _lock(folder: Path) -> Lock:
    return Lock(folder / _LOCK, folder)


def differences(ours: Any, theirs: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places in which two pieces of JSON-able data differ: their dotted names and both values."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in sorted({*ours, *theirs}):
            yield from differences(ours.get(key), theirs.get(key), f"{name}.{key}" if name else str(key))
    elif ours != theirs:
        yield name, ours, theirs


def _describe(folder: Path, decides: dict[str, Any], given: dict[str, Any], *, resume: bool) -> None:
    check_folder(folder, decides, resume=resume)
    if not (folder / _DESCRIPTION).exists():
        description = {"format": FORMAT, "decides": decides, "given": given}
        write_atomically(folder / _DESCRIPTION, json.dumps(description, indent=1).encode() + b"\n")


def check_folder(folder: Path, decides: Mapping[str, Any], *, resume: bool) -> None:
    """See that a journal can be begun in `folder`, or gone on with; see `Journal.open`.

    Raises:
        InputError: it cannot.
    """
    if not (folder / _DESCRIPTION).exists():
        # What begins with a dot is the half-written description of a process that was killed.
        inside = folder.iterdir() if folder.is_dir() else ()
        if any(path.name != _LOCK and not path.name.startswith(".") for path in inside):
            raise InputError("the folder holds something else than a journal", where=str(folder))
        return
    if not resume:
        raise InputError(
            "a compile was begun here",
            where=str(folder),
            hint="--resume goes on with it, --force starts anew",
        )
    now = json.loads(json.dumps(decides))
    if differing := list(differences(read_description(folder)["decides"], now)):
        said = "; ".join(f"{name} was {short(was)} and is {short(new)}" for name, was, new in differing)
        raise InputError(
            f"the compile that was begun here is another one: {said}",
            where=str(folder),
            hint="give what was given then, or --force to start anew",
        )


def short(value: Any) -> str:
    """A value as JSON for a message, at most 60 characters of it."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
