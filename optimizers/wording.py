"""Words of the command line in messages, as arguments of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from worksmith.tools.errors import InputError, WorksmithError

_SPECIAL = {
    "worksmith power --race": "worksmith power --race",
    "--accept best": 'accept="best"',
    "--resume": "resume=True",
    "--force": "another folder",
    "--prices FILE": "Budget(prices=...)",
}
_OPTION = re.compile("|".join([*map(re.escape, _SPECIAL), r"--[a-z]+(?:-[a-z]+)*"]))


def in_python(text: str) -> str:
    """A message with arguments in place of options: `--demo-unit` is `demo_unit`, `--max-usd` is `usd`."""
    return _OPTION.sub(lambda found: _SPECIAL.get(found[0]) or _argument(found[0]), text)


@contextmanager
def errors_in_python() -> Iterator[None]:
    """A block whose errors name arguments."""
    try:
        yield
    except WorksmithError as error:
        error.args = tuple(in_python(part) if isinstance(part, str) else part for part in error.args)
        if isinstance(error, InputError):
            error.message = in_python(error.message)
            error.where, error.hint = (part and in_python(part) for part in (error.where, error.hint))
        raise


def _argument(option: str) -> str:
    return option.removeprefix("--").removeprefix("max-").replace("-", "_")
