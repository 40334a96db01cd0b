"""Short forms of objects stay short, aligned and harmless, whatever is in them."""

from __future__ import annotations

from html.parser import HTMLParser
from operator import attrgetter

from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.view import LINES, WIDTH, View

HOSTILE = st.text(st.characters(codec="utf-8"), max_size=300) | st.sampled_from(
    ["<script>alert(1)</script>", "\x1b[31mred", "a\nb\rc", '" onload="x', "&lt;", "x" * 5000]
)


class Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.open, self.texts = set[str](), list[str](), list[str]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attributes} <= {"style"}
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(
    title=HOSTILE, facts=st.dictionaries(HOSTILE, HOSTILE, max_size=30), cells=st.lists(HOSTILE, max_size=40)
)
def test_nothing_in_an_object_breaks_its_text_or_its_page(
    title: str, facts: dict[str, str], cells: list[str]
) -> None:
    columns = tuple((f"c{number}", lambda cell, n=number: cell[n:]) for number in range(15))
    view = View(title, facts, cells, columns)

    lines = view.text().split("\n")
    assert len(lines) <= LINES
    assert all(len(line) <= WIDTH and line.isprintable() for line in lines)
    page = Page(html := view.html())
    assert not page.open
    assert page.tags <= {"div", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert len(html) < 150_000
    assert all(text.isprintable() for text in page.texts)


def test_columns_are_aligned_numbers_at_the_right_and_empty_ones_left_out() -> None:
    view = View(
        "Two numbers",
        {"real": 1.5, "nothing": None},
        (7j + 3, 10_000j - 12.5),
        (("number", attrgetter("imag")), ("none", lambda _: None), ("name", lambda each: f"n{each.real:g}")),
    )
    assert view.text().splitlines() == [
        "Two numbers",
        "real: 1.5",
        "number  name",
        "     7  n3",
        "10,000  n-12.5",
    ]


def test_of_many_rows_the_first_ones_are_shown() -> None:
    view = View("Many", items=range(10_000), columns=(("number", int),))
    assert view.text().splitlines()[-1] == "9,992 more rows"
    assert len(view.html()) < 5_000
