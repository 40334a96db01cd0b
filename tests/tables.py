"""Tables of values in one test: thousands of rows that take a millisecond each are no tests of their own."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run all rows in one test, which fails with every row that fails and its values.

    For what `pytest.mark.parametrize` takes, where rows leave nothing behind: fixtures are made once.
    """
    single = isinstance(names, str) and "," not in names
    told = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    kept = [dict(zip(told, [row] if single else row, strict=True)) for row in rows]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @wraps(test)
        def whole(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for values in kept:
                try:
                    test(**fixtures, **values)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {values!r}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(kept)} rows", failed)

        further = [each for name, each in signature.parameters.items() if name not in told]
        whole.__signature__ = signature.replace(parameters=further)  # type: ignore[attr-defined]
        return whole

    return decorate


def tables_of(test: str) -> dict[str, Any]:
    """The long tables of a test file, from the TOML file of its name."""
    return tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))
