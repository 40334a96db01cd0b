from __future__ import annotations

from datetime import datetime

import pytest

from tests.tables import each_row
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.office.moments import moment

NOW = datetime(2024, 10, 17, 8, 15)


@each_row(
    ("text", "expected"),
    [
        ("2023-12-01", datetime(2023, 12, 1)),
        ("2023-12-01 09:30:15", datetime(2023, 12, 1, 9, 30, 15)),
        ("2023-12-01T10:00:00", datetime(2023, 12, 1, 10)),
        ("2023-12-04 9:30", datetime(2023, 12, 4, 9, 30)),
        ("12/01/2023", datetime(2023, 12, 1)),
        ("2023/12/01", datetime(2023, 12, 1)),
        ("20231201", datetime(2023, 12, 1)),
        ("December 1, 2023", datetime(2023, 12, 1)),
        ("2023-12", datetime(2023, 12, 1)),
        ("10:30:00", datetime(2024, 10, 17, 10, 30)),
    ],
)
def test_readable(text: str, expected: datetime) -> None:
    assert moment(text, NOW) == expected


@each_row("text", ["", "None", "zzz", "tomorrow", "Friday", "December 1", "2023-11-31", "25:00", "1e400"])
def test_unreadable(text: str) -> None:
    with pytest.raises(ToolError, match="Cannot read"):
        moment(text, NOW)
