"""No credential gets into a text that is kept, and everything else stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.files.secrets import HIDDEN, described, without_secrets

KEY = "q7Zr93kLm20aXw"


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "HF_TOKEN", "MY_KEY", "db_password", "SALESFORCE_SESSION_ID"]
)
def test_what_such_variables_hold_is_hidden(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, KEY)
    assert without_secrets(f"the key {KEY!r} is wrong") == f"the key '{HIDDEN}' is wrong"


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "KEYBOARD", "HOME", "MAX_STEPS"])
def test_what_other_variables_hold_stays(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, KEY)
    assert KEY in without_secrets(f"the value {KEY} is wrong")


def test_short_values_are_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert without_secrets("none of these") == "none of these"


def test_of_two_keys_of_which_one_begins_the_other_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.setenv("B_KEY", KEY + "-more")
    assert without_secrets(f"{KEY}-more") == HIDDEN


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("refused: Authorization: Bearer abc.def-ghi_123", f"refused: Authorization: Bearer {HIDDEN}"),
        ("bad key sk-proj-0123456789abcdef.", f"bad key {HIDDEN}."),
        ("cannot reach postgresql://me:hunter2@db/runs", f"cannot reach postgresql://{HIDDEN}@db/runs"),
    ],
)
def test_credentials_are_known_by_their_shape(text: str, left: str) -> None:
    assert without_secrets(text) == left


@given(st.text(alphabet="abcdefgh: /\n", max_size=60))
def test_plain_words_stay_as_they_are(text: str) -> None:
    assert without_secrets(text) == text


def test_an_exception_is_described_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert described(ValueError(f"no access with {KEY}")) == f"ValueError: no access with {HIDDEN}"
