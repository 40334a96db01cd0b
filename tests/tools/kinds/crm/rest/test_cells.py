"""Values that clients send: refused, or stored so that queries give them back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.kinds.crm.rest.cells import cell
from worksmith.tools.kinds.crm.rest.messages import ApiError
from worksmith.tools.kinds.crm.schema import Field, FieldType, crm_schema

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = [field for entity in crm_schema().objects for field in entity.queryable]


def of(kind: FieldType, **options: Any) -> Field:
    return Field("F", kind, **options)


@given(st.sampled_from(FIELDS), JSON_VALUES)
def test_whatever_is_sent_becomes_a_cell_or_an_error(field: Field, value: Any) -> None:
    found, error = _cell_or_error(field, value)

    assert error is None or (error.status == 400 and len(error.message) < 500)
    assert found is None or found.encode()


def _cell_or_error(field: Field, value: Any) -> tuple[str | None, ApiError | None]:
    try:
        return cell(field, value), None
    except ApiError as error:
        return None, error


@given(st.floats(-1e14, 1e14))
def test_numbers_come_back_as_they_were(number: float) -> None:
    for kind in ("double", "currency"):
        text = cell(of(kind), number)
        assert text is not None
        assert float(text) == number
        assert "e" not in text.lower()


@given(st.datetimes(min_value=datetime(1700, 1, 1), timezones=st.just(UTC)))
def test_moments_come_back_to_the_millisecond(moment: datetime) -> None:
    exact = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    text = cell(of("datetime"), exact.isoformat(timespec="milliseconds"))

    assert text == f"{exact:%Y-%m-%dT%H:%M:%S}.{exact.microsecond // 1000:03}+0000"


@given(st.dates())
def test_days_come_back(day: date) -> None:
    assert cell(of("date"), day.isoformat()) == day.isoformat()


@each_row(
    ("kind", "value", "text"),
    [
        ("datetime", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05.000+0000"),
        ("datetime", "2020-01-02T03:04:05.5+0200", "2020-01-02T01:04:05.500+0000"),
        ("datetime", "2020-01-02T03:04:05-01:30", "2020-01-02T04:34:05.000+0000"),
        ("currency", 12, "12.00"),
        ("currency", 12.5, "12.50"),
        ("currency", 0.125, "0.125"),
        ("double", 3, "3.0"),
        ("double", -0.0, "0.0"),
        ("int", 7.0, "7"),
        ("boolean", True, "true"),
        ("string", "", None),
        ("reference", "001wK00000010Mr", "001wK00000010MrQAI"),
    ],
)
def test_values_are_stored_as_results_print_them(kind: FieldType, value: Any, text: str | None) -> None:
    assert cell(of(kind), value) == text


@each_row(
    ("kind", "value", "code"),
    [
        ("string", 3, "JSON_PARSER_ERROR"),
        ("string", "x" * 256, "STRING_TOO_LONG"),
        ("string", "\ud800", "JSON_PARSER_ERROR"),
        ("string", "a\0b", "JSON_PARSER_ERROR"),
        ("textarea", "x" * 131_073, "STRING_TOO_LONG"),
        ("email", "ann at example.com", "INVALID_EMAIL_ADDRESS"),
        ("boolean", "true", "JSON_PARSER_ERROR"),
        ("boolean", None, "JSON_PARSER_ERROR"),
        ("double", "1", "JSON_PARSER_ERROR"),
        ("double", True, "JSON_PARSER_ERROR"),
        ("double", float("nan"), "NUMBER_OUTSIDE_VALID_RANGE"),
        ("double", 10**400, "NUMBER_OUTSIDE_VALID_RANGE"),
        ("int", 1.5, "JSON_PARSER_ERROR"),
        ("date", "2020-02-30", "JSON_PARSER_ERROR"),
        ("date", "2020-02-03T00:00:00Z", "JSON_PARSER_ERROR"),
        ("datetime", "2020-02-03", "JSON_PARSER_ERROR"),
        ("datetime", "2020-02-03T25:00:00Z", "JSON_PARSER_ERROR"),
        ("datetime", "2020-02-03T05:00:00", "JSON_PARSER_ERROR"),
        ("datetime", "0001-01-01T00:00:00+05:00", "JSON_PARSER_ERROR"),
        ("reference", "001", "MALFORMED_ID"),
        ("reference", "001wK00000010MrQA9", "MALFORMED_ID"),
    ],
)
def test_what_does_not_fit_is_refused(kind: FieldType, value: Any, code: str) -> None:
    with pytest.raises(ApiError) as met:
        cell(of(kind), value)

    assert met.value.code == code


def test_a_picklist_takes_its_values_only() -> None:
    status = of("picklist", values=("New", "Closed"))

    assert cell(status, "New") == "New"
    with pytest.raises(ApiError, match="restricted picklist"):
        cell(status, "new")
