"""The programs that meet in a race: one bank of demonstrations, shown in several sizes and ways."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizers.demos.demonstration import Demonstration
from optimizers.demos.selection import Display, selection_called
from optimizers.demos.trace_bank import TraceBank
from optimizers.job import Job
from optimizers.search.bank_schedule import growing_bank, sizes
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy

_KINDS = ("nearest", "covering", "random")
"""The selections of candidates, in turn."""

_SHARES = (1, 2, 4)
"""By what the most demonstrations that a prompt gets are divided, in turn."""


@dataclass(frozen=True)
class Candidate:
    """A program, and the demonstrations that it can show.

    Attributes:
        what: equal for candidates that show the same.
    """

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...]
    what: Hashable = None

    @property
    def ids(self) -> frozenset[str]:
        """The tasks that its demonstrations solve."""
        return frozenset(demonstration.task_id for demonstration in self.demonstrations)


def draw_candidates(job: Job, bank: TraceBank, most: int) -> dict[str, Candidate]:
    """At most so many by name, in the order in which they run; fewer if the bank is small.

    In turn whatever is nearest to each task, a set that covers the bank, and a random set; first with as many
    demonstrations as a prompt gets, then with half and with a quarter of them.
    """
    found: dict[str, Candidate] = {}
    seen: set[Hashable] = set()
    if not len(bank):
        return found
    for name, candidate in _offers(job, bank):
        if candidate.what not in seen:
            seen.add(candidate.what)
            found[name] = candidate
        if len(found) == most:
            break
    return found


def rounds(job: Job) -> Iterator[dict[str, Candidate]]:
    """The candidates that enter a race together: the first from a small bank, then one for each larger one.

    There are at most `settings.candidates` in all. The bank grows when the next round is asked for.
    """
    planned = sizes(job)
    first = job.settings.candidates - len(planned) + 1
    for number, bank in enumerate(growing_bank(job)):
        drawn = draw_candidates(job, bank, 1 if number else first)
        yield {f"{name}-of-{planned[number]}" if number else name: drawn[name] for name in drawn}


def _offers(job: Job, bank: TraceBank) -> Iterator[tuple[str, Candidate]]:
    """Candidates with repeats. A small bank soon offers nothing new, so this ends."""
    settings = job.settings
    pool = settings.pool(bank)
    most = min(settings.demos, len(pool.demonstrations))
    kinds = (settings.selection,) if settings.selection else _KINDS
    for number in range(2 * settings.candidates):
        restart, place = divmod(number, len(_SHARES))
        size = -(-most // _SHARES[place])
        for kind in kinds:
            display = selection_called(kind).choose(pool, size, seed=settings.seed, restart=restart)
            # Whatever the restart, the nearest are the same.
            name = f"{kind}-{size}" if kind == "nearest" else f"{kind}-{size}-{restart}"
            if candidate := _candidate(job, display):
                yield name, candidate


def _candidate(job: Job, display: Display) -> Candidate | None:
    """The candidate that shows `display`; None where it searches and no input of a predictor holds the text.

    Raises:
        InputError: so it is, and the user asked for nothing else.
    """
    try:
        return Candidate(*job.settings.shown(job.program, display), display.what)
    except InputError:
        if job.settings.selection:
            raise
        return None
