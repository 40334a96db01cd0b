"""Industries: the goods of a generated company, and people's words about them. The rest is in `texts/`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_file
from worksmith.tools.seeding import digest

DEFAULT_INDUSTRY = "retail"
"""The name of the default."""

PARTS = ("catalogue", "features", "problems", "reviews", "launches", "clients", "vendors", "asides", "topics")
"""The parts of an industry: by name a file, or a folder of files."""

_FOLDERS = ("features", "problems", "reviews", "topics")

_FOLDER = "industries"
_WHAT = "an industry"
_HINT = "see docs/how-to/industries.md"


@dataclass(frozen=True, eq=False)
class Industry:
    """An industry, read from its folder.

    Attributes:
        name: that of the folder.
    """

    name: str
    folder: Path

    @cached_property
    def catalogue(self) -> dict[str, Any]:
        """Brands, series, origins, warranties and `kinds` of products."""
        return self._file("catalogue")

    @cached_property
    def kinds(self) -> dict[str, dict[str, Any]]:
        """The kinds of product by name."""
        return {kind["name"]: kind for kind in self.catalogue["kinds"]}

    @cached_property
    def features(self) -> dict[str, list[str]]:
        """By kind of product sentences about it in descriptions."""
        return self._files("features")

    @cached_property
    def problems(self) -> dict[str, dict[str, Any]]:
        """What customers write about in support chats; see `business.product_problems`."""
        return self._files("problems")

    @cached_property
    def reviews(self) -> dict[str, dict[str, Any]]:
        """By kind of product what customers say of it and its parts; see `business.reviews`."""
        return self._files("reviews")

    @cached_property
    def launches(self) -> dict[str, dict[str, list[str]]]:
        """By kind of product what posts and clients say of it before it is sold."""
        return self._file("launches")

    @cached_property
    def clients(self) -> dict[str, dict[str, Any]]:
        """Industries of clients: names, ways to work, and which kinds of product they use for what."""
        return self._file("clients")

    @cached_property
    def vendors(self) -> dict[str, dict[str, Any]]:
        """Industries of vendors: names, ways to work, supplies and worries.

        A folder without that file has those of the default.
        """
        shared = self is not packaged() and not (self.folder / "vendors.toml").exists()
        return packaged().vendors if shared else self._file("vendors")

    @cached_property
    def asides(self) -> dict[str, list[dict[str, Any]]]:
        """Under `asides` what private customers add in passing, with kinds of product and months."""
        return self._file("asides")

    @cached_property
    def topics(self) -> dict[str, dict[str, dict[str, dict[str, list[str]]]]]:
        """By department, domain and topic of its projects the lists of sentences; see `topics.Bank`.

        Those that a folder leaves out are those of the default. Of a topic with `instead` it gives the
        sentences about other goods, by the default's sentence.

        Raises:
            InputError: the default has no such domain, or none of these sentences.
        """
        if self is packaged():
            return self.own_topics
        found = {code: dict(domains) for code, domains in packaged().topics.items()}
        for code, domains in self.own_topics.items():
            for domain, topics in domains.items():
                if domain not in found.get(code, {}):
                    raise self._no_topic(code, f"no department has the domain {domain!r}")
                found[code][domain] = found[code][domain] | {
                    name: self._reworded(code, domain, name, lists["instead"])
                    if "instead" in lists
                    else lists
                    for name, lists in topics.items()
                }
        return found

    def _reworded(self, code: str, domain: str, name: str, instead: dict[str, str]) -> dict[str, list[str]]:
        lists = packaged().topics[code][domain].get(name, {})
        if strange := instead.keys() - {line for lines in lists.values() for line in lines}:
            raise self._no_topic(code, f"the default's {name} does not say {min(strange)!r}")
        return {kind: [instead.get(line, line) for line in lines] for kind, lines in lists.items()}

    def _no_topic(self, code: str, said: str) -> InputError:
        return InputError(said, where=str(self.folder / "topics" / f"{code}.toml"), hint=_HINT)

    @cached_property
    def own_topics(self) -> dict[str, Any]:
        """The topics that the folder has itself."""
        return {file.stem: _toml(file) for file in self._in("topics")}

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it, by part."""
        return {part: getattr(self, part) for part in PARTS}

    @cached_property
    def digest(self) -> str:
        return digest(self.data)

    @cached_property
    def label(self) -> str:
        """Name and digest of the contents, for manifests; empty for the default."""
        return "" if self is packaged() else f"{self.name} {self.digest}"

    def _file(self, name: str) -> dict[str, Any]:
        file = self.folder / f"{name}.toml"
        return _toml(file)

    def _files(self, folder: str) -> dict[str, Any]:
        """The entries of all files of a folder together."""
        found: dict[str, Any] = {}
        for file in self._in(folder):
            entries = _toml(file)
            if twice := found.keys() & entries.keys():
                raise InputError(f"{min(twice)!r} is in another file already", where=str(file), hint=_HINT)
            found |= entries
        return found

    def _in(self, folder: str) -> list[Path]:
        """The files of a folder, in the order of their names; empty if it may be left out."""
        place = self.folder / folder
        if folder == "topics" and not place.exists():
            return []
        try:
            found = sorted(place.iterdir(), key=lambda file: file.name.removesuffix(".toml"))
        except OSError as error:
            raise InputError(
                f"no folder of {_WHAT}: {error.strerror}", where=str(place), hint=_HINT
            ) from error
        if strange := [file for file in found if file.suffix != ".toml"]:
            raise InputError(f"no file of {_WHAT}", where=str(strange[0]), hint="remove it")
        return found


def industry_names() -> list[str]:
    """The industries that the package carries."""
    return sorted(place.name for place in packaged().folder.parent.iterdir() if place.is_dir())


def open_industry(choice: str) -> Industry:
    """The packaged industry of a name, or that of a folder.

    Args:
        choice: one of `industry_names`, or the path of a folder.

    Raises:
        InputError: the name or folder is unknown, or it is not an industry; the message has the fault.
    """
    if choice in industry_names():
        return packaged(choice)
    folder = Path(choice)
    if not folder.is_dir():
        known = ", ".join(industry_names())
        raise InputError(f"no industry {choice!r}", where="--industry", hint=f"give {known}, or a folder")
    known_names = {_named(part) for part in PARTS}
    if strange := sorted(place.name for place in folder.iterdir() if place.name not in known_names):
        hint = f"a folder has {', '.join(sorted(known_names))}"
        raise InputError(f"{strange[0]!r} is no part of {_WHAT}", where=choice, hint=hint)
    found = Industry(folder.absolute().name, folder)
    check(found)
    return found


def industry_of(label: str) -> Industry:
    """The industry of a world that is to be generated again.

    Args:
        label: that of the world's manifest.

    Raises:
        InputError: it is none of the package.
    """
    for name in industry_names():
        if packaged(name).label == label:
            return packaged(name)
    hint = "check out the version that made it; of a folder of your own, build the suite again"
    raise InputError(f"the package has no industry {label!r}", where="the world's manifest", hint=hint)


def check(industry: Industry) -> None:
    """Check all parts of an industry.

    Raises:
        InputError: a part is missing, has unknown keys, or does not fit the catalogue.
    """
    from worksmith.tools.kinds.enterprise.generate.industry_files import MODELS, misfits

    for part in PARTS:
        try:
            found = industry.own_topics if part == "topics" else getattr(industry, part)
            TypeAdapter(MODELS[part]).validate_python(found)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field, said = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
            where = str(industry.folder / _named(part))
            raise InputError(f"not {_WHAT}: {field}: {said}", where=where, hint=_HINT) from error
    for part, wrong in misfits(industry.data):
        raise InputError(f"not {_WHAT}: {wrong}", where=str(industry.folder / _named(part)), hint=_HINT)


def _named(part: str) -> str:
    """The name of a part's file, or of the folder of its files."""
    return part if part in _FOLDERS else f"{part}.toml"


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_file(file, _WHAT, hint=_HINT).decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"not {_WHAT}: {error}", where=str(file), hint=_HINT) from error


def packaged(name: str = DEFAULT_INDUSTRY) -> Industry:
    """An industry that the package carries; always the same object."""
    return _packaged(name)


@cache
def _packaged(name: str) -> Industry:
    return Industry(name, Path(str(files(__package__).joinpath(_FOLDER, name))))
