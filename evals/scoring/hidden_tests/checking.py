"""Whether code passes hidden tests, and whether two outcomes differ in it alone."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from worksmith.evals.scoring.hidden_tests.sandbox import Result, plain_value, run_calls
from worksmith.evals.tasks.task import HiddenTests
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.outcome import Outcome, RowChange, change_key
from worksmith.tools.sqlite.schema import Table

_LARGEST_CODE = 200_000
_NEAR = 1e-9

Cases = tuple[tuple[str, str], ...]
"""Calls and the literals that they should return."""


def passes(code: str, cases: Cases) -> bool:
    """Whether all calls return what they should; remembered for the same code and cases.

    Args:
        code: the text of a file.

    Raises:
        SandboxError: the machine cannot confine a process.
    """
    return failing(code, cases) == ()


@lru_cache(maxsize=1024)
def failing(code: str, cases: Cases) -> tuple[int, ...]:
    """The numbers of the cases that fail, counted from zero; all of them for code that does not run.

    Raises:
        SandboxError: no safe process can be had.
    """
    every = tuple(range(len(cases)))
    if len(code) > _LARGEST_CODE:
        return every
    found = run_calls(code, [call for call, _ in cases])
    if found is None:
        return every
    return tuple(n for n in every if not _returns(found[n], ast.literal_eval(cases[n][1])))


def same_but_code(outcome: Outcome, accepted: Outcome, tests: HiddenTests) -> bool:
    """Whether an outcome is the accepted one, if code that passes the tests counts as the accepted code.

    Raises:
        SandboxError: no safe process can be had.
    """
    if (found := _rewritten(outcome, accepted, tests)) is None:
        return False
    made, wanted, code = found
    tables = {each.name: each for each in outcome.tables}
    # If the code is the accepted one, everything else must be too.
    same = _with_code_of(made, wanted, tests, tables)
    changes = [same if one is made else one for one in outcome.changes]
    keys = filter(None, (change_key(one, tables[one.table]) for one in changes))
    alike = sorted(keys, key=repr) == sorted(accepted.key, key=repr)
    return alike and passes(code, tests.cases)


def said_of_code(outcome: Outcome, accepted: Outcome, tests: HiddenTests) -> str:
    """The number of failed tests on the code in an outcome, in words; empty if all pass, or without code.

    Raises:
        SandboxError: no safe process can be had.
    """
    found = _rewritten(outcome, accepted, tests)
    failed = failing(found[2], tests.cases) if found else ()
    return f"{len(failed)} of {len(tests.cases)} hidden tests fail" if failed else ""


def _rewritten(
    outcome: Outcome, accepted: Outcome, tests: HiddenTests
) -> tuple[RowChange, RowChange, str] | None:
    """The change that writes the code, the accepted one of the same row, and the code."""
    wanted = next((one for one in accepted.changes if tests.column in one.after), None)
    if wanted is None:
        return None
    for made in outcome.changes:
        code = made.after.get(tests.column)
        same = made.operation == "update" and (made.table, made.row) == (wanted.table, wanted.row)
        if same and isinstance(code, str):
            return made, wanted, code
    return None


def _with_code_of(
    made: RowChange, wanted: RowChange, tests: HiddenTests, tables: Mapping[str, Table]
) -> RowChange:
    """The change with the other one's code, and with its consequences, such as its size."""
    table = tables[made.table]
    following = {tests.column, *table.generated}

    def mixed(own: Mapping[str, CellValue], other: Mapping[str, CellValue]) -> dict[str, CellValue]:
        cells = {column: other if column in following else own for column in table.columns}
        return {column: of[column] for column, of in cells.items() if column in of}

    return replace(made, before=mixed(made.before, wanted.before), after=mixed(made.after, wanted.after))


def _returns(result: Result, wanted: Any) -> bool:
    try:
        return _same(plain_value(result["value"]), wanted)
    except (KeyError, ValueError, OverflowError):
        return False


def _same(found: Any, wanted: Any) -> bool:
    """Equality of type and value; the last digits of a float do not count."""
    if isinstance(wanted, float) or isinstance(found, float):
        both = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (found, wanted))
        return both and math.isclose(found, wanted, rel_tol=_NEAR, abs_tol=_NEAR)
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_same(found[key], wanted[key]) for key in wanted)
    return bool(found == wanted)


@lru_cache(1024)  # one issue is drawn for many tasks
def cases_of(tests: str) -> Cases:
    """The cases that test functions made of `assert call == literal` state.

    Raises:
        ValueError: there is no test, or an assertion has another form.
    """
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.Assert):
            test = node.test
            if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.Is):
                raise ValueError(f"not of the form call == value: {ast.unparse(node)}")
            found.append((ast.unparse(test.left), repr(ast.literal_eval(test.comparators[0]))))
    if not found:
        raise ValueError("the tests assert nothing")
    return tuple(found)
