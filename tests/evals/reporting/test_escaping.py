"""Nothing that a model, a tool or a task says may become a part of the page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evals.compare import Arm, run_study
from evals.entries import CallEntry, ChangeEntry, FaultEntry, Judgement
from evals.report import study_report
from tests.evals.episodes import make_record, make_result

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


def page_with(said: str) -> str:
    change: dict[str, Any] = {"table": said, "operation": "insert", "after": {said: said}}
    record = make_record(
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
    arms = [Arm(said or "a", model=said), Arm(said + "2")]
    study = run_study(arms, lambda _: make_result([record, make_record(2)], model=said))
    return study_report(study, title=said, setting={said: said}).html()


@settings(max_examples=40, deadline=None)
@given(texts)
def test_what_is_said_changes_no_element_of_the_page(said: str) -> None:
    harmless = {tag for tag, _ in tags(page_with("harmless"))}
    found = tags(page_with(said))

    assert {tag for tag, _ in found} <= harmless | {"option", "code"}
    assert not any(name.startswith("on") for _, names in found for name in names)
    assert sum(tag == "script" for tag, _ in found) == 1


def test_characters_that_no_page_may_have_are_replaced() -> None:
    page = page_with("\x00\x1b[31m\ud800")
    assert page.encode()
    assert "\x00" not in page
    assert "\x1b" not in page
