"""Whether a text says a value."""

from __future__ import annotations

from tests.tables import each_row
from worksmith.evals.authoring.value_forms import tells


@each_row(
    ("text", "value"),
    [
        ("It is due on 4 March 2022.", "2022-03-04"),
        ("Due 2022-03-04", "2022-03-04"),
        ("paid 125,000 rupees", "125000"),
        ("paid 1,25,000 rupees", "125000"),
        ("The price is 349.50.", "349.50"),
        ("Ask Asha Rao, please", "Asha Rao"),
        ("4/5 from me", "4"),
        ("It took 12.", "12"),
    ],
)
def test_values_are_found_as_people_write_them(text: str, value: str) -> None:
    assert tells(text, value)


@each_row(
    ("text", "value"),
    [
        ("14 March 2022", "2022-03-04"),
        ("paid 2,125,000 rupees", "000"),
        ("The price is 349.50.", "349"),
        ("emp_00123", "emp_0012"),
        ("Ashanti", "Asha"),
        ("1200", "120"),
    ],
)
def test_parts_of_longer_values_are_not(text: str, value: str) -> None:
    assert not tells(text, value)
