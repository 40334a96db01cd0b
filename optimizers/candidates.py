"""The programs that meet in a race: one bank of demonstrations, shown in several sizes and ways."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizers.demonstration import Demonstration, give_demonstrations
from optimizers.growing import growing_bank, sizes
from optimizers.job import Job
from optimizers.knn import with_nearest
from optimizers.selection import Selector
from optimizers.trace_bank import TraceBank
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy

_SHARES = (1, 2, 4)
"""By what the most demonstrations that a prompt gets are divided, in turn."""


@dataclass(frozen=True)
class Candidate:
    """A program, and the demonstrations that it can show."""

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...]

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
        # Two fixed sets of the same demonstrations are one; the nearest are told apart by their number.
        what = name if name.startswith("nearest") else candidate.ids
        if what not in seen:
            seen.add(what)
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
    selector, settings = Selector(bank.demonstrations), job.settings
    most = min(settings.demos, len(bank))
    for number in range(2 * settings.candidates):
        restart, place = divmod(number, len(_SHARES))
        size = -(-most // _SHARES[place])
        if nearest := _nearest(job, bank, size):
            yield f"nearest-{size}", nearest
        for kind, draw in (("covering", selector.covering), ("random", selector.random)):
            chosen = draw(size, seed=settings.seed, restart=restart)
            yield (
                f"{kind}-{size}-{restart}",
                Candidate(give_demonstrations(job.program, chosen), tuple(chosen)),
            )


def _nearest(job: Job, bank: TraceBank, size: int) -> Candidate | None:
    """The candidate that searches the bank; None where no input of a predictor holds the task's text."""
    try:
        program = with_nearest(job.program, bank.demonstrations, size, job.settings.embedding)
    except InputError:
        return None
    return Candidate(program, bank.demonstrations)
