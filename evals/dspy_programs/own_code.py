"""Code of the user's by its address, `package.module:name`.

An address comes from the command line, never from a file. Modules are looked up in the current directory
first, as `python -m` does, then in the folder of the project.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError, Notice

_ADDRESS = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_address(text: str) -> bool:
    """Whether a text has the form `package.module:name`."""
    return _ADDRESS.fullmatch(text) is not None


def checked_address(text: str, *, where: str) -> str:
    """The text, if it is an address; else an `InputError`."""
    if not is_address(text):
        raise InputError(
            f"{text!r} is not an address",
            where=where,
            hint="write package.module:name, such as mine:my_agent",
        )
    return text


def own_object(address: str, *, where: str, project: Path | None = None) -> Any:
    """The object at an address. A notice names its file.

    Args:
        where: the option that named it, for messages.
        project: the folder of the environment. It counts if the user's code was run there; another may be a
            stranger's.

    Raises:
        InputError: the module cannot be imported, has no such name, or another of its name is in use.
    """
    module, _, name = address.partition(":")
    # It comes before the path: a project's folder comes last, after installed packages.
    if sys.path[0] not in ("", here := os.getcwd()):
        sys.path.insert(0, here)
    beside = [here, *([str(project)] if str(project) in sys.path else [])]
    try:
        with _first(_folder_of(module, beside, where)):
            found: Any = import_module(module)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            f"{module} cannot be imported ({type(error).__name__}: {error})",
            where=where,
            hint="the address is package.module:name, from the current directory, the folder of the project, "
            "or a package",
        ) from error
    file = getattr(found, "__file__", None) or module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{module} has no {name}", where=where, hint=f"it is {file}")
        found = getattr(found, part)
    warnings.warn(Notice(f"{where}: {address} is of {file.removeprefix(here + os.sep)}"), stacklevel=2)
    return found


def _folder_of(module: str, folders: Sequence[str], where: str) -> str | None:
    """The first of the folders with the module; None without one.

    Raises:
        InputError: another module of this name is in use.
    """
    top = module.partition(".")[0]
    for folder in folders:
        spec = PathFinder.find_spec(top, [folder])
        if spec is None or spec.origin is None:
            continue
        known = getattr(sys.modules.get(top), "__file__", None)
        if known is not None and os.path.realpath(known) != os.path.realpath(spec.origin):
            fault = f"{spec.origin} cannot be imported: {top} is {known} already"
            raise InputError(fault, where=where, hint="rename the file")
        return folder
    return None


@contextmanager
def _first(folder: str | None) -> Iterator[None]:
    """A block in which modules are looked up in a folder first."""
    added = [] if folder is None else [folder]
    sys.path[:0] = added
    try:
        yield
    finally:
        for each in added:
            sys.path.remove(each)
