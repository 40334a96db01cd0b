"""A report of many episodes is a page with a folder of further ones."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.html.episodes import PER_PAGE
from worksmith.evals.reporting.report import Report
from worksmith.jobs.runs.reporting import MOST_ON_PAGE, RunReport

COUNT = MOST_ON_PAGE + 50
WRONG = 3 * PER_PAGE // 2


def report(count: int, *, arm: str = "react", said: str = "thing") -> RunReport:
    """A report of one program whose last episodes are wrong."""
    records = (
        make_record(
            number,
            query=f"{said} {number}",
            scores={"outcome": float(number < count - WRONG), "unwanted_side_effects": 0.0},
        )
        for number in range(count)
    )
    return RunReport(
        Report("Many", {}, (), episodes=tuple(ShownEpisode(arm, each) for each in records)), "runs", 1
    )


def markups(folder: Path) -> list[str]:
    """What the files of a folder show, in their order."""
    found = {}
    for file in folder.iterdir():
        call = re.fullmatch(r"showEpisodes\((\d+), (.*)\);\n", file.read_text())
        assert call is not None
        assert file.name == f"{call[1]}.js"
        found[int(call[1])] = json.loads(call[2])
    return [found[number] for number in range(1, len(found) + 1)]


def queries(markup: str) -> list[str]:
    return [unescape(each) for each in re.findall(r'<span class="query">(.*?)</span>', markup)]


def verdicts(markup: str) -> list[str]:
    return re.findall(r'data-verdict="(\w+)"', markup)


class Elements(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_each_episode_is_once_in_the_folder_and_the_page_has_the_first(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert f"{COUNT} episodes of 1 program" in report(COUNT).write(file, "html")
    page, pages = file.read_text(), markups(tmp_path / "report.episodes")

    assert [len(queries(each)) for each in pages] == [PER_PAGE] * (COUNT // PER_PAGE) + [COUNT % PER_PAGE]
    listed = [query for each in pages for query in queries(each)]
    assert sorted(listed) == sorted(f"thing {number}" for number in range(COUNT))
    assert [each for page in pages for each in verdicts(page)] == ["wrong"] * WRONG + ["right"] * (
        COUNT - WRONG
    )
    assert queries(page) == queries(pages[0])
    assert f"{PER_PAGE} of {COUNT} episodes, wrong ones first" in page
    assert len(page) < 300_000


@pytest.mark.slow
def test_no_file_of_an_earlier_report_stays(tmp_path: Path) -> None:
    file, folder = tmp_path / "report.html", tmp_path / "report.episodes"
    for count, files in ((MOST_ON_PAGE + PER_PAGE + 1, 12), (MOST_ON_PAGE + 1, 11)):
        report(count).write(file, "html")
        assert len(list(folder.iterdir())) == files
    report(9).write(tmp_path / "report.md", "md")
    assert folder.exists()
    report(9).write(file, "html")
    assert not folder.exists()
    assert len(queries(file.read_text())) == 9


def test_files_that_are_not_of_a_report_stay(tmp_path: Path) -> None:
    (tmp_path / "report.episodes").mkdir()
    for name in ("notes.txt", "mine.js"):
        (tmp_path / "report.episodes" / name).write_text("mine")
    report(9).write(tmp_path / "report.html", "html")
    assert len(list((tmp_path / "report.episodes").iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize("said", ["</script><script>evil()</script>", '"><img src=x onerror=evil()>'])
def test_names_of_episodes_programs_and_files_stay_data(tmp_path: Path, said: str) -> None:
    name = said.replace("/", "")
    report(MOST_ON_PAGE + 1, arm=said, said=said).write(tmp_path / f"{name}.html", "html")
    page = (tmp_path / f"{name}.html").read_text()
    pages = markups(tmp_path / f"{name}.episodes")

    plain = tmp_path / "plain.html"
    report(MOST_ON_PAGE + 1).write(plain, "html")
    known = {tag for tag, _ in Elements(plain.read_text()).found}
    for markup in (page, *pages):
        elements = Elements(markup).found
        assert {tag for tag, _ in elements} <= known
        assert {attributes["data-arm"] for _, attributes in elements if "data-arm" in attributes} == {said}
    assert sum(tag == "script" for tag, _ in Elements(page).found) == 1
    (nav,) = (
        attributes for tag, attributes in Elements(page).found if tag == "nav" and "data-folder" in attributes
    )
    assert nav["data-folder"] == f"{name}.episodes"
