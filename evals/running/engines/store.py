"""A store of suites for workers that do not see the driver's folder: any file system that fsspec knows.

`URL/files/SHA256` is a file, and `URL/suites/SHA256` the list of a suite's files. A worker gets the hash of
the list from the driver and takes nothing with another hash, so others cannot change a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar
from uuid import uuid4

from filelock import FileLock
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError
from tenacity import Retrying, retry_if_not_exception_type, stop_after_attempt, wait_random_exponential

from worksmith.tools.errors import InfrastructureError, InputError, needing
from worksmith.tools.files.caches import cache_folder
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.files.secrets import described, without_secrets

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

T = TypeVar("T")

_MOST_LISTED = 64 * 2**20
"""Bytes of a list; the largest suite has a thousandth of it."""


class Stored(NamedTuple):
    """A suite in a store.

    Attributes:
        sha256: of the list of its files.
    """

    url: str
    sha256: str


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or ".." in parts:
        raise ValueError("leads out of the suite")
    return path


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    path: Annotated[str, AfterValidator(_inside)]
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


_LIST = TypeAdapter(list[_File])


class SuiteStore:
    """Suites by content, in `url`.

    Args:
        url: a folder, or an address of fsspec such as `s3://BUCKET/FOLDER`; each machine has its own
            credentials.

    Raises:
        InputError: the kind of file system is unknown, or its package is missing.
    """

    def __init__(self, url: str) -> None:
        with needing("--suite-store", "ray"):
            import fsspec

        self.url = url
        self._shown = without_secrets(url)
        try:
            found: tuple[AbstractFileSystem, str] = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise InputError(
                f"no store can be opened there: {without_secrets(str(error))}",
                where=self._shown,
                hint="name a folder, or an address that fsspec knows; s3:// needs `pip install s3fs`",
            ) from error
        self._files, self._root = found
        self._stored: dict[Path, Stored] = {}

    def holds(self, folder: Path) -> bool:
        """Whether this process has put the folder into the store; it may be gone since."""
        return folder in self._stored

    def put(self, folder: Path) -> Stored:
        """Bring a suite's folder into the store, once; existing files do not change.

        Raises:
            InfrastructureError: the store cannot be reached or written.
        """
        if folder not in self._stored:
            self._stored[folder] = self._reached(partial(self._put, folder))
        return self._stored[folder]

    def get(self, sha256: str) -> Path:
        """The folder of a suite on this machine, which has each suite once.

        Args:
            sha256: of the list of its files.

        Raises:
            InputError: the store has another suite.
            InfrastructureError: the store cannot be reached.
        """
        folder = cache_folder("suites") / sha256
        if folder.is_dir():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{sha256}.wait")):
            if not folder.is_dir():
                with directory_atomically(folder) as new:
                    for file in self._listed(sha256):
                        self._get(file, new / file.path)
        return folder

    def _put(self, folder: Path) -> Stored:
        files, suites = f"{self._root}/files", f"{self._root}/suites"
        for parent in (files, suites):
            self._files.makedirs(parent, exist_ok=True)
        listed = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            sha256 = _sha256(path)
            listed.append(_File(path=path.relative_to(folder).as_posix(), sha256=sha256))
            target = f"{files}/{sha256}"
            # One of another size was cut off by something else, such as a copy of the store.
            if not (self._files.exists(target) and self._files.size(target) == path.stat().st_size):
                self._place(target, partial(self._files.put_file, str(path)))
        data = _LIST.dump_json(listed)
        sha256 = hashlib.sha256(data).hexdigest()
        self._place(f"{suites}/{sha256}", lambda place: self._files.pipe_file(place, data))
        return Stored(self.url, sha256)

    def _place(self, target: str, upload: Callable[[str], Any]) -> None:
        """Upload under another name first: a run elsewhere may read or upload the same now."""
        temporary = f"{target}.{uuid4().hex}"
        try:
            upload(temporary)
            self._files.mv(temporary, target)
        except BaseException:
            with suppress(Exception):
                self._files.rm_file(temporary)
            raise

    def _listed(self, sha256: str) -> list[_File]:
        place = f"{self._root}/suites/{sha256}"
        data = self._reached(partial(self._files.cat_file, place, end=_MOST_LISTED))
        if hashlib.sha256(data).hexdigest() != sha256:
            raise self._changed(f"suites/{sha256}")
        try:
            return _LIST.validate_json(data)
        except ValidationError as error:
            raise self._changed(f"suites/{sha256}") from error

    def _get(self, file: _File, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        self._reached(partial(self._files.get_file, f"{self._root}/files/{file.sha256}", str(target)))
        if _sha256(target) != file.sha256:
            raise self._changed(f"files/{file.sha256}")

    def _changed(self, name: str) -> InputError:
        where = f"{self._shown}/{name}"
        return InputError(
            "its content does not fit its name", where=where, hint="remove it and start the run again"
        )

    def _reached(self, do: Callable[[], T]) -> T:
        try:
            return _tries()(do)
        except Exception as error:  # each file system has its own
            raise InfrastructureError(f"the store {self._shown} fails: {described(error)}") from error


def _tries() -> Retrying:
    """Stores of many readers refuse some for a moment."""
    return Retrying(
        stop=stop_after_attempt(3),
        wait=wait_random_exponential(multiplier=1, max=8),
        retry=retry_if_not_exception_type(
            (FileNotFoundError, FileExistsError, NotADirectoryError, PermissionError)
        ),
        reraise=True,
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
