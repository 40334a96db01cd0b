"""Wordings of families: templates, policies and answer formats from the TOML files beside the families.

A file has `templates` with places such as `{period}` or `{speed}`; `context` and `answer` as one text or one
for each mode; `[extremes.NAME]` with words for `min` and `max`; and `[draw]`, see
`worksmith.evals.kinds.crm.families.periodic`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from string import Formatter
from typing import Any

from worksmith.evals.kinds.crm.questions.periods import (
    Period,
    write_period,
    write_threshold,
)
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.settings import Mode


@cache
def wording(name: str) -> Mapping[str, Any]:
    """What `wording/NAME.toml` says."""
    return read_toml("worksmith.evals.kinds.crm.families", f"wording/{name}.toml")


def said(name: str, what: str, mode: Mode) -> str:
    """A text of a family for a mode, on one line where the file has it on several."""
    text = wording(name)[what]
    chosen: str = text if isinstance(text, str) else text[mode]
    return "\n".join(" ".join(line.split()) for line in chosen.strip().split("\n\n"))


def with_periods(context: str) -> str:
    return f"{context}\n{said('periods', 'context', 'clean')}".strip()


def phrased(name: str, slots: Mapping[str, str], random: Random, **given: str) -> str:
    """A wording of some template of a family.

    Args:
        slots: of which `period`, `n` and `extreme` are put into words here.
        given: what stands in other places.
    """
    known = wording(name)
    template: str = random.choice(known["templates"])
    parts = dict(given)
    for place in sorted({name for _, name, _, _ in Formatter().parse(template) if name} - set(given)):
        if place == "period":
            parts[place] = write_period(Period.of(slots["period"]), random)
        elif place == "n":
            parts[place] = write_threshold(int(slots["n"]), random)
        else:
            parts[place] = random.choice(known["extremes"][place][slots["extreme"]])
    text = template.format_map(parts)
    return text[0].upper() + text[1:]
