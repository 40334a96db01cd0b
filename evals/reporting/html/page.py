"""A report as one HTML page that needs no network, and no script to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.html.charts import Changes, FlippedTasks
from worksmith.evals.reporting.html.episodes import browser
from worksmith.evals.reporting.html.plots import Plot
from worksmith.evals.reporting.html.templates import asset, macro, render
from worksmith.evals.table import Grid

Block = Grid | Changes | Plot
"""A table or a chart."""

_MACROS = {Grid: "grid", FlippedTasks: "flips", Changes: "changes", Plot: "plot"}


@dataclass(frozen=True)
class Section:
    """A titled part of a report. Charts without data are left out.

    Attributes:
        folded: blocks that are shown when they are asked for.
    """

    title: str
    blocks: tuple[Block, ...] = ()
    folded: tuple[Block, ...] = ()

    @property
    def grids(self) -> list[Grid]:
        """Its tables; those that everybody sees are a part of them."""
        return [block for block in self.folded if isinstance(block, Grid)]

    @property
    def markup(self) -> Markup:
        fold = macro("blocks.html", "folded")
        return Markup().join(
            [*map(block_html, self.blocks), *(fold(block.title, block_html(block)) for block in self.folded)]
        )


def page(
    title: str,
    findings: Sequence[str],
    figure: Block | None,
    facts: Mapping[str, str],
    sections: Sequence[Section],
    episodes: Sequence[ShownEpisode],
    budget: int,
    folder: str = "",
) -> str:
    """A page of findings, tables, charts and episodes.

    Args:
        findings: sentences, the most important first.
        figure: the chart below them.
        sections: those with nothing to show are left out.
        budget: the largest page in bytes. Episodes are left out where it is too small for all.
        folder: beside the page, with the files of `episode_pages`; empty without any.
    """
    parts = [
        {
            "number": number,
            "title": section.title,
            "markup": section.markup,
            "folded": not section.blocks,
        }
        for number, section in enumerate(sections, start=1)
    ]
    values: dict[str, Any] = {
        "title": title,
        "findings": findings,
        "figure": "" if figure is None else block_html(figure),
        "facts": facts,
        "parts": [part for part in parts if part["markup"]],
        "css": asset("page.css"),
        "script": asset("page.js"),
    }
    rest = budget - len(render("page.html", **values, episodes="").encode())
    return render("page.html", **values, episodes=browser(episodes, max(rest, 0), folder)) + "\n"


def block_html(block: Block) -> Markup:
    """The markup of a table or chart; empty if it has nothing to show."""
    return macro("blocks.html", _MACROS[type(block)])(block)
