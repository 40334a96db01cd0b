"""The live display of a step: a bar, the probable end, and the requests to providers' servers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from markupsafe import Markup
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from worksmith.evals.characters import harmless
from worksmith.evals.lm.prices import Prices
from worksmith.evals.lm.wire.lane import Traffic
from worksmith.tools.episode_result import Tokens

T = TypeVar("T")

_STEADY = 300.0
"""Seconds that make the rate of ends: limits and pauses change it."""

_MINUTE = 60.0

_SHORTEST = 5.0
"""Seconds before amounts a minute are shown."""

_APART = 1.0
"""Seconds between two samples."""

_MODELS = 4
"""The most models with their own line."""


class Ends:
    """The ends of units of work, and the probable end of the last one.

    Attributes:
        total: the number of all units; None while it is not known.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.done = 0
        self.total: int | None = None
        self._clock = clock
        self._last = clock()
        self._before = 0
        self._samples: deque[tuple[float, int]] = deque()

    def note(self, done: int, total: int | None) -> None:
        """Take the numbers after an end. Units of an earlier attempt are done before the first one."""
        if not self._samples or total != self.total or done < self.done:
            self._before = max(0, done - 1)
            self._samples = deque([(self._last, self._before)])
        self.done, self.total, self._last = done, total, self._clock()
        _sample(self._samples, self._last, done, _STEADY)

    def left(self, in_flight: int) -> float | None:
        """Seconds until the last end; None while it is unknown.

        Args:
            in_flight: units in flight. Before as many have ended, the rate is still too low.
        """
        if self.total is None or self.done >= self.total or self.done - self._before < max(1, in_flight):
            return None
        since, before = self._samples[0]
        seconds = max(self._clock() - since, 1e-3)
        return (self.total - self.done) * seconds / max(self.done - before, 1e-3)


class Spending:
    """Tokens and dollars a minute, of replies in the last minute."""

    def __init__(self, prices: Prices, clock: Callable[[], float]) -> None:
        self._prices = prices
        self._clock = clock
        self._samples: deque[tuple[float, dict[str, Tokens]]] = deque()

    def note(self, traffic: Sequence[Traffic]) -> None:
        """Take the tokens so far."""
        tokens: dict[str, Tokens] = {}
        for each in traffic:
            tokens[each.model] = Tokens(
                *map(sum, zip(tokens.get(each.model, Tokens()), each.tokens, strict=True))
            )
        _sample(self._samples, self._clock(), tokens, _MINUTE)

    def __str__(self) -> str:
        """Both amounts; empty while unknown. Dollars are "?" if a price is unknown."""
        if not self._samples:
            return ""
        (since, before), (now, after) = self._samples[0], self._samples[-1]
        if now - since < _SHORTEST:
            return ""
        taken = {
            model: Tokens(*(max(0, b - a) for a, b in zip(before.get(model, Tokens()), so_far, strict=True)))
            for model, so_far in after.items()
        }
        minutes = (now - since) / _MINUTE
        tokens = sum(each.prompt + each.completion for each in taken.values()) / minutes
        costs = [
            None if (price := self._prices.price(model)) is None else price.of(*each)
            for model, each in taken.items()
            if any(each)
        ]
        known = [cost for cost in costs if cost is not None]
        dollars = "$?" if len(known) < len(costs) else _dollars(sum(known) / minutes)
        return f"{tokens:,.0f} tokens and {dollars} a minute"


class Pauses:
    """The models that are paused, for sentences when that changes."""

    def __init__(self) -> None:
        self._paused: set[str] = set()

    def news(self, traffic: Sequence[Traffic]) -> Iterator[str]:
        """A sentence for each model that is paused now, or is not any more."""
        paused = {each.model: each.paused for each in traffic if each.paused}
        for model in sorted(paused.keys() - self._paused):
            yield f"{model} is paused, because it keeps failing: {paused[model]}"
        for model in sorted(self._paused - paused.keys()):
            yield f"{model} is not paused any more"
        self._paused = set(paused)


class LiveStep:
    """The display of a step; rich renders it.

    Args:
        label: the name of the step.
        prices: for the dollars.
        clock: gives seconds.
    """

    def __init__(self, label: str, prices: Prices, clock: Callable[[], float] = time.monotonic) -> None:
        self._label = self._name = label
        self._ends = Ends(clock)
        self._spending = Spending(prices, clock)
        self._in_flight = 0
        self._said = ""
        self._traffic: Sequence[Traffic] = ()
        self._clock, self._begun = clock, clock()

    def tick(self, done: int, total: int | None, part: str = "", in_flight: int = 0, said: str = "") -> None:
        """Take how far the step is, see `worksmith.evals.progress.progress.Tick`."""
        self._said = said
        self._name = f"{self._label}: {part}" if part else self._label
        self._in_flight = in_flight
        self._ends.note(done, total)

    def note(self, traffic: Sequence[Traffic]) -> None:
        """Take the requests to models of this moment."""
        self._traffic = traffic
        self._spending.note(traffic)

    def __rich__(self) -> RenderableType:
        ends = self._ends
        row = Table.grid(padding=(0, 1))
        row.add_row(
            Text(harmless(self._name), no_wrap=True, overflow="ellipsis"),
            ProgressBar(total=ends.total, completed=ends.done, width=30, pulse=ends.total is None),
            Text(self._counts(), no_wrap=True),
        )
        lines = [*(harmless(_told(each)) for each in self._shown()), str(self._spending)]
        shown = [Text(line, "dim", no_wrap=True, overflow="ellipsis") for line in lines if line]
        return Group(row, *(shown if self._traffic else ()))

    def _counts(self) -> str:
        ends = self._ends
        if ends.total is None:
            return ""
        left = ends.left(self._in_flight)
        flying = f"{self._in_flight} in flight" if self._in_flight else ""
        return ", ".join(filter(None, (f"{ends.done}/{ends.total}", self._said, flying, _end(left))))

    def html(self) -> Markup:
        """The display for a notebook."""
        ends = self._ends
        value = "" if ends.total is None else f'value="{ends.done}" max="{max(1, ends.total)}"'
        bar = Markup(f"<progress {value} style='width:14em;vertical-align:middle'></progress>")
        further = filter(None, (*map(_told, self._shown()), str(self._spending)))
        below = Markup("<br>").join(map(harmless, further))
        return Markup("<div>{} {} {}</div>{}").format(harmless(self._name), bar, self._counts(), below)

    @property
    def ended(self) -> str:
        """What is left to say when the step is done."""
        # Of several parts, counts and words are those of the last one.
        known = (f"{self._ends.done} done", self._said) if self._name == self._label else ("done",)
        facts = (*known, f"{self._clock() - self._begun:.1f} s")
        return f"{self._label}: {', '.join(filter(None, facts))}"

    def _shown(self) -> list[Traffic]:
        busy = [each for each in self._traffic if each.in_flight or each.paused or any(each.waiting.values())]
        return sorted(busy, key=lambda each: (not each.paused, -each.in_flight))[:_MODELS]


def _sample(samples: deque[tuple[float, T]], now: float, value: T, seconds: float) -> None:
    """Add a sample, and drop the older ones except the last."""
    if not samples or now - samples[-1][0] >= _APART:
        samples.append((now, value))
    while len(samples) > 1 and now - samples[1][0] >= seconds:
        samples.popleft()


def _told(traffic: Traffic) -> str:
    """The requests to a model in a line."""
    waiting = {reason: count for reason, count in traffic.waiting.items() if count}
    if traffic.paused:
        wait = f", {sum(waiting.values())} wait" if waiting else ""
        return f"{traffic.model}: paused{wait}; the last failure: {traffic.paused}"
    limit = "" if traffic.limit is None else f" of at most {traffic.limit}"
    waits = (
        f", {count} {'waits' if count == 1 else 'wait'} for {reason}" for reason, count in waiting.items()
    )
    return f"{traffic.model}: {traffic.in_flight}{limit} in flight{''.join(waits)}"


def _end(left: float | None) -> str:
    """The end after `left` seconds, in words."""
    if left is None:
        return ""
    if left < _MINUTE:
        return f"ends in {max(1, round(left))} s"
    at = datetime.now() + timedelta(seconds=left)
    hours, minutes = divmod(round(left / _MINUTE), 60)
    wait = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    return f"ends in {wait}, about {at:%H:%M}" if left < 12 * 3600 else f"ends in {wait}"


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.2g}"
