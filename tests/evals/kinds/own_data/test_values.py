from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.tables import each_row, tables_of
from worksmith.evals.kinds.own_data.values import Column, Expected, Status, Value
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.locales import locale_called

TABLES = tables_of(__file__)

_ANSWERS: TypeAdapter[Any] = TypeAdapter(Expected)
_CELLS: TypeAdapter[Any] = TypeAdapter(Value)

TEXT = Column("text", exact=True)

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)


def right(expected: Any, answer: str, question: str = "") -> bool:
    return bool(_ANSWERS.validate_python(expected).answers(answer, question))


@each_row(
    ("expected", "answer"),
    TABLES["right_answers"],
)
def test_right_answers(expected: Any, answer: str) -> None:
    assert right(expected, answer)


@each_row(
    ("expected", "answer"),
    TABLES["wrong_answers"],
)
def test_wrong_answers(expected: Any, answer: str) -> None:
    assert not right(expected, answer)


@each_row(
    ("locale", "expected", "answer"),
    [
        ("de", 1234, "1.234"),
        ("de", 12.5, "12,5 Tage"),
        ("de", 1_500_000, "1,5 Mio. Euro"),
        ("fr", 1234, "1 234"),
        ("de-CH", 1.234, "1.234"),
        ("de_AT", 1234, "1.234"),
        ("de", True, "Ja, es ist zu spät."),
        ("de", False, "Nein."),
        ("zh", True, "是的。已经晚了。"),
        ("ja", False, "いいえ、間に合います"),
        ("de", True, "Yes."),
    ],
)
def test_a_locale_decides_what_has_two_readings(locale: str, expected: Any, answer: str) -> None:
    rule = _ANSWERS.validate_python(expected)
    assert rule.answers(answer, "", locale_called(locale))
    assert _ANSWERS.validate_python({"any": ["x", expected]}).answers(answer, "", locale_called(locale))
    if answer != "Yes." and locale != "de-CH":
        assert not rule.answers(answer, "")


def test_a_strange_locale_is_refused() -> None:
    with pytest.raises(InputError, match="no locale 'xx'"):
        locale_called("xx")


def test_numbers_of_the_question_are_not_the_answer() -> None:
    assert right(5, "In 2024 there were 5.", "How many in 2024?")
    assert right(2024, "2024", "Is it 2024?")
    assert not right(5, "In 2025 there were 5.", "How many in 2024?")


def test_a_pattern_that_would_run_for_ever_does_not_match() -> None:
    begun = time.perf_counter()
    assert not right({"pattern": "^(a+)+$"}, "a" * 200 + "!")
    assert time.perf_counter() - begun < 20


@each_row(
    ("expected", "said"),
    [
        (["a"], '{"set": [...]}'),
        ({"sett": ["a"]}, '{"set": [...]}'),
        ({"set": []}, "at least 1"),
        ({"number": "many"}, "valid number"),
        ({"number": 1, "tolerance": -1}, "greater than or equal to 0"),
        ({"pattern": "("}, "no regular expression"),
        ({"pattern": "(" * 900 + ")" * 900}, "no regular expression"),
        ({"pattern": "a{1000000000}"}, "repeats"),
        ({"pattern": "(?x)a{ 1#\n000000 }"}, "repeats"),
        ({"pattern": "((a{999}){999,}){999}"}, "repeats"),
        ({"any": []}, "at least 1"),
        ({"status": "gone"}, "'denied' or 'not_found'"),
    ],
)
def test_other_forms_are_refused(expected: Any, said: str) -> None:
    with pytest.raises(ValidationError, match=r"validation error") as caught:
        _ANSWERS.validate_python(expected)
    assert said in str(caught.value)


def test_in_a_cell_a_status_is_an_object() -> None:
    assert _ANSWERS.validate_python({"status": "denied"}) == Status(status="denied")
    assert _CELLS.validate_python({"status": "denied"}).root == {"status": "denied"}


@given(
    st.lists(WORDS, min_size=1, max_size=6, unique=True), st.randoms(), st.sampled_from(["; ", ", ", "\n"])
)
def test_a_set_is_right_in_any_order_and_wrong_with_one_more(
    words: list[str], order: Any, between: str
) -> None:
    shuffled = list(words)
    order.shuffle(shuffled)
    named = [word for word in shuffled if word not in ("and", "or")]
    expected = {"set": named or ["x"]}
    assert right(expected, between.join(named or ["x"]))
    assert not right(expected, between.join([*named, "zzzzzzzzz"]))


@given(st.floats(-1e6, 1e6), st.floats(0, 10), st.floats(-20, 20))
def test_a_number_is_right_within_its_tolerance(number: float, tolerance: float, off: float) -> None:
    number, tolerance, off = round(number, 3), round(tolerance, 3), round(off, 3)
    if abs(abs(off) - tolerance) > 1e-3:
        expected = {"number": number, "tolerance": tolerance}
        assert _CELLS.validate_python(expected).fits(number + off, TEXT) == (abs(off) < tolerance)


@given(st.one_of(st.text(max_size=200), st.none(), st.integers(), st.booleans()))
def test_no_answer_breaks_a_rule(answer: Any) -> None:
    for expected in ("x", 3, True, {"set": ["a", "b"]}, {"number": 1}, {"pattern": "a|b"}, {"any": ["a", 2]}):
        rule = _CELLS.validate_python(expected)
        rule.fits(answer, TEXT)
        rule.answers(str(answer), "a question of 3")
