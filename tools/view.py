"""Short forms of an object: lines of text, a table in a notebook, a frame of pandas."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

LINES, WIDTH = 20, 110
"""The most lines of a text, and characters of one."""

_TEXT_ROWS, _TEXT_FACTS, _TEXT_CELL = 8, 9, 44
_HTML_ROWS, _HTML_FACTS, _HTML_CELL, _HTML_COLUMNS = 20, 20, 160, 12

_NUMBER = re.compile(r"[-+~]?\d[\d,.]*( %)?( \[[^\]]*\])?|-|")
"""Cells that stand at the right."""

_PAGE = """
{%- macro cell(tag, text, number) -%}
<{{ tag }} style="padding:3px 12px 3px 0;vertical-align:top;text-align:{{ 'right' if number else 'left' }}
{{- ';white-space:nowrap' if tag == 'th' }}">{{ text }}</{{ tag }}>
{%- endmacro -%}
{%- macro table(head, rows, right) -%}
<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:4px 0">
{%- if head %}<thead><tr>
{%- for text in head %}{{ cell('th', text, right[loop.index0]) }}{% endfor %}</tr></thead>{% endif %}<tbody>
{%- for row in rows %}<tr style="border-bottom:1px solid rgba(128,128,128,.3)">{% for text in row -%}
{{ cell('td' if head or not loop.first else 'th', text, right[loop.index0]) }}
{%- endfor %}</tr>{% endfor %}</tbody></table>
{%- endmacro -%}
<div style="overflow-x:auto;overflow-wrap:break-word"><div><b>{{ title }}</b></div>
{%- if facts %}{{ table((), facts, (False, False)) }}{% endif %}
{%- if cells %}{{ table(cells[0], cells[1:], right) }}{% endif %}
{%- if more %}<div style="opacity:.75">{{ more }}</div>{% endif %}</div>"""
"""Styles stand at the elements, because some notebooks drop others; colours are those of the page."""


@dataclass(frozen=True)
class View:
    """The short form of an object. Colours are those of the page, so dark ones do.

    Attributes:
        title: one line, which stands for the object in a list.
        facts: values by name; empty ones are left out.
        items: one for each row of the table.
        columns: headings, each with the function that gives the cell of an item.
        row: gives the row of an item in a frame, where it is more than the columns.
    """

    title: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    items: Sequence[Any] = ()
    columns: tuple[tuple[str, Callable[[Any], Any]], ...] = ()
    row: Callable[[Any], Mapping[str, Any]] | None = None

    def text(self) -> str:
        """At most `LINES` lines."""
        facts, cells = self._facts(_TEXT_FACTS, 3 * WIDTH), self._cells(_TEXT_ROWS, _TEXT_CELL)
        indent = max((len(name) + 2 for name, _ in facts), default=0)
        told = [
            wrap(value, WIDTH, initial_indent=f"{name}:".ljust(indent), subsequent_indent=" " * indent)
            for name, value in facts
        ]
        lines = [_cut(self.title, WIDTH), *islice(chain.from_iterable(told), _TEXT_FACTS)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        right = _right(cells)
        for row in cells:
            line = "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            )
            lines.append(_cut(line.rstrip(), WIDTH, keep_spaces=True))
        return "\n".join([*lines, *filter(None, [self._more(_TEXT_ROWS)])])

    def html(self) -> str:
        """A table that needs no style of its page; some tens of kilobytes at most."""
        from jinja2 import Environment

        cells = [row[:_HTML_COLUMNS] for row in self._cells(_HTML_ROWS, _HTML_CELL)]
        page = Environment(autoescape=True).from_string(_PAGE)
        return page.render(
            title=_cut(self.title, 2 * WIDTH),
            facts=self._facts(_HTML_FACTS, _HTML_CELL * 2),
            cells=cells,
            right=_right(cells),
            more=self._more(_HTML_ROWS),
        )

    def _facts(self, most: int, width: int) -> list[tuple[str, str]]:
        found = ((_cut(name, 40), _cut(_shown(value), width)) for name, value in self.facts.items())
        return list(islice(((name, value) for name, value in found if value), most))

    def _cells(self, most: int, width: int) -> list[list[str]]:
        """The headings, and the rows below them; columns without a value are left out."""
        if not self.items:
            return []
        items = list(islice(self.items, most))
        columns = [
            [_cut(name, width), *(_cut(_shown(cell(item)), width) for item in items)]
            for name, cell in self.columns
        ]
        return [list(row) for row in zip(*(each for each in columns if any(each[1:])), strict=True)]

    def _more(self, shown: int) -> str:
        left = len(self.items) - shown
        frame = "; to_frame() has all" if self.row else ""
        return f"{left:,} more rows{frame}" if left > 0 else ""


class Shown:
    """Has a view: `repr` is its title, `str` its text, and a notebook shows its table."""

    def _view(self) -> View:
        raise NotImplementedError

    def __repr__(self) -> str:
        return _cut(self._view().title, WIDTH)

    def __str__(self) -> str:
        return self._view().text()

    def _repr_html_(self) -> str:
        return self._view().html()


class Tabular(Shown):
    """Has a view whose rows a frame holds."""

    def to_frame(self) -> pd.DataFrame:
        """All rows.

        Raises:
            InputError: pandas is not installed.
        """
        view = self._view()
        row = view.row or (lambda item: {name: cell(item) for name, cell in view.columns})
        return frame(map(row, view.items))


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise InputError("to_frame needs pandas", hint="pip install pandas") from error
    return pd.DataFrame(list(rows))


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.4g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return ", ".join(map(_shown, value)) if isinstance(value, list | tuple | set | frozenset) else str(value)


def _cut(text: str, width: int, *, keep_spaces: bool = False) -> str:
    """A text on one line, without what would command a terminal."""
    line = text if keep_spaces else " ".join(text[: 4 * width].split())
    line = "".join(each if each.isprintable() else "\ufffd" for each in line[: width + 1])
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _right(cells: Sequence[Sequence[str]]) -> list[bool]:
    """The columns that have nothing but numbers below their headings."""
    return [all(map(_NUMBER.fullmatch, column)) for column in zip(*cells[1:], strict=True)]
