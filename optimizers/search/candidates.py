"""The candidates of a race, and the bank that they draw from.

The bank grows from round to round: the teacher runs further tasks only once the smaller bank has been raced.
Candidates show one bank in several sizes and ways.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from worksmith.optimizers.candidates.building import Built, built, demos_of
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.demos.selection import Display, Selector, selection_called
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.settings import Settings
from worksmith.retrievers.ranking.covering import covering
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task

_BLOCK = 500
"""The most tasks that are compared with each other."""

_BANK_SHARES = (4, 2, 1)
"""The divisors of the number of training tasks, from the smallest bank to the whole one."""

_TEACHING, _FEW = 0.2, 8
"""The teacher's share of a budget, and the number of tasks that show how many more it lasts for."""

_KINDS = ("nearest", "covering", "random")

_SIZE_SHARES = (1, 2, 4)


def bank_schedule(context: CompileContext) -> list[int]:
    """The number of training tasks that the bank is drawn from in each round.

    The smallest is twice the demonstrations of a prompt, and no round is without a candidate. A prebuilt bank
    is complete at once.
    """
    total, settings = len(context.train), context.settings
    if context.prebuilt_bank is not None:
        return [total]
    sizes = [total // share for share in _BANK_SHARES if share == 1 or total // share >= 2 * settings.demos]
    return sizes[-settings.candidates :]


def bank_rounds(context: CompileContext) -> Iterator[dict[str, Built]]:
    """The candidates that enter a race together: the first from a small bank, then one for each larger one.

    There are at most `settings.candidates` in all. The bank grows when the next round is asked for.
    """
    schedule = bank_schedule(context)
    first = context.settings.candidates - len(schedule) + 1
    for number, bank in enumerate(_growing_bank(context, schedule)):
        drawn = draw_candidates(context, bank, 1 if number else first)
        yield {f"{name}-of-{schedule[number]}" if number else name: drawn[name] for name in drawn}


def _growing_bank(context: CompileContext, schedule: Sequence[int]) -> Iterator[TraceBank]:
    """The bank of each round, with all of the round before; the last one is not empty.

    The tasks that stand for most of the others come first, so that a small bank covers them all.
    """
    if len(schedule) == 1:
        yield context.bank()
        return
    tasks = covering_order(context.train)
    bank = TraceBank(())
    for number, (start, stop) in enumerate(zip([0, *schedule], schedule, strict=False)):
        bank = _grown(context, bank, tasks[start:stop], number)
        yield context.drawn_from(bank, complete=stop == schedule[-1])


def _grown(context: CompileContext, bank: TraceBank, tasks: Sequence[Task], number: int) -> TraceBank:
    teacher = replace(context.teacher, folder=context.teacher.folder / f"round-{number}")
    more = context.taught(tasks, teacher)
    return TraceBank((*bank.demonstrations, *more.demonstrations), (*bank.gaps, *more.gaps))


def thrifty_bank(context: CompileContext) -> TraceBank:
    """The bank of as many training tasks as the teacher's share of the budget lasts for.

    The first ones show the cost of one. Raises as `context.bank` does.
    """
    limits, cost = context.limits, context.teacher.cost
    limited = limits.max_calls or limits.max_tokens
    if context.teacher.free or context.prebuilt_bank is not None or not limited:
        return context.bank()
    tasks = covering_order(context.train)
    bank = _grown(context, TraceBank(()), tasks[:_FEW], 0)
    tokens = cost.prompt_tokens + cost.completion_tokens
    spent = ((limits.max_calls, cost.model_calls), (limits.max_tokens, tokens))
    shares = [_TEACHING * limit / taken for limit, taken in spent if limit and taken]
    last = int(cost.episodes * min(shares, default=0.0))
    return context.drawn_from(_grown(context, bank, tasks[_FEW:last], 1) if last > _FEW else bank)


def covering_order(tasks: Sequence[Task]) -> list[Task]:
    """The tasks in an order in which any number of first ones is near all texts.

    Of more than `_BLOCK` tasks, blocks are drawn at random; their orders are dealt out in turn. The first
    ones of a block are near its texts, and a random block is like the whole. So time grows with the number of
    tasks, and memory does not.
    """
    ordered = sorted(tasks, key=lambda task: task.id)
    blocks = -(-len(ordered) // _BLOCK)
    if blocks > 1:
        rng(0, "covering order").shuffle(ordered)
    orders = [_covering([*ordered[start::blocks]]) for start in range(blocks)]
    return [task for dealt in zip_longest(*orders) for task in dealt if task is not None]


def _covering(tasks: Sequence[Task]) -> list[Task]:
    """One block in that order."""
    index = LexicalIndex({task.id: task.query for task in tasks})
    return [tasks[place] for place in covering(map(index.scores, (task.query for task in tasks)), len(tasks))]


def draw_candidates(
    context: CompileContext,
    bank: TraceBank,
    most: int,
    *,
    kinds: Sequence[str] = _KINDS,
    sizes: Sequence[int] = _SIZE_SHARES,
) -> dict[str, Built]:
    """At most `count` by name, in the order in which they run; fewer if the bank is small.

    Args:
        kinds: the selections, in turn, if the user has not chosen.
        sizes: the divisors of the most demonstrations of a prompt, in turn.

    Raises:
        InputError: the only selection searches, and no input of a predictor holds the task's text.
    """
    found: dict[str, Built] = {}
    seen: set[Hashable] = set()
    predictors = [name for name, _ in context.program.named_predictors()]
    if context.settings.selection:
        kinds = (context.settings.selection,)
    for name, display in _displays(context.settings, bank, kinds, sizes) if len(bank) else ():
        if len(found) == most:
            break
        if display.content in seen:
            continue
        seen.add(display.content)
        demos = dict.fromkeys(predictors, demos_of(display))
        try:
            found[name] = built(Candidate(demonstrations=demos), context.program, bank, context.settings)
        except InputError:
            if len(kinds) == 1:
                raise
    return found


def _displays(
    settings: Settings, bank: TraceBank, kinds: Sequence[str], sizes: Sequence[int]
) -> Iterator[tuple[str, Display]]:
    """Named displays with repeats. A small bank soon offers nothing new, so this ends."""
    pool = Selector.of(bank, settings.demo_unit)
    most = min(settings.demos, len(pool.demonstrations))
    for number in range(2 * settings.candidates):
        restart, place = divmod(number, len(sizes))
        size = -(-most // sizes[place])
        for kind in kinds:
            display = selection_called(kind).choose(pool, size, seed=settings.seed, restart=restart)
            # The nearest are the same in every restart.
            varied = [size] * (len(sizes) > 1) + [restart] * (kind != "nearest")
            yield "-".join(map(str, (kind, *varied))), display
