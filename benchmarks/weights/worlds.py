"""The stage that generates suites, and what differs among them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks._stages import At
from benchmarks.weights.forms import DRAWN
from worksmith.evals.suite import Suite
from worksmith.tools.seeding import digest, rng

_FIRST_DAY, _DAYS = date(2021, 1, 1), 2_000
_SOUNDS = "ba-ce-do-fi-gu-ha-jo-ka-le-mi-no-pra-que-ri-so-ta-ul-ve-xa-zo"
_ENDS = ("com", "net", "org", "test")

_DRAWS: dict[str, Callable[[Random], str]] = {
    "today": lambda random: str(_FIRST_DAY + timedelta(days=random.randrange(_DAYS))),
    "mail_domain": lambda random: f"{''.join(random.sample(_SOUNDS.split('-'), 3))}.{random.choice(_ENDS)}",
}
"""Options of offices that are drawn: a day of six years, and a domain."""


def suites(at: At) -> dict[str, Any]:
    """Generate a suite for each seed."""
    from worksmith.jobs.building import build
    from worksmith.jobs.settings.suites import BuildSettings

    made = []
    for seed in at.settings["seeds"]:
        place = at.folder / str(seed)
        if not place.is_dir():
            options = dict(at.settings["options"])
            options |= {name: _DRAWS[name](rng(seed, name)) for name in options if options[name] == DRAWN}
            scale = {"scale": options.pop("scale")} if "scale" in options else {}
            build(BuildSettings(kind=at.settings["kind"], out=place, seed=seed, options=options, **scale))
        made.append(Suite.open(place))
    train = sum(len(suite.select(split="train")) for suite in made)
    return {"digest": digest([suite.digest for suite in made]), "train": train}
