"""Code of the user's by its address, `package.module:name`.

An address comes from what the user typed, never from a file. Modules are looked up from the current directory
first, as `python -m` does.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from typing import Any

from worksmith.tools.errors import InputError

_ADDRESS = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_address(text: str) -> bool:
    """Whether a text has the form `package.module:name`."""
    return _ADDRESS.fullmatch(text) is not None


def checked_address(text: str, *, where: str) -> str:
    """The text, which is an address.

    Raises:
        InputError: it is none.
    """
    if not is_address(text):
        raise InputError(
            f"{text!r} is no address", where=where, hint="write package.module:name, such as mine:my_agent"
        )
    return text


def own_object(address: str, *, where: str) -> Any:
    """The object at an address.

    Args:
        where: the option that named it, for errors.

    Raises:
        InputError: the module cannot be imported, or has no such name.
    """
    module, _, name = address.partition(":")
    # It is first, whatever the path has behind: a project's folder is at the end, after installed packages.
    if sys.path[0] not in ("", here := os.getcwd()):
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(
            f"{module} cannot be imported ({type(error).__name__}: {error})",
            where=where,
            hint="the address is package.module:name, from the current directory or an installed package",
        ) from error
    for part in name.split("."):
        if not hasattr(found, part):
            file = getattr(import_module(module), "__file__", module)
            raise InputError(f"{module} has no {name}", where=where, hint=f"it is {file}")
        found = getattr(found, part)
    return found
