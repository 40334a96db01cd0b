"""The page as a person sees it: without a network, on a desk and on a phone, by keyboard, without scripts."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pypdf import PdfReader
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.browser import DESKTOP, PHONE, accessibility_faults, browser, resize
from tests.evals.episodes import make_result
from tests.evals.reporting.studies import full_record, full_study
from worksmith.evals.reporting.report import study_report
from worksmith.evals.running.study import StudyArm, run_study

__all__ = ["browser"]

LIMIT = 5_000_000
"""Bytes of a page with 500 episodes."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(study_report(full_study(), setting={"suite": "office"}).html())
    return file.as_uri()


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desk", "phone"])
def shown(browser: Chrome, page: str, request: pytest.FixtureRequest) -> Iterator[Chrome]:
    resize(browser, request.param)
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, "#episodes > summary").click()
    yield browser
    told: list[dict[str, Any]] = cast(Any, browser).get_log("browser")
    assert not [entry for entry in told if entry["level"] == "SEVERE"]


def visible(driver: Chrome) -> list[str]:
    """The verdicts of the episodes that are listed."""
    found = driver.find_elements(By.CSS_SELECTOR, ".episode:not([hidden]) > summary > .badge")
    return [badge.text for badge in found]


def test_nothing_is_cut_or_wider_than_the_screen(shown: Chrome) -> None:
    for each in shown.find_elements(By.CSS_SELECTOR, ".fold > summary, .episode:first-child > summary"):
        shown.execute_script("arguments[0].click()", each)
    wide, screen, cut = shown.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth,"
        " [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).length]"
    )

    assert wide <= screen
    assert not cut


def test_the_page_is_short_until_more_is_asked_for(browser: Chrome, page: str) -> None:
    resize(browser, (1280, 800))
    browser.get(page)
    tall, *places = browser.execute_script(
        "return [document.documentElement.scrollHeight, ...['.lead', '.changes', '.facts']"
        ".map(each => document.querySelector(each).getBoundingClientRect().bottom)]"
    )
    assert tall <= 6 * 800
    assert max(places) <= 800
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert len(PdfReader(io.BytesIO(b64decode(printed["data"]))).pages) <= 2


def test_a_checker_of_accessibility_finds_no_serious_fault(shown: Chrome) -> None:
    shown.execute_script("document.querySelector('.episode').open = true")
    assert accessibility_faults(shown) == []


def test_episodes_are_filtered_and_opened(shown: Chrome) -> None:
    everything = visible(shown)
    Select(shown.find_element(By.NAME, "verdict")).select_by_value("wrong")
    assert set(visible(shown)) == {"wrong"}

    shown.find_element(By.NAME, "text").send_keys("lunch 7 3")
    assert 0 < len(visible(shown)) < everything.count("wrong")

    episode = shown.find_element(By.CSS_SELECTOR, ".episode:not([hidden])")
    episode.find_element(By.TAG_NAME, "summary").click()
    text = episode.text
    for said in ("1. search", "office.own-records", "Lunch with Nadia", "differs", "start: 13:00", "4 of 5"):
        assert said in text
    # By key: what was opened still pushes the page about, and a pointer may miss.
    shown.find_element(By.CSS_SELECTOR, "#filter button").send_keys(Keys.ENTER)
    assert len(visible(shown)) == len(everything)


def test_a_figure_leads_to_its_episodes(shown: Chrome) -> None:
    link = shown.find_element(By.CSS_SELECTOR, "#part-1 .changes a")
    shown.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    arms = shown.find_elements(By.CSS_SELECTOR, ".episode:not([hidden])")

    assert arms
    assert {each.get_attribute("data-arm") for each in arms} == {"react + knn"}
    assert len({each.get_attribute("data-domain") for each in arms}) == 1


def test_an_episode_opens_by_keyboard(shown: Chrome) -> None:
    summary = shown.find_element(By.CSS_SELECTOR, ".episode > summary")
    shown.execute_script("arguments[0].focus()", summary)
    summary.send_keys(Keys.ENTER)

    assert shown.find_element(By.CSS_SELECTOR, ".episode").get_attribute("open")


def test_without_scripts_everything_is_there(browser: Chrome, page: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page)
        browser.find_element(By.CSS_SELECTOR, "#episodes > summary").click()
        assert not browser.find_element(By.ID, "filter").is_displayed()
        assert visible(browser)
        browser.find_element(By.CSS_SELECTOR, ".episode > summary").click()
        assert "Lunch with Nadia" in browser.find_element(By.CSS_SELECTOR, ".episode").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_page_with_500_episodes_has_all_of_them_within_the_limit(tmp_path: Path) -> None:
    records = [full_record(number, right=bool(number % 2)) for number in range(500)]
    study = run_study([StudyArm("react")], lambda _: make_result(records))
    text = study_report(study).html()

    assert text.count('class="episode"') == 500
    assert len(text.encode()) < LIMIT


def test_what_there_is_no_room_for_is_said() -> None:
    records = [full_record(number, right=number > 20) for number in range(100)]
    report = study_report(run_study([StudyArm("react")], lambda _: make_result(records)))
    text = replace(report, page_bytes=200_000).html()

    assert len(text.encode()) <= 200_000
    assert "of 100 episodes, wrong ones first" in text
    assert text.count('data-verdict="wrong"') == 21


def test_the_same_study_makes_the_same_page_with_ids_of_their_own() -> None:
    records = [full_record(number, right=bool(number % 2)) for number in range(12)]
    study = run_study([StudyArm("react"), StudyArm("act")], lambda _: make_result(records))
    text = study_report(study).html()

    assert study_report(study).html() == text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert any(each.startswith("chart-") for each in ids)
    assert len(ids) == len(set(ids))
