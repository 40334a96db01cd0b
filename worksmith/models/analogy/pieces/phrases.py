"""Finding in the query's task the phrase that plays the part of a demonstrated one.

Unlike the pieces of `tagger`, a phrase may hold anything: commas, numbers, dates, a whole clause. It is
found by its shape, and by the words at its two ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from worksmith.models.analogy.pieces.tagger import ShownPiece, norm_at, opens
from worksmith.models.analogy.reading.task import Task

_MAX_TOKENS = 40
_ENOUGH = 0.9
_CUT_NAME = 0.8
_STRANGE = 0.8
_LONGER = 0.01
_EXACT = 0.4
_LAST = 0.3
_UNKNOWN = 0.35
_OPENED = 0.8
_ENDS = frozenset(".?!")


@dataclass(frozen=True)
class _Pattern:
    """A demonstrated phrase: the shapes and norms of its tokens, the words around it, its weight."""

    shapes: tuple[str, ...]
    before: tuple[str, str]
    after: tuple[str, str]
    weight: float
    norms: tuple[str, ...]


def choose(
    shown: Sequence[ShownPiece], task: Task, taken: Collection[str] = frozenset()
) -> tuple[int, int] | None:
    """The token range of `task` most like the demonstrated ones; None when none is like them.

    Args:
        taken: texts that were used before and should not be used again.
    """
    patterns = [_pattern(example, span) for example in shown for span in example.spans]
    total = sum(pattern.weight for pattern in patterns)
    if not total:
        return None
    shapes = [shape_of(task, index) for index in range(len(task.tokens))]
    usual = {shape for pattern in patterns for shape in pattern.shapes}
    known = {norm for pattern in patterns for norm in pattern.norms}
    lasts = {pattern.norms[-1] for pattern in patterns}
    named = all(pattern.shapes[0] == "A" for pattern in patterns)
    longest = min(_MAX_TOKENS, max(len(pattern.shapes) for pattern in patterns) * 2)
    befores = [_side(patterns, task, at - 1, -1) for at in range(len(shapes))]
    afters = [_side(patterns, task, at, 1) for at in range(len(shapes) + 1)]
    best: tuple[float, int, int] | None = None
    for start in range(len(shapes)):
        if shapes[start] in ",;:)":
            continue
        for end in range(start + 1, min(start + longest, len(shapes)) + 1):
            if shapes[end - 1] in _ENDS and end - start > 1:
                break
            if shapes[end - 1] in ",;:(":
                continue
            score = _score(patterns, shapes, start, end, befores[start], afters[end]) / total
            score += _vocabulary(task, shapes, start, end, known, lasts) if named else 0.0
            score -= _OPENED * opens(task, start)
            score -= _cuts(shapes, start, end) - _LONGER * (end - start)
            score -= _STRANGE * sum(shape not in usual and not shape.isalnum() for shape in shapes[start:end])
            if best is None or score > best[0] + 1e-9:
                if task.piece((start, end)) in taken:
                    continue
                best = (score, start, end)
    return best[1:] if best and best[0] >= _ENOUGH else None


def shape_of(task: Task, index: int) -> str:
    """The kind of a token: a capital (A) or small (a) word, a number or date (0), or the mark itself."""
    token = task.tokens[index]
    if token.readings or token.text[0].isdigit():
        return "0"
    if not token.text[0].isalnum():
        return token.text[0]
    return "A" if token.text[0].isupper() else "a"


def _pattern(example: ShownPiece, span: tuple[int, int]) -> _Pattern:
    start, end = span
    return _Pattern(
        tuple(shape_of(example.task, index) for index in range(start, end)),
        (norm_at(example.task, start - 1), norm_at(example.task, start - 2)),
        (norm_at(example.task, end), norm_at(example.task, end + 1)),
        example.weight / len(example.spans),
        tuple(example.task.tokens[index].norm for index in range(start, end)),
    )


def _side(patterns: Sequence[_Pattern], task: Task, index: int, step: int) -> list[float]:
    """For each pattern, the likeness of the words on one side."""
    near, far = norm_at(task, index), norm_at(task, index + step)
    found = []
    for pattern in patterns:
        shown_near, shown_far = pattern.before if step < 0 else pattern.after
        score = 0.0
        if near == shown_near:
            # Every task begins; that a piece stood there says less than the words before it.
            score = 0.4 if near == "<end>" and step < 0 else 0.5 if near == "," else 0.8
            score += 0.4 if far == shown_far else 0.0
        elif far == shown_far and far != "<end>":
            score = 0.15
        found.append(score)
    return found


def _score(
    patterns: Sequence[_Pattern],
    shapes: Sequence[str],
    start: int,
    end: int,
    befores: Sequence[float],
    afters: Sequence[float],
) -> float:
    total = 0.0
    for pattern, before, after in zip(patterns, befores, afters, strict=True):
        total += pattern.weight * (before + after + _alike(pattern.shapes, shapes, start, end))
    return total


def _alike(shown: tuple[str, ...], shapes: Sequence[str], start: int, end: int) -> float:
    """The likeness of two rows of shapes, from both ends: 0 to 1.9."""
    size, length = len(shown), end - start
    shorter = min(size, length)
    if size == length and all(map(str.__eq__, shown, shapes[start:end])):
        return 1.5 + _EXACT
    same = 0
    while same < shorter and shown[same] == shapes[start + same]:
        same += 1
    back = 0
    while back < shorter and shown[size - 1 - back] == shapes[end - 1 - back]:
        back += 1
    both = min(same + back, shorter) / max(size, length)
    return 0.3 * (same > 0) + 0.3 * (back > 0) + 0.9 * both


def _vocabulary(
    task: Task, shapes: Sequence[str], start: int, end: int, known: set[str], lasts: set[str]
) -> float:
    """Names of one kind share their small words: those of others are hardly part of one."""
    strange = sum(
        shapes[index] == "a" and task.tokens[index].norm not in known for index in range(start, end)
    )
    return _LAST * (task.tokens[end - 1].norm in lasts) - _UNKNOWN * strange


def _cuts(shapes: Sequence[str], start: int, end: int) -> float:
    """The cost of a range that begins or ends inside a name or an amount."""
    cost = 0.0
    if start > 1 and shapes[start] == shapes[start - 1] == "A":
        cost += _CUT_NAME
    if end < len(shapes) and shapes[end] == shapes[end - 1] == "A":
        cost += _CUT_NAME
    if end < len(shapes) and shapes[end - 1] == "0" and shapes[end] == "a":
        cost += 0.2
    return cost
