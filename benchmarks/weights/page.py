"""The tables and the picture of `docs/weights.md`, made from the figures of the study.

python -m benchmarks weights --work DIR --json > figures.json
python -m benchmarks.weights.page figures.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.weights.forms import BASE, OFFICE, WORKBENCH
from worksmith.evals.records.record import STRICT
from worksmith.evals.reporting.html.plots import Plot, Point, Series
from worksmith.evals.statistics import Interval
from worksmith.evals.table import NO_DATA, Grid, percent, points
from worksmith.tools.files.atomic import write_atomically

BEGIN, END = "<!-- figures of the study -->", "<!-- end of the figures -->"

_DOCS = Path(__file__).parents[2] / "docs"

_COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#6b7280", "#a16207")

_LEFT, _TOP, _WIDTH, _HEIGHT, _LINE = 60, 40, 320, 200, 18
"""The place and size of a plot in the picture, and the height of a line of text, in pixels."""


def text(figures: Mapping[str, Any], picture: str | None) -> str:
    """The part of the page between the marks.

    Args:
        picture: the name of the picture's file; None without one.
    """
    lines = [_machine(figures)]
    for test in dict.fromkeys(cell["test"] for cell in figures["cells"]):
        lines.append(_cells(test, figures).markdown())
    if figures["training"]:
        lines.append(_training(figures).markdown())
    lines += [
        f"- {each['test']}: {each['worded_alike']} of {each['tasks']} tasks are worded as a task of the "
        "largest training data, but for names, numbers and dates."
        for each in figures["worded_alike"]
    ]
    if picture is not None:
        lines.append(f"\n![Score and side effects against tokens of training]({picture})\n")
    lines += [f"- {each['goal']}: **{_said(each['reached'])}**" for each in figures["goals"]]
    missing = [name.partition("/")[2] for name in figures["not_measured"] if name.startswith("cell/")]
    if missing:
        lines.append(f"\nNot measured yet ({len(missing)}): {'; '.join(missing)}.")
    lines += [f"\n{said}" for said in figures["skipped"]]
    return "\n".join(lines).strip()


def curves(figures: Mapping[str, Any]) -> str | None:
    """An SVG with a plot for each test that several sizes of data were measured on; None without one."""
    plots = [plot for test in (OFFICE, WORKBENCH) if (plot := _curve(test, figures)) is not None]
    if not plots:
        return None
    rows = max(len(plot.series) for plot in plots)
    height = _TOP + _HEIGHT + _LINE * (rows + 4)
    drawn = "".join(_drawn(plot, number) for number, plot in enumerate(plots))
    size = f'viewBox="0 0 {(_WIDTH + 2 * _LEFT) * len(plots)} {height}"'
    style = 'font-family="sans-serif" font-size="12" fill="#333"'
    ground = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n{ground}\n{drawn}</svg>\n'


def _machine(figures: Mapping[str, Any]) -> str:
    of = figures["hardware"]
    machine = f"{of['gpu'] or of['processor']}, {of['cores']} cores; torch {of['torch']}"
    form = f"Form: {figures['form']}. Model: {figures['model']}"
    return f"{form}. Machine: {machine}. Replies in {of['replies']}.\n"


def _cells(test: str, figures: Mapping[str, Any]) -> Grid:
    cells = [cell for cell in figures["cells"] if cell["test"] == test]
    cells.sort(key=lambda cell: _tokens(cell, figures))
    rows: list[tuple[str, ...]] = [
        (
            _arm(cell, figures),
            str(cell["tasks"]),
            percent(_interval(cell["score"])),
            percent(_interval(cell["side_effects"])),
            points(_interval(cell["differences"].get("local/analogy", {}).get(STRICT))),
            f"{cell['tokens_a_task']:,}",
            f"{cell['seconds_a_task']:.1f}",
        )
        for cell in cells
    ]
    rows += [
        (f"paper: {each['row']}", NO_DATA, f"{each['score']:g}", _plain(each["side_effects"]), *[NO_DATA] * 3)
        for each in figures["published"]
        if each["test"] == test
    ]
    headings = (
        "",
        "tasks",
        "score, %",
        "side effects, %",
        "against local/analogy",
        "tokens a task",
        "seconds",
    )
    return Grid(f"Test: {test}", headings, tuple(rows))


def _training(figures: Mapping[str, Any]) -> Grid:
    rows = [
        (
            each["model"],
            each["tune"],
            f"{each['suites']}",
            f"{each['examples']:,}",
            f"{each['tokens']:,}",
            str(each["steps"]),
            f"{each['loss']['first']:.2f} to {each['loss']['last']:.2f}",
            each["precision"],
            f"{each['tokens_per_second']:.0f}",
            f"{each['minutes']:.0f}",
            f"{each['megabytes']:.0f}",
        )
        for each in figures["training"]
    ]
    headings = ("", "weights", "worlds", "examples", "tokens", "steps", "loss", "precision", "tokens/s")
    return Grid("Training", (*headings, "minutes", "MB"), tuple(rows))


def _arm(cell: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    tokens = _tokens(cell, figures)
    return f"{cell['arm']}, {tokens:,} tokens ({cell['model']})" if tokens else cell["arm"]


def _tokens(cell: Mapping[str, Any], figures: Mapping[str, Any]) -> int:
    """The tokens of the SFT from which the model comes; 0 for one that was not trained."""
    trained = next((each for each in figures["training"] if each["model"] == cell["model"]), None)
    start = _start(cell, figures) if trained and trained["method"] == "dpo" else trained
    return start["tokens"] if start else 0


def _start(cell: Mapping[str, Any], figures: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The training before DPO."""
    name = cell["model"].replace("dpo/", "sft/", 1)
    return next((each for each in figures["training"] if each["model"] == name), None)


def _curve(test: str, figures: Mapping[str, Any]) -> Plot | None:
    tokens = {"base": 0} | {
        each["model"]: each["tokens"]
        for each in figures["training"]
        if each["model"].startswith("sft/office-")
    }
    cells = [cell for cell in figures["cells"] if cell["test"] == test]
    full = [cell for cell in cells if cell["arm"] in ("SFT", BASE) and cell["model"] in tokens]
    full.sort(key=lambda cell: tokens[cell["model"]])
    if len(full) < 2:
        return None
    ends = (0.0, float(tokens[full[-1]["model"]]))
    after = [cell for cell in cells if cell["arm"] == "SFT+DPO"]
    series = [
        Series(f"{name}, {label}", tuple(_points(chosen, key, tokens)), joined=len(chosen) > 1)
        for chosen, label in ((full, "SFT"), (after, "SFT+DPO"))
        for key, name in (("score", "score"), ("side_effects", "side effects"))
        if chosen
    ]
    for cell in cells:
        if cell["arm"] in ("local/analogy, knn", "do_nothing"):
            level = tuple(Point(x, cell["score"]["value"]) for x in ends)
            series.append(Series(f"score, {cell['arm']}", level, joined=True))
    return Plot(test, f"Score and side effects on {test}", "tokens of training", tuple(series))


def _points(cells: Sequence[Mapping[str, Any]], key: str, tokens: Mapping[str, int]) -> Iterator[Point]:
    for cell in cells:
        interval = _interval(cell[key])
        if interval is not None:
            yield Point.of(tokens[cell["model"].replace("dpo/", "sft/", 1)], interval)


def _drawn(plot: Plot, number: int) -> str:
    left, drawing = _LEFT + number * (_WIDTH + 2 * _LEFT), plot.drawing
    assert drawing is not None
    parts = [_said_at(left, _TOP - 16, plot.title, "start")]
    for percent_ in (0, 25, 50, 75, 100):
        height = _TOP + _HEIGHT * (1 - percent_ / 100)
        parts.append(f'<path d="M{left} {height}h{_WIDTH}" stroke="#ddd"/>')
        parts.append(_said_at(left - 6, height + 4, f"{percent_} %", "end"))
    for place, label in drawing.ticks:
        parts.append(_said_at(left + _WIDTH * place / 100, _TOP + _HEIGHT + 16, label, "middle"))
    parts.append(_said_at(left + _WIDTH / 2, _TOP + _HEIGHT + 32, plot.across, "middle"))
    move = f'transform="translate({left} {_TOP}) scale({_WIDTH / 100} {_HEIGHT / 100})"'
    for style, route in drawing.paths:
        colour = _COLOURS[int(style.rpartition("c")[2]) - 1]
        parts.append(
            f'<path {move} d="{route}" stroke="{colour}" fill="none" vector-effect="non-scaling-stroke"/>'
        )
    for mark in drawing.marks:
        x, y = left + _WIDTH * mark.left / 100, _TOP + _HEIGHT * (1 - mark.bottom / 100)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[mark.colour - 1]}"/>')
        parts.append(_said_at(x + 5, y - 5, mark.numbers, "start"))
    for place, series in enumerate(plot.series):
        height = _TOP + _HEIGHT + _LINE * (place + 3)
        parts.append(f'<path d="M{left} {height - 4}h16" stroke="{_COLOURS[place % 6]}" stroke-width="2"/>')
        parts.append(_said_at(left + 22, height, f"{place + 1}: {series.name}", "start"))
    return "\n".join(parts) + "\n"


def _said_at(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'


def _interval(found: Mapping[str, Any] | None) -> Interval | None:
    if found is None or found["value"] is None:
        return None
    return Interval(found["value"], found["low"], found["high"], found["n"])


def _plain(value: float | None) -> str:
    return NO_DATA if value is None else f"{value:g}"


def _said(reached: bool | None) -> str:
    return "not measured yet" if reached is None else "reached" if reached else "missed"


def main(file: Path) -> None:
    """Put the figures of a file into the page."""
    figures = json.loads(file.read_text())
    page, image = _DOCS / "weights.md", _DOCS / "images" / "weights.svg"
    drawn = curves(figures)
    if drawn is not None:
        write_atomically(image, drawn.encode())
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    shown = text(figures, None if drawn is None else f"images/{image.name}")
    write_atomically(page, f"{before}{BEGIN}\n\n{shown}\n\n{END}{after}".encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
