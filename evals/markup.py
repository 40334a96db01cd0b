"""Pieces of HTML. Whatever is put into them is escaped here, and nowhere else."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from evals.characters import harmless


def text(value: object) -> str:
    """Text for an element or a quoted attribute. Characters that no page may have are replaced."""
    return html.escape(harmless(str(value)))


def tag(name: str, /, *inside: str, **attributes: object) -> str:
    """An element around markup; attributes that are None or False are left out, underscores become dashes."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>"


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    markup: bool = False,
    class_: str | None = None,
) -> str:
    """A table that scrolls inside its own frame where it is wider than the page.

    Args:
        caption: its name, for who does not see it stand below its heading.
        markup: whether cells are markup already.
        class_: of the table.
    """
    ready: Callable[[str], str] = str if markup else text
    head = "".join(tag("th", text(heading), scope="col") for heading in headings)
    body = "".join(
        tag(
            "tr",
            *(
                tag("td", ready(cell)) if number else tag("th", ready(cell), scope="row")
                for number, cell in enumerate(row)
            ),
        )
        for row in rows
    )
    return tag(
        "div",
        tag("table", tag("thead", tag("tr", head)), tag("tbody", body), class_=class_),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def section(title: str, *inside: str, class_: str | None = None) -> str:
    """A table or chart under its heading."""
    return tag("section", tag("h3", text(title)), *inside, class_=class_)


def notes(sentences: Iterable[str]) -> str:
    """Sentences that must be read with what stands above them."""
    return "".join(tag("p", text(sentence), class_="note") for sentence in sentences)


def link(label: str, arm: str, where: Mapping[str, str]) -> str:
    """A figure that leads to the episodes behind it."""
    wanted = json.dumps({"arm": arm, **where}, ensure_ascii=False, sort_keys=True)
    return tag("a", text(label), href="#episodes", data_filter=wanted)
