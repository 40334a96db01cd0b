"""Nothing that a model, a tool or a task says may become a part of the page."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.evals.episodes import make_record, make_result
from worksmith.evals.characters import harmless
from worksmith.evals.records.entries import CallEntry, ChangeEntry, FaultEntry, Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.plain import episode_text
from worksmith.evals.reporting.report import study_report
from worksmith.evals.running.study import StudyArm, run_study
from worksmith.evals.table import Grid

HOSTILE = [
    "<script>evil()</script>",
    '"><img src=x onerror=evil()>',
    "'--></style></script><b>",
    "\x00\ud800&amp;]]>",
]
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30))


class Tags(HTMLParser):
    """The elements of a page with the names of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def tags(page: str) -> list[tuple[str, tuple[str, ...]]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


def record_with(said: str) -> EpisodeRecord:
    change: dict[str, Any] = {"table": said, "operation": "insert", "after": {said: said}}
    return make_record(
        1,
        query=said,
        scores={"outcome": 0.0},
        domains=(said,),
        intent=said,
        answer=said,
        error=said,
        plan=said,
        calls=(
            CallEntry(
                tool=said,
                arguments={said: said},
                status=said,
                rule=said,
                observation=said,
                thought=said,
                opinion=said,
                opinion_reason=said,
            ),
        ),
        changes=(ChangeEntry(**change),),
        expected_changes=(ChangeEntry(**{**change, "table": "other"}),),
        judgements=(Judgement(judge=said, rubric=said, level=1, feedback=said),),
        fault=FaultEntry(kind=said, detail=said),
    )


def page_with(said: str) -> str:
    record = record_with(said)
    arms = [StudyArm(said or "a", model=said), StudyArm(said + "2")]
    study = run_study(arms, lambda _: make_result([record, make_record(2)], model=said))
    return study_report(study, title=said, setting={said: said}).html()


@given(texts)
def test_what_is_said_changes_no_element_of_the_page(said: str) -> None:
    expected = {tag for tag, _ in tags(page_with("plain"))}
    found = tags(page_with(said))

    assert {tag for tag, _ in found} <= expected | {"option", "code"}
    assert not any(name.startswith("on") for _, names in found for name in names)
    assert sum(tag == "script" for tag, _ in found) == 1


def test_characters_that_no_page_may_have_are_replaced() -> None:
    page = page_with("\x00\x1b[31m\ud800")
    assert page.encode()
    assert "\x00" not in page
    assert "\x1b" not in page


COMMANDING = "\x1b[2J\x1b]0;title\x07\x9b31m\x7f\r\x00\ud800"


def test_nothing_that_is_said_commands_a_terminal() -> None:
    shown = episode_text(ShownEpisode(COMMANDING, record_with(COMMANDING)))
    console = Console(file=io.StringIO(), width=300, force_terminal=True, color_system=None)
    console.print(Grid(COMMANDING, (COMMANDING,), ((COMMANDING,),), (COMMANDING,)).rich())
    assert isinstance(console.file, io.StringIO)
    for text in (shown, console.file.getvalue()):
        assert "]0;title" in text
        assert not any(character in text for character in "\x1b\x07\x9b\x7f\r\x00\ud800")


def test_what_is_said_changes_no_table_in_markdown() -> None:
    said = "a | b\n| c <script>evil()</script> <b"
    written = Grid(said, ("label", said), (("x", said),), (said,)).markdown()
    assert "<script" not in written
    assert "<b" not in written
    title, _, *table, _, note = written.rstrip("\n").split("\n")
    assert title.startswith("### a | b | c ")
    assert [len(re.split(r"(?<!\\)\|", line)) for line in table] == [4, 4, 4]
    assert note.startswith("a | b | c ")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"), include_characters="\n\t")))
def test_all_other_characters_stay(text: str) -> None:
    assert harmless(text) == text
