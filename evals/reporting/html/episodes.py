"""The browser of episodes: every one can be opened, with or without scripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals import markup
from evals.markup import tag
from evals.records.parts import CallEntry, ChangeEntry
from evals.records.record import PRIMARY, EpisodeRecord
from evals.reporting.changes import Pair, compare_changes
from evals.reporting.figures import FIELDS

SHORT_KEY = 12
"""Digits of an episode's key that pages and tables show."""

_CUTS = (2_000, 1_000, 600, 300, 150, 60)
"""Characters of a text that are shown, from generous to what a full page has room for."""

_FRAME = 500
"""Bytes around the episodes and their filters, at most."""

_SAMPLE, _SAFETY = 60, 0.95
"""Episodes by whose size the cut is chosen, and the share of the room that all may then seem to need."""

_LONGEST_QUERY = 160
_SIDE_EFFECTS = "unwanted_side_effects"
_FILTERED = ("domain", "area", "type", "difficulty", "actions", "intent", "status", "fault")


@dataclass(frozen=True)
class ShownEpisode:
    """An episode under the label of its program."""

    arm: str
    record: EpisodeRecord

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, or `lost` to the infrastructure."""
        if not self.record.graded:
            return "lost"
        return "right" if self.record.scores.get(PRIMARY, 0.0) >= 1 else "wrong"


def browser(episodes: Sequence[ShownEpisode], budget: int) -> str:
    """The episodes as a part of a page with at most `budget` bytes.

    Where they need more, long texts are cut shorter; where that is not enough, the last episodes, which are
    right ones as far as there are any, are left out. Either is said.
    """
    ordered = _ordered(episodes)
    if not ordered:
        return ""
    filters = _filters(ordered)
    room = budget - len(filters.encode()) - _FRAME
    cut = _cut_for(ordered, room)
    shown = list(_fitting(ordered, cut, room))
    return tag(
        "section",
        tag("h2", "Episodes"),
        _explained(len(shown), len(ordered), cut),
        filters,
        tag("div", *shown, id="list"),
        id="episodes",
    )


def _cut_for(episodes: Sequence[ShownEpisode], room: int) -> int:
    """The most generous cut at which all episodes should fit, by a sample of them; if none is, the least."""
    sample = episodes[:: max(1, len(episodes) // _SAMPLE)]
    for cut in _CUTS:
        size = sum(len(_episode(episode, cut).encode()) for episode in sample)
        if size / len(sample) * len(episodes) <= _SAFETY * room:
            return cut
    return _CUTS[-1]


def _fitting(episodes: Sequence[ShownEpisode], cut: int, budget: int) -> Iterator[str]:
    """The first episodes that fit together."""
    left = budget
    for episode in episodes:
        markup_of_it = _episode(episode, cut)
        left -= len(markup_of_it.encode())
        if left < 0:
            return
        yield markup_of_it


def _ordered(episodes: Sequence[ShownEpisode]) -> list[ShownEpisode]:
    """Wrong ones first, of these those with side effects, and one of each task before a second of any."""
    seen: Counter[tuple[str, str, str]] = Counter()
    order = {"wrong": 0, "lost": 1, "right": 2}

    def place(episode: ShownEpisode) -> tuple[int, bool, int, str]:
        task = episode.record.task_id
        of_task = (episode.verdict, episode.arm, task)
        seen[of_task] += 1
        return order[episode.verdict], not episode.record.scores.get(_SIDE_EFFECTS), seen[of_task], task

    return sorted(episodes, key=place)


def _explained(shown: int, there: int, cut: int) -> str:
    said = [f"All {there} episodes" if shown == there else f"{shown} of {there} episodes, wrong ones first"]
    said.append(f"texts longer than {cut:,} characters are cut here")
    return tag("p", markup.text("; ".join(said) + "."), class_="note")


def _filters(episodes: Sequence[ShownEpisode]) -> str:
    """Fields that a script makes work; without one they stay hidden."""
    fields = {"arm": sorted({episode.arm for episode in episodes}), "verdict": ["wrong", "right", "lost"]}
    for name in _FILTERED:
        fields[name] = sorted({FIELDS[name](episode.record) for episode in episodes} - {""})
    chosen = [_choice(name, values) for name, values in fields.items() if len(values) > 1]
    words = tag("label", "text", '<input type="search" name="text" placeholder="in query, calls, answer">')
    clear = '<button type="reset">clear</button>'
    count = tag("output", "", id="count", aria_live="polite")
    return tag("form", *chosen, words, clear, count, id="filter", hidden=True, aria_label="Filter episodes")


_NAMES = {"arm": "program", "verdict": "result", "actions": "expected actions"}


def _choice(name: str, values: Sequence[str]) -> str:
    options = '<option value="">any</option>' + "".join(
        tag("option", markup.text(value), value=value) for value in values
    )
    return tag("label", markup.text(_NAMES.get(name, name)), tag("select", options, name=name))


def _episode(episode: ShownEpisode, cut: int) -> str:
    record, verdict = episode.record, episode.verdict
    data = {f"data_{name}": value for name in _FILTERED if (value := FIELDS[name](record))}
    query = record.query if len(record.query) <= _LONGEST_QUERY else record.query[: _LONGEST_QUERY - 1] + "…"
    head = tag(
        "summary",
        tag("span", markup.text(verdict), class_=f"badge {verdict}"),
        tag("span", markup.text(query), class_="query"),
        tag("span", markup.text(_subtitle(episode)), class_="meta"),
    )
    body = "".join(
        (
            tag("p", markup.text(record.query)) if query != record.query else "",
            _facts(record),
            _plan(record.plan, cut),
            _calls(record, cut),
            _answer(record, cut),
            _changes(record, cut),
            _judgements(record, cut),
        )
    )
    return tag(
        "details",
        head,
        tag("div", body, class_="body"),
        class_="episode",
        data_arm=episode.arm,
        data_verdict=verdict,
        **data,
    )


def _subtitle(episode: ShownEpisode) -> str:
    record = episode.record
    fault = record.fault.kind.replace("_", " ") if record.fault else ""
    attempt = f"attempt {record.trial + 1}" if record.trial else ""
    ended = record.status.replace("_", " ") if record.status != "finished" else ""
    parts = (episode.arm, record.task_id, attempt, fault, ended, f"{record.steps or len(record.calls)} calls")
    return " · ".join(part for part in parts if part)


def _facts(record: EpisodeRecord) -> str:
    """Scores, what went wrong, cost and id."""
    rows = [
        ("scores", ", ".join(f"{name} {value:g}" for name, value in record.scores.items()) or "not graded")
    ]
    if record.fault:
        step = f", first wrong call {record.fault.step}" if record.fault.step else ""
        by = " (says a judge)" if record.fault.source == "judge" else ""
        rows.append(("fault", f"{record.fault.kind.replace('_', ' ')}{step}: {record.fault.detail}{by}"))
    if record.error:
        rows.append(("error", record.error))
    if record.traceback:
        rows.append(("traceback", record.traceback))
    if record.attempts > 1:
        rows.append(("attempts", str(record.attempts)))
    rows.append(("cost", f"{record.model_calls} model calls, {record.usage}, {record.seconds:.1f} s"))
    rows.append(("episode", record.key[:SHORT_KEY]))
    listed = "".join(tag("dt", markup.text(name)) + tag("dd", markup.text(said)) for name, said in rows)
    return tag("dl", listed)


def _plan(plan: str, cut: int) -> str:
    return tag("h4", "Plan") + tag("pre", markup.text(_short(plan, cut))) if plan else ""


def _calls(record: EpisodeRecord, cut: int) -> str:
    if not record.calls:
        return tag("p", "No call was made.", class_="note")
    wrong = record.fault.step if record.fault else None
    calls = "".join(_call(call, cut, first=number == wrong) for number, call in enumerate(record.calls, 1))
    return tag("h4", "Calls") + tag("ol", calls, class_="calls")


def _call(call: CallEntry, cut: int, *, first: bool) -> str:
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    marks = [tag("span", "first wrong call", class_="badge wrong")] if first else []
    if call.status != "ok":
        marks.append(tag("span", markup.text(call.status.replace("_", " ")), class_="badge lost"))
    decided = f"{'allowed' if call.allowed else 'denied'} by {call.rule}" if call.rule else ""
    if decided:
        marks.append(tag("span", markup.text(decided), class_="rule"))
    parts = [tag("p", markup.text(_short(call.thought, cut)), class_="thought")] if call.thought else []
    parts.append(
        tag("code", tag("b", markup.text(call.tool)), markup.text(f"({_short(arguments[1:-1], cut)})"))
    )
    parts.extend(marks)
    if call.opinion:
        said = f"access check: {call.opinion}. {_short(call.opinion_reason, cut)}"
        parts.append(tag("p", markup.text(said.rstrip()), class_="thought"))
    if call.observation:
        shown = _short(call.observation, cut)
        parts.append(
            tag("pre", markup.text(shown + ("…" if call.truncated and not shown.endswith("…") else "")))
        )
    return tag("li", *parts)


def _answer(record: EpisodeRecord, cut: int) -> str:
    said = ": ".join(part for part in (record.answer_status.replace("_", " "), record.answer) if part)
    return tag("h4", "Answer") + tag("pre", markup.text(_short(said, max(cut, 600)))) if said else ""


def _changes(record: EpisodeRecord, cut: int) -> str:
    """The changes beside the expected ones; of a right episode, just the changes."""
    wrong = record.graded and record.scores.get(PRIMARY, 0.0) < 1
    if not wrong:
        made = [(_operation(each), _cells(each.after or each.before, cut)) for each in record.changes]
        return _table("Changes", ("change", "cells"), made) if made else ""
    pairs = compare_changes(record.changes, record.expected_changes)
    if not pairs:
        return ""
    rows = [(_SIGNS[pair.kind] + pair.kind, _operation(pair.shown), *_sides(pair, cut)) for pair in pairs]
    return _table("Changes against the expected ones", ("", "change", "made", "expected"), rows)


_SIGNS = {"as expected": "= ", "differs": "≠ ", "missing": "- ", "not expected": "+ "}


def _table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return tag("h4", markup.text(title)) + markup.table(title, headings, rows, class_="changes")


def _operation(change: ChangeEntry) -> str:
    row = "" if change.operation == "insert" else f", row {change.row}"
    return f"{change.operation} in {change.table}{row}"


def _sides(pair: Pair, cut: int) -> tuple[str, str]:
    """What either side writes; where both do, the cells in which they differ."""
    if pair.kind == "differs":
        cells = [cell for cell in pair.cells if cell[1] != cell[2]]
        return (
            _cells({name: made for name, made, _ in cells}, cut),
            _cells({name: expected for name, _, expected in cells}, cut),
        )
    made, expected = pair.made, pair.expected
    return (
        _cells(made.after or made.before, cut) if made else "nothing",
        _cells(expected.after or expected.before, cut) if expected else "nothing",
    )


def _cells(cells: dict[str, str | None], cut: int) -> str:
    return "; ".join(f"{name}: {_short(cell or '(empty)', min(cut, 300))}" for name, cell in cells.items())


def _judgements(record: EpisodeRecord, cut: int) -> str:
    rows = [
        (
            each.judge,
            each.rubric,
            f"{each.level} of 5" if each.level is not None else each.status.replace("_", " "),
            _short(each.feedback, cut),
        )
        for each in record.judgements
    ]
    return _table("Judges", ("judge", "rubric", "level", "why"), rows) if rows else ""


def _short(said: str, cut: int) -> str:
    return said if len(said) <= cut else said[: cut - 1] + "…"
