"""The candidates of a race, round by round: demonstrations and settings, then what sources propose."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.digests import program_digest
from worksmith.optimizers.candidates.building import Built, Configurable, built
from worksmith.optimizers.candidates.candidate import DEMONSTRATIONS, INSTRUCTIONS, TOOLS, Candidate
from worksmith.optimizers.candidates.undoing import taken_off
from worksmith.optimizers.demos.trace_bank import NothingTaughtError, TraceBank
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.choice import sources
from worksmith.optimizers.search.candidates import bank_rounds, draw_candidates, thrifty_bank
from worksmith.tools.errors import InputError, unknown

if TYPE_CHECKING:
    import dspy

    from worksmith.optimizers.optimizer import CompileContext
    from worksmith.optimizers.proposals.source import Source, Standing

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
        shown: gives the candidates of a race over demonstrations alone.
    """

    context: CompileContext
    adaptive: bool
    shown: Callable[[CompileContext], Iterator[Mapping[str, Built]]] = bank_rounds

    @property
    def most(self) -> int:
        """The most candidates that are made without dev."""
        size = self.context.settings.candidates
        shown = size if DEMONSTRATIONS in self._over else 0
        others = 0 if self.adaptive else size * len(self._sources) + len(self.without_parts)
        return shown + len(self._settings) + others

    @property
    def most_parts(self) -> int:
        """The most parts that a candidate may change."""
        texts = len(self._predictors) * (INSTRUCTIONS in self._over)
        if TOOLS in self._over:
            texts += sum(1 + len(each.arguments) for each in self.context.student.env.kind.tools.values())
        return texts + len({*self._over} - {INSTRUCTIONS, TOOLS})

    @property
    def most_questions(self) -> int:
        """How often the sources may ask their model. A text of no use gives its turn to the next source."""
        asking = [source for source in self._sources if isinstance(source, Asking)]
        times = sum(MOST_ROUNDS * len(self._predictors) if each.adaptive else 1 for each in asking)
        return self.context.settings.candidates * times

    def check_pinned(self) -> None:
        """Check that these predictors, perhaps of a tried strategy, and tools exist."""
        tools = self.context.student.env.kind.tools
        for name in self.context.settings.pinned:
            if name not in (known := [*sorted(self._predictors), *tools]):
                raise unknown("the program has no predictor or tool", name, known, "--pinned")

    def entering(self, standing: Callable[[], Standing]) -> Iterator[Mapping[str, Built]]:
        """The candidates that enter together, round by round.

        First those that remove earlier compiled parts. Where candidates are made from episodes, the
        program as it is comes before them, alone: proposals start from its failures. Then sources take turns;
        candidates that need no episode count as one of them.

        Args:
            standing: as it is when a round is asked for.
        """
        if self._over == (DEMONSTRATIONS,):
            with suppress(*(() if self._needs_bank else (NothingTaughtError,))):
                yield from filter(None, chain([self.without_parts], self.shown(self.context)))
            return
        size, prepared = self.context.settings.candidates, self._prepared(standing())
        if not self.adaptive:
            found = list((self.without_parts | self._built(prepared, standing().bank)).items())
            yield from (dict(found[start : start + size]) for start in range(0, len(found), size))
            return
        yield {}
        if self.without_parts:
            yield self.without_parts
        shown = next((each for each in prepared.values() if each.demonstrations), Candidate())
        waiting, turns = iter(prepared.items()), deque(self._turns)
        for number in range(1, MOST_ROUNDS + 1):
            now, entering = standing(), dict[str, Candidate]()
            for place, source in enumerate(turns):
                share = -(-(size - len(entering)) // (len(turns) - place))
                if source is None:
                    entering |= islice(waiting, share)
                    continue
                known = {each.digest for each in entering.values()}
                more = [each for each in source.propose(now, share) if each.digest not in known]
                if number == 1:
                    more[1::2] = [shown.joined(each) for each in more[1::2]]
                entering |= _named(source, more, number)
            if not (programs := self._built(entering, now.bank)):
                return
            yield programs
            turns.rotate(1)

    def _prepared(self, now: Standing) -> dict[str, Candidate]:
        """The candidates that need no episode on dev, at most `most` in all."""
        size = self.context.settings.candidates
        drawn = draw_candidates(self.context, now.bank, size) if DEMONSTRATIONS in self._over else {}
        shown = [(name, each.candidate) for name, each in drawn.items()]
        settings = [
            (f"{part}-{value}", each) for each in self._settings for part, value in each.to_json().items()
        ]
        found = dict(each for pair in zip_longest(shown, settings) for each in pair if each)
        for source in (each for each in self._sources if not each.adaptive):
            found |= _named(source, source.propose(now, 1 if self.adaptive else size), 0)
        return found

    @cached_property
    def without_parts(self) -> dict[str, Built]:
        """The program as it is without each part that it was compiled with before, unless that is pinned."""
        pinned, context = {*self.context.settings.pinned}, self.context
        parts = taken_off(context.undo, context.program) if context.undo else {}
        free = {n: each for n, each in parts.items() if pinned.isdisjoint((*each.instructions, *each.tools))}
        return self._built(free, TraceBank(()))

    @cached_property
    def bank(self) -> TraceBank:
        """The demonstrations that candidates may name; empty if nothing is taught and none is needed."""
        try:
            return thrifty_bank(self.context) if self.adaptive else self.context.bank()
        except NothingTaughtError:
            if self._needs_bank:
                raise
            return TraceBank(())

    @property
    def _needs_bank(self) -> bool:
        """Whether all candidates have demonstrations."""
        return {INSTRUCTIONS, TOOLS}.isdisjoint(self._over) and not self.without_parts

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

    @property
    def _turns(self) -> list[Source | None]:
        """The sources in the order of the first round; None stands for candidates that need no episode."""
        return [None, *(source for source in self._sources if source.adaptive)]

    @cached_property
    def _settings(self) -> list[Candidate]:
        """The settings to try that the program does not have, and that its model can do with."""
        program, fitting = self.context.program, []
        known = program.alternatives if isinstance(program, Configurable) else {}
        settings = [Candidate(**{name: value}) for name, values in known.items() for value in values]
        settings += [Candidate(temperature=value) for value in _TEMPERATURES]
        known_parts = [each.candidate for each in self.without_parts.values()]
        wanted = {_SETTINGS.get(part, part) for part in self._over}
        for candidate in (each for each in settings if wanted.issuperset(each.parts)):
            try:
                found = built(candidate, program, TraceBank(()), self.context.settings).program
                if isinstance(found, Configurable):
                    found.check_model(self.context.student.lm)
            except InputError:
                continue
            if self._changes_pinned(found) or candidate in known_parts:
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

    def _built(self, candidates: Mapping[str, Candidate], bank: TraceBank) -> dict[str, Built]:
        """The programs of candidates; one whose demonstrations do not fit its strategy is left out."""
        found = {}
        for name, candidate in candidates.items():
            try:
                found[name] = built(candidate, self.context.program, bank, self.context.settings)
            except InputError:
                continue
        return found


def _named(source: Source, candidates: Sequence[Candidate], number: int) -> dict[str, Candidate]:
    return {f"{source.name}-{number}-{place}": each for place, each in enumerate(candidates)}
