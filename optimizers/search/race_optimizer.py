"""One race over everything that can be compiled: demonstrations, texts, and settings of the program.

How a race decides is in `worksmith.optimizers.racing.race`, what enters it in
`worksmith.optimizers.search.rounds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from worksmith.evals.records.record import PRIMARY
from worksmith.optimizers.candidates.building import Built, Configurable
from worksmith.optimizers.candidates.candidate import INSTRUCTIONS, TOOLS
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.racing.race import race
from worksmith.optimizers.racing.rules import IncumbentLostError, Rules
from worksmith.optimizers.search.candidates import bank_rounds
from worksmith.optimizers.search.rounds import MOST_ROUNDS, Rounds
from worksmith.optimizers.search.track import Track
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.tools.errors import InputError

_OF_AGENTS = frozenset(("form", "strategy", "toolset"))
"""Parts that only agents have; descriptions of tools are among the defaults of all programs."""


class Race(Teleprompter):
    """Candidates and the program as it is meet on dev in blocks; the winner must beat the latter.

    With more than demonstrations in `over`, candidates come in rounds: each looks at what failed in those
    before, and the winner is tested on a sealed part of dev. With `accept="best"` nothing is tested.

    Example:
        >>> race = ws.Race(budget=ws.Budget(minutes=5))
        >>> better = race.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen != "uncompiled"
        True
    """

    name = "race"
    takes_bank = selects = races = may_propose = True
    thorough: ClassVar[bool] = False
    """Whether every candidate runs all dev tasks."""

    @property
    def adaptive(self) -> bool:
        return len(self.settings.over) > 1 or not {INSTRUCTIONS, TOOLS}.isdisjoint(self.settings.over)

    @property
    def foretold(self) -> bool:
        return not self.adaptive

    def candidates(self, context: CompileContext) -> Iterator[Mapping[str, Built]]:
        """Candidates that show demonstrations, round by round; at most `settings.candidates` in all."""
        return bank_rounds(context)

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most a teacher episode a training task; every dev task for each candidate and the program.

        With several parts also for the winner without each of its parts.
        """
        rounds = self._rounds(context)
        # With too few intents to seal some, even an adaptive race looks at no dev episode.
        arms = replace(rounds, adaptive=False).most
        if self.adaptive:
            arms = max(arms, MOST_ROUNDS * context.settings.candidates) + rounds.most_parts
            arms += len(rounds.without_parts)
        return {"teacher": len(context.train), "dev": len(context.dev) * (1 + arms)}

    def max_proposals(self, context: CompileContext) -> int:
        return self._rounds(context).most_questions

    def check(self, context: CompileContext) -> None:
        if TOOLS in context.settings.over and context.proposer is None:
            raise InputError(
                "a model writes descriptions of tools, and no model is named",
                where="--over tools",
                hint="name --proposer",
            )
        over, program = {*context.settings.over}, context.program
        if not isinstance(program, Configurable) and (over == {TOOLS} or over & _OF_AGENTS):
            raise InputError(
                f"a {type(program).__name__} is not an agent of worksmith",
                where=f"--over {min(over & _OF_AGENTS, default=TOOLS)}",
                hint="it has demonstrations, instructions and temperature",
            )
        self._rounds(context).check_pinned()

    def _rounds(self, context: CompileContext) -> Rounds:
        return Rounds(context, self.adaptive, self.candidates)

    def search(self, context: CompileContext) -> Compiled:
        """Compile.

        Raises:
            InputError: the runner refuses.
            NothingTaughtError: no training task gave a demonstration, and nothing else is to change.
            IncumbentLostError: the program as it is lost too many episodes for a comparison.
        """
        if (maximize := context.settings.maximize) != PRIMARY:
            context.say(f"programs are compared by {maximize}")
        how = replace(rules(context.settings), thorough=self.thorough)
        track = Track(context, self._rounds(context), how)
        try:
            track.measure_parts()
            found = race(
                track.rounds(),
                track.intents,
                track.run,
                track.rules,
                most=track.most,
                sealed=track.sealed,
                on_block=track.note,
                bounds=track,
                left=track.left,
                cost=track.cost,
                without_parts=track.without_parts,
            )
        except BudgetSpentError:
            # An accepted arm holds at any time; before the first block there is no accepted one.
            if track.standing is None:
                raise
            track.standing.check()
            found = track.standing
        except IncumbentLostError as error:
            raise IncumbentLostError(error.loss, why=track.first_error) from error
        context.say(f"the race ended: {track.said(found)}")
        if failed := track.failed:
            context.say(f"proposed texts of no use (none, repeated, too long, forbidden): {failed}")
        return track.compiled(found)


def rules(settings: Settings) -> Rules:
    return Rules(alpha=settings.alpha, margin=settings.margin)
