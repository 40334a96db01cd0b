"""Faults as people make them: small changes of a function's syntax tree, written back into its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_FLIPPED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True)
class Fault:
    """One fault in one function.

    Attributes:
        operator: comparison, off_by_one, wrong_variable, missing_return or wrong_default.
        line: where it is, counted from one in `source`.
        source: the function with the fault.
    """

    operator: str
    line: int
    source: str


@dataclass(frozen=True)
class _Edit:
    operator: str
    line: int
    start: int
    end_line: int
    end: int
    put: str


def faults(source: str) -> list[Fault]:
    """Every fault that the operators can plant in `source`, the text of one function.

    The order depends on the shape of the function only, not on the names in it.
    """
    tree = ast.parse(source)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    lines = source.splitlines()
    edits = [*_comparisons(function, lines), *_numbers(function), *_variables(function)]
    edits += [*_returns(function, lines), *_defaults(function)]
    found = []
    for edit in edits:
        changed = _apply(lines, edit)
        if changed != source:
            found.append(Fault(edit.operator, edit.line, changed))
    return found


def _apply(lines: list[str], edit: _Edit) -> str:
    head = lines[edit.line - 1][: edit.start]
    tail = lines[edit.end_line - 1][edit.end :]
    changed = [*lines[: edit.line - 1], head + edit.put + tail, *lines[edit.end_line :]]
    return "".join(f"{line}\n" for line in changed if line.strip() or line in lines)


def _at(node: ast.expr | ast.stmt, operator: str, put: str) -> _Edit:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return _Edit(operator, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, put)


def _comparisons(function: ast.FunctionDef, lines: list[str]) -> Iterator[_Edit]:
    """`<` for `<=` and the like."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = node.left, node.comparators[0]
            assert left.end_col_offset is not None
            between = lines[left.lineno - 1][left.end_col_offset : right.col_offset]
            brackets = between.count(")") * ")"
            put = f"{brackets} {_FLIPPED[type(node.ops[0])]} " if type(node.ops[0]) in _FLIPPED else between
            yield _Edit("comparison", left.lineno, left.end_col_offset, left.lineno, right.col_offset, put)


def _numbers(function: ast.FunctionDef) -> Iterator[_Edit]:
    """A whole number one too big, in the body."""
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and type(node.value) is int:
                yield _at(node, "off_by_one", str(node.value + 1))


def _variables(function: ast.FunctionDef) -> Iterator[_Edit]:
    """One name where the next one belongs; names in the order in which the function introduces them."""
    names = [argument.arg for argument in function.args.args]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in names:
            names.append(node.id)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            other = names[(names.index(node.id) + 1) % len(names)]
            yield _at(node, "wrong_variable", other)


def _returns(function: ast.FunctionDef, lines: list[str]) -> Iterator[_Edit]:
    """A return that is forgotten: its line is missing, or the value comes to nothing."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and node.end_lineno == node.lineno:
            alone = lines[node.lineno - 2].rstrip().endswith(":")
            yield _at(node, "missing_return", ast.unparse(node.value) if alone else "")


def _defaults(function: ast.FunctionDef) -> Iterator[_Edit]:
    """Another value than the promised one for an argument left out."""
    for node in function.args.defaults:
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, bool):
                yield _at(node, "wrong_default", str(not value))
            elif isinstance(value, int):
                yield _at(node, "wrong_default", "0" if value else "1")
                yield _at(node, "wrong_default", str(value * 2 + 3))
            elif value is not None:
                yield _at(node, "wrong_default", "None")
