"""Which words of a task stand for which of a few values: a tool, an option, a name in a list."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from worksmith.models.analogy.reading.task import Task
from worksmith.models.analogy.reading.words import STOP_STEMS, stems

_MAX_LENGTH = 3
_ENOUGH = 0.45
_SPLIT = re.compile(r"[,:;()\n]|\.\s|\bor\b|\band\b")

Phrase = tuple[str, ...]
Nearness = Callable[[int, int], float]


class Lexicon:
    """Phrases for the values of one slot.

    A phrase stands for a value when it shares its words with the value (or with the description of the
    tool), or when, among tasks that are otherwise alike, those with the phrase use the value.

    Args:
        tasks: the demonstrated tasks that use the slot.
        values: for each of them, the values it used.
        hints: words that describe a value; also for values that no task used.
        nearness: how alike two of the tasks are.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        values: Sequence[frozenset[str]],
        hints: Mapping[str, Sequence[str]],
        nearness: Nearness,
    ) -> None:
        self.values = tuple(dict.fromkeys((*(v for used in values for v in sorted(used)), *hints)))
        self._phrases: dict[Phrase, tuple[float, str]] = {}
        shown = [_phrases_of(task) for task in tasks]
        weights = _hint_weights(hints, self.values)
        for value in self.values:
            users = [n for n, used in enumerate(values) if value in used]
            hinted = self._hinted(value, weights.get(value, {}), shown)
            if not hinted or not any(hinted & shown[n] for n in users):
                self._contrasted(value, users, shown, nearness)

    def _hinted(
        self, value: str, hint: Mapping[str, float], shown: Sequence[frozenset[Phrase]]
    ) -> set[Phrase]:
        """Learn the phrases that share words with the value's description."""
        candidates = {p for some in shown for p in some if any(word in hint for word in p)}
        candidates |= (
            {(word,) for word in hint} | set(permutations(tuple(hint)[:5], 2)) | {tuple(hint)[:_MAX_LENGTH]}
        )
        learned = set()
        for phrase in candidates:
            if self._keep(phrase, _overlap(phrase, hint), value):
                learned.add(phrase)
        return learned

    def _contrasted(
        self, value: str, users: Sequence[int], shown: Sequence[frozenset[Phrase]], nearness: Nearness
    ) -> None:
        """Learn the phrases that tell its users from like tasks that use other values."""
        others = [n for n in range(len(shown)) if n not in set(users)]
        pairs = [(one, other, nearness(one, other) ** 2) for one in users for other in others]
        total = sum(weight for _, _, weight in pairs)
        if not total:
            return
        counts = Counter(phrase for some in shown for phrase in some)
        together = Counter(phrase for n in users for phrase in shown[n])
        gained: dict[Phrase, float] = {}
        for one, other, weight in pairs:
            for phrase in shown[one] - shown[other]:
                gained[phrase] = gained.get(phrase, 0.0) + weight
        for phrase, gain in gained.items():
            share = together[phrase] / len(users) * together[phrase] / counts[phrase]
            known = 1.0 if len(users) > 1 else 0.6
            self._keep(phrase, known * share * gain / total, value)

    def _keep(self, phrase: Phrase, score: float, value: str) -> bool:
        score += 0.01 * len(phrase)
        if score < _ENOUGH:
            return False
        if score > self._phrases.get(phrase, (0.0, ""))[0]:
            self._phrases[phrase] = (score, value)
        return True

    def mentions(self, task: Task) -> tuple[str, ...]:
        """The values that the task mentions, in the order of their first mention."""
        spread = _spread(task)
        order: list[str] = []
        index = 0
        while index < len(spread):
            best: tuple[float, int, str] | None = None
            for length in range(1, _MAX_LENGTH + 1):
                hit = self._phrases.get(tuple(spread[index : index + length]))
                if hit and (best is None or hit[0] >= best[0]):
                    best = (hit[0], length, hit[1])
            if best:
                order.append(best[2])
            index += best[1] if best else 1
        return tuple(dict.fromkeys(order))

    def nearest(self, text: str) -> str | None:
        """The value that a text stands for."""
        words = stems(text)
        found = [
            self._phrases[phrase]
            for start in range(len(words))
            for length in range(1, _MAX_LENGTH + 1)
            if (phrase := words[start : start + length]) in self._phrases
        ]
        return max(found)[1] if found else None


def options(text: str, seen: Sequence[str]) -> tuple[str, ...]:
    """The values that a description enumerates, if `seen` values are among them."""
    items = [item.strip(" .'\"`\t") for item in _SPLIT.split(text)]
    short = [item for item in items if 0 < len(item) <= 40 and item.count(" ") <= 2]
    return tuple(dict.fromkeys(short)) if sum(value in short for value in seen) * 2 > len(seen) else ()


def _spread(task: Task) -> list[str]:
    return [
        part
        for token in task.tokens
        for part in ((stems(token.text) if token.is_word else ()) or (token.norm,))
    ]


def _phrases_of(task: Task) -> frozenset[Phrase]:
    norms = _spread(task)
    phrases = (
        tuple(norms[start : start + length])
        for start in range(len(norms))
        for length in range(1, _MAX_LENGTH + 1)
    )
    return frozenset(
        p for p in phrases if all(word.isalnum() and word not in STOP_STEMS for word in (p[0], p[-1]))
    )


def _hint_weights(hints: Mapping[str, Sequence[str]], known: Sequence[str]) -> dict[str, dict[str, float]]:
    """The hint words of each value, those that several values share counting less."""
    words = {value: dict.fromkeys(w for w in hints.get(value, ()) if w not in STOP_STEMS) for value in known}
    shared = Counter(word for some in words.values() for word in some)
    return {value: {word: 1.0 / shared[word] for word in some} for value, some in words.items()}


def _overlap(phrase: Phrase, hint: Mapping[str, float]) -> float:
    if not hint:
        return 0.0
    # fsum, because the order of a set differs from process to process and must not decide anything.
    both = math.fsum(hint[word] for word in set(phrase) if word in hint)
    foreign = math.fsum(0.7 for word in set(phrase) if word not in hint)
    return both / (math.fsum(hint.values()) + foreign)
