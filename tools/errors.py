"""Errors for users and agents, named after the side that must act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

from worksmith.retrievers.errors import PlacedError
from worksmith.retrievers.extras import install_line

if TYPE_CHECKING:
    from worksmith.tools.statuses import EpisodeStatus


class WorksmithError(Exception):
    """Base of every error that worksmith raises on purpose.

    Attributes:
        exit_code: with which a command ends that it stops.

    Example:
        >>> try:
        ...     suite.task("T-0")
        ... except ws.WorksmithError as error:
        ...     print(type(error).__name__)
        InputError
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


class InputError(PlacedError, WorksmithError):
    """Something the user gave is wrong; the command ends with exit code 2 and no traceback.

    Args:
        message: the fault.
        where: file, row, field or option in which it was found.
        hint: what to do about it.

    Example:
        >>> print(ws.InputError("there is no column 'id'", where="a.csv: row 3", hint="name another"))
        a.csv: row 3: there is no column 'id' (name another)
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'a'? ` with the known name that is nearest to another; empty where none is near."""
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {by_lower[near[0]]!r}? " if near else ""


def names_instead(name: str, known: Iterable[str]) -> str:
    """The name that could be meant by `name`, then all, for messages: `did you mean 'a'? There are a, b`."""
    names = [str(one) for one in known]
    if not names:
        return "there are none"
    meant = did_you_mean(name, names)
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return f"{meant}{'There' if meant else 'there'} are {shown}"


_NAMED = 30


def unknown(what: str, name: str, known: Iterable[str], where: str | None = None) -> InputError:
    """The error for a name that is not among the known ones, such as `no table 'a'`; names the nearest."""
    return InputError(f"{what} {name!r}", where=where, hint=names_instead(name, known))


def missing_extra(feature: str, extra: str) -> InputError:
    """The error for a feature whose packages are an extra that is not installed.

    Args:
        extra: its name under `[project.optional-dependencies]`.
    """
    return InputError(f"{feature} needs packages that are not installed", hint=install_line(extra))


@contextmanager
def needing(feature: str, extra: str) -> Iterator[None]:
    """Turn a missing module of the imports in the block into `missing_extra`."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing_extra(feature, extra) from error


class Notice(UserWarning):
    """A warning for people; the command line shows it as a sentence."""


class ToolError(WorksmithError):
    """A tool's refusal; the agent reads the message as its observation.

    Example:
        >>> env = ws.Environment.from_tables({"rooms": [{"id": "1"}]}, now="2026-01-05 09:00")
        >>> @env.tool(writes=False)
        ... def book(ctx: ws.Context, room: str) -> None:
        ...     "Book a room."
        ...     raise ws.ToolError(f"room {room} is taken")
        >>> env.episode().call("tools.book", {"room": "1"}).text
        'room 1 is taken'
    """


class InfrastructureError(WorksmithError):
    """A live system that tools work on cannot be reached, or will not serve us now.

    Such an episode is not graded.

    Attributes:
        episode_status: how an episode ends that it ends.
    """

    episode_status: EpisodeStatus = "harness_error"
