"""Which words of a task stand for which of a few values: a tool, an option, a name in a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from worksmith.models.analogy.task import Task
from worksmith.models.analogy.words import STOP, stem, stems

_STOP_STEMS = frozenset(map(stem, STOP))
_MAX_LENGTH = 3
_QUOTED = re.compile(r"['\"`]([^'\"`\n]{2,40})['\"`]")

Phrase = tuple[str, ...]


class Lexicon:
    """Phrases for the values of one slot, learned from which tasks used which value.

    Args:
        tasks: the demonstrated tasks that use the slot.
        values: for each of them, the values it used.
        hints: words that describe a value: its own words, or a tool's description.
    """

    def __init__(
        self, tasks: Sequence[Task], values: Sequence[frozenset[str]], hints: Mapping[str, Sequence[str]]
    ) -> None:
        self.values = tuple(dict.fromkeys(value for used in values for value in sorted(used)))
        known = tuple(dict.fromkeys((*self.values, *hints)))
        self._phrases: dict[Phrase, tuple[float, str]] = {}
        shown = [_phrases_of(task) for task in tasks]
        counts = Counter(phrase for phrases in shown for phrase in phrases)
        weights = _hint_weights(hints, known)
        for value in known:
            users = [n for n, used in enumerate(values) if value in used]
            self._learn(value, users, shown, counts, weights.get(value, {}))

    def _learn(
        self,
        value: str,
        users: Sequence[int],
        shown: Sequence[frozenset[Phrase]],
        counts: Counter[Phrase],
        hint: Mapping[str, float],
    ) -> None:
        together = Counter(phrase for n in users for phrase in shown[n])
        candidates = set(together) if users else set()
        if hint:
            candidates |= {p for p in counts if any(word in hint for word in p)} | _hint_phrases(hint)
        for phrase in candidates:
            score = _overlap(phrase, hint)
            if len(users) >= 2 and len(users) < len(shown):
                score += 2 * together[phrase] / (counts[phrase] + len(users)) - 0.5
            score += 0.01 * len(phrase)
            if score >= 0.45 and score > self._phrases.get(phrase, (0.0, ""))[0]:
                self._phrases[phrase] = (score, value)

    def mentions(self, task: Task) -> tuple[str, ...]:
        """The values that the task mentions, in the order of their first mention."""
        norms = [token.norm for token in task.tokens]
        spread = [part for norm in norms for part in (stems(norm) or (norm,))]
        found: dict[str, float] = {}
        index = 0
        order: list[tuple[str, float]] = []
        while index < len(spread):
            best: tuple[float, int, str] | None = None
            for length in range(1, _MAX_LENGTH + 1):
                hit = self._phrases.get(tuple(spread[index : index + length]))
                if hit and (best is None or hit[0] >= best[0]):
                    best = (hit[0], length, hit[1])
            if best:
                order.append((best[2], best[0]))
                found[best[2]] = max(found.get(best[2], 0.0), best[0])
            index += best[1] if best else 1
        return tuple(dict.fromkeys(value for value, _ in order))


def _phrases_of(task: Task) -> frozenset[Phrase]:
    norms = [part for token in task.tokens for part in (stems(token.norm) or (token.norm,))]
    phrases = (
        tuple(norms[start : start + length])
        for start in range(len(norms))
        for length in range(1, _MAX_LENGTH + 1)
    )
    return frozenset(p for p in phrases if not all(word in _STOP_STEMS or not word.isalnum() for word in p))


def _hint_weights(hints: Mapping[str, Sequence[str]], known: Sequence[str]) -> dict[str, dict[str, float]]:
    """The hint words of each value, those that several values share counting less."""
    words = {value: set(hints.get(value, ())) - _STOP_STEMS for value in known}
    shared = Counter(word for some in words.values() for word in some)
    return {value: {word: 1.0 / shared[word] for word in some} for value, some in words.items()}


def _hint_phrases(hint: Mapping[str, float]) -> set[Phrase]:
    return {(word,) for word in hint}


def _overlap(phrase: Phrase, hint: Mapping[str, float]) -> float:
    if not hint:
        return 0.0
    both = sum(hint[word] for word in set(phrase) if word in hint)
    foreign = sum(1.0 for word in set(phrase) if word not in hint)
    return both / (sum(hint.values()) + foreign)


def options(text: str) -> tuple[str, ...]:
    """The quoted values in a tool's description."""
    return tuple(dict.fromkeys(_QUOTED.findall(text)))
