"""The browser of episodes: every episode can be opened, with or without scripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from worksmith.evals.records.changes import ChangedPair, cells_text, compare_changes, place_text
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.reporting.episodes import ShownEpisode, facet_names, field_value
from worksmith.evals.reporting.html.templates import macro, short
from worksmith.evals.table import Grid
from worksmith.tools.sqlite.cells import CellValue, cell_text

_CUTS = (2_000, 1_000, 600, 300, 150, 60)
"""The lengths to which texts may be cut, from generous to short."""

_FRAME = 500
"""Bytes around the episodes and their filters, at most."""

_SAMPLE, _SAFETY = 60, 0.95
"""Episodes by whose size the cut is chosen, and the share of the room that all may then seem to need."""

_LABELS = {"arm": "program", "verdict": "result", "actions": "expected actions"}


PER_PAGE = 100
"""Episodes that a file of `episode_pages` has."""


def browser(episodes: Sequence[ShownEpisode], budget: int, folder: str = "") -> str:
    """The episodes as a part of a page with at most `budget` bytes.

    Where they need more, long texts are cut shorter. Where that is not enough, the last episodes are left
    out, right ones first. The page states either.

    Args:
        folder: beside the page, with the files of `episode_pages`, of which the page shows the first.
    """
    ordered = _ordered(episodes)
    if not ordered:
        return ""
    filters = macro("episodes.html", "filters")(_filters(ordered))
    if folder:
        first = [_episode(each.whole, _CUTS[0]) for each in ordered[:PER_PAGE]]
        count = -(-len(ordered) // PER_PAGE)
        return macro("episodes.html", "browser")(first, len(ordered), _CUTS[0], filters, folder, count)
    room = budget - len(filters.encode()) - _FRAME
    cut = _cut_for(ordered, room)
    shown = list(_fitting(ordered, cut, room))
    return macro("episodes.html", "browser")(shown, len(ordered), cut, filters)


def episode_pages(episodes: Sequence[ShownEpisode]) -> Iterator[tuple[str, str]]:
    """Names and texts of scripts that show the episodes, `PER_PAGE` each, in the order of `browser`."""
    ordered = _ordered(episodes)
    for number, start in enumerate(range(0, len(ordered), PER_PAGE), start=1):
        markup = "".join(_episode(each.whole, _CUTS[0]) for each in ordered[start : start + PER_PAGE])
        yield f"{number}.js", f"showEpisodes({number}, {json.dumps(markup)});\n"


def _cut_for(episodes: Sequence[ShownEpisode], room: int) -> int:
    """The most generous cut at which all episodes should fit, by a sample of them; else the shortest."""
    sample = episodes[:: max(1, len(episodes) // _SAMPLE)]
    for cut in _CUTS:
        size = sum(len(_episode(episode.whole, cut).encode()) for episode in sample)
        if size / len(sample) * len(episodes) <= _SAFETY * room:
            return cut
    return _CUTS[-1]


def _fitting(episodes: Sequence[ShownEpisode], cut: int, budget: int) -> Iterator[Markup]:
    """The first episodes that fit together."""
    left = budget
    for episode in episodes:
        markup = _episode(episode.whole, cut)
        left -= len(markup.encode())
        if left < 0:
            return
        yield markup


def _ordered(episodes: Sequence[ShownEpisode]) -> list[ShownEpisode]:
    """Wrong ones first, of these those with side effects, and one of each task before a second of any."""
    seen: Counter[tuple[str, str, str]] = Counter()
    order = {"wrong": 0, "lost": 1, "right": 2}

    def place(episode: ShownEpisode) -> tuple[int, bool, int, str]:
        task = episode.record.task_id
        of_task = (episode.verdict, episode.arm, task)
        seen[of_task] += 1
        side_effects = episode.record.scores.get("unwanted_side_effects")
        return order[episode.verdict], not side_effects, seen[of_task], task

    return sorted(episodes, key=place)


def _filters(episodes: Sequence[ShownEpisode]) -> list[dict[str, object]]:
    """The fields to filter by, with their choices."""
    fields = {"arm": sorted({episode.arm for episode in episodes}), "verdict": ["wrong", "right", "lost"]}
    for name in _filtered(facet_names(episode.record for episode in episodes)):
        fields[name] = sorted({field_value(episode.record, name) for episode in episodes} - {""})
    return [
        {"name": name, "label": _LABELS.get(name, name), "choices": choices}
        for name, choices in fields.items()
        if len(choices) > 1
    ]


def _filtered(facets: Iterable[str]) -> tuple[str, ...]:
    """The fields that episodes are filtered by."""
    return ("domain", *facets, "actions", "intent", "status", "fault")


def _episode(episode: ShownEpisode, cut: int) -> Markup:
    record = episode.record
    names = _filtered(record.labels.facets)
    fields = [(name, value) for name in names if (value := field_value(record, name))]
    render = macro("episodes.html", "episode")
    return render(episode, cut, fields, _changes(episode, cut), _judgements(record, cut))


def _changes(episode: ShownEpisode, cut: int) -> Grid | None:
    """The changes of an episode; of a wrong one beside the expected ones."""
    record = episode.record
    if episode.verdict != "wrong":
        made = tuple(
            (place_text(each), cells_text(each, lambda text: short(text, min(cut, 300))))
            for each in record.changes
        )
        return Grid("Changes", ("change", "cells"), made) if made else None
    pairs = compare_changes(record.changes, record.expected_changes)
    rows = tuple(
        (_SIGNS[pair.kind] + pair.kind, place_text(pair.either), *_sides(pair, cut)) for pair in pairs
    )
    headings = ("", "change", "made", "expected")
    return Grid("Changes against the expected ones", headings, rows) if rows else None


_SIGNS = {"as expected": "= ", "differs": "≠ ", "missing": "- ", "not expected": "+ "}


def _sides(pair: ChangedPair, cut: int) -> tuple[str, str]:
    """The made and the expected cells; of a pair that differs, only the cells in which it does."""
    if pair.kind == "differs":
        made = {cell.name: cell.made for cell in pair.differing}
        expected = {cell.name: cell.expected for cell in pair.differing}
        return _cells(made, cut), _cells(expected, cut)
    sides = (pair.made, pair.expected)
    first, second = (
        cells_text(side, lambda text: short(text, min(cut, 300))) if side else "nothing" for side in sides
    )
    return first, second


def _cells(cells: Mapping[str, CellValue], cut: int) -> str:
    return "; ".join(
        f"{name}: {short(cell_text(cell) or '(empty)', min(cut, 300))}" for name, cell in cells.items()
    )


def _judgements(record: EpisodeRecord, cut: int) -> Grid | None:
    rows = tuple(
        (
            each.judge,
            each.rubric,
            f"{each.level} of 5" if each.level is not None else each.status.replace("_", " "),
            short(each.feedback, cut),
        )
        for each in record.judgements
    )
    return Grid("Judges", ("judge", "rubric", "level", "why"), rows) if rows else None
