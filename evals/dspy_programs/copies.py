"""Copies of programs and of the values that their predictors are called with."""

from __future__ import annotations

from copy import deepcopy
from types import CellType, FunctionType
from typing import Any, TypeVar

import dspy

from worksmith.tools.sub_modules import named_sub_modules

Program = TypeVar("Program", bound=dspy.Module)


def copied(value: Any) -> Any:
    """A deep copy; the value itself if it cannot be copied, as a connection or a lock."""
    try:
        return deepcopy(value)
    except Exception:
        return value


def copied_program(program: Program) -> Program:
    """A deep copy of a program.

    Python does not copy functions. One that an attribute of a module holds and that closes over a part of
    `program` is made again, and closes over the copy's part.
    """
    memo: dict[int, Any] = {}
    made: Program
    try:
        made = deepcopy(program, memo)
    except Exception:
        made = dspy.Module.deepcopy(program)  # DSPy's leaves out what cannot be copied
        return made
    for _, module in named_sub_modules(made):
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__closure__:
                cells = tuple(_cell(cell, memo) for cell in value.__closure__)
                if cells != value.__closure__:
                    vars(module)[name] = _closing_over(value, cells)
    return made


def _cell(cell: CellType, memo: dict[int, Any]) -> CellType:
    try:
        content = cell.cell_contents
    except ValueError:  # a name that is not yet defined
        return cell
    part = memo.get(id(content)) if isinstance(content, dspy.Module) else None
    return cell if part is None else CellType(part)


def _closing_over(function: FunctionType, cells: tuple[CellType, ...]) -> FunctionType:
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__, made.__dict__ = function.__kwdefaults__, dict(vars(function))
    return made
