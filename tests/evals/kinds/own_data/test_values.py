from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.tables import each_row
from worksmith.evals.kinds.own_data.values import Column, Expected, Status, Value
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.locales import locale_called

_ANSWERS: TypeAdapter[Any] = TypeAdapter(Expected)
_CELLS: TypeAdapter[Any] = TypeAdapter(Value)

TEXT = Column("text", exact=True)

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)


def right(expected: Any, answer: str, question: str = "") -> bool:
    return bool(_ANSWERS.validate_python(expected).answers(answer, question))


@each_row(
    ("expected", "answer"),
    [
        ("open", "Open."),
        ("open", "  **open** "),
        ("The printer jams", "the  printer jams."),
        (3, "3"),
        (3, "There are 3 tickets."),
        (3.5, "3.50 hours"),
        ("café", "cafe\u0301."),
        ({"pattern": "^café$"}, "cafe\u0301"),
        ("O'Neil", "O\u2019Neil"),
        ("2\u20133 days", "2-3\u00a0days"),
        ("東京", "「東京」。"),
        ({"set": ["張三", "cafe\u0301"]}, "caf\u00e9、張三。"),
        (1234.5, "1.234,50 €"),
        (1234.5, "1\u202f234,50"),
        (1234.5, "CHF 1\u2019234.50"),
        (1234567, "1.234.567"),
        (1234, "1\u00a0234"),
        (12.5, "12,50 €"),
        (3.5, "3½"),
        (1000, "1e3"),
        (1_500_000, "$1.5M"),
        (25, "\uff12\uff15"),
        (True, "Yes."),
        (True, "Yes, it is late."),
        (True, "**Yes** it is, with no doubt."),
        (True, "The answer is yes."),
        (True, '{"late": true}'),
        (True, "Not false"),
        (False, "No, yes would be wrong."),
        (False, "No it is not"),
        (False, "It isn't true."),
        (False, "false"),
        ({"set": ["T-1", "T-2"]}, "T-2; T-1"),
        ({"set": ["T-1", "T-2"]}, "t-1 and T-2."),
        ({"set": ["T-1", "T-2"]}, '["T-1", "T-2"]'),
        ({"set": ["T-1", "T-2"]}, "- T-1\n- T-2"),
        ({"set": ["T-1", "T-2"]}, "1. T-1\n2. T-2"),
        ({"set": ["Rome, Italy", "Rome"]}, "Rome; Rome, Italy"),
        ({"set": [1, 2]}, "2, 1"),
        ({"number": 3.5, "tolerance": 0.1}, "about 3.6"),
        ({"number": 1200}, "$1,200"),
        ({"pattern": "^T-\\d+$"}, "T-12"),
        ({"pattern": "(?i)refund"}, "A Refund is due."),
        ({"any": ["HR", {"pattern": "(?i)human resources"}]}, "Human Resources"),
    ],
)
def test_right_answers(expected: Any, answer: str) -> None:
    assert right(expected, answer)


@each_row(
    ("expected", "answer"),
    [
        ("open", "It is open"),
        ("open", ""),
        ("C++", "C"),
        (3, "4"),
        (3, "3 or 4"),
        (3, "three-ish, T-3"),
        ("café", "cafe"),
        (1000, "1e3x"),
        (True, "no"),
        (True, "No, yes would be wrong."),
        (True, "Yes and no."),
        (True, "Yes, but actually no"),
        (True, "I cannot say yes"),
        (True, "It is late."),
        (False, "No ticket is open"),
        (False, "No. 5 is late"),
        (False, "Yes. No."),
        ({"set": ["T-1", "T-2"]}, "T-1"),
        ({"set": ["T-1", "T-2"]}, "T-1; T-2; T-3"),
        ({"set": ["T-1", "T-2"]}, "T-11; T-2"),
        ({"set": ["a"]}, ""),
        ({"set": [2]}, "1) 2) 3) ;"),
        ({"set": [2]}, "1. 3. 2"),
        ({"set": [2]}, "1) \0 2"),
        ({"number": 3.5, "tolerance": 0.1}, "3.7"),
        ({"number": 3.5}, "none"),
        ({"pattern": "^T-\\d+$"}, "it is T-12"),
        ({"any": ["HR", "IT"]}, "Sales"),
    ],
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
