"""Databases in memory know dates, but not the time of day."""

from __future__ import annotations

import apsw
import pytest

from tests.tables import each_row
from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.dates import DATE_FUNCTIONS
from worksmith.tools.sqlite.memory import open_memory

MOMENTS = ("2021-03-04", "2021-03-04 05:06:07.891", "2459278.5", "05:06", "now-ish", "", "1614834367")
MODIFIERS = (
    "+1 month",
    "-3 days",
    "start of year",
    "weekday 0",
    "subsec",
    "auto",
    "unixepoch",
    "nonsense",
    "now",
)


@each_row("name", DATE_FUNCTIONS)
def test_what_depends_on_the_arguments_alone_is_sqlite_s_own(name: str) -> None:
    ours, theirs = open_memory(), apsw.Connection(":memory:")
    form = ("%Y-%j %H:%M:%f",) if name == "strftime" else ()
    values = (*MOMENTS, b"2021", 2459278.5, 0, None)
    calls = [(*form, value) for value in values]
    calls += [(*form, value, modifier) for value in values for modifier in MODIFIERS]
    for arguments in calls:
        text = f"SELECT {name}({', '.join('?' * len(arguments))})"
        assert ours.execute(text, arguments).get == theirs.execute(text, arguments).get, arguments


@pytest.mark.parametrize("name", DATE_FUNCTIONS)
@pytest.mark.parametrize(
    "arguments", [("now",), ("NOW", "+1 day"), ("2021-01-01", "localtime"), ("2021-01-01", "utc")]
)
def test_the_time_of_day_and_the_zone_are_refused(name: str, arguments: tuple[str, ...]) -> None:
    form = ("%Y",) if name == "strftime" else ()
    holes = ", ".join("?" * (len(form) + len(arguments)))

    with pytest.raises(ToolError, match="the time of day is not known here"):
        open_memory().execute(f"SELECT {name}({holes})", (*form, *arguments)).fetchall()
    with pytest.raises(ToolError, match="the time of day is not known here"):
        open_memory().execute(f"SELECT {name}({', '.join('?' * len(form))})", form).fetchall()
