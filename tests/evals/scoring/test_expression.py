from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.episodes import make_record
from worksmith.evals.lm.prices import Prices, per_million
from worksmith.evals.scoring.expression import Expression, priced
from worksmith.tools.errors import InputError

RECORD = make_record(1, scores={"outcome": 1.0, "leak": 0.0}, prompt_tokens=1_000, model_calls=4)
DEAR = Prices({"dear": per_million(100.0, 200.0)})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("outcome", 1.0),
        ("outcome - 0.0001*used_tokens", 0.9),
        ("0.5 + 0.5*(outcome - leak) - -0.01 * model_calls", 1.0),
        ("outcome - 0.001*used_tokens - 1", 0.0),
        ("1e9*1e9*1e9*1e9 - 1e9*1e9*1e9*1e9*outcome", 0.0),
        (priced("outcome - dollars*2", "dear", DEAR), 0.8),
    ],
)
def test_scores_are_weighed_against_costs_between_0_and_1(text: str, value: float) -> None:
    assert Expression(text).value(RECORD) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("outcome - seconds * 2", "no score or cost 'seconds'"),
        ("outcome - 0.1*dollars", "no score or cost 'dollars'"),
        ("outcom * 2", "did you mean 'outcome'"),
        ("outcome / 2", "at character 1: 'outcome / 2'"),
        ("(outcome -", "no expression"),
        ("1 + __import__('os')", "at character 5: \"__import__('os')\""),
        ("outcome ** 9", "no expression"),
        ("(outcome > 0) * 1", "no expression"),
        ("1e999 * outcome", "no expression"),
        ("True * outcome", "no expression"),
        ("+ outcome" * 99, "at most 300 characters"),
        ("", "no expression"),
        ("(1 + 1)", "names no score and no cost"),
    ],
)
def test_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"--maximize: ") as caught:
        Expression(text).value(RECORD)
    assert said in str(caught.value)


@given(st.text("()+-*.0129 outcme\n\\'[]{}:=,", max_size=60) | st.text(max_size=20))
def test_every_text_has_a_value_or_a_typed_error(text: str) -> None:
    with suppress(InputError):
        assert 0 <= Expression(text).value(RECORD) <= 1


def test_an_unknown_price_and_uncounted_tokens_are_no_cost() -> None:
    with pytest.raises(InputError, match="price of nobody/knows is not known"):
        priced("outcome - dollars", "nobody/knows", Prices())
