"""Demonstrations of single steps: the state of the prompt up to one call, and that call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from worksmith.evals.dspy_programs.demo_format import NOTES, DemoNotes, without_notes
from worksmith.optimizers.demos.demonstration import TRAJECTORY, Demonstration, is_stepwise
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

Unit = Literal["trajectory", "step"]
"""The unit of a demonstration: a whole trajectory, or one step of it."""

UNITS: Final[tuple[Unit, ...]] = get_args(Unit)

_OUTPUTS = ("thought", "tool", "arguments")


def check_unit(program: dspy.Module, unit: Unit) -> None:
    """Check that demonstrations of `program` can come in such units.

    Raises:
        InputError: the unit is a step, and the program makes all its calls at once.
    """
    signatures = [predictor.signature for _, predictor in program.named_predictors()]
    if unit == "step" and not any(
        TRAJECTORY in s.input_fields and "tool" in s.output_fields for s in signatures
    ):
        raise _no_steps()


def in_units(demonstrations: Iterable[Demonstration], unit: Unit) -> tuple[Demonstration, ...]:
    """The demonstrations as they are, or taken apart into their steps.

    Raises:
        InputError: the program makes all its calls at once, so it has no steps.
    """
    if unit == "trajectory":
        return tuple(demonstrations)
    return tuple(step for demonstration in demonstrations for step in steps_of(demonstration))


def steps_of(demonstration: Demonstration) -> list[Demonstration]:
    """One demonstration for each call of a trajectory, and one for its end.

    The parts of other predictors (a plan) go with the first step, for they are made before it.

    Raises:
        InputError: the trajectory has no steps.
    """
    stepwise = {name: part for name, part in demonstration.parts.items() if is_stepwise(part)}
    if not stepwise:
        raise _no_steps()
    whole = {name: part for name, part in demonstration.parts.items() if name not in stepwise}
    forms: list[Mapping[str, Any]] = [
        form for part in stepwise.values() for form in (part, DemoNotes.of(part).redacted) if form
    ]
    count = max(len(form[TRAJECTORY]) for form in forms) + 1
    found = []
    for number in range(count):
        parts = {name: cut for name, part in stepwise.items() if (cut := _cut(part, number)) is not None}
        if number == 0:
            parts |= whole
        step = {"parts": parts, "step": number, "tools": demonstration.tools[: number + 1]}
        found.append(demonstration.model_copy(update=step))
    return found


def _no_steps() -> InputError:
    return InputError(
        "this program makes its calls at once, so that its demonstrations have no steps",
        where="--demo-unit",
        hint="use trajectory, or a strategy that makes one call at a time",
    )


def _cut(part: Mapping[str, Any], number: int) -> dict[str, Any] | None:
    """The fields of a predictor at one step; None if its trajectory has no such step."""
    steps = part[TRAJECTORY]
    notes, cut = DemoNotes.of(part), without_notes(part)
    twin = _cut(notes.redacted, number) if notes.redacted else None
    if number > len(steps):
        # The calls of a model may be fewer than those of the gold plan, which the twin follows.
        return None if twin is None else twin | {NOTES: {}}
    if number < len(steps):
        # Later observations are not part of the step, nor is a later plan.
        cut |= {name: steps[number].get(name, "") for name in _OUTPUTS if name in part}
    cut[TRAJECTORY] = steps[:number]
    if notes == DemoNotes():
        return cut
    # Without a twin of the step it is not shown to personas that may not read its records.
    return cut | replace(notes, redacted=twin).to_fields()
