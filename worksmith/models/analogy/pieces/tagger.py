"""Finding the piece of the query's task that plays the part of a demonstrated piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worksmith.models.analogy.reading.task import Task, Token
from worksmith.models.analogy.reading.words import FUNCTION_STEMS, OPENING_STEMS

_PUNCTUATION = frozenset(",.?!:;()")
_MAX_WORDS = 10
_STOPPED = -0.7
_OPENED = 0.8
_CUT_NAME = 0.4
_SIZE_COSTS = {1: 0.5}


@dataclass(frozen=True)
class ShownPiece:
    """A demonstrated piece: the demonstration's task, the tokens that fit, and its weight."""

    task: Task
    spans: tuple[Any, ...]
    weight: float


def choose(
    reading: str,
    shown: Sequence[ShownPiece],
    task: Task,
    taken: frozenset[str] = frozenset(),
    known: frozenset[str] = frozenset(),
) -> Any:
    """The value of the piece of `task` that best matches the demonstrated ones; None when there is none.

    Args:
        taken: texts that were used before and should not be used again.
        known: texts, in small letters, that demonstrations use in this place.
    """
    if reading == "words":
        span = _choose_words(shown, task, taken, known)
        return task.piece(span) if span else None
    pool = task.pools.get(reading, ())
    if not pool and reading == "quote":
        return choose("words", [_as_words(example) for example in shown], task, taken, known)
    if not pool:
        return None
    best = max(pool, key=lambda index: (_typed_score(reading, index, shown, task), -index))
    return task.tokens[best].readings[reading]


def _as_words(example: ShownPiece) -> ShownPiece:
    """A quoted piece as a range of words, for a query that puts nothing in quotes."""
    return ShownPiece(example.task, tuple((span, span + 1) for span in example.spans), example.weight)


def _typed_score(reading: str, index: int, shown: Sequence[ShownPiece], task: Task) -> float:
    pool = task.pools[reading]
    place = pool.index(index)
    total = 0.0
    for example in shown:
        other = example.task.pools.get(reading, ())
        scores = []
        for span in example.spans:
            score = _context(span, span + 1, example.task, index, index + 1, task)
            where = other.index(span)
            score += 0.8 if where == place else 0.0
            score += 0.5 if len(other) - where == len(pool) - place else 0.0
            scores.append(score)
        total += example.weight * max(scores, default=0.0)
    return total


def norm_at(task: Task, index: int) -> str:
    """The norm of a token; the ends of sentences and of the task are all one."""
    if not 0 <= index < len(task.tokens):
        return "<end>"
    norm = task.tokens[index].norm
    return "<end>" if norm in (".", "?", "!") else norm


def opens(task: Task, index: int) -> bool:
    """Whether a token is the verb that begins a request."""
    return task.tokens[index].norm in OPENING_STEMS and norm_at(task, index - 1) in ("<end>", ":")


def _context(start: int, end: int, demo: Task, at: int, to: int, task: Task) -> float:
    """The likeness of the surroundings of two token ranges."""
    score = 0.0
    if norm_at(demo, start - 1) == norm_at(task, at - 1):
        score += 1.0 + (0.6 if norm_at(demo, start - 2) == norm_at(task, at - 2) else 0.0)
    elif norm_at(demo, start - 2) == norm_at(task, at - 2):
        score += 0.2
    if norm_at(demo, end) == norm_at(task, to):
        score += 0.7 + (0.4 if norm_at(demo, end + 1) == norm_at(task, to + 1) else 0.0)
    return score


def _choose_words(
    shown: Sequence[ShownPiece], task: Task, taken: frozenset[str], known: frozenset[str]
) -> tuple[int, int] | None:
    """The best token range: surroundings as demonstrated, words that the demonstrations do not share."""
    weight = sum(example.weight for example in shown) or 1.0
    common = _common_words(shown)
    novelty = [_novelty(token, common, weight) for token in task.tokens]
    words = {end - start for e in shown for start, end in e.spans if e.task.tokens[start].is_word}
    sizes, single = words or set(range(1, _MAX_WORDS + 1)), _SIZE_COSTS.get(len(words), 0.15)
    if words == {1}:
        single = 1.0
    named = any(_case(task, index) == 1.0 for index in range(len(task.tokens)))
    least, capital = _capital_shares(shown)
    strict = 0.7 if named else 0.25
    # Where all shown pieces are names, and the query has names, the piece must be a name.
    only_names = strict > 0.5 and least > 0.5 and min(words, default=1) > 1
    best: tuple[float, int, int] | None = None
    for start in range(len(task.tokens)):
        if not task.tokens[start].is_word:
            continue
        left = _edge(shown, task, start - 1, -1)
        for end in range(start + 1, min(start + _MAX_WORDS, len(task.tokens)) + 1):
            if not task.tokens[end - 1].is_word:
                break
            right = _edge(shown, task, end, 1)
            score = (left + right) / weight + _fill(novelty, start, end)
            score += _place(shown, task, start) / weight - (0.0 if end - start in sizes else single)
            # A capital at the beginning with nothing familiar behind it is most likely an imperative.
            score -= 0.5 if not right and norm_at(task, start - 1) == "<end>" else 0.0
            score -= _OPENED * opens(task, start)
            capitals = _capitals(task, start, end)
            if only_names and not capitals:
                continue
            score -= strict * abs(capital - capitals) if words else 0.0
            score -= _CUT_NAME * cut_names(task, start, end) if only_names else 0.0
            score -= 0.5 if capitals and not (_case(task, start) and _case(task, end - 1)) else 0.0
            text = task.piece((start, end))
            score += (0.8 if text.lower() in known else 0.0) - (9.0 if text in taken else 0.0)
            score -= 0.8 * (novelty[start] == _STOPPED) + 0.8 * (novelty[end - 1] == _STOPPED)
            if best is None or score > best[0] + 1e-9:
                best = (score, start, end)
    return best[1:] if best and best[0] > 0.4 else None


def _case(task: Task, index: int) -> float:
    """1 for a capital inside a sentence, 0 for a small letter, between for the first word of a sentence."""
    token = task.tokens[index]
    if not token.is_word or not token.text[:1].isupper() or token.text == "I":
        return 0.0
    return 0.6 if norm_at(task, index - 1) == "<end>" else 1.0


def cut_names(task: Task, start: int, end: int) -> int:
    """The number of its ends at which a range cuts a row of capitals."""
    cases = [_case(task, index) if 0 <= index < len(task.tokens) else 0.0 for index in (start - 1, end)]
    found = cases[0] == 1.0 and _case(task, start) == 1.0
    return found + (cases[1] == 1.0 and _case(task, end - 1) > 0.0)


def _capital_shares(shown: Sequence[ShownPiece]) -> tuple[float, float]:
    """The shares of capitals of the demonstrated pieces that have fewest and most."""
    cases = [[_capitals(one.task, *span) for span in one.spans] for one in shown]
    least = min((max(some, default=1.0) for some in cases), default=0.0)
    return least, max((max(some, default=0.0) for some in cases), default=0.0)


def _capitals(task: Task, start: int, end: int) -> float:
    return sum(_case(task, index) for index in range(start, end)) / (end - start)


def _common_words(shown: Sequence[ShownPiece]) -> Counter[str]:
    """Words of the demonstrations outside the demonstrated piece, by weight."""
    words: Counter[str] = Counter()
    for example in shown:
        inside = {i for start, end in example.spans for i in range(start, end)}
        norms = {t.norm for i, t in enumerate(example.task.tokens) if i not in inside}
        for norm in norms:
            words[norm] += example.weight  # type: ignore[assignment]
    return words


def _novelty(token: Token, common: Counter[str], weight: float) -> float:
    if not token.is_word:
        return -3.0
    if token.norm in FUNCTION_STEMS:
        return _STOPPED
    return 0.5 - 1.2 * min(1.0, common.get(token.norm, 0) / weight * 1.5)


def _fill(novelty: Sequence[float], start: int, end: int) -> float:
    """New words inside are good, known words inside and new words just outside are not."""
    score = sum(novelty[start:end]) / (end - start) + 0.05 * sum(max(0.0, n) for n in novelty[start:end])
    for outside in (start - 1, end):
        if 0 <= outside < len(novelty) and novelty[outside] > 0.3:
            score -= 0.6
    return score


def _edge(shown: Sequence[ShownPiece], task: Task, index: int, step: int) -> float:
    """The match of the words before (step -1) or after (step 1) a range with the demonstrations."""
    near, far = norm_at(task, index), norm_at(task, index + step)
    total = 0.0
    for example in shown:
        best = 0.0
        for start, end in example.spans:
            at = start - 1 if step < 0 else end
            if norm_at(example.task, at) == near:
                further = 0.5 if norm_at(example.task, at + step) == far else 0.0
                # Every task begins; that a piece stood there says less than the words around it.
                best = max(best, 0.3 if near == "<end>" and step < 0 else 1.0 + further)
            elif near in _PUNCTUATION and norm_at(example.task, at) == "<end>":
                best = max(best, 0.4)
        total += example.weight * best
    return total


def _place(shown: Sequence[ShownPiece], task: Task, start: int) -> float:
    total = 0.0
    for example in shown:
        gaps = [abs(s / len(example.task.tokens) - start / len(task.tokens)) for s, _ in example.spans]
        total += example.weight * max(0.0, 0.15 - min(gaps, default=1.0))
    return total
