"""The cost of a compile in calls, tokens, dollars and minutes, from a rehearsal of it.

Where models cost nothing, a few episodes of each program are run. A paid model is asked only in a sample.
Otherwise the gold plans' engine stands in for it: its prompts are the same, its steps are those of a model
that makes no mistake, and its tokens are guessed by length.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample
from worksmith.evals.lm.prices import free, prices_in_use
from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.evals.tasks.transcript import GOLD
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.rehearsal import BilledModels, Rehearsal, Rehearsed, rehearse
from worksmith.optimizers.cost.sampling import Ledger
from worksmith.optimizers.cost.spending import Spent
from worksmith.optimizers.demos.trace_bank import NothingTaughtError
from worksmith.optimizers.registry import optimizer
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import dspy
    from dspy import lm15

    from worksmith.evals.progress.progress import Progress
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.compiling.plan import Plan
    from worksmith.optimizers.optimizer import CompileContext, Optimizer

SAMPLED = 32
"""Episodes that a dry run runs of free models in all, at least `_EACH` of each program."""

_EACH = 8

_CHARACTERS = 4
"""Of a token, about."""


@dataclass(frozen=True)
class Forecast:
    """The cost of a compile.

    Attributes:
        expected: None if only the maximum can be told: it depends on the proposals of a model or on its
            learning.
        minutes: None if no model was asked that could be timed.
        sampled: episodes of the student that were run.
        measured: whether they asked the models themselves.
        priced: whether the prices of all models are known.
        episodes: the most episodes of the compile.
        programs: the most programs that are measured on dev.
    """

    expected: Spent | None
    at_most: Spent
    minutes: float | None
    sampled: int
    measured: bool
    priced: bool
    episodes: int
    programs: int

    def to_json(self) -> dict[str, Any]:
        return {
            "measured": self.measured,
            "sampled_episodes": self.sampled,
            "expected": None if self.expected is None else self._json(self.expected),
            "at_most": self._json(self.at_most),
            "minutes": None if self.minutes is None else round(self.minutes, 2),
        }

    def _json(self, spent: Spent) -> dict[str, Any]:
        usd = round(spent.usd, 4) if self.priced else None
        return {"model_calls": round(spent.calls), "used_tokens": round(spent.tokens), "usd": usd}


class _Guessing(ProxyEngine):
    """Guesses the tokens of each reply."""

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        """The reply with a guess at its tokens."""
        from dspy.lm15 import Usage

        response = self.ask(request, sample)
        shown = [str(request.system or ""), *(message.text or "" for message in request.messages)]
        prompt = sum(map(len, shown)) + sum(len(str(tool)) for tool in request.tools or ())
        said = len(response.message.text or "")
        return replace(response, usage=Usage(prompt // _CHARACTERS, said // _CHARACTERS))


def forecast_facts(plan: Plan, sample: int | None, progress: Progress) -> dict[str, Any] | None:
    """The forecast of `plan` as JSON-able data, with the limits that its budget will probably reach.

    Args:
        sample: see `forecast_of`.
    """
    if sample is not None and (cost := _sample_at_most(plan, sample)):
        progress.say(f"the sample takes {cost} at most, by guess")
    found = forecast_of(plan, sample)
    if found is None:
        progress.say("its cost is unknown: the suite has no gold plans; --sample N asks the models")
        return None
    if not found.measured:
        progress.say("the forecast is not measured: no paid model was asked; --sample N asks them")
    return {**found.to_json(), **_reached(plan, found)}


def _reached(plan: Plan, found: Forecast) -> dict[str, Any]:
    """The limits that the budget will probably reach, if there is one."""
    if plan.budget is None:
        return {}
    spent, minutes = found.expected or found.at_most, found.minutes or 0.0
    will = {
        "max_calls": spent.calls,
        "max_tokens": spent.tokens,
        "max_usd": spent.usd,
        "max_minutes": minutes,
    }
    return {"reaches": [name for name, limit in plan.budget.limits.given.items() if will[name] > limit]}


def forecast_of(plan: Plan, sample: int | None = None) -> Forecast | None:
    """The forecast of `plan`; None if nothing can replace a paid model.

    Args:
        sample: episodes of each program in which paid models are asked; None for no request.
    """
    plan = replace(plan, budget=None)
    student, teacher = plan.lm.lm, plan.teacher.lm
    billed = BilledModels(model_name(student), model_name(teacher))
    asked = all(map(free, billed)) or sample is not None
    job, episodes = plan.context(), plan.max_episodes()
    proposals = plan.optimizer.max_proposals(job)
    taught = episodes.get("teacher", 0)
    others = sum(episodes.values()) - taught
    programs, prices = max(1, others // max(1, len(job.dev))), prices_in_use()
    begins = _rehearsed(plan.optimizer, teaches="teacher" in episodes)
    with tempfile.TemporaryDirectory() as folder:
        store = ReplyStore(Path(folder) / "replies.jsonl")
        try:
            if not free(billed.student):
                student = _gold(plan) if sample is None else student
            lm = teacher if free(billed.teacher) else _gold(plan)
        except InputError:
            return None
        found = rehearse(
            replace(job, student=replace(job.student, lm=student), teacher=replace(job.teacher, lm=lm)),
            begins,
            billed=billed,
            sample=sample or max(_EACH, SAMPLED // programs),
            prices=prices,
        )
        if sample is not None and not free(billed.teacher) and found.teacher.sampled:
            found = _with_taught(found, job, _kept(teacher, store), Path(folder), sample)
        store.close()
    whole = plan.optimizer.foretold
    expected = found.student.spent + found.teacher.spent if whole else None
    return Forecast(
        expected=expected,
        at_most=_at_most(found, taught, others) + Spent(calls=proposals),
        minutes=found.seconds / 60 if whole and asked else None,
        sampled=found.student.sampled,
        measured=asked,
        # A proposer's tokens are not forecast, so neither are dollars.
        priced=whole and all(prices.price(name) is not None for name in billed),
        episodes=taught + others,
        programs=programs,
    )


def _sample_at_most(plan: Plan, sample: int) -> str:
    """The maximal cost of a sample of paid models, in words; empty if it is unknown or no model is paid."""
    if free(model_name(plan.lm.lm)) and free(model_name(plan.teacher.lm)):
        return ""
    guess = forecast_of(plan)
    if guess is None:
        return ""
    share = min(1.0, sample * (guess.programs + 1) / guess.episodes)
    took = Spent(*(value * share for value in guess.at_most.values))
    usd = f"{took.usd:.4f} dollars" if guess.priced else "an unknown number of dollars"
    return f"{took.calls:.0f} model calls, {took.tokens:.0f} tokens and {usd}"


def _kept(lm: dspy.LM, store: ReplyStore) -> dspy.LM:
    """The model asked as a compile asks it, so that DSPy's cache has the replies when the compile comes."""
    return RememberingEngine(lm, store).installed()


def _with_taught(found: Rehearsal, job: CompileContext, lm: dspy.LM, folder: Path, sample: int) -> Rehearsal:
    """With the teacher's cost by its own episodes; the gold plans taught in its place."""
    taught = Ledger(found.teacher.model, found.teacher.prices)
    rollouts = Rehearsed(
        job.teacher.env, lm, folder, workers=job.teacher.workers, ledger=taught, sample=sample
    )
    rollouts(job.program, _evenly(job.train, found.teacher.sampled), name="teacher")
    taught.sampled = found.teacher.sampled
    return replace(found, teacher=taught, seconds=found.seconds + taught.seconds)


def _evenly(tasks: Sequence[Task], count: int) -> list[Task]:
    return [tasks[place * len(tasks) // count] for place in range(min(count, len(tasks)))]


def _rehearsed(chosen: Optimizer, *, teaches: bool) -> Callable[[CompileContext], Any]:
    """The optimizer; of one that has instructions proposed or weights trained, its first programs."""
    if chosen.foretold:
        return chosen.search

    def begin(job: CompileContext) -> Any:
        job = replace(job, settings=replace(job.settings, candidates=1))
        try:
            return optimizer("bootstrap" if teaches else "none").search(job)
        except NothingTaughtError:
            return optimizer("none").search(job)  # these optimizers do without demonstrations

    return begin


def _at_most(found: Rehearsal, taught: int, others: int) -> Spent:
    """All episodes that there may be, each as dear as those of the dearest program.

    Args:
        taught: the teacher's; `others` are the rest.
    """
    dear, lesson, number = found.student.dearest, found.teacher.spent, max(1, found.teacher.sampled)
    most = Spent(*(others * each for each in dear.values))
    # Programs differ, and the dearest in tokens need not be the dearest in calls.
    most = Spent(*map(max, most.values, found.student.spent.values))
    return most + Spent(*(taught * each / number for each in lesson.values))


def _gold(plan: Plan) -> dspy.LM:
    return _Guessing(resolve(GOLD, tasks=plan.suite.tasks)).installed()
