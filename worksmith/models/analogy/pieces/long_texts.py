"""Pieces of a long text that was seen: found by their shape and by the words that stand around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worksmith.models.analogy.pieces.phrases import shape_of
from worksmith.models.analogy.pieces.tagger import ShownPiece, norm_at
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.task import Task
from worksmith.models.analogy.reading.words import STOP_STEMS
from worksmith.models.analogy.values.moments import Key

_SHORTEST = 40
_MAX_WORDS = 6
_BEFORE, _AFTER = 12, 4
_NEXT = 1.5
_STOPPED = 0.35
_KNOWN = 0.5
_CUT = 0.4
_LAST: Key = ("call", -1)


def cells(index: int, state: State) -> Iterator[Key]:
    """The expressions for the long texts of a run: those of its first record, and of its last call's."""
    group = state.groups[index]
    if not group.rows:
        return
    wheres: tuple[Key, ...] = (("all",), _LAST) if len(group.calls) > 1 else (("all",),)
    for column in group.columns:
        if len(group.rows[0].get(column, "")) >= _SHORTEST:
            for where in wheres:
                yield ("cell", index, ("pick", ("first",), where), column)


def places(value: str, moment: Any, text: Task) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """The places of the value in the text: reading, form and token ranges."""
    if moment:
        wanted, form = moment
        days = text.pools.get("date", ())
        found = tuple((i, i + 1) for i in days if text.tokens[i].readings["date"].strftime(form) == value)
        if found and wanted:
            yield "date", form, found
        return
    spans = [span for span in text.spans(value) if span[1] - span[0] <= _MAX_WORDS]
    exact = tuple(span for span in spans if text.piece(span) == value)
    if exact:
        yield "words", "", exact


def choose(reading: str, shown: Sequence[ShownPiece], text: Task, known: Mapping[str, float]) -> Any:
    """The value of the piece of `text` that stands as the demonstrated ones stand in theirs.

    Args:
        known: the demonstrated values with their weights; a common word is more likely one of them.
    """
    patterns = [(_windows(one.task, span), one.weight) for one in shown for span in one.spans]
    best: tuple[float, tuple[int, int]] | None = None
    for span in _candidates(reading, shown, text):
        window = _windows(text, span)
        score = sum(weight * _alike(pattern, window) ** 2 for pattern, weight in patterns)
        total = sum(weight for _, weight in patterns) or 1.0
        score = score / total - _CUT * _cuts(text, span)
        piece = text.piece(span)
        if piece in known and piece.islower():
            score += _KNOWN
        if best is None or score > best[0] + 1e-9:
            best = (score, span)
    if best is None:
        return None
    return text.tokens[best[1][0]].readings["date"] if reading == "date" else text.piece(best[1])


def _candidates(reading: str, shown: Sequence[ShownPiece], text: Task) -> list[tuple[int, int]]:
    if reading == "date":
        return [(index, index + 1) for index in text.pools.get("date", ())]
    wanted = {_shapes(one.task, span) for one in shown for span in one.spans}
    spans = []
    for start in range(len(text.tokens)):
        for size in sorted({len(shape) for shape in wanted}):
            span = (start, start + size)
            if span[1] <= len(text.tokens) and _shapes(text, span) in wanted:
                spans.append(span)
    return spans


def _shapes(text: Task, span: tuple[int, int]) -> tuple[str, ...]:
    """The kinds of its tokens; words with digits in them are codes."""
    shapes = []
    for index in range(*span):
        word = text.tokens[index].text
        code = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        shapes.append("C" if code and not text.tokens[index].readings else shape_of(text, index))
    return tuple(shapes)


def _windows(text: Task, span: tuple[int, int]) -> dict[tuple[str, str], float]:
    """The words around a range, those nearer counting more."""
    window: dict[tuple[str, str], float] = {}
    for side, start, step, size in (("before", span[0] - 1, -1, _BEFORE), ("after", span[1], 1, _AFTER)):
        for distance in range(size):
            index = start + step * distance
            if not 0 <= index < len(text.tokens):
                break
            norm = norm_at(text, index)
            weight = (_STOPPED if norm in STOP_STEMS or not norm[0].isalnum() else 1.0) / (
                1 + 0.25 * distance
            )
            weight *= _NEXT if distance == 0 else 1.0
            window[(side, norm)] = max(weight, window.get((side, norm), 0.0))
    return window


def _alike(one: dict[tuple[str, str], float], other: dict[tuple[str, str], float]) -> float:
    """The overlap of the words around two ranges: 0 to 1."""
    total = sum(one.values()) + sum(other.values())
    shared = sum(min(weight, other[key]) for key, weight in one.items() if key in other)
    return 2 * shared / total if total else 0.0


def _cuts(text: Task, span: tuple[int, int]) -> int:
    """The number of its ends at which a range cuts a name."""
    start, end = span
    found = 0
    if start and shape_of(text, start) == shape_of(text, start - 1) == "A":
        found += 1
    if end < len(text.tokens) and shape_of(text, end - 1) == shape_of(text, end) == "A":
        found += 1
    return found
