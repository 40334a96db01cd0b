"""The journal of a compile: a folder that holds everything its result was made from.

    OUT.journal/
        compile.json     the fingerprint of the compile, so that no other one goes on with the journal
        lock             held by the process at work, with its number
        replies.jsonl    model replies by request, see `worksmith.evals.lm.replies`
        seconds.json     the time that attempts with a budget took
        refused          an empty file: what was given led to no program, so another compile may begin here
        teacher/ student/    episode logs and caught traces

A killed compile goes on from it and comes to the same result: finished episodes are in the logs, and of the
others the model's replies are there. A finished compile can be derived again from it without a model.
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

from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.cost.spending import Spent
from worksmith.retrievers.strict_json import open_regular
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_json, read_model
from worksmith.tools.files.locking import Lock

SUFFIX: Final = ".journal"
"""Added to the name of the file that a compile writes."""

FORMAT: Final = "worksmith-journal/1"

_DESCRIPTION, _LOCK, REPLIES, _SECONDS = "compile.json", "lock", "replies.jsonl", "seconds.json"
_REFUSED = "refused"


class IncompleteJournalError(WorksmithError):
    """A journal lacks something that its result depends on.

    Attributes:
        lacking: the missing parts, in words.
    """

    def __init__(self, folder: Path, lacking: Sequence[str]) -> None:
        more = f", and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        super().__init__(f"{folder}: the journal has {lacking[0]}{more}")
        self.lacking = tuple(lacking)


class Description(BaseModel):
    """The head of a journal.

    Attributes:
        fingerprint: everything that decides the result; journals with another one are of other work.
        origin: further facts that help to find the parts again, e.g. the suite's path.
    """

    format: Literal["worksmith-journal/1"] = FORMAT
    fingerprint: dict[str, Any]
    origin: dict[str, Any]


class Journal:
    """A journal that this process works in; a context manager. Use `Journal.open`.

    Attributes:
        replies: of all attempts.
        may_ask: whether models may be asked for replies that the journal lacks.
    """

    def __init__(self, folder: Path, lock: Lock, *, may_ask: bool) -> None:
        self.folder = folder
        self.may_ask = may_ask
        self._lock = lock
        self._engines: list[RememberingEngine] = []
        self.replies = ReplyStore(folder / REPLIES)

    @classmethod
    def open(
        cls,
        folder: Path,
        fingerprint: Mapping[str, Any],
        *,
        resume: bool,
        origin: Mapping[str, Any] | None = None,
        may_ask: bool = True,
    ) -> Self:
        """The journal in `folder`, which is made if it is missing.

        Args:
            fingerprint: see `Description`; JSON-able data.
            resume: go on with an existing journal.
            origin: see `Description`.

        Raises:
            InputError: there is a journal and `resume` is not set, or of something else.
            InUseError: another process works in it.
        """
        lock = _lock(folder)
        try:
            check_folder(folder, fingerprint, resume=resume)
            if (folder / _REFUSED).exists():
                _accept(folder, fingerprint)
            if not (folder / _DESCRIPTION).exists():
                head = Description(fingerprint=dict(fingerprint), origin=dict(origin or {}))
                text = json.dumps(head.model_dump(), indent=1)
                write_atomically(folder / _DESCRIPTION, text.encode() + b"\n")
            return cls(folder, lock, may_ask=may_ask)
        except BaseException:
            lock.release()
            raise

    def remembering(self, lm: dspy.LM) -> dspy.LM:
        """A model that answers as `lm` does, and does not ask it for replies in the journal."""
        engine = RememberingEngine(lm, self.replies, may_ask=self.may_ask)
        self._engines.append(engine)
        return engine.installed()

    @contextmanager
    def continued(self, budget: Budget | None) -> Iterator[None]:
        """A block of work that counts the cost and the time of earlier attempts against a budget.

        The journal keeps the seconds of this attempt for the next one.
        """
        if budget is None:
            yield
            return
        file, hint = self.folder / _SECONDS, "start again with --force"
        seconds = read_json(file, "a number of seconds", hint=hint) if os.path.lexists(file) else 0.0
        if not isinstance(seconds, int | float):
            raise InputError("not a number of seconds", where=str(file), hint=hint)

        def keep(seconds: float) -> None:
            write_atomically(file, json.dumps(round(seconds, 1)).encode())

        with budget.continued(Spent.on_replies(self.replies.paid, budget.prices), seconds, keep):
            yield

    def refuse(self) -> None:
        """Record that these settings lead to no program."""
        (self.folder / _REFUSED).touch()

    def check(self) -> None:
        """Check that no reply was missing where no model may be asked."""
        lacking = [lack for engine in self._engines for lack in engine.lacking]
        if lacking:
            raise IncompleteJournalError(self.folder, lacking)

    def close(self) -> None:
        """Let other processes work in it."""
        self.replies.close()
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
        asked: the fingerprint, the replies and the bank.
        logged: the logs of episodes and traces.
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


def read_description(folder: Path) -> Description:
    """The head of the journal in `folder`."""
    path = folder / _DESCRIPTION
    if not os.path.lexists(path):
        raise InputError("there is no journal of a compile here", where=str(folder))
    return read_model(path, Description, "a journal's description")


def _lock(folder: Path) -> Lock:
    return Lock(folder / _LOCK, folder)


def differences(ours: Any, theirs: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places in which two pieces of JSON-able data differ: their dotted names and both values."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in sorted({*ours, *theirs}):
            yield from differences(ours.get(key), theirs.get(key), f"{name}.{key}" if name else str(key))
    elif ours != theirs:
        yield name, ours, theirs


def check_folder(folder: Path, fingerprint: Mapping[str, Any], *, resume: bool) -> None:
    """Check that a journal can be begun in `folder`, or gone on with; see `Journal.open`."""
    if not (folder / _DESCRIPTION).exists():
        # A leading dot marks the half-written description of a process that was killed.
        inside = folder.iterdir() if folder.is_dir() else ()
        if any(path.name != _LOCK and not path.name.startswith(".") for path in inside):
            raise InputError("the folder holds something else than a journal", where=str(folder))
        return
    differing = _differing(folder, fingerprint)
    if differing and (folder / _REFUSED).exists():
        return
    if not resume:
        raise InputError(
            "an unfinished compile is here",
            where=str(folder),
            hint="--resume continues it, --force starts again",
        )
    if differing:
        words = "; ".join(f"{name} was {short(was)} and is {short(new)}" for name, was, new in differing)
        raise InputError(
            f"this journal belongs to another compile: {words}",
            where=str(folder),
            hint="give the same options as then, or --force to start again",
        )


def _differing(folder: Path, fingerprint: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    now = json.loads(json.dumps(fingerprint))
    return list(differences(read_description(folder).fingerprint, now))


def _accept(folder: Path, fingerprint: Mapping[str, Any]) -> None:
    """Continue a refused compile, or remove the files of another refused one except the lock."""
    left = folder.iterdir() if _differing(folder, fingerprint) else [folder / _REFUSED]
    for path in left:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _LOCK:
            path.unlink()


def short(value: Any) -> str:
    """A value as JSON for a message, at most 60 characters of it."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
