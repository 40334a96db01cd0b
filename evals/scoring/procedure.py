"""Whether an episode keeps the rules for its course, see `worksmith.tools.procedure`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.entries import FaultEntry
from worksmith.tools.dispatch import as_text
from worksmith.tools.user import named

if TYPE_CHECKING:
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import CallRecord, EpisodeResult
    from worksmith.tools.procedure import ProcedureRule

PROCEDURE = "procedure"
"""The score: 1 if an episode keeps all rules, else 0."""


class ProcedureScorer:
    """Gives `procedure` to the episodes of tasks that have rules: their own, and those of the environment."""

    score_names = frozenset({PROCEDURE})
    digest = "procedure/1"

    def __init__(self, rules: Sequence[ProcedureRule]) -> None:
        self._rules = tuple(rules)

    def __call__(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        bound = self._rules or task.procedure
        return {PROCEDURE: float(not self.broken(task, episode))} if bound else {}

    def broken(self, task: Task, episode: EpisodeResult) -> tuple[FaultEntry, ...]:
        """The rules that an episode breaks, each with the number of the first call that does."""
        found = []
        for rule in (*self._rules, *task.procedure):
            step = next(_breaks(rule, episode.calls), None)
            if step is not None:
                message = f"{rule}{f' ({rule.why})' if rule.why else ''}"
                found.append(FaultEntry(kind=PROCEDURE, step=step, detail=message))
        return tuple(found)


def broken_rules(scorers: Iterable[Scorer], task: Task, episode: EpisodeResult) -> tuple[FaultEntry, ...]:
    """The rules that an episode breaks, as far as a scorer knows them."""
    knowing = (scorer for scorer in scorers if isinstance(scorer, ProcedureScorer))
    return tuple(chain.from_iterable(scorer.broken(task, episode) for scorer in knowing))


def _breaks(rule: ProcedureRule, calls: Sequence[CallRecord]) -> Iterator[int]:
    """The numbers, from 1, of the calls that break a rule. A call that failed or was denied did nothing."""
    done = [(number, call) for number, call in enumerate(calls, 1) if call.observation.status == "ok"]
    bound = [(number, call) for number, call in done if call.tool == rule.tool]
    if rule.at_most is not None:
        yield from (number for number, _ in bound[rule.at_most :])
    elif rule.never_with:
        others = [number for number, call in done if call.tool == rule.never_with]
        if bound and others:
            yield max(bound[0][0], others[0])
    else:
        after = 0
        for number, call in bound:
            before = (other for place, other in done if after < place < number and other.tool == rule.needs)
            if not any(_serves(rule, call, other) for other in before):
                yield number
            after = number if rule.each else 0


def _serves(rule: ProcedureRule, call: CallRecord, needed: CallRecord) -> bool:
    """Whether a call of the needed tool satisfies the rule for a bound call."""
    alike = all(
        _argument(call, ours) is not None and _argument(call, ours) == _argument(needed, theirs)
        for ours, theirs in rule.same.items()
    )
    values = [call.arguments.get(name) for name in rule.named]
    texts = [str(each) for value in values for each in (value if isinstance(value, list) else [value])]
    alike = alike and all(named("\n".join(map(str, needed.arguments.values())), texts))
    return alike and (not rule.reply or _plain(needed.observation.value) == _plain(rule.reply))


def _plain(reply: Any) -> str:
    return as_text(reply).strip(' ".\n').casefold()


def _argument(call: CallRecord, name: str) -> Any:
    value = call.arguments.get(name) if isinstance(call.arguments, dict) else None
    return None if value is None else str(value)
