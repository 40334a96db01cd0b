"""A report as one HTML page that needs no network, and no script to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.html.charts import FlippedTasks, HeatMap, Intervals
from worksmith.evals.reporting.html.episodes import browser
from worksmith.evals.reporting.html.plots import Plot
from worksmith.evals.reporting.html.templates import asset, macro, render
from worksmith.evals.table import Grid

Block = Grid | Intervals | HeatMap | Plot
"""A table or a chart."""

_MACROS = {Grid: "grid", FlippedTasks: "flips", Intervals: "intervals", HeatMap: "heat_map", Plot: "plot"}


def page(
    title: str,
    lead: str,
    facts: Mapping[str, str],
    sections: Sequence[tuple[str, Sequence[Block]]],
    episodes: Sequence[ShownEpisode],
    budget: int,
    folder: str = "",
) -> str:
    """A page of tables, charts and episodes.

    Args:
        lead: the result in a sentence.
        sections: titles with their tables and charts; a section with nothing to show is left out.
        budget: the largest page in bytes. Episodes are left out where it is too small for all.
        folder: beside the page, with the files of `episode_pages`; empty without any.
    """
    parts = [
        {"number": number, "title": name, "markup": Markup().join(map(block_html, blocks))}
        for number, (name, blocks) in enumerate(sections, start=1)
    ]
    values: dict[str, Any] = {
        "title": title,
        "lead": lead,
        "facts": facts,
        "parts": [part for part in parts if part["markup"]],
        "has_episodes": bool(episodes),
        "css": asset("page.css"),
        "script": asset("page.js"),
    }
    rest = budget - len(render("page.html", **values, episodes="").encode())
    return render("page.html", **values, episodes=browser(episodes, max(rest, 0), folder)) + "\n"


def block_html(block: Block) -> Markup:
    """The markup of a table or chart; empty if it has nothing to show."""
    return macro("blocks.html", _MACROS[type(block)])(block)
