"""One race as it runs: the candidates that entered, their episodes, and the rest of the budget.

In each block all arms run at once. Each block of a candidate has its own episode log, named after the
candidate and the block's number. An interrupted race goes on with the first missing episode: finished ones
lead to the same decisions again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.groups import dealt, intent_or_task
from worksmith.evals.records.summary import interval_json, summarize
from worksmith.evals.running.result import EvalResult
from worksmith.evals.scoring.constraints import broken, lost
from worksmith.evals.statistics.optimism import corrected_maximum
from worksmith.optimizers.candidates.building import Built, built
from worksmith.optimizers.candidates.candidate import AS_IT_IS
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.cost.spending import Spent
from worksmith.optimizers.optimizer import CompileContext, Compiled, Milestone
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.racing.race import final_episodes, search_episodes
from worksmith.optimizers.racing.rules import INCUMBENT, Arm, RaceOutcome, Rules, Scores, sealed_intents
from worksmith.optimizers.racing.worth import lead, worth
from worksmith.optimizers.rollouts import ProgramTasks
from worksmith.optimizers.search.rounds import Rounds
from worksmith.optimizers.trial import Trial, episode_score, mean_tokens

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task

_FINAL = 0.45
"""The share of the episodes that a budget lasts for which is kept for the final, at most."""

_MEASURED = 0.5
"""The share of them in which the parts of a program that was compiled before may be measured."""


def dev_order(tasks: Sequence[Task], seed: int) -> list[list[Task]]:
    """The intents in the order in which all arms meet them, each with all its dev tasks."""
    by_id = {task.id: task for task in tasks}
    return [[by_id[name] for name in names] for names in dealt(((t.id, t.intent) for t in tasks), seed)]


class Track:
    """Makes the candidates, runs the blocks and keeps their episodes.

    Attributes:
        intents: how many dev tasks each intent has, in the order in which they are dealt.
        sealed: how many of the last ones no arm meets before the final.
        most: the most candidates that are made without dev.
        rules: of the race.
        standing: the race as it stands; None before the first block.
    """

    def __init__(self, context: CompileContext, rounds: Rounds, rules: Rules) -> None:
        self._context = context
        self.rules = rules
        self._started = time.perf_counter()
        dealt = dev_order(context.dev, context.settings.seed)
        self.intents = [len(tasks) for tasks in dealt]
        self._tasks = [task for tasks in dealt for task in tasks]
        self._best = context.settings.accept == "best"
        sealed = sealed_intents(len(dealt), context.settings.alpha)
        self._rounds = replace(rounds, adaptive=rounds.adaptive and (self._best or sealed > 0))
        self.sealed = sealed if self._rounds.adaptive and not self._best else 0
        self.most = self._rounds.most
        self._results: dict[str, list[EvalResult]] = {INCUMBENT: []}
        self._entries = {INCUMBENT: Built(context.program)}
        # Episodes on all dev tasks, of those that were run before the race.
        self._measured: dict[str, EvalResult] = {}
        self._path: list[Milestone] = []
        self.standing: RaceOutcome | None = None

    def measure_parts(self) -> None:
        """Run a program that was compiled before on all dev tasks, and without each part if there is room.

        The race takes these episodes where arms meet the tasks, and looks at no others.
        """
        context, parts = self._context, self._rounds.without_parts
        if context.undo is None:
            return
        context.say(f"before the race: {', '.join(['the program as it is', *parts])}")
        self._measure(self._entries)
        if len(parts) * len(self._tasks) > _MEASURED * self.left():
            context.say("the budget has no room to measure the program without each of its parts")
        elif parts:
            self._measure(parts)

    def _measure(self, programs: Mapping[str, Built]) -> None:
        runs = {f"dev-{name}": ProgramTasks(each.program, self._tasks) for name, each in programs.items()}
        found = self._context.student.together(runs)
        self._measured |= {name: found[f"dev-{name}"] for name in programs}

    def rounds(self) -> Iterator[Sequence[str]]:
        """Names of candidates that enter together, while the budget has room for them and the final."""
        for number, entering in enumerate(self._rounds.entering(self._now)):
            free = not number or not self._rounds.adaptive or self._measured.keys() >= entering.keys()
            programs = entering if free else self._with_room(entering)
            if entering and not programs:
                self._context.say("the budget has no room for a further round")
                return
            self._entries |= programs
            self._results |= {name: [] for name in programs}
            told = [
                f"{name} ({', '.join(parts)})" if (parts := each.candidate.parts) else name
                for name, each in programs.items()
            ]
            self._context.say(f"round {number}: {', '.join(told) or 'the program as it is'}")
            yield list(programs)

    def run(self, wanted: Mapping[str, range]) -> dict[str, Scores]:
        fresh = {name: places for name, places in wanted.items() if name not in self._measured}
        logs = {name: f"race-{name}-{len(self._results[name]):03}" for name in fresh}
        runs = {
            logs[name]: ProgramTasks(self._entries[name].program, self._tasks[places.start : places.stop])
            for name, places in fresh.items()
        }
        results = self._context.student.together(runs) if runs else {}
        for name, places in wanted.items():
            if (known := self._measured.get(name)) is None:
                self._results[name].append(results[logs[name]])
            else:
                met = known.records[places.start : places.stop]
                self._results[name].append(replace(known, records=met, resumed=0, seconds=0.0))
        return {name: self._scores(self._results[name][-1].records) for name in wanted}

    def _scores(self, records: Sequence[EpisodeRecord]) -> list[float | None]:
        return [self._score(record) for record in records]

    def _score(self, record: EpisodeRecord) -> float | None:
        return episode_score(record, self._context.settings.maximize)

    def lost(self, name: str) -> str:
        met = self._met(name)
        return lost(self._context.settings.constraints, met, len(self._tasks) - len(met))

    def kept(self, name: str) -> bool:
        return not broken(self._context.settings.constraints, self._met(name))

    def cost(self, name: str) -> float:
        return mean_tokens(self._met(name))

    def without_parts(self, found: RaceOutcome) -> Sequence[str]:
        """Make the winner without each of its parts, if there are several and the budget lasts for them."""
        winner = self._entries[found.winner].candidate
        parts = {f"{found.winner} without {part}": part for part in winner.parts}
        tasks = sum(self.intents) - found.first_compared
        if not self._rounds.adaptive or len(parts) < 2 or self.left() < tasks * (len(parts) + 2):
            return ()
        context = self._context
        for name, part in parts.items():
            self._entries[name] = built(
                winner.without(part), context.program, self._rounds.bank, context.settings
            )
            self._results[name] = []
        return list(parts)

    def note(self, standing: RaceOutcome) -> None:
        self.standing, name = standing, standing.winner
        if not self._path or self._path[-1].chosen != name:
            calls = self._context.teacher.cost.model_calls + self._context.student.cost.model_calls
            seconds = time.perf_counter() - self._started
            self._path.append(Milestone(name, self._entries[name].program, calls, seconds))

    @property
    def first_error(self) -> str:
        """Of the lost episodes of the program as it is."""
        lost = (record.error for record in self._met(INCUMBENT) if not record.graded and record.error)
        return next(lost, "")

    @property
    def failed(self) -> int:
        """How many texts were proposed that could not be tried."""
        return self._rounds.failed

    @property
    def _untested(self) -> bool:
        """Whether evidence is void: the candidates were made from its own episodes."""
        return self._best and self._rounds.adaptive

    def said(self, found: RaceOutcome) -> str:
        if not self._untested:
            return found.said
        best = self._best_arm(found)
        if best.name == INCUMBENT:
            return "no candidate did better on dev than the program as it is"
        return f"{best.name} did best on dev; no test was made"

    def compiled(self, found: RaceOutcome) -> Compiled:
        chosen = self._best_arm(found).name if self._best else found.winner
        gains = {name: interval_json(gain) for name, gain in worth(found).items()}
        ran = [name for name in found.arms if self._results[name]]
        reports = {name: found.report(name) for name in ran}
        if self._untested:
            reports = {name: {fact: reports[name][fact] for fact in ("met", "left")} for name in ran}
            reports[INCUMBENT] |= {"verdict": "not tested", "said": self.said(found)}
        if len(gains) > 1:
            reports[found.winner] |= {"gains": gains}
        if worths := self._worths():
            reports[INCUMBENT] |= {"gains": worths}
        if optimism := self._optimism(chosen):
            reports[chosen] |= {"optimism": optimism}
        winner = self._entries[chosen]
        # A race that is derived again does not take the same time.
        told = self._rounds.adaptive or self._measured
        limits = replace(self._context.limits, max_minutes=None) if told else Limits()
        return Compiled(
            winner.program,
            winner.demonstrations,
            tuple(self._trial(name, reports[name]) for name in ran),
            chosen,
            self._context.reasons,
            tuple(self._path),
            candidate=winner.candidate,
            limits=limits,
        )

    def _worths(self) -> dict[str, Any]:
        """The lead of the program as it is over itself without each part that it was compiled with before."""
        scores = {name: self._scores(found.records) for name, found in self._measured.items()}
        return {
            name: interval_json(lead(scores[INCUMBENT], each, self.intents))
            for name, each in scores.items()
            if name != INCUMBENT
        }

    def _optimism(self, chosen: str) -> dict[str, float]:
        """The dev score of the best of several, and the expected score of such a choice on other intents.

        Empty where it is not known: most candidates of a race leave before they have met all tasks.
        """
        whole = {name: self._met(name) for name in self._results}
        whole = {name: met for name, met in whole.items() if len(met) == len(whole[chosen])}
        if not self.rules.thorough or chosen == INCUMBENT or len(whole) < 3:
            return {}
        scores = [{each.task_id: self._score(each) or 0.0 for each in met} for met in whole.values()]
        groups = {each.task_id: intent_or_task(each.intent, each.task_id) for each in whole[chosen]}
        corrected = corrected_maximum(scores, groups, seed=self._context.settings.seed)
        dev = fmean(self._score(each) or 0.0 for each in whole[chosen])
        return {} if math.isnan(corrected) else {"dev": round(dev, 6), "corrected": round(corrected, 4)}

    def _met(self, name: str) -> list[EpisodeRecord]:
        return [record for block in self._results[name] for record in block.records]

    def _now(self) -> Standing:
        """The race as proposals see it."""
        best = INCUMBENT if self.standing is None else self._best_arm(self.standing).name
        records = {name: self._met(name) for name in self._results}
        graded = {
            name: {each.task_id: score for each in some if (score := self._score(each)) is not None}
            for name, some in records.items()
        }
        tried = {name: each.candidate for name, each in self._entries.items() if name != INCUMBENT}
        return Standing(
            program=self._context.program,
            best=self._entries[best].candidate,
            best_program=self._entries[best].program,
            tried=tried,
            scores=graded,
            records=records,
            tasks={task.id: task for task in self._tasks},
            bank=self._rounds.bank,
            undo=self._context.undo or AS_IT_IS,
            seed=self._context.settings.seed,
            round=len(tried),
        )

    def _best_arm(self, found: RaceOutcome) -> Arm:
        """The arm that leads: of those that have met most tasks the one with the best mean."""
        plain = found.arms[INCUMBENT]
        able = [
            arm
            for name, arm in found.arms.items()
            if arm.scores and not arm.out and not arm.loses(found.rules) and self.kept(name)
        ]
        ahead = [arm for arm in able if arm is not plain and (plain not in able or arm.above(plain))]
        return max(ahead, key=lambda arm: (len(arm.scores), arm.mean, -self.cost(arm.name)), default=plain)

    def _with_room(self, entering: Mapping[str, Built]) -> dict[str, Built]:
        """As many of the first ones as the budget has room for before the final.

        Without a final the first candidate of all enters anyway: it may take far less than the program as it
        is, which may go on until its last step.
        """
        left = self.left()
        if left < math.inf and self.sealed:
            whole = left + self._ran
            left -= final_episodes(self.intents, self.sealed, self.rules, _FINAL * whole)
        names = list(entering)
        least = int(not self.sealed and self._entries.keys() == {INCUMBENT})
        of = (self.intents, self.sealed, self.rules)
        while len(names) > least and search_episodes(len(names), *of) > left:
            del names[-1]
        return {name: entering[name] for name in names}

    def left(self) -> float:
        """For how many more episodes the budget lasts.

        It follows from records alone, so that a race which is resumed or derived again decides alike. Before
        the final none of sealed intents tells it: what is tested on these is settled without them.
        """
        context, opened = self._context, sum(self.intents[: len(self.intents) - self.sealed])
        # The cost of a candidate predicts the next one better than that of the program as it is.
        candidates = [] if self.sealed else [name for name in self._results if name != INCUMBENT]
        likely = self._raced_by(candidates)
        rest = [record for found in self._measured.values() for record in found.records[:opened]]
        rest += self._raced_by(name for name in self._results if name not in candidates)
        if not likely:
            likely, rest = rest, []
        if not likely:
            return math.inf
        asked = 0 if context.teacher.free else context.teacher.cost.model_calls
        proposed = context.proposer.meter.calls if context.proposer else 0
        others = Spent(asked + proposed) + self._spent(rest)
        room = len(likely) * context.limits.room(self._spent(likely), others)
        return max(0.0, room - (self._ran - len(likely) - len(rest)))

    def _spent(self, records: Iterable[EpisodeRecord]) -> Spent:
        model, prices = self._context.student.model, self._context.prices
        return sum((Spent.without_cache(each, model, prices) for each in records), Spent())

    @property
    def _raced(self) -> list[EpisodeRecord]:
        """The episodes of the race itself."""
        return self._raced_by(self._results)

    def _raced_by(self, names: Iterable[str]) -> list[EpisodeRecord]:
        return [each for name in names if name not in self._measured for each in self._met(name)]

    @property
    def _ran(self) -> int:
        """How many episodes were run so far."""
        return len(self._raced) + len(self._measured) * len(self._tasks)

    def _trial(self, name: str, report: dict[str, Any]) -> Trial:
        blocks = [self._measured[name]] if name in self._measured else self._results[name]
        records = tuple(record for block in blocks for record in block.records)
        result = replace(
            blocks[0],
            records=records,
            summary=summarize(records, seed=blocks[0].seed),
            resumed=sum(block.resumed for block in blocks),
            seconds=sum(block.seconds for block in blocks),
        )
        return Trial.of(name, result, self._entries[name].demonstrations, self._context.settings, report)
