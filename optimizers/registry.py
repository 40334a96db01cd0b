"""The optimizers by name: those of installed packages, and classes of the user's by their address.

A package offers one by an entry point of the group `worksmith.optimizers`:

    [project.entry-points."worksmith.optimizers"]
    mine = "my_package.optimizers:Mine"

The class is a `Teleprompter` of worksmith or any optimizer with the `compile` of DSPy's. It is imported when
its name is first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final

from worksmith.evals.dspy_programs.own_code import is_address, own_object
from worksmith.tools.errors import InputError, names_instead
from worksmith.tools.registry import load

if TYPE_CHECKING:
    from worksmith.optimizers.settings import Settings
    from worksmith.optimizers.teleprompter import Teleprompter

GROUP: Final = "worksmith.optimizers"


class _Registered(Mapping[str, "type[Teleprompter]"]):
    """The registered classes; those of one name after another are sorted, DSPy's last."""

    def __init__(self) -> None:
        self._loaded: dict[str, type[Teleprompter]] = {}

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        found = {entry.name: entry for entry in entry_points(group=GROUP)}
        return {name: found[name] for name in sorted(found, key=lambda name: (":" in name, name))}

    def __getitem__(self, name: str) -> type[Teleprompter]:
        if name not in self._loaded:
            entry = self._entries[name]
            self._loaded[name] = _teleprompter(load(entry, "optimizer"), name, where=entry.value)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


OPTIMIZERS: Final[Mapping[str, type[Teleprompter]]] = _Registered()
"""The classes of installed packages by name; a class is imported when it is looked up."""


def optimizer_class(name: str, *, option: str = "--optimizer") -> type[Teleprompter]:
    """The class of an optimizer.

    Args:
        name: a key of `OPTIMIZERS`, or `package.module:Class`.
        option: the command-line option, for the message.

    Raises:
        InputError: the name is unknown.
    """
    if name in OPTIMIZERS:
        return OPTIMIZERS[name]
    if is_address(name):
        return _teleprompter(own_object(name, where=option), name, where=option)
    hint = f"{names_instead(name, OPTIMIZERS)}, and package.module:Class for one of yours"
    raise InputError(f"no optimizer {name!r}", where=option, hint=hint)


def optimizer(
    name: str, settings: Settings | None = None, *, option: str = "--optimizer", **means: Any
) -> Teleprompter:
    """Make an optimizer.

    Args:
        name: see `optimizer_class`.
        settings: None for the defaults.
        means: further arguments of `Teleprompter`, such as `budget` and `workers`.

    Raises:
        InputError: there is none of that name, or it needs a package that is not installed.
    """
    chosen = optimizer_class(name, option=option)
    return chosen(**(vars(settings) if settings else {}), **means)


def _teleprompter(found: Any, name: str, *, where: str) -> type[Teleprompter]:
    from worksmith.optimizers.teleprompter import Teleprompter

    if isinstance(found, type) and issubclass(found, Teleprompter):
        return found if found.name == name else type(found.__name__, (found,), {"name": name})
    if isinstance(found, type) and callable(getattr(found, "compile", None)):
        from worksmith.optimizers.dspy_optimizers.foreign import foreign

        return foreign(found, name)
    raise InputError(
        f"{name} is not an optimizer",
        where=where,
        hint="name a class with compile(student, *, trainset), such as a subclass of dspy.Teleprompter",
    )
