"""Reading values out of text: what is written differently and means the same is the same."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.scoring.answers.values import says, tokens


@each_row(
    ("text", "value"),
    [
        ("It was 4th of March 2022.", "2022-03-04"),
        ("on March 4, 2022", "2022-03-04"),
        ("04-Mar-2022", "2022-03-04"),
        ("25/03/2022", "2022-03-25"),
        ("2022-03-04T09:30:00", "2022-03-04"),
        ("2022-03-04T09:30:00", "09:30"),
        ("at 9:30 a.m.", "09:30"),
        ("in March 2022", "2022-03"),
        ("Rs. 1,234.50", "1234.5"),
        ("₹1,23,456", "123456"),
        ("1.5 million dollars", "1500000"),
        ("12%", "12"),
        ("EMP_0007's mail", "emp_0007"),
        ("EM000123", "EM-000123"),
        ("ticket #1001.", "1001"),
        ("the file src/parser.py of owner/name", "src/parser.py"),
        ("**Asha  Rao**\u2019s", "asha rao"),
        ("José", "Jose"),
        ("33.3333", "33.33"),
        ("level 9", "09"),
        ("The flag is TRUE", "yes"),
    ],
)
def test_one_value_in_two_wordings(text: str, value: str) -> None:
    assert says(text, value)


@each_row(
    ("text", "value"),
    [
        ("11001", "1001"),
        ("EM-0001234", "EM-000123"),
        ("Rao Asha", "Asha Rao"),
        ("03/04/2022", "2022-03-04"),
        ("33.3", "33.33"),
        ("1234.56", "1234.5678"),
        ("1,234.50", "234.5"),
        ("99 March 2022", "2022-03-99"),
        ("reopened", "open"),
        ("", "open"),
        ("anything", ""),
    ],
)
def test_what_is_not_the_same(text: str, value: str) -> None:
    assert not says(text, value)


@given(st.dates(date(1970, 1, 1), date(2099, 12, 31)))
def test_every_date_reads_the_same_in_words(day: date) -> None:
    assert says(f"It came on {day.day} {day:%B} {day.year}.", day.isoformat())
    assert says(f"{day:%b} {day.day}, {day.year}", day.isoformat())


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_every_amount_reads_the_same_with_separators(whole: int, cents: int) -> None:
    amount = Decimal(whole) + Decimal(cents) / 100

    assert says(f"${amount:,.2f}", f"{amount:.2f}")
    assert says(f"{amount:.2f} rupees", f"{amount:,.2f}")


@given(st.text(max_size=200))
def test_any_text_is_read_and_says_what_it_says(text: str) -> None:
    assert not tokens(text) or says(f"({text})", text) or not text.isascii()
