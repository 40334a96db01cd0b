"""The state of a program's predictors in a file: texts and examples only.

A file may come from a stranger, so it has no key for a model, an endpoint or code: none of DSPy's `lm` and
other attributes of a predictor, and of its `config` a temperature between 0 and 2 alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Annotated, Any

import dspy
from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.dspy_programs.demo_format import ExampleFields
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest
from worksmith.tools.errors import InputError


class Known(BaseModel):
    """A part of a file: not changed once made, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldText(Known):
    """Name and description of a field in a prompt."""

    prefix: str
    description: str


class SignatureText(Known):
    """The texts of a signature; its fields, in their order, are the program's own."""

    instructions: str
    fields: list[FieldText]


Temperature = Annotated[float, Field(ge=0, le=2, strict=True)]


class PredictorState(Known):
    """The part of a predictor that a compile can change.

    Attributes:
        decisions: thresholds, cuts and weights of outputs that are decisions (`dspy.Predict.fields`).
        nearest: choice of the `demos` for each query; None shows all of them.
        temperature: of the model in its calls; None for the model's own. Of a predictor's settings it is the
            only one in a file.
    """

    signature: SignatureText
    demos: list[ExampleFields] = []
    decisions: dict[str, dict[str, Any]] = {}
    nearest: NearestSettings | None = None
    temperature: Temperature | None = None

    def to_json(self) -> dict[str, Any]:
        data = self.model_dump(mode="json", exclude_defaults=True)
        return {**data, "nearest": self.nearest.to_json()} if self.nearest else data


def temperatures(program: dspy.Module) -> dict[str, float]:
    """The temperatures that predictors set, by predictor; one that no file takes is left out."""
    found = {name: part.config.get("temperature") for name, part in program.named_predictors()}
    return {n: t for n, t in found.items() if type(t) in (int, float) and 0 <= t <= 2}


def set_temperatures(program: dspy.Module, given: Mapping[str, float | None]) -> None:
    """Set the temperature of predictors by name, None for the model's own; all else stays as it is."""
    for name, predictor in program.named_predictors():
        if name in given:
            others = {key: value for key, value in predictor.config.items() if key != "temperature"}
            own = given[name] is None
            predictor.config = others if own else {**others, "temperature": given[name]}


def state_of(program: dspy.Module) -> dict[str, PredictorState]:
    """The state of each predictor of `program` by name, without models.

    Raises:
        InputError: the program has a part of another kind, or an example that is not plain data.
    """
    states, warm = {}, temperatures(program)
    for name, part in program.named_parameters():
        if not isinstance(part, dspy.Predict):
            raise InputError(f"the part {name} of the program is not a predictor, and only those are written")
        bare = copy(part)
        bare.lm = None  # it is not written, and a user's engine cannot be
        dumped = bare.dump_state()
        kept = {key: dumped[key] for key in ("signature", "demos", "nearest") if key in dumped}
        try:
            states[name] = PredictorState.model_validate(
                {**kept, "decisions": part.fields, "temperature": warm.get(name)}
            )
        except ValueError as error:
            raise InputError(f"the part {name} of the program is not plain data", hint=str(error)) from error
    return states


def restore(program: dspy.Module, states: Mapping[str, PredictorState], *, where: str | None = None) -> None:
    """Put states into the predictors of `program`; their models stay as they are.

    Args:
        where: source of the states, for errors.

    Raises:
        InputError: the program has other parts, or a state does not fit its part.
    """
    parts = dict(program.named_parameters())
    try:
        if parts.keys() != states.keys():
            raise ValueError(
                f"the compiled program has the parts {_names(states)}, "
                f"the program to load it into {_names(parts)}"
            )
        for name, state in states.items():
            _check(name, parts[name], state)
        show_nearest(program, {name: state.nearest for name, state in states.items() if state.nearest})
        with models_kept(program):
            for name, state in states.items():
                parts[name].load_state(_as_dspy_has_it(state))
        set_temperatures(program, {n: s.temperature for n, s in states.items() if s.temperature is not None})
    except ValueError as error:  # DSPy's own: of decisions that are none of the signature's
        hint = "build the program with the artifact's own strategy and settings, or compile it again"
        raise InputError(str(error), where=where, hint=hint) from error


@contextmanager
def models_kept(program: dspy.Module) -> Iterator[None]:
    """A block that loads a state: a predictor for which it names no model keeps its own."""
    models = [(part, part.lm) for part in program.predictors()]
    yield
    for part, model in models:
        part.lm = part.lm or model


def _check(name: str, part: Any, state: PredictorState) -> None:
    if not isinstance(part, dspy.Predict):
        raise ValueError(f"the part {name} of the program is not a predictor")
    has, said = len(part.signature.fields), len(state.signature.fields)
    if has != said:
        raise ValueError(f"the compiled program describes {said} fields of {name}, which has {has}")
    if state.nearest is None or not (field := state.nearest.field):
        return
    if field not in part.signature.input_fields:
        raise ValueError(
            f"demonstrations of {name} are chosen by its input {field!r}, which it does not have"
        )
    if not all(field in demo for demo in state.demos):
        raise ValueError(f"a demonstration of {name} has no {field!r} to be chosen by")


def _as_dspy_has_it(state: PredictorState) -> dict[str, Any]:
    """The data for DSPy's `load_state`."""
    data: dict[str, Any] = {
        "signature": state.signature.model_dump(),
        "demos": [dict(demo) for demo in state.demos],
        "fields": state.decisions,
        "traces": [],
        "train": [],
        "lm": None,
    }
    return data if state.nearest is None else {**data, "nearest": state.nearest.to_json()}


def _names(names: Mapping[str, Any]) -> str:
    return ", ".join(sorted(names)) or "none"
