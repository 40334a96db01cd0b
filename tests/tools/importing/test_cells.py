from __future__ import annotations

from typing import Any

import pytest

from tests.tables import each_row
from worksmith.tools.importing.cells import READERS, Number, numbered


def read(cell: str, raw: Any) -> str | None:
    return (numbered(cell) if cell.isupper() else READERS[cell])(raw)


@each_row(
    ("cell", "raw", "text"),
    [
        ("rupees", "₹1,09,999.50", "109999.50"),
        ("rupees", "₹9,99,999", "999999"),
        ("rupees", "Rs. 1,099", "1099"),
        ("rupees", "51000", "51000"),
        ("rupees", Number("399"), "399"),
        ("rupees", "", None),
        ("dollars", "$2,357,113", "2357113"),
        ("percent", "64%", "64"),
        ("number", "3.0", "3.0"),
        ("number", None, None),
        ("whole", Number("4.0"), "4"),
        ("joined", "03-01-2012", "2012-01-03"),
        ("joined", "2012-01-03", "2012-01-03"),
        ("left", "Present", None),
        ("left", "31/12/2020", "2020-12-31"),
        ("date", "2021-01-18", "2021-01-18"),
        ("mail_date", "2015-06-08 04:24:36 IST", "2015-06-08T04:24:36"),
        ("date", "2010-08-03T19:39:39.123", "2010-08-03T19:39:39"),
        ("flag", "TRUE", "TRUE"),
        ("flag", False, "FALSE"),
        ("level", "EN14", "14"),
        ("level", "HR9", "09"),
        ("level", Number("12"), "12"),
        ("token", "High\n", "High"),
        ("token", 'High\ncategory":', "High"),
        ("token", "FOLLOW-UP", "FOLLOW-UP"),
        ("priority", " High", "high"),
        ("tags", "<python><c++>", "python, c++"),
        ("texts", ["a", " b "], "a, b"),
        ("text", Number("330923271"), "330923271"),
        ("body", " \n**Chat**\x00", " \n**Chat**\ufffd"),
        ("SAL", Number("0"), "SAL-0"),
        ("OVF", Number("5.0"), "OVF-5"),
        ("SAL", "abc", "abc"),
    ],
)
def test_reading(cell: str, raw: Any, text: str | None) -> None:
    assert read(cell, raw) == text


@each_row(
    ("cell", "raw"),
    [
        ("number", "|"),
        ("rupees", "$5"),
        ("rupees", "free"),
        ("joined", "31-02-2012"),
        ("date", "yesterday"),
        ("whole", "1.5"),
        ("whole", "1e999999"),
        ("number", Number("NaN")),
        ("text", Number("9" * 4000)),
        ("text", {"a": 1}),
        ("text", ["a"]),
        ("flag", "maybe"),
        ("level", "boss"),
    ],
)
def test_what_is_refused(cell: str, raw: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read(cell, raw)
