from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.kinds.enterprise.importing import cells
from tools.kinds.enterprise.importing.cells import Cell, Number, grouped, numbered


@pytest.mark.parametrize(
    ("cell", "raw", "text"),
    [
        (cells.RUPEES, "₹1,09,999.50", "109999.50"),
        (cells.RUPEES, "₹9,99,999", "999999"),
        (cells.RUPEES, "Rs. 1,099", "1099"),
        (cells.RUPEES, "51000", "51000"),
        (cells.RUPEES, Number("399"), "399"),
        (cells.RUPEES, "", None),
        (cells.DOLLARS, "$2,357,113", "2357113"),
        (cells.PERCENT, "64%", "64"),
        (cells.NUMBER, "3.0", "3.0"),
        (cells.NUMBER, None, None),
        (cells.WHOLE, Number("4.0"), "4"),
        (cells.JOINED, "03-01-2012", "2012-01-03"),
        (cells.JOINED, "2012-01-03", "2012-01-03"),
        (cells.LEFT, "Present", None),
        (cells.LEFT, "31/12/2020", "2020-12-31"),
        (cells.DATE, "2021-01-18", "2021-01-18"),
        (cells.MAIL_DATE, "2015-06-08 04:24:36 IST", "2015-06-08T04:24:36"),
        (cells.DATE, "2010-08-03T19:39:39.123", "2010-08-03T19:39:39"),
        (cells.FLAG, "TRUE", "TRUE"),
        (cells.FLAG, False, "FALSE"),
        (cells.LEVEL, "EN14", "14"),
        (cells.LEVEL, "HR9", "09"),
        (cells.LEVEL, Number("12"), "12"),
        (cells.TOKEN, "High\n", "High"),
        (cells.TOKEN, 'High\ncategory":', "High"),
        (cells.TOKEN, "FOLLOW-UP", "FOLLOW-UP"),
        (cells.PRIORITY, " High", "high"),
        (cells.TAGS, "<python><c++>", "python, c++"),
        (cells.TEXTS, ["a", " b "], "a, b"),
        (cells.TEXT, Number("330923271"), "330923271"),
        (cells.BODY, " \n**Chat**\x00", " \n**Chat**\ufffd"),
        (numbered("SAL"), Number("0"), "SAL-0"),
        (numbered("OVF"), Number("5.0"), "OVF-5"),
        (numbered("SAL"), "abc", "abc"),
    ],
)
def test_reading(cell: Cell, raw: Any, text: str | None) -> None:
    assert cell.read(raw) == text


@pytest.mark.parametrize(
    ("cell", "raw"),
    [
        (cells.NUMBER, "|"),
        (cells.RUPEES, "$5"),
        (cells.RUPEES, "free"),
        (cells.JOINED, "31-02-2012"),
        (cells.DATE, "yesterday"),
        (cells.WHOLE, "1.5"),
        (cells.WHOLE, "1e999999"),
        (cells.NUMBER, Number("NaN")),
        (cells.TEXT, Number("9" * 4000)),
        (cells.TEXT, {"a": 1}),
        (cells.TEXT, ["a"]),
        (cells.FLAG, "maybe"),
        (cells.LEVEL, "boss"),
    ],
)
def test_what_is_refused(cell: Cell, raw: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        cell.read(raw)


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.booleans())
def test_grouping_is_undone_by_reading(number: Decimal, indian: bool) -> None:
    cell = cells.RUPEES if indian else cells.DOLLARS
    text = format(number, "f")
    assert cell.read(cell.write(text)) == text
    assert all(1 <= len(part) <= 3 for part in grouped(text, indian=indian).split(".")[0].split(","))


def test_the_indian_way() -> None:
    assert grouped("123456789.50", indian=True) == "12,34,56,789.50"
    assert grouped("123456789", indian=False) == "123,456,789"
    assert grouped("-1234", indian=True) == "-1,234"


@given(st.dates())
def test_dates_come_back(day: Any) -> None:
    text = day.isoformat()
    for cell in (cells.DATE, cells.JOINED, cells.LEFT, cells.MAIL_DATE):
        assert cell.read(cell.write(text)) == text


@given(st.datetimes().map(lambda moment: moment.replace(microsecond=0)))
def test_moments_come_back(moment: Any) -> None:
    for cell in (cells.DATE, cells.MAIL_DATE):
        assert cell.read(cell.write(moment.isoformat())) == moment.isoformat()


@given(st.integers(min_value=0))
def test_numbered_ids_come_back(number: int) -> None:
    cell = numbered("SAL")
    if number < 10**29:
        assert cell.write(cell.read(Number(str(number))) or "") == number
    assert cell.write("SAL-007") == "SAL-007"
