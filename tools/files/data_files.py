"""Data files of packages."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_text(package: str, name: str) -> str:
    """The text of a file that a package carries.

    Args:
        package: the dotted name of the package.
        name: the file, relative to the package's folder.
    """
    return files(package).joinpath(name).read_text(encoding="utf-8")


def read_toml(package: str, name: str) -> dict[str, Any]:
    """The data of a TOML file that a package carries; see `read_text`."""
    return tomllib.loads(read_text(package, name))
