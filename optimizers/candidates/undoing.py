"""The parts of a compiled program: what takes each of them off again."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

from worksmith.evals.dspy_programs.program_state import temperatures
from worksmith.optimizers.candidates.building import Configurable, built
from worksmith.optimizers.candidates.candidate import AS_IT_IS, MODELS_OWN, SETTINGS, Candidate, Demos
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.settings import Settings
from worksmith.tools.errors import InputError
from worksmith.tools.tool import ToolText

if TYPE_CHECKING:
    import dspy

Program = TypeVar("Program", bound="dspy.Module")

ALL_PARTS = "without all parts"


def undoing(program: dspy.Module, bare: dspy.Module, *changed: Candidate) -> Candidate:
    """What takes a program back to the one that it was compiled from, with a part for each that differs.

    Args:
        changed: have the settings of the agent that compiles changed; others follow from these.
    """
    # The texts that a strategy brings along do not count as changes.
    plain = made_of(_settings_of(program, bare, changed), bare)
    before = dict(plain.named_predictors())
    both = {name: (each, before[name]) for name, each in program.named_predictors() if name in before}
    texts = {
        name: own.signature.instructions
        for name, (now, own) in both.items()
        if now.signature.instructions != own.signature.instructions and own.signature.instructions.strip()
    }
    shown = [name for name, (now, own) in both.items() if now.demos and now.demos != own.demos]
    own_warm = set(temperatures(bare).values())
    warm = None if temperatures(program) == temperatures(plain) else MODELS_OWN
    return _settings_of(bare, program, changed).model_copy(
        update={
            "instructions": texts,
            "demonstrations": dict.fromkeys(shown, Demos(show="none")),
            "tools": _tools(program, bare),
            "temperature": own_warm.pop() if warm and len(own_warm) == 1 else warm,
        }
    )


def taken_off(undo: Candidate, program: dspy.Module) -> dict[str, Candidate]:
    """What takes a part off a program, by a name such as `without demonstrations`, and what takes off all."""
    parts = undo.parts
    found = {
        f"without {part}": reduce(Candidate.without, (each for each in parts if each != part), undo)
        for part in parts
    }
    return found if len(parts) < 2 else {**found, ALL_PARTS: fitting(undo, program)}


def without_parts(program: Program, bare: dspy.Module | None = None) -> dict[str, Program]:
    """A compiled program without each of its parts, and without all of them.

    Args:
        program: of an optimizer of worksmith's, or from its file.
        bare: the program that it was compiled from. Needed where it was compiled otherwise, or its file is of
            an earlier version.

    Returns:
        The programs by names such as `without demonstrations`; empty for one that a compile left as it was.

    Raises:
        InputError: the program lacks its origin.
    """
    artifact = artifact_of(program)
    if bare is not None:
        undo = undoing(program, bare, *([artifact.manifest.candidate] if artifact else ()))
    elif artifact is None:
        message = "the program does not say what it was compiled from"
        raise InputError(message, where="program", hint="give bare")
    else:
        undo = artifact.manifest.undo
    found = {name: made_of(each, program) for name, each in taken_off(undo, program).items()}
    for each in found.values():
        vars(each).pop("compilation", None)  # that is of the whole
    return found


def artifact_of(program: Any) -> Any:
    """The `Artifact` of a compiled program; None for others."""
    return getattr(getattr(program, "compilation", None), "artifact", None)


def fitting(undo: Candidate, program: dspy.Module) -> Candidate:
    """The candidate without texts and demonstrations of predictors that its strategy does not have so."""
    fields = ("instructions", "demonstrations")
    made = made_of(undo.model_copy(update={field: {} for field in fields}), program)
    now, then = ({n: [*p.signature.fields] for n, p in each.named_predictors()} for each in (program, made))
    same = {name for name in now if then.get(name) == now[name]}
    return undo.model_copy(
        update={field: {n: each for n, each in getattr(undo, field).items() if n in same} for field in fields}
    )


def made_of(candidate: Candidate, program: Program) -> Program:
    """The program of a candidate that names no demonstrations."""
    made: Program = built(candidate, program, TraceBank(()), Settings()).program
    return made


def _settings_of(program: dspy.Module, other: dspy.Module, changed: tuple[Candidate, ...]) -> Candidate:
    """The settings of an agent that differ from another one's; a strategy only if it is found by its name."""
    if not (isinstance(program, Configurable) and isinstance(other, Configurable)):
        return AS_IT_IS
    names = [name for name in SETTINGS if any(getattr(each, name) for each in changed)]
    values = {name: program.config[name] for name in names if program.config[name] != other.config[name]}
    if (strategy := values.pop("strategy", {}).get("name")) in program.alternatives["strategy"]:
        values["strategy"] = strategy
    return Candidate(**values)


def _tools(program: dspy.Module, bare: dspy.Module) -> dict[str, ToolText]:
    """The texts of tools that a program changes, as they were."""
    if not (isinstance(program, Configurable) and isinstance(bare, Configurable)):
        return {}
    found, tools, own_tools = {}, program.shown_tools, bare.shown_tools
    for name in sorted(program.descriptions.keys() & own_tools.keys()):
        now, own = tools[name], own_tools[name]
        notes = {
            argument: text
            for argument, text in own.argument_notes.items()
            if text and text != now.argument_notes[argument]
        }
        summary = own.summary if own.summary != now.summary else ""
        if summary or notes:
            found[name] = ToolText(description=summary or None, arguments=notes)
    return found
