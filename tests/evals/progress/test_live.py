"""The live display: what is done, in flight and waiting, tokens and dollars a minute, the probable end."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from worksmith.evals.lm.prices import Prices, per_million
from worksmith.evals.lm.wire import lane
from worksmith.evals.lm.wire.lane import ASKED, PAUSE, TURN, Traffic
from worksmith.evals.progress.live import Ends, LiveStep, Pauses
from worksmith.evals.progress.progress import SILENT
from worksmith.evals.progress.screen import Terminal, on_screen
from worksmith.tools.episode_result import Tokens

MODEL = "openai/known"
PRICES = Prices(own={MODEL: per_million(1.0, 10.0)})


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


NONE = Tokens()


def traffic(model: str = MODEL, in_flight: int = 0, tokens: Tokens = NONE, **more: object) -> Traffic:
    given: dict[str, object] = {
        "waiting": {},
        "limit": None,
        "answered": 0,
        "failed": 0,
        "paused": "",
        **more,
    }
    return Traffic(model, in_flight, tokens=tokens, **given)  # type: ignore[arg-type]


def shown(step: LiveStep, width: int = 120) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(step)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def step(clock: Clock) -> LiveStep:
    return LiveStep("react", PRICES, clock)


def test_what_is_done_and_in_flight_is_shown_with_the_probable_end(step: LiveStep, clock: Clock) -> None:
    for done in range(1, 41):
        clock.now += 0.5
        step.tick(done, 100, in_flight=8)
    (line,) = shown(step)

    assert line.startswith("react ")
    assert line.endswith(" 40/100, 8 in flight, ends in 30 s")


def test_a_later_end_is_told_by_the_clock(step: LiveStep, clock: Clock) -> None:
    clock.now += 60
    step.tick(1, 91, in_flight=1)

    assert re.search(r"1/91, 1 in flight, ends in 1 h 30 min, about \d\d:\d\d$", shown(step)[0])


def test_before_anything_ended_there_is_no_number(step: LiveStep) -> None:
    (line,) = shown(step)

    assert line.startswith("react ")
    assert not re.search(r"\d", line)


def test_what_each_model_does_and_waits_for_is_told_in_words(step: LiveStep) -> None:
    step.tick(1, 9)
    limit = "the limit of 500 requests a minute"
    waiting = {limit: 30, ASKED: 1, TURN: 0}
    step.note([traffic(in_flight=12, waiting=waiting), traffic("openai/idle"), traffic("b/x", 3, limit=4)])

    assert shown(step, 160)[1:] == [
        f"{MODEL}: 12 in flight, 30 wait for {limit}, 1 waits for {ASKED}",
        "b/x: 3 of at most 4 in flight",
    ]


def test_a_paused_model_comes_first_with_its_failure(step: LiveStep) -> None:
    step.tick(1, 9)
    step.note([traffic(in_flight=12), traffic("b/x", paused="503 overloaded", waiting={PAUSE: 7})])

    assert shown(step)[1] == "b/x: paused, 7 wait; the last failure: 503 overloaded"


def amounts(step: LiveStep, clock: Clock, model: str = MODEL) -> str:
    """The line of amounts, after a minute with 6,000 tokens of prompts and 600 of replies every 6 seconds."""
    for number in range(11):
        step.note([traffic(model, 1, Tokens(6_000 * number, 600 * number))])
        clock.now += 6
    return shown(step)[-1]


def test_tokens_and_dollars_are_those_of_the_last_minute(step: LiveStep, clock: Clock) -> None:
    assert amounts(step, clock) == "66,000 tokens and $0.12 a minute"
    for _ in range(11):
        step.note([traffic(tokens=Tokens(60_000, 6_000))])
        clock.now += 6
    assert shown(step)[-1] == "0 tokens and $0.00 a minute"


def test_dollars_of_a_model_without_a_price_are_not_known(step: LiveStep, clock: Clock) -> None:
    assert amounts(step, clock, "own/unheard-of") == "66,000 tokens and $? a minute"


def test_nothing_of_a_model_commands_the_terminal(step: LiveStep) -> None:
    step.tick(1, 9, "\x1b[2J[red]part")
    step.note([traffic("a\x1b[2Jb", 1, paused="\x1b]0;title\x07")])

    assert "\x1b[2J" not in "".join(shown(step))
    assert "\x1b]0" not in "".join(shown(step))
    assert "[red]part" in shown(step)[0]


def test_pauses_are_said_once_and_so_is_their_end() -> None:
    pauses = Pauses()
    paused = [traffic(paused="503 overloaded")]

    assert list(pauses.news([traffic()])) == []
    assert list(pauses.news(paused)) == [f"{MODEL} is paused, because it keeps failing: 503 overloaded"]
    assert list(pauses.news(paused)) == []
    assert list(pauses.news([traffic()])) == [f"{MODEL} is not paused any more"]


def test_episodes_of_an_earlier_attempt_say_nothing_about_the_rate(clock: Clock) -> None:
    ends = Ends(clock)
    clock.now += 10
    ends.note(501, 600)
    clock.now += 10
    ends.note(502, 600)

    assert ends.left(1) == pytest.approx(980)


def test_no_end_is_told_before_as_many_have_ended_as_are_in_flight(clock: Clock) -> None:
    ends = Ends(clock)
    for done in range(1, 9):
        clock.now += 1
        ends.note(done, 100)
        assert (ends.left(8) is None) == (done < 8)


def test_the_next_step_has_a_rate_of_its_own(clock: Clock) -> None:
    ends = Ends(clock)
    for done in range(1, 11):
        clock.now += 1
        ends.note(done, 10)
    assert ends.left(1) is None
    clock.now += 60
    ends.note(1, 10)

    assert ends.left(1) == pytest.approx(540)


def test_an_end_moves_away_while_nothing_ends(clock: Clock) -> None:
    ends = Ends(clock)
    clock.now += 10
    ends.note(1, 11)
    assert ends.left(1) == pytest.approx(100)
    clock.now += 10
    assert ends.left(1) == pytest.approx(200)


@given(st.lists(st.floats(0.01, 100), min_size=20, max_size=60), st.floats(0.5, 20))
def test_a_steady_rate_is_found_whatever_was_before(before: list[float], pace: float) -> None:
    clock = Clock()
    ends, total = Ends(clock), len(before) + 1_000
    for done, seconds in enumerate(before, start=1):
        clock.now += seconds
        ends.note(done, total)
    for done in range(len(before) + 1, len(before) + 801):
        clock.now += pace
        ends.note(done, total)

    assert ends.left(1) == pytest.approx(200 * pace, rel=0.05)


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def wait_for(self, text: str) -> None:
        while text not in self.getvalue():
            time.sleep(0.005)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in ("_REFRESHED", "_WATCHED"):
        monkeypatch.setattr(f"worksmith.evals.progress.screen.{seconds}", 0.005)


@pytest.mark.usefixtures("often")
def test_a_terminal_shows_steps_live_and_nothing_of_them_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=True))
    monkeypatch.setattr(lane, "traffic", lambda: [traffic(in_flight=12)])
    spoken = Terminal()
    with spoken.bar("react") as tick:
        tick(3, 9, in_flight=2, said="outcome 66.7 %")
        screen.wait_for("3/9, outcome 66.7 %, 2 in flight")
        screen.wait_for(f"{MODEL}: 12 in flight")
        spoken.say("[red]some sentence")

    # The sentence stands in the place of the display, which is drawn anew below it.
    assert re.search(r"\x1b\[2K\[red\]some sentence\n", screen.getvalue())
    assert screen.getvalue().rstrip("\n").endswith("\x1b[2K")


@pytest.mark.usefixtures("often")
def test_a_file_gets_nothing_but_a_sentence_where_a_model_is_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=False))
    monkeypatch.setattr(lane, "traffic", lambda: [traffic(in_flight=12, paused="503 overloaded")])
    with Terminal().bar("react") as tick:
        tick(3, 9, in_flight=2)
        screen.wait_for("\n")

    assert screen.getvalue() == f"{MODEL} is paused, because it keeps failing: 503 overloaded\n"


@pytest.mark.parametrize(
    ("asked", "terminal", "shown"),
    [(None, True, True), (None, False, False), (True, False, True), (False, True, False)],
)
def test_progress_is_shown_where_somebody_looks_or_asks(
    asked: bool | None, terminal: bool, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Screen(terminal))
    assert (on_screen(asked) is not SILENT) == shown
