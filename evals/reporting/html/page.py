"""A report as one HTML page that needs no network, and no script to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Protocol

from evals import markup
from evals.markup import tag
from evals.reporting.html.episodes import ShownEpisode, browser


class Block(Protocol):
    """A table or a chart."""

    def html(self) -> str:
        """It as markup; empty where it has nothing to show."""
        ...


def page(
    title: str,
    lead: str,
    facts: Mapping[str, str],
    sections: Sequence[tuple[str, Sequence[Block]]],
    episodes: Sequence[ShownEpisode],
    budget: int,
) -> str:
    """The page; every text in it is escaped.

    Args:
        lead: what the report comes to, in a sentence.
        sections: parts of the page with what is in each.
        budget: bytes that the page may have.
    """
    parts = [(name, "".join(block.html() for block in blocks)) for name, blocks in sections]
    named = [(f"part-{number}", name, inside) for number, (name, inside) in enumerate(parts, 1) if inside]
    contents = [(name, anchor) for anchor, name, _ in named] + (
        [("Episodes", "episodes")] if episodes else []
    )
    body = "".join(
        tag("section", tag("h2", markup.text(name)), tag("div", inside, class_="part"), id=anchor)
        for anchor, name, inside in named
    )
    start = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{markup.text(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_file('page.css')}</style></head><body>"
        '<a class="skip" href="#main">to the results</a>'
        f'{_header(title, lead, facts, contents)}<main id="main">{body}'
    )
    end = f"</main>{_FOOTER}<script>{_file('page.js')}</script></body></html>\n"
    rest = budget - len(start.encode()) - len(end.encode())
    return start + browser(episodes, max(rest, 0)) + end


_FOOTER = (
    "<footer>Intervals are 95 %. Every figure can be traced to its episodes: <code>worksmith episodes RUN "
    "--arm PROGRAM --where FIELD=VALUE --metric NAME</code> lists them.</footer>"
)


def _header(title: str, lead: str, facts: Mapping[str, str], contents: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        tag("div", tag("dt", markup.text(name)), tag("dd", markup.text(value)))
        for name, value in facts.items()
    )
    links = "".join(tag("a", markup.text(name), href=f"#{anchor}") for name, anchor in contents)
    return tag(
        "header",
        tag("h1", markup.text(title)),
        tag("p", markup.text(lead), class_="lead") if lead else "",
        tag("dl", listed, class_="facts"),
        tag("nav", links, aria_label="Contents"),
    )


def _file(name: str) -> str:
    return (files("evals.reporting.html") / name).read_text(encoding="utf-8").strip()
