"""Models that a program, judge or scorer holds itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar, cast

from worksmith.tools.errors import InputError
from worksmith.tools.sub_modules import named_sub_modules

Thing = TypeVar("Thing")


def own_models(program: Any) -> Iterator[tuple[Any, str, Any]]:
    """The models of a program's modules: the module, the name of its attribute, the model."""
    import dspy

    if not isinstance(program, dspy.Module):
        return
    modules = {id(module): module for _, module in named_sub_modules(program)}
    for module in modules.values():
        for name, value in list(vars(module).items()):
            if isinstance(value, dspy.BaseLM):
                yield module, name, value


def without_models(program: Any) -> Any:
    """A program whose predictors ask the model in use: a copy, or itself if no predictor has a model."""
    if all(predictor.lm is None for predictor in program.predictors()):
        return program
    from worksmith.evals.dspy_programs.copies import copied_program

    copy = copied_program(program)
    copy.set_lm(None)
    return copy


def give_models(program: Any, like: Any) -> None:
    """Give the predictors of a program the models that those of another one hold."""
    for predictor, other in zip(program.predictors(), like.predictors(), strict=True):
        predictor.lm = other.lm


def check_models(program: Any, models: Iterable[Any]) -> None:
    """Check that a program's parts can ask models; a part with a method `check_model` checks one itself.

    Raises:
        InputError: a part cannot ask one of the models, or an input has the name of an argument of DSPy's.
    """
    import dspy

    if isinstance(program, dspy.Module):
        check_fields(program, _ARGUMENTS, "DSPy's predictors take as a setting", inputs=True)
    parts = [each for _, each in named_sub_modules(program)] if isinstance(program, dspy.Module) else []
    checks = [part.check_model for part in parts if hasattr(part, "check_model")]
    for model in models:
        for check in checks:
            check(model)


_ARGUMENTS = frozenset({"self", "config", "demos", "lm", "signature", "new_signature", "completions"})


def check_fields(program: Any, reserved: Collection[str], why: str, *, inputs: bool = False) -> None:
    """Check the names of the fields of a program's predictors.

    Args:
        why: completes "a field has a name that ...".
        inputs: whether names of outputs are free.

    Raises:
        InputError: a name is reserved.
    """
    for name, predictor in program.named_predictors():
        fields = predictor.signature.input_fields if inputs else predictor.signature.fields
        for field in fields:
            if field in reserved:
                raise InputError(
                    f"the field {field!r} has a name that {why}",
                    where=f"the predictor {name}",
                    hint="give the field another name",
                )


def with_models(thing: Thing, change: Callable[[Any], Any]) -> Thing:
    """A program, judge or scorer with its own models changed: itself if it has none, else a copy.

    Args:
        thing: one with a method `with_models` changes its models itself.
    """
    if hasattr(thing, "with_models"):
        made: Thing = thing.with_models(change)
        return made
    models = [model for _, _, model in own_models(thing)]
    changed = {id(model): change(model) for model in models}
    if all(changed[id(model)] is model for model in models):
        return thing
    from worksmith.evals.dspy_programs.copies import copied_program

    copy = copied_program(cast(Any, thing))
    # The copy may have copies of the models; it gets the changed models of the program.
    for (module, name, _), model in zip(own_models(copy), models, strict=True):
        setattr(module, name, changed[id(model)])
    return cast(Thing, copy)
