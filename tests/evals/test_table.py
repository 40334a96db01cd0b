"""Tables in a terminal: whole words and figures at any width."""

from __future__ import annotations

from rich.console import Console

from tests.tables import each_row
from worksmith.evals.table import Grid

WIDE = Grid(
    "Programs",
    ("program", "outcome, %", "side effects", "over-refusals", "points to react"),
    (("react + knn, local/x", "100.0 [97.4, 100.0]", "4.9", "25.8 (32/124)", "+100.0 [+97.4, +100.0]"),),
    ("Mind this.",),
)


def lines(grid: Grid, width: int) -> list[str]:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(grid.rich())
    return [" ".join(line.split()) for line in capture.get().splitlines() if line.strip()]


def test_a_row_is_a_line_where_there_is_room() -> None:
    title, heading, _, row, note = lines(WIDE, 120)

    assert (title, note) == ("Programs", "Mind this.")
    assert heading == "program outcome, % side effects over-refusals points to react"
    assert row == "react + knn, local/x 100.0 [97.4, 100.0] 4.9 25.8 (32/124) +100.0 [+97.4, +100.0]"


def test_a_figure_stands_above_its_interval_where_there_is_less() -> None:
    shown = lines(WIDE, 76)

    assert "react + knn, local/x 100.0 4.9 25.8 +100.0" in shown
    assert "[97.4, 100.0] (32/124) [+97.4, +100.0]" in shown


@each_row("width", [40, 50, 60, 70, 80])
def test_columns_go_below_the_others_before_a_word_is_cut(width: int) -> None:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(WIDE.rich())
    text = capture.get()

    assert all(len(line) <= width for line in text.splitlines())
    for whole in (
        "[97.4, 100.0]",
        "[+97.4, +100.0]",
        "(32/124)",
        "outcome, %",
        "refusals",
        "effects",
        "react",
    ):
        assert text.count(whole) >= 1, whole
    assert text.count("Mind this.") == text.count("Programs") == 1
    assert text.count("react + knn, local/x") == text.count("program ")


def test_what_is_added_up_stays_in_one_line() -> None:
    grid = Grid("Arms", ("area", *[f"react + knn, model/{n}" for n in range(9)]), (("HR", *"123456789"),))

    assert any("react + knn," in line for line in lines(grid, 60))


def test_brackets_are_no_markup() -> None:
    assert "[red]x[/red]" in "\n".join(lines(Grid("[b]", ("a", "b"), (("[red]x[/red]", "1"),)), 80))
