from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

from tests.evals.episodes import make_record, make_result, solved
from worksmith.evals.records.entries import CallEntry
from worksmith.evals.records.run_card import TASK
from worksmith.evals.reporting.brief import show_brief
from worksmith.evals.reporting.report import Report, evaluation_report, study_report
from worksmith.evals.reporting.tables.findings import conclusions
from worksmith.evals.running.study import Study, StudyArm, run_study
from worksmith.tools.statuses import STATUSES


@pytest.fixture
def evaluation() -> Report:
    records = [
        make_record(0, scores={"outcome": 1.0, "unwanted_side_effects": 0.0}),
        make_record(
            1, scores={"outcome": 0.0, "unwanted_side_effects": 1.0}, query="<script>alert(1)</script>"
        ),
        make_record(2, scores={"outcome": 0.0, "unwanted_side_effects": 0.0}),
        make_record(3, status="model_error", scores={}, error="503"),
    ]
    return evaluation_report(make_result(records), title="react on office")


@pytest.fixture
def comparison() -> Report:
    results = {"act": solved(range(20), of=60), "react": solved(range(50), of=60)}
    results["nothing"] = solved([], of=60)
    arms = [StudyArm("act"), StudyArm("nothing", baseline=True), StudyArm("react")]
    return study_report(run_study(arms, lambda arm: results[arm.label]))


def shown(report: Report) -> str:
    console = Console(width=200, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as capture:
        report.show(console)
    return capture.get()


def test_every_score_has_its_interval_and_the_error_rate(evaluation: Report) -> None:
    for text in (shown(evaluation), evaluation.markdown()):
        assert "33.3 [6.1, 79.2]" in text
        assert "outcome_strict" in text
        assert "25.0 [4.6, 69.9]" in text
        assert "1 of 4 episodes (25.0 %) were lost to the infrastructure" in text


def test_statuses_say_whose_failure_it_was(evaluation: Report) -> None:
    text = evaluation.markdown()
    assert "| model_error | 1 | 25.0 | infrastructure |" in text
    assert f"model_error: {STATUSES['model_error'].meaning}" in text


def test_scores_are_broken_down(evaluation: Report) -> None:
    text = evaluation.markdown()

    assert "### By domain" in text
    assert "| several |" in text
    assert "### By expected actions" in text


def test_a_chart_calls_programs_as_tables_do() -> None:
    results = {"act": solved(range(20), of=60), "act without counting": solved(range(30), of=60)}
    arms = [StudyArm("act", "act"), StudyArm("act without counting", "act", without="counting")]
    report = study_report(run_study(arms, lambda arm: results[arm.label]), setting={"suite": "office"})
    text = report.html()
    assert 'data-filter="{&#34;arm&#34;: &#34;act without counting&#34;}">less counting</a>' in text
    assert "<dt>suite</dt><dd>office</dd>" in text


def test_the_page_is_well_formed_escaped_and_alone(evaluation: Report) -> None:
    text = evaluation.html()

    assert "&lt;script&gt;alert(1)" in text
    assert "http://" not in text
    assert "https://" not in text
    assert _open_tags(text) == []


def test_calls_are_shown_with_what_the_policy_said() -> None:
    call = CallEntry(
        tool="email.send_email",
        arguments={"body": "<b>"},
        status="denied",
        allowed=False,
        rule="office.private",
        observation="Access denied",
        thought="Try it.",
    )
    record = make_record(1, scores={"outcome": 0.0}, calls=(call,))
    text = evaluation_report(make_result([record])).html()

    assert "denied by office.private" in text
    assert "Try it." in text
    assert "&lt;b&gt;" in text


def test_a_study_puts_baselines_last_and_names_the_reference(comparison: Report) -> None:
    text = comparison.markdown()
    lines = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]

    assert lines[2:5] == ["| act", "| react", "| nothing"]
    assert "points to act" in text
    assert "+50.0 [" in text
    assert "react is better than act: from 33.3 to 83.3 %" in text


def test_the_facts_of_a_study_hold_for_all_its_rows(comparison: Report) -> None:
    assert not {"strategy", "program"} & set(comparison.facts)


def test_errors_in_any_arm_show_the_outcome_that_counts_them(comparison: Report) -> None:
    lost = make_record(3, status="model_error", scores={})
    arms = [StudyArm("a"), StudyArm("b")]
    results = {"a": solved([1, 2], of=4), "b": make_result([*solved([1, 2], of=3).records, lost])}
    text = study_report(run_study(arms, lambda arm: results[arm.label])).markdown()

    assert "counting errors" not in comparison.markdown()
    assert "| program | outcome, % | counting errors |" in text
    assert "| b | 66.7 [20.8, 93.9] | 50.0 [15.0, 85.0] | 0.0 [0.0, 56.1] | 25.0 (1/4) |" in text


def test_a_comparison_says_what_it_could_have_seen(comparison: Report) -> None:
    assert re.search(r"Power: \d+ tasks show a difference of about \d+ points", comparison.markdown())


def compiled(**solves: tuple[int, int]) -> Study:
    """Strategies that solve so many of 60 tasks uncompiled and compiled with knn."""
    arms, results = [], []
    for name, counts in solves.items():
        arms += [StudyArm(name, name), StudyArm(f"{name} + knn", name, "knn")]
        results += [solved(range(count), of=60) for count in counts]
    found = dict(zip((arm.label for arm in arms), results, strict=True))
    return run_study(arms, lambda arm: found[arm.label])


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (compiled(react=(10, 50)), ["Compiling with knn lifted react from 16.7 to 83.3 %, +66.7 ["]),
        (compiled(act=(30, 31)), ["Compiling with knn is not shown to change act: 50.0 and 51.7 %, +1.7 ["]),
        (
            compiled(react=(10, 50), act=(30, 31), cot=(10, 45), plan=(30, 2)),
            [
                "Compiling lifted 2 of 4 programs; the best is react + knn: from 16.7 to 83.3 %, +66.7 [",
                "Compiling lowered 1 of 4 programs; the worst is plan + knn: from 50.0 to 3.3 %, -46.7 [",
                "react + knn is better than every other candidate.",
            ],
        ),
        (
            compiled(act=(30, 31), cot=(20, 21)),
            ["Compiling is not shown to change any of 2 programs; the best is act + knn: 50.0 and 51.7 %, "],
        ),
        (
            run_study(
                [StudyArm("a"), StudyArm("b")],
                lambda arm: solved(range(30 if arm.label == "a" else 5), of=60),
            ),
            ["a is better than b: from 8.3 to 50.0 %, +41.7 ["],
        ),
        (
            run_study([StudyArm("a"), StudyArm("b")], lambda _: solved([1], of=10)),
            ["a is not shown to be better than b: 10.0 and 10.0 %, +0.0 ["],
        ),
        (
            run_study([StudyArm("a"), StudyArm("b"), StudyArm("c")], lambda _: solved([1], of=10)),
            ["No program is shown to be better than all others; the best is a with 10.0 %."],
        ),
        (
            run_study(
                [StudyArm("a"), StudyArm("b")], lambda arm: solved([0] if arm.label == "a" else [], of=1)
            ),
            ["a is not shown to be better than b: 0.0 and 100.0 %, "],
        ),
        (
            run_study(
                [StudyArm("a")], lambda _: make_result([make_record(1, status="model_error", scores={})])
            ),
            ["Nothing was measured: all episodes were lost, the first to model_error."],
        ),
    ],
)
def test_the_first_sentences_say_what_is_better_and_none_is_like_another(
    study: Study, said: list[str]
) -> None:
    found = study_report(study).findings

    assert len(conclusions(study)) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(found, said, strict=False))


@pytest.mark.parametrize("names", [("act",), ("act", "react"), tuple(f"{'long' * 9}-{n}" for n in range(9))])
def test_a_terminal_shows_a_study_in_fifteen_lines(names: tuple[str, ...]) -> None:
    study = compiled(**dict.fromkeys(names, (10, 50)))
    console = Console(width=80, file=io.StringIO())
    show_brief(console, study, notes=["The model is slow.", "And old."], step="do more.")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]

    assert len(lines) <= 15
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert conclusions(study)[0] in text
    assert all(each in text for each in ("+66.7 [", "60 tasks", "The model is slow.", "Next: do more."))


def test_a_comparison_shows_which_tasks_differ() -> None:
    results = {"a": solved([1, 2, 3], of=6), "b": solved([2, 3, 4, 5], of=6)}
    report = study_report(run_study([StudyArm("a"), StudyArm("b")], lambda arm: results[arm.label]))
    (grid,) = [each for each in report.grids if "gained or lost" in each.title]

    assert sorted(row[3:] for row in grid.rows) == [("-", "b"), ("b", "-"), ("b", "-")]
    assert grid.title in report.html()


def test_episodes_lead_to_their_prompts() -> None:
    rerun = ("worksmith", "run", "my suite", TASK, "--prompts")
    page = evaluation_report(make_result([make_record(1)]), rerun=rerun).html()

    assert f"worksmith run &#39;my suite&#39; {make_record(1).task_id} --prompts" in page


def test_nothing_graded_still_gives_a_report() -> None:
    records = [make_record(number, status="model_error", scores={}) for number in range(3)]
    report = evaluation_report(make_result(records))

    assert "3 of 3 episodes (100.0 %)" in report.markdown()
    assert "0.0 [0.0, 56.1]" in report.markdown()
    assert report.html()


def _open_tags(text: str) -> list[str]:
    """Tags that are opened and never closed, or closed out of turn."""
    void = {"meta", "br", "input"}
    stack: list[str] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in void:
                stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag not in void and stack and stack[-1] == tag:
                stack.pop()

    Parser().feed(text)
    return stack
