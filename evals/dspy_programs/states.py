"""Loading states that DSPy's `Module.save` wrote, nearest demonstrations included.

    program.save("program.json")
    load_program(MyProgram(), "program.json")

An agent of `programs` does this in its `load`. Any other program with nearest demonstrations must be loaded
this way: `dspy.Predict` alone does not know them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import dspy
from pydantic import Field

from worksmith.evals.dspy_programs.demo_format import ExampleFields
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_all, show_nearest
from worksmith.evals.dspy_programs.program_state import Known, SignatureText, models_kept
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_json, validated

Program = TypeVar("Program", bound=dspy.Module)

_SINGLE = "self"
"""DSPy's name of a program that is a single predictor, whose state is that of the predictor."""


def load_program(program: Program, path: Path | str) -> Program:
    """`program` with the state in a file of `Module.save`; changes it and returns it.

    Raises:
        InputError: the file is missing, holds something else, or is the state of another program.
    """
    state = read_state(path)
    fit(program, state)
    with models_kept(program):
        program.load_state(state[_SINGLE] if isinstance(program, dspy.Predict) else state)
    return program


def read_state(path: Path | str) -> dict[str, Any]:
    """The state in a `.json` file of `Module.save`.

    Raises:
        InputError: the file is missing or holds something else.
    """
    data = read_json(Path(path), "a state that DSPy saved", hint="write one with Module.save")
    compiled = isinstance(data, dict) and str(data.get("format", "")).startswith("worksmith-program/")
    if compiled or not is_state(data):
        raise InputError(
            "this is a compiled program of worksmith, not a state that DSPy saved"
            if compiled
            else "this is not a state that DSPy saved",
            where=str(path),
            hint="load it with worksmith.load, or give it to a command as --program"
            if compiled
            else "write one with Module.save",
        )
    state = {name: part for name, part in data.items() if name != "metadata"}
    single = isinstance(state.get("signature"), dict) and "instructions" in state["signature"]
    return {_SINGLE: state} if single else state


def is_state(data: Any) -> bool:
    """Whether a file's content is a state that DSPy saved."""
    metadata = data.get("metadata") if isinstance(data, dict) and "format" not in data else None
    return isinstance(metadata, dict) and isinstance(metadata.get("dependency_versions"), dict)


MADE = "made"
"""The key of a saved state, beside those of its parts, for the settings of the program."""


class _Saved(Known):
    """The keys that a predictor may have in a stranger's file from DSPy's `Module.save`."""

    signature: SignatureText
    demos: list[ExampleFields]
    traces: list[Any]
    train: list[Any]
    fields: dict[str, dict[str, Any]] = Field(default_factory=dict)
    nearest: NearestSettings | None = None
    lm: None


def fit(program: dspy.Module, state: Mapping[str, Any], *, trusted: bool = False) -> None:
    """Make the predictors of `program` choose demonstrations as those of `state`.

    Args:
        trusted: whether the state may name models and settings.

    Raises:
        InputError: the state is of a program with other predictors, or names a model or a setting; `program`
            stays unchanged.
    """
    parts = dict(program.named_parameters())
    saved = {name: part for name, part in state.items() if name not in ("metadata", MADE)}
    if saved.keys() != parts.keys():
        raise _other_program(f"the saved parts are {_names(saved)}, the program has {_names(parts)}")
    for name, part in parts.items():
        if not trusted:
            hint = (
                "save it without models, by compilation.save(FILE) or after set_lm(None); "
                "a file that you trust loads with load(FILE, allow_unsafe_lm_state=True)"
            )
            validated(saved[name], _Saved, "a state of texts and demonstrations alone", where=name, hint=hint)
        if isinstance(part, dspy.Predict) and not _same_fields(part, saved[name]):
            raise _other_program(f"{name} has other inputs or outputs")
        if isinstance(part, dspy.Predict) and _old_notes(part, saved[name]):
            raise _other_program(f"demonstrations of {name} have notes of an earlier version of worksmith")
    nearest = {
        name: NearestSettings.of(part["nearest"])
        for name, part in saved.items()
        if isinstance(part, dict) and "nearest" in part
    }
    show_all(program, saved.keys() - nearest.keys())
    show_nearest(program, nearest)


def check_made(state: Mapping[str, Any], made: Mapping[str, Any], *, but: str = "") -> None:
    """Check that a program is `made` with the settings in a saved state, if that has any.

    Args:
        but: a setting that may differ.

    Raises:
        InputError: some settings differ; names them.
    """
    told = state.get(MADE, made)
    if not isinstance(told, Mapping):
        raise _other_program("it does not say how it was made")
    differing = sorted({name for name in (*told, *made) if told.get(name) != made.get(name)} - {but})
    if differing:
        message = ", ".join(f"{name}={told[name]!r}" if name in told else f"no {name}" for name in differing)
        raise _other_program(f"it was saved with {message}")


def _same_fields(part: dspy.Predict, saved: Any) -> bool:
    """Whether a saved predictor has the same fields; optimizers may rename outputs."""
    own, theirs = _prefixes({"signature": part.signature.dump_state()}), _prefixes(saved)
    inputs = len(part.signature.input_fields)
    return own[:inputs] == theirs[:inputs] and len(own) == len(theirs)


def _old_notes(part: dspy.Predict, saved: Any) -> bool:
    """Whether demonstrations name the records that they quote where nothing reads it any more."""
    old = {"augmented", "records"} - part.signature.fields.keys()
    return "records" in old and any(old <= demo.keys() for demo in saved.get("demos", ()))


def _prefixes(part: Any) -> list[Any]:
    try:
        return [field["prefix"] for field in part["signature"]["fields"]]
    except (KeyError, TypeError, IndexError):
        return []


def _other_program(problem: str) -> InputError:
    return InputError(
        f"this is the state of another program: {problem}",
        hint="make the program as it was made when it was saved (for an agent: with the same settings)",
    )


def _names(parts: Mapping[str, Any]) -> str:
    return ", ".join(sorted(parts)) or "none"
