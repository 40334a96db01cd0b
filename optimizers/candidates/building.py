"""Programs made of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from worksmith.evals.dspy_programs.demo_format import without_notes
from worksmith.evals.dspy_programs.program_state import set_temperatures
from worksmith.optimizers.candidates.candidate import AS_IT_IS, MODELS_OWN, SETTINGS, Candidate, Demos
from worksmith.optimizers.demos.selection import Display, Selector
from worksmith.optimizers.demos.showing import ShowSettings, show
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.tool import ToolText

if TYPE_CHECKING:
    import dspy

    from worksmith.optimizers.demos.demonstration import Demonstration
    from worksmith.optimizers.demos.trace_bank import TraceBank
    from worksmith.tools.tool import Toolset


_WHERE: Final = "a candidate"


@runtime_checkable
class Configurable(Protocol):
    """A program that can be made again with other settings, such as `worksmith.programs.agent.Agent`.

    Attributes:
        config: its settings as JSON-able data.
        descriptions: the texts that its prompts show in place of the tools' own.
        shown_tools: all its tools, as its prompts describe them.
        alternatives: values that may be tried, by setting.
    """

    descriptions: Mapping[str, ToolText]

    @property
    def alternatives(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def config(self) -> dict[str, Any]: ...

    @property
    def shown_tools(self) -> Toolset: ...

    def check_model(self, lm: Any) -> None: ...

    def with_settings(self, **changes: Any) -> Any: ...


class Built(NamedTuple):
    """The program of a candidate.

    Attributes:
        demonstrations: those that the candidate put into it.
    """

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...] = ()
    candidate: Candidate = AS_IT_IS


class UnfitBankError(InputError):
    """No demonstration of a bank has the fields of a predictor: another strategy made them."""


def built(candidate: Candidate, program: dspy.Module, bank: TraceBank, settings: ShowSettings) -> Built:
    """A copy of a program with the settings of a candidate.

    Where the candidate has another strategy, texts and demonstrations of the program stay in the predictors
    whose fields are the same.

    Args:
        bank: has the demonstrations that the candidate names.

    Raises:
        UnfitBankError: the bank is of another strategy.
        InputError: the program has no such predictor, tool, toolset, form of prompts or strategy, or the bank
            no such demonstration.
    """
    made = _with_settings(program, candidate)
    _check_predictors(made, (*candidate.instructions, *candidate.demonstrations))
    shown = show(made, _displays(candidate, made, bank, settings), settings)
    predictors = dict(shown.program.named_predictors())
    for name, text in candidate.instructions.items():
        predictors[name].signature = predictors[name].signature.with_instructions(text)
    if (warm := candidate.temperature) is not None:
        set_temperatures(shown.program, dict.fromkeys(predictors, None if warm == MODELS_OWN else warm))
    return Built(*shown, candidate)


def demos_of(display: Display) -> Demos:
    """The entry of a candidate for a predictor that shows `display`.

    All demonstrations are named, because a growing bank has others later.
    """
    fixed, searched = (tuple(each.name for each in some) for some in (display.fixed, display.searched))
    if searched:
        return Demos(show="nearest", tasks=searched, count=display.count, always=fixed)
    return Demos(show="fixed" if fixed else "none", tasks=fixed)


def configurable(candidate: Candidate, program: Any) -> Configurable | None:
    """The program, if the candidate changes settings that only agents have; None if it changes none.

    Raises:
        InputError: it does, and the program is not an agent.
    """
    changed = [name for name in ("tools", *SETTINGS) if getattr(candidate, name)]
    if not changed:
        return None
    if not isinstance(program, Configurable):
        raise InputError(
            f"a {type(program).__name__} has no {changed[0]} to change",
            where=_WHERE,
            hint="a program other than an agent of worksmith takes instructions, demonstrations, temperature",
        )
    return program


def _with_settings(program: dspy.Module, candidate: Candidate) -> dspy.Module:
    agent = configurable(candidate, program)
    if agent is None:
        return program
    changes = {name: getattr(candidate, name) for name in SETTINGS}
    changes["descriptions"] = Candidate(tools=dict(agent.descriptions)).joined(candidate).tools
    return agent.with_settings(**{name: value for name, value in changes.items() if value is not None})


def _check_predictors(program: dspy.Module, names: Iterable[str]) -> None:
    """Check that a program has predictors of these names.

    Raises:
        InputError: it lacks one.
    """
    there = [name for name, _ in program.named_predictors()]
    for name in names:
        if name not in there:
            raise unknown("the program has no predictor", name, there, _WHERE)


def _displays(
    candidate: Candidate, program: dspy.Module, bank: TraceBank, settings: ShowSettings
) -> dict[str, Display]:
    if not candidate.demonstrations:
        return {}
    pool = Selector.of(bank, settings.demo_unit).demonstrations
    known = {each.name: each for each in pool}
    return {
        name: _display(candidate.demonstrations[name], name, predictor.signature, known)
        for name, predictor in program.named_predictors()
        if name in candidate.demonstrations
    }


def _display(demos: Demos, name: str, signature: Any, known: Mapping[str, Demonstration]) -> Display:
    """The demonstrations in the prompts of a predictor, without those whose fields its signature lacks."""
    where = f"demonstrations of {name}"
    if demos.show == "none":
        return Display()
    if missing := [task for task in (*demos.tasks, *demos.always) if task not in known]:
        raise unknown("the bank has no demonstration", missing[0], known, where)
    others = [task for task in demos.tasks or known if task not in demos.always]
    parts = {task: known[task].parts.get(name) for task in (*demos.always, *others)}
    unfit = {task for task, part in parts.items() if part is not None and not _fits(part, signature)}
    if unfit and all(part is None for task, part in parts.items() if task not in unfit):
        raise UnfitBankError(
            f"no demonstration of the bank has the fields of {name}",
            where=where,
            hint="give a bank that was built with the candidate's strategy",
        )
    always = tuple(known[task] for task in demos.always if task not in unfit)
    rest = tuple(known[task] for task in others if task not in unfit)
    return Display(fixed=rest) if demos.show == "fixed" else Display(always, rest, demos.count)


def _fits(part: Mapping[str, Any], signature: Any) -> bool:
    fields = without_notes(part).keys()
    return set(signature.output_fields) <= fields <= set(signature.fields)
