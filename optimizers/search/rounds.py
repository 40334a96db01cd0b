"""The candidates of a race, round by round: demonstrations and settings, then what sources propose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.digests import program_digest
from worksmith.optimizers.candidates.building import Built, Configurable, built
from worksmith.optimizers.candidates.candidate import DEMONSTRATIONS, Candidate
from worksmith.optimizers.demos.trace_bank import NothingTaughtError, TraceBank
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.choice import sources
from worksmith.optimizers.search.candidates import bank_rounds, draw_candidates
from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    import dspy

    from worksmith.optimizers.optimizer import CompileContext
    from worksmith.optimizers.proposals.source import Source, Standing

INSTRUCTIONS, TOOLS = "instructions", "tools"

_TEMPERATURES = (0.0, 0.7)

_SETTINGS = {"form": "prompt"}
"""Settings of an agent by the part of a program that users name, where these differ."""

MOST_ROUNDS = 8
"""Rounds of proposals, at most."""


@dataclass
class Rounds:
    """What enters a race.

    Attributes:
        adaptive: whether candidates may be made from episodes on dev tasks.
    """

    context: CompileContext
    adaptive: bool

    @property
    def most(self) -> int:
        """The most candidates that nobody looks at dev to make."""
        size = self.context.settings.candidates
        shown = size if DEMONSTRATIONS in self._over else 0
        return shown + len(self._settings) + (0 if self.adaptive else size * len(self._sources))

    def check_pinned(self) -> None:
        """Check that there are such predictors, be it of a strategy that is tried, and such tools.

        Raises:
            InputError: it has not.
        """
        tools = {tool.name for toolkit in self.context.student.env.kind.toolkits for tool in toolkit.tools}
        for name in self.context.settings.pinned:
            if name not in (known := self._predictors | tools):
                raise InputError(
                    f"the program has no predictor or tool {name!r}",
                    where="--pinned",
                    hint=names_instead(name, known),
                )

    def prepared(self, standing: Callable[[], Standing]) -> Iterator[dict[str, Built]]:
        """Rounds of candidates that need no episode on dev, at most `most` in all.

        Args:
            standing: as it is when a round is asked for.
        """
        if self._over == (DEMONSTRATIONS,):
            yield from bank_rounds(self.context)
            return
        size, now = self.context.settings.candidates, standing()
        found = draw_candidates(self.context, now.bank, size) if DEMONSTRATIONS in self._over else {}
        settings = {
            f"{part}-{value}": each for each in self._settings for part, value in each.to_json().items()
        }
        found |= self._built(settings, now)
        for source in () if self.adaptive else self._sources:
            found |= self._built(_named(source, source.propose(now, size), 0), now)
        names = [*found]
        for start in range(0, len(names), size):
            yield {name: found[name] for name in names[start : start + size]}

    def proposed(self, standing: Callable[[], Standing]) -> Iterator[dict[str, Built]]:
        """Rounds of proposals that look at what happened in those before."""
        asked = self._sources if self.adaptive else []
        for number in range(1, 1 + MOST_ROUNDS if asked else 1):
            now, found = standing(), dict[str, Candidate]()
            for place, source in enumerate(asked):
                left = self.context.settings.candidates - len(found)
                share = -(-left // (len(asked) - place))
                known = {each.digest for each in found.values()}
                more = [each for each in source.propose(now, share) if each.digest not in known]
                found |= _named(source, more, number)
            entering = self._built(found, now)
            if not entering:
                return
            yield entering

    @cached_property
    def bank(self) -> TraceBank:
        """The demonstrations that candidates may name; none if nothing is taught and texts may change."""
        try:
            return self.context.bank()
        except NothingTaughtError:
            if {INSTRUCTIONS, TOOLS}.isdisjoint(self._over):
                raise
            return TraceBank(())

    @property
    def _over(self) -> tuple[str, ...]:
        return self.context.settings.over

    @cached_property
    def _sources(self) -> list[Source]:
        context, pinned = self.context, {*self.context.settings.pinned}
        if INSTRUCTIONS not in self._over:
            pinned |= self._predictors
        checks = Checks(context.student.env, context.settings.forbidden, frozenset(pinned))
        found = sources(checks, context.proposer, self._over)
        return [each for each in found if self.adaptive or not each.adaptive]

    @property
    def failed(self) -> int:
        """How many proposals of a model gave no candidate, so far."""
        return sum(source.failed for source in self._sources)

    @cached_property
    def _predictors(self) -> set[str]:
        """The names of the program's predictors, and of those that it has with the settings to try."""
        context = self.context
        tried = (built(each, context.program, TraceBank(()), context.settings) for each in self._settings)
        programs = (context.program, *(each.program for each in tried))
        return {name for each in programs for name, _ in each.named_predictors()}

    @cached_property
    def _settings(self) -> list[Candidate]:
        """The settings to try that the program does not have, and that its model can do with."""
        program, fitting = self.context.program, []
        known = program.alternatives if isinstance(program, Configurable) else {}
        settings = [Candidate(**{name: value}) for name, values in known.items() for value in values]
        settings += [Candidate(temperature=value) for value in _TEMPERATURES]
        wanted = {_SETTINGS.get(part, part) for part in self._over}
        for candidate in (each for each in settings if wanted.issuperset(each.parts)):
            try:
                found = built(candidate, program, TraceBank(()), self.context.settings).program
                if isinstance(found, Configurable):
                    found.check_model(self.context.student.lm)
            except InputError:
                continue
            if self._changes_pinned(found):
                continue
            if program_digest(found) != program_digest(program):
                fitting.append(candidate)
        return fitting

    def _changes_pinned(self, program: dspy.Module) -> bool:
        """Whether a strategy has another text in the place of one that is pinned."""
        own = {name: each.signature.instructions for name, each in self.context.program.named_predictors()}
        return any(
            each.signature.instructions != own.get(name, each.signature.instructions)
            for name, each in program.named_predictors()
            if name in self.context.settings.pinned
        )

    def _built(self, candidates: Mapping[str, Candidate], standing: Standing) -> dict[str, Built]:
        """The programs of candidates; one whose demonstrations do not fit its strategy makes none."""
        found = {}
        for name, candidate in candidates.items():
            try:
                found[name] = built(candidate, self.context.program, standing.bank, self.context.settings)
            except InputError:
                continue
        return found


def _named(source: Source, candidates: Sequence[Candidate], number: int) -> dict[str, Candidate]:
    return {f"{source.name}-{number}-{place}": each for place, each in enumerate(candidates)}
