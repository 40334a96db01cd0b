from __future__ import annotations

import itertools
import re
import time
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.kinds.crm.reading.recognise import recognise
from worksmith.evals.kinds.crm.reading.texts import question_of
from worksmith.evals.kinds.crm.task_types import TASK_TYPES

TODAY = date(2023, 5, 20)
WORDINGS: dict[str, list[dict[str, str]]] = tomllib.loads(
    (Path(__file__).parent / "wordings.toml").read_text(encoding="utf-8")
)
EACH = [(family, wording) for family, wordings in WORDINGS.items() for wording in wordings]


def read(text: str, family: str = "handle_time") -> dict[str, str]:
    return dict(recognise(text, family, TODAY).slots)


@each_row("family", WORDINGS)
def test_wordings_of_many_forms(family: str) -> None:
    for wording in WORDINGS[family]:
        reading = recognise(wording["text"], family, TODAY)
        said = {name: value for name, value in wording.items() if name != "text"}
        assert reading.complete, wording
        assert {name: reading.slots.get(name) for name in said} == said, wording


def test_ids_and_the_form_of_the_answer_may_follow() -> None:
    for family, wording in EACH[::3]:
        text = wording["text"].rstrip(".?") + "?"
        plain = recognise(text, family, TODAY)
        more = f"{text} Return only the Id. The associated product Id is 01twK00000000A1AAA."
        assert question_of(more) == " ".join(text.split()), text
        assert recognise(more, family, TODAY) == plain, text


def test_typography_makes_no_difference() -> None:
    for family, wording in EACH[::4]:
        curly = wording["text"].replace("'", "\u2019").replace("-", "\u2011").replace(" ", "\u00a0 ")
        assert recognise(curly, family, TODAY) == recognise(wording["text"], family, TODAY), curly


PERIODS = {
    "over the past six weeks": "6 weeks",
    "in the last 2 quarters": "2 quarters",
    "during Fall 2021": "Fall 2021",
    "in the second quarter of 2022": "Q2 2022",
    "in December 2020": "December 2020",
}
THRESHOLDS = {
    "more than one case": "1",
    "over 3 cases": "3",
    "at least four cases": "3",
    "two or more cases": "1",
    "any cases": "0",
    "cases": "0",
    "multiple cases": "1",
    "a minimum of 3 cases": "2",
    "3+ cases": "2",
    "in excess of two cases": "2",
    "not fewer than 2 cases": "1",
    "no fewer than three (3) cases": "2",
}
SPEEDS = {
    "shortest": "min",
    "quickest": "min",
    "lowest": "min",
    "longest": "max",
    "highest": "max",
    "slowest": "max",
}
COUNTS = {"fewest": "min", "smallest number of": "min", "most": "max", "greatest number of": "max"}


def told(period: str, n: str, extreme: str) -> dict[str, str]:
    return {"period": PERIODS[period], "n": THRESHOLDS[n], "extreme": extreme}


def without_days(found: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in found.items() if name not in ("start", "end")}


@pytest.mark.parametrize("period", PERIODS)
def test_all_slots_in_all_places(period: str) -> None:
    first = period[0].upper() + period[1:]
    for n, (word, extreme) in itertools.product(THRESHOLDS, SPEEDS.items()):
        expected = told(period, n, extreme)
        for text in (
            f"{first}, name the agent with the {word} handle time who dealt with {n}.",
            f"Of the agents who worked on {n} {period}, who has the {word} handling time?",
            f"Who had the {word} time to close a case {period} among agents with {n}?",
        ):
            assert without_days(read(text)) == expected, text
    for n, (word, extreme) in itertools.product(THRESHOLDS, COUNTS.items()):
        expected = told(period, n, extreme)
        for text in (
            f"{first}, name the agent with the {word} transfers who dealt with {n}.",
            f"Of the agents who worked on {n} {period}, who made the {word} handovers?",
            f"Who reassigned the {word} cases {period} among agents with {n}?",
        ):
            assert without_days(read(text, "transfer_count")) == expected, text


@each_row(
    ("words", "extreme"),
    [
        ("most quickly", "min"),
        ("least quickly", "max"),
        ("most slowly", "max"),
        ("faster than any other agent", "min"),
        ("slower than all others", "max"),
    ],
)
def test_how_cases_are_closed(words: str, extreme: str) -> None:
    slots = read(f"Over the past 3 months, which agent closed cases {words}?")
    assert slots["extreme"] == extreme


@each_row(
    ("text", "missing"),
    [
        ("Which agent with few cases had the shortest handle time in Q2 2021?", ("n",)),
        ("Which agent with no more than 3 cases had the shortest handle time in Q2 2021?", ("n",)),
        ("Which agent with fewer than 3 cases had the shortest handle time in Q2 2021?", ("n",)),
        ("Which agent with 2 or fewer cases had the shortest handle time in Q2 2021?", ("n",)),
        ("Which agent who managed three had the shortest handle time in Q2 2021?", ("n",)),
        ("Which agent with more than 2 cases had the shortest handle time?", ("period",)),
        ("Which agent had the shortest handle time in the past 2 weeks of Q2 2021?", ("period",)),
        ("Which agent had the shortest handle time in late 2021?", ("period",)),
        ("Which state closed cases fastest a few weeks into 2021?", ("period",)),
        ("What has been the most frequent problem over the past 3 months?", ("phrase",)),
    ],
)
def test_what_is_not_said_is_missing_and_not_made_up(text: str, missing: tuple[str, ...]) -> None:
    family = {"Which state": "best_region_identification", "What has be": "top_issue_identification"}
    reading = recognise(text, family.get(text[:11], "handle_time"), TODAY)
    assert reading.missing == missing
    assert not reading.complete


@each_row("text", ["", " ", "Tarn Slip-On", "The parcel came late.", "word " * 400, "\x00", "Hi", "¤¤¤ ¤¤ ¤"])
def test_what_is_no_question(text: str) -> None:
    assert not recognise(text, "handle_time", TODAY).complete


def test_days_of_periods() -> None:
    asked = "Which states closed cases fastest in the last 2 quarters?"
    slots = read(asked, "best_region_identification")
    assert (slots["start"], slots["end"]) == ("2022-11-20", "2023-05-20")
    slots = read("Show the road shoes I bought a month ago.", "named_entity_disambiguation")
    assert (slots["period"], slots["day"]) == ("1 months", "2023-04-20")
    assert "start" not in recognise(asked, "best_region_identification").slots


def test_averages_are_noted() -> None:
    assert "average" not in read("Who had the lowest handle time in Q1 2021?")
    assert read("Who had the lowest mean handle time in Q1 2021?")["average"] == "yes"


PIECES = re.findall(
    r"\S+",
    """which agent who the a state month case cases problem most often fewest transfers handle time past last
    3 weeks in of Q2 2021 winter more than over I bought show policy breach article , . ? ' - ago any with
    Tarn Slip-On""",
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.sampled_from(sorted(TASK_TYPES)),
    st.one_of(st.none(), st.dates()),
)
def test_any_words_can_be_read(text: str, family: str, today: date | None) -> None:
    reading = recognise(text, family, today)
    assert all(isinstance(value, str) for value in reading.slots.values())
    assert not set(reading.missing) & set(reading.slots)


@given(st.text(max_size=200), st.sampled_from(sorted(TASK_TYPES)))
def test_any_text_can_be_read(text: str, family: str) -> None:
    assert recognise(text, family, TODAY) == recognise(text, family, TODAY)


@each_row("piece", ["time most ", "the past 3 ", "hand a b ", "1 and a half ", "year and a half ", "(3) "])
def test_long_texts_take_no_long_time(piece: str) -> None:
    started = time.perf_counter()
    recognise("Which agent " + piece * (1480 // len(piece)), "handle_time", TODAY)
    assert time.perf_counter() - started < 5
