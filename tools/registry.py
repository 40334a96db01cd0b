"""Kinds by name: those that installed packages offer by entry point, and those of this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Protocol, TypeVar

from worksmith.tools.errors import InputError, names_instead


class Named(Protocol):
    @property
    def name(self) -> str: ...


Kind = TypeVar("Kind", bound=Named)
Part = TypeVar("Part")


class Registry(Generic[Kind]):
    """Finds kinds by name. A kind is imported when it is first asked for, and no other kind with it.

    Args:
        group: of entry points, each of which names an object of `type_`.
        type_: the name of the objects in messages.
        noun: how messages call one of them.
    """

    def __init__(self, group: str, type_: type[Kind], noun: str) -> None:
        self.group = group
        self._type = type_
        self._noun = noun
        self._loaded: dict[str, Kind] = {}

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=self.group)}

    def names(self) -> tuple[str, ...]:
        """All names, sorted. Imports no kind."""
        return tuple(sorted(self._installed.keys() | self._loaded.keys()))

    def all(self) -> list[Kind]:
        """All kinds in the order of their names, without broken ones; `get` raises for those."""
        found = []
        for name in self.names():
            with suppress(InputError):
                found.append(self.get(name))
        return found

    def first(self, part: Callable[[Kind], Part | None], what: str) -> Part:
        """A part of the first kind that has it.

        Args:
            what: the purpose of the part, for the message.
        """
        for kind in self.all():
            if (found := part(kind)) is not None:
                return found
        raise InputError(f"no installed {self._noun} {what}")

    def register(self, kind: Kind) -> None:
        """Make a kind known to this process, in place of an installed one of its name."""
        self._loaded[kind.name] = kind

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._installed

    def get(self, name: str) -> Kind:
        """The kind called `name`."""
        if name not in self._loaded:
            if name not in self._installed:
                known = names_instead(name, self.names())
                raise InputError(
                    f"no {self._noun} {name!r}",
                    hint=f"{known}; others come with the packages that have them",
                )
            self._loaded[name] = self._import(self._installed[name])
        return self._loaded[name]

    def _import(self, entry: EntryPoint) -> Kind:
        kind = load(entry, self._noun)
        if not isinstance(kind, self._type) or kind.name != entry.name:
            raise InputError(
                f"this is no {self._type.__name__} called {entry.name!r}",
                where=entry.value,
                hint=_remedy(entry),
            )
        return kind


def load(entry: EntryPoint, noun: str) -> object:
    """The object that an installed package offers.

    Args:
        noun: how messages call it.
    """
    try:
        found: object = entry.load()
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        message = f"the {noun} {entry.name!r} cannot be imported ({words})"
        raise InputError(message, where=entry.value, hint=_remedy(entry)) from error
    return found


def _remedy(entry: EntryPoint) -> str:
    return f"update or uninstall the package {entry.dist.name if entry.dist else '?'}"
