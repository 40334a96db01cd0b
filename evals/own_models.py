"""Models that a program holds itself, in its predictors or beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def own_models(program: Any) -> Iterator[tuple[Any, str, Any]]:
    """The models of a program's modules: the module, the name of its attribute, the model."""
    import dspy

    if not isinstance(program, dspy.Module):
        return
    modules = {id(module): module for _, module in program.named_sub_modules()}
    for module in modules.values():
        for name, value in list(vars(module).items()):
            if isinstance(value, dspy.BaseLM):
                yield module, name, value


def with_models(program: Any, change: Callable[[Any], Any]) -> Any:
    """The program with its own models changed: itself if it has none, else a copy."""
    if not any(own_models(program)):
        return program
    changed = program.deepcopy()
    # A copy of a program may have copied its models as well; those to be changed are the program's.
    for (module, name, _), (_, _, model) in zip(own_models(changed), own_models(program), strict=True):
        setattr(module, name, change(model))
    return changed
