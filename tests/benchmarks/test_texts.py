"""What the benchmark of texts takes for repeated, for nearly the same, and for a function."""

from __future__ import annotations

import pytest

from benchmarks import texts
from benchmarks._text_measures import functions, measure

_LONG = (
    "The pump in the cellar of {where} has run dry since {day} March and nobody has looked at its filter yet."
)


def test_words_and_vocabulary_leave_numbers_out() -> None:
    figures = measure(["The 3 pumps stop.", "the pumps run"])

    assert (figures["records"], figures["words"], figures["vocabulary"]) == (2, 3.0, 4)


def test_sentences_are_repeated_from_ten_times_on() -> None:
    nine = [f"Number {word}. We look into it." for word in "abcdefghi"]

    assert measure(nine)["repeated"] == 0
    assert measure([*nine, "we LOOK  into it."])["repeated"] == pytest.approx(10 / 19, abs=0.001)


def test_who_speaks_is_no_part_of_what_is_said() -> None:
    said = [f"{name}: The valve is shut." for name in ("Asha", "Emp1", "SUPPORT REP", "**Ravi Rao**")]

    assert measure(said * 3, said=True)["repeated"] == 1
    assert measure(said * 3)["repeated"] == 0


def test_letterhead_is_no_sentence_of_a_letter() -> None:
    mails = [
        f"Dear Ana {name},\n\nPump {name} stops.\n\nKind regards,\nOle\nA Team" for name in "abcdefghijkl"
    ]
    assert measure(mails, letters=True)["repeated"] == 0
    assert measure(mails)["repeated"] == 0.6


def test_texts_that_differ_in_numbers_and_names_are_near_duplicates() -> None:
    same = [_LONG.format(where=where, day=day) for where, day in (("Kochi Hall", 3), ("Pune", 14))]
    other = (
        "Nothing of that kind has been reported for the roof, whose tiles were laid last summer by a firm."
    )

    assert measure([*same, other])["near_duplicates"] == pytest.approx(2 / 3, abs=0.001)


def test_functions_are_counted_by_name_in_each_language() -> None:
    files = [
        ("Python", "def one(): ...\nclass A:\n    async def two(self): ...\n"),
        ("Python", "def one(): ...\n"),
        ("Python", "def broken(:\n"),
        ("JavaScript", "export function sum(a) {}\nconst twice = (x) => 2 * x;\nlet once = async y => y;\n"),
        ("SQL", "CREATE OR REPLACE FUNCTION net(x INT) ...;\ncreate view open_orders as select 1;\n"),
        ("Shell", "main() {\n}\nfunction clean_up() {\n}\n"),
        ("Java", "void none() {}"),
    ]

    assert functions(files) == {"JavaScript": 3, "Python": 2, "SQL": 2, "Shell": 2}


@pytest.mark.slow
def test_a_small_world_is_measured_with_its_goals() -> None:
    figures = texts.run(quick=True)

    assert figures["enterprise"]["overflow_questions"]["records"] > 10
    assert figures["enterprise"]["posts"]["goals"].keys() == {"words", "repeated", "vocabulary"}
    assert all(name.split(".")[0] in figures for name in figures["missed"])
