"""The strategies: random, covering, nearest, and a mixture of the last two."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from optimizers.demos.demonstration import Demonstration
from optimizers.demos.selection.pool import Selector
from tools.errors import InputError

_FIXED_SHARE: Final = 4
"""A mixture shows every fourth demonstration always: enough to show each prompt the usual ways to end."""


@dataclass(frozen=True)
class Display:
    """What prompts show of a bank.

    Attributes:
        fixed: shown in every prompt.
        searched: of which every prompt is shown the `count` nearest to its task.
    """

    fixed: tuple[Demonstration, ...] = ()
    searched: tuple[Demonstration, ...] = ()
    count: int = 0

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        """All that can be shown."""
        return self.fixed + self.searched

    @property
    def what(self) -> Hashable:
        """Equal for displays that show the same, in whatever order."""
        return (
            frozenset((each.task_id, each.step) for each in self.fixed),
            frozenset((each.task_id, each.step) for each in self.searched),
            self.count,
        )


class Selection(Protocol):
    """A way to choose demonstrations.

    Attributes:
        searches: whether prompts differ by task, so that there is nothing to draw anew.
    """

    searches: bool

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """What prompts show that have room for `size` demonstrations; other restarts, other draws."""
        ...


class Random:
    """Drawn without looking."""

    searches = False

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """See `Selection`."""
        return Display(fixed=tuple(pool.random(size, seed=seed, restart=restart)))


class Covering:
    """Such that all of the bank, by words and tools, is near to one of them."""

    searches = False

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """See `Selection`."""
        return Display(fixed=tuple(pool.covering(size, seed=seed, restart=restart)))


class Nearest:
    """For each task those nearest to it, from the whole bank, which goes into the program."""

    searches = True

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """See `Selection`; neither seed nor restart makes a difference."""
        return Display(searched=pool.demonstrations, count=size)


class Mixture:
    """A quarter covers the bank and is always there, the rest is nearest to the task."""

    searches = True

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """See `Selection`. A single demonstration is the nearest one."""
        fixed = pool.covering(size // _FIXED_SHARE, seed=seed, restart=restart)
        always = {id(demonstration) for demonstration in fixed}
        rest = tuple(each for each in pool.demonstrations if id(each) not in always)
        return Display(tuple(fixed), rest, size - len(fixed))


SELECTIONS: Final[Mapping[str, Selection]] = {
    "random": Random(),
    "covering": Covering(),
    "nearest": Nearest(),
    "mixture": Mixture(),
}


def selection_called(name: str) -> Selection:
    """The strategy called `name`.

    Raises:
        InputError: if there is none.
    """
    if name not in SELECTIONS:
        raise InputError(
            f"no selection {name!r}", where="--selection", hint=f"there are {', '.join(SELECTIONS)}"
        )
    return SELECTIONS[name]
