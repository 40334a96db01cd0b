"""What the engine learns where replies hold records and answers list values, on a world it has never seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.worksmith.models.analogy.garden import Call, Show, call


def records(*rows: Mapping[str, Any]) -> dict[str, Any]:
    return {"count": len(rows), "rows": list(rows)}


def looked_up(crop: str, *rows: Mapping[str, Any]) -> tuple[Call, dict[str, Any]]:
    return ("jobs.search", {"badge": crop}), records(*rows)


def done(answer: str, outcome: str = "found") -> Call:
    return "stop", {"outcome": outcome, "report": answer}


def harvest(who: str, crop: str, kilos: int, on: str) -> dict[str, str]:
    return {"gardener": who, "crop": crop, "kilos": str(kilos), "picked": on}


BEETS = [harvest("Ines Roe", "beet", 3, "2031-03-02"), harvest("Milo Fen", "beet", 9, "2031-04-01")]
CHARD = [
    harvest("Vera Oak", "chard", 5, "2031-02-02"),
    harvest("Ines Roe", "chard", 4, "2031-02-08"),
    harvest("Ines Roe", "chard", 4, "2031-03-09"),
]
KALES = [
    harvest("Milo Fen", "kale", 6, "2031-01-07"),
    harvest("Vera Oak", "kale", 4, "2031-02-07"),
    harvest("Vera Oak", "kale", 5, "2031-03-07"),
]


@pytest.mark.parametrize(
    ("question", "answers", "expected"),
    [
        ("Harvests of {}: number of entries and kilos in all.", ("2; 12", "3; 13"), "3; 15"),
        ("Largest single harvest of {}: gardener and day.", None, "Milo Fen; 2031-01-07"),
        ("Who picked most kilos of {}, all harvests together?", ("Milo Fen", "Ines Roe"), "Vera Oak"),
    ],
)
def test_answers_are_worked_out_value_by_value(
    question: str, answers: Sequence[str] | None, expected: str
) -> None:
    beets, chard = answers or ("Milo Fen; 2031-04-01", "Vera Oak; 2031-02-02")
    demos = [
        Show(question.format("beet"), [looked_up("beet", *BEETS)], done(beets)),
        Show(question.format("chard"), [looked_up("chard", *CHARD)], done(chard)),
    ]
    query = Show(question.format("kale"), [looked_up("kale", *KALES)])
    assert call(demos, query) == ("stop", {"outcome": "found", "report": expected})


def test_how_an_episode_ends_depends_on_what_was_seen() -> None:
    denied = "Access denied (rule 7)."
    demos = [
        Show("Who picked beet last?", [looked_up("beet", *BEETS)], done("Milo Fen")),
        Show("Who picked leek last?", [looked_up("leek")], done("", "none")),
        Show("Who picked figs last?", [(("jobs.search", {"badge": "figs"}), denied)], done("", "refused")),
    ]
    seen: list[tuple[Any, str]] = [(records(), "none"), (denied, "refused"), (records(*KALES), "found")]
    for observed, outcome in seen:
        query = Show("Who picked kale last?", [(("jobs.search", {"badge": "kale"}), observed)])
        tool, arguments = call(demos, query)
        assert (tool, arguments["outcome"]) == ("stop", outcome)


def test_of_two_calls_the_one_with_more_is_named() -> None:
    def compared(one: str, other: str) -> str:
        return f"Which was heavier in all, {one} or {other}? Name its last day too."

    seen = {"beet": BEETS, "chard": CHARD, "kale": KALES}

    def shown(one: str, other: str, last: Call | None) -> Show:
        steps = [looked_up(one, *seen[one]), looked_up(other, *seen[other])]
        return Show(compared(one, other), steps, last)

    demos = [
        shown("beet", "chard", done("chard; 2031-03-09")),
        shown("kale", "beet", done("kale; 2031-03-07")),
        shown("chard", "beet", done("chard; 2031-03-09")),
    ]
    query = shown("chard", "kale", None)
    assert call(demos, query)[1]["report"] == "kale; 2031-03-07"


def test_a_piece_of_a_long_text_is_found_by_the_words_around_it() -> None:
    def told(plot: str, text: str, report: str | None) -> Show:
        note = {"plot": plot, "note": text}
        steps = [(("jobs.search", {"badge": plot}), records(note))]
        return Show(
            f"Who takes care of plot {plot}, and until when?", steps, done(report) if report else None
        )

    demos = [
        told(
            "P-11",
            "Ines Roe asked about the hoses. The care of it lies with Milo Fen. It ends on 3 June 2031.",
            "Milo Fen; 2031-06-03",
        ),
        told(
            "P-12",
            "It ends on 9 July 2031. Otto Lind wrote to Una Birk. The care of it lies with Vera Oak.",
            "Vera Oak; 2031-07-09",
        ),
    ]
    query = told(
        "P-13",
        "Planted on 1 May 2031 by Ada Moss. The care of it lies with Karl Reed. It ends on 2 August 2031.",
        None,
    )
    assert call(demos, query)[1]["report"] == "Karl Reed; 2031-08-02"


def test_names_with_commas_and_numbers_are_taken_whole() -> None:
    def ordered(name: str) -> Show:
        return Show(f"Please look up the {name}, and tell me the bed.", [looked_up(name, *BEETS)])

    demos = [ordered("Oxheart Tomato, 3 m, red"), ordered("Sugar Pea, 2 m, pale green")]
    query = Show("I need the bed, so look up the Giant Bean, 4 m, red.")
    assert call(demos, query) == ("jobs.search", {"badge": "Giant Bean, 4 m, red"})


def test_a_sentence_is_written_with_the_values_of_the_episode() -> None:
    def posted(kilos: int, crop: str) -> Show:
        reassigned: Call = ("jobs.reassign", {"job_id": str(kilos), "badge": crop})
        text = f"I picked {kilos} kilos of {crop} today."
        steps = [
            (reassigned, {"done": "changed"}),
            (("board.post", {"title": "News", "body": text}), {"done": "posted"}),
        ]
        return Show(f"Enter {kilos} kilos of {crop} and put it on the board.", steps)

    demos = [posted(7, "beet"), posted(12, "chard")]
    query = posted(31, "kale")
    tool, arguments = call(demos, Show(query.task, query.steps[:1]))
    assert (tool, arguments["body"]) == ("board.post", "I picked 31 kilos of kale today.")


def test_numbers_beside_records_are_read() -> None:
    row = {"gardener": "Ines Roe"}
    steps = [
        (("jobs.search", {"badge": name}), {"count": n, "rows": [row]}) for name, n in (("a", 41), ("b", 7))
    ]
    demos = [
        Show(f"How many jobs has badge {step[0][1]['badge']}?", [step], done(str(step[1]["count"])))
        for step in steps
    ]
    query = Show(
        "How many jobs has badge c?", [(("jobs.search", {"badge": "c"}), {"count": 88, "rows": [row]})]
    )
    assert call(demos, query)[1]["report"] == "88"


def bought(contact: str, *rows: tuple[str, str, str]) -> tuple[tuple[str, dict[str, str]], object]:
    records = [{"Item": item, "Text": text, "Day": day} for item, text, day in rows]
    return ("shop.bought", {"contact": contact}), {"total": len(records), "records": records}


def test_the_record_that_the_task_tells_of_is_taken_on_the_day_that_it_names() -> None:
    wool, rake = (
        "A thick blanket of wool for cold nights in a tent",
        "A light rake of steel for leaves and grass",
    )
    pot, hose = (
        "A large pot of clay for herbs on the balcony floor",
        "A long hose of rubber with a brass nozzle on it",
    )
    tools = {"tools": "shop.bought(contact: str): Purchases.\n  contact: Who.\nstop(report: str): End."}
    demos = [
        Show(
            "Which is the rake for leaves that c-1 bought 5 days ago?",
            [
                bought(
                    "c-1",
                    ("i-4", rake, "2031-05-12"),
                    ("i-1", wool, "2031-05-10"),
                    ("i-2", rake, "2031-05-10"),
                )
            ],
            ("stop", {"report": "i-2"}),
        ),
        Show(
            "Which is the clay pot that c-2 bought a week ago?",
            [
                bought(
                    "c-2",
                    ("i-7", pot, "2031-05-11"),
                    ("i-3", pot, "2031-05-08"),
                    ("i-5", wool, "2031-05-08"),
                    ("i-6", pot, "2031-05-02"),
                )
            ],
            ("stop", {"report": "i-3"}),
        ),
    ]
    seen = bought(
        "c-9", ("i-11", hose, "2031-05-14"), ("i-12", rake, "2031-04-15"), ("i-13", hose, "2031-04-15")
    )

    query = Show("Which is the rubber hose that c-9 bought one month ago?", [seen], extra=tools)

    assert call(demos, query) == ("stop", {"report": "i-13"})
