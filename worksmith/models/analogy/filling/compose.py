"""Filling in the next step: each argument by the expressions that explain the demonstrated ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from worksmith.models.analogy.demonstrations.library import Library
from worksmith.models.analogy.filling import listing
from worksmith.models.analogy.filling.leaves import Filled, Leaf, Slot
from worksmith.models.analogy.filling.mentions import by_words, choices, used_up
from worksmith.models.analogy.pieces import long_texts, phrases, tagger
from worksmith.models.analogy.pieces.tagger import ShownPiece
from worksmith.models.analogy.reading import dates
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.statements import Form, read_form
from worksmith.models.analogy.reading.task import read_task
from worksmith.models.analogy.values.expressions import Evidence, evaluate, no_choice
from worksmith.models.analogy.values.moments import Key
from worksmith.models.analogy.values.template import Template, take_apart

_PER_COST = 0.06
_SEVERAL = 3
_SHARED = 0.3
_WORDED = ("words", "phrase")
_PATCHED = ("affix", "join")
_ALWAYS_SAME = 0.1
_ECHO = 0.08


def fill(
    leaves: Sequence[Leaf], library: Library, state: State, path: tuple[Any, ...], *, further: bool = False
) -> Filled | None:
    """The query's value in place of the shown ones; None when nothing explains them there.

    Args:
        path: see `Slot.path`.
        further: whether the last call is made again for another row.
    """
    slot = Slot(leaves, library, state, path)
    forms = [read_form(leaf.text) for leaf in leaves]
    if all(form is not None and form.values for form in forms):
        return _statement(slot, [form for form in forms if form])
    size = listing.usual_length(zip((leaf.text for leaf in leaves), slot.weights, strict=True))
    if size == 1:
        return _fill(slot, further=further)
    alike = [leaf for leaf in leaves if len(listing.parts(leaf.text)) == size]
    filled = []
    for place in range(size):
        some = [Leaf(leaf.source, listing.parts(leaf.text)[place]) for leaf in alike]
        value = _fill(slot.of(some), part=True)
        if value is None:
            return None
        filled.append(value)
    support = min(value.support for value in filled)
    return Filled(listing.SEPARATOR.join(value.text for value in filled), support)


def _statement(slot: Slot, forms: Sequence[Form]) -> Filled | None:
    """A statement of a query language as demonstrations make theirs, value by value."""
    skeleton = forms[0].skeleton
    alike = [(leaf, form) for leaf, form in zip(slot.leaves, forms, strict=True) if form.skeleton == skeleton]
    values, support = [], 1.0
    for place in range(len(forms[0].values)):
        some = [Leaf(leaf.source, form.values[place]) for leaf, form in alike]
        value = _fill(slot.of(some, skeleton, f"value {place}"), part=True)
        if value is None:
            return None
        values.append(value.text)
        support = min(support, value.support)
    return Filled(forms[0].with_values(values), support)


def _fill(slot: Slot, *, further: bool = False, part: bool = False) -> Filled | None:
    """The value for leaves that are no lists.

    Args:
        part: whether it is a part of a list or statement, which no option of the slot stands for.
    """
    leaves, weights, state = slot.leaves, slot.weights, slot.state
    total = sum(weights)
    name = str(slot.path[-1])
    known = frozenset(value.lower() for used in slot.used for value in used)
    explained = [leaf.source.example.demo.explain(leaf.source.example.at, name, leaf.text) for leaf in leaves]
    support: dict[Key, float] = {}
    cost: dict[Key, float] = {}
    for weight, keys in zip(weights, explained, strict=True):
        for key, evidence in keys.items():
            support[key] = support.get(key, 0.0) + weight
            cost[key] = min(evidence.cost, cost.get(key, 9.0))
    if all(keys.keys() == {("const", leaf.text)} for leaf, keys in zip(leaves, explained, strict=True)):
        support = by_words(slot)
    seen = any(key[0] == "cell" for keys in explained for key in keys)
    # A code that was read in an episode is no option that words of the task stand for.
    chosen = {
        value: one
        for value, one in ({} if part else choices(slot)).items()
        if not is_data(value) or (value in slot.texts and not seen)
    }
    scored = [
        (support[key] / total - _PER_COST * cost[key] - doubt, support[key] / total, key)
        for key in support
        if (doubt := _doubt(key, slot)) is not None and not (further and key[0] == "cell")
    ]
    scored += [(share - _PER_COST * 0.7, share, ("choice", value)) for value, share in chosen.items()]
    scored.sort(key=lambda entry: -entry[0])
    taken = _taken(name, leaves, state)
    if taken and not part and used_up(slot, taken):
        return None
    found: Filled | None = None
    for _, share, key in scored:
        if key[0] == "choice":
            return Filled(key[1], share)
        shown = [
            (leaf, weight, keys[key])
            for leaf, weight, keys in zip(leaves, weights, explained, strict=True)
            if key in keys
        ]
        value = evaluate(key, state, _chooser(shown, state, taken, known))
        if value is not None and key[0] == "task" and key[1] in _WORDED:
            value = _listed(value, slot)
        if value in taken and key[0] != "const":
            continue
        if value is not None and share >= _SHARED:
            made = _sentence(slot) if key[0] in _PATCHED else None
            return made if made and made.support > share else Filled(value, share)
        found = found or (Filled(value, share) if value is not None else None)
    return (None if part else _sentence(slot)) or found


def _sentence(slot: Slot) -> Filled | None:
    """A sentence made as demonstrations make theirs, with the values of this episode in it."""
    made: dict[Any, list[tuple[float, Leaf, Template]]] = {}
    for weight, leaf in zip(slot.weights, slot.leaves, strict=True):
        template = take_apart(leaf.text, leaf.source.example.state)
        if template:
            made.setdefault(template.kind, []).append((weight, leaf, template))
    for alike in sorted(made.values(), key=lambda some: -sum(weight for weight, _, _ in some)):
        tails = [Leaf(leaf.source, template.tail) for _, leaf, template in alike if template.tail]
        tail = _fill(slot.of(tails), part=True) if tails else Filled("", 1.0)
        nearest = max(alike, key=lambda one: one[0])[2]
        text = nearest.write(slot.state, tail.text) if tail else None
        if text is not None:
            return Filled(text, sum(weight for weight, _, _ in alike) / sum(slot.weights))
    return None


def _doubt(key: Key, slot: Slot) -> float | None:
    """The cost of a constant where the demonstrations vary; None: a name is never a constant."""
    sources = {leaf.source.example.number for leaf in slot.leaves}
    same = len(slot.texts) == 1
    if key[0] == "const":
        if same:
            return None if len(sources) == 1 and is_data(key[1]) else 0.0
        return 0.15 if slot.library.is_closed(slot.path, slot.used) else None
    if key[0] != "task":
        return 0.0
    # What an episode ends with was found out; that the task says it too is no explanation.
    ends = _ECHO if slot.leaves[0].source.example.marks else 0.0
    # A value that several demonstrations share was hardly taken from each task.
    return ends + (_ALWAYS_SAME if same and len(sources) >= _SEVERAL else 0.0)


def is_data(text: str) -> bool:
    """Whether a text looks like an address or a code, which one demonstration does not make a constant."""
    return "@" in text or (not dates.parse(text) and bool(re.search(r"\d{4}", text)))


def _listed(value: str, slot: Slot) -> str | None:
    """Words of the task as one of the slot's options, where it has options."""
    allowed = slot.library.options(slot.path, tuple(slot.texts))
    if not allowed or any(value in item for item in allowed):
        return value
    return slot.library.lexicon(slot.path, slot.used).nearest(value)


def _taken(name: str, leaves: Sequence[Leaf], state: State) -> frozenset[str]:
    """Values of earlier calls of the run that the next call must not repeat, if demonstrations do not."""
    if any(leaf.text in _run_values(name, leaf.source.example.state) for leaf in leaves):
        return frozenset()
    return frozenset(_run_values(name, state))


def _run_values(name: str, state: State) -> list[str]:
    calls = state.groups[-1].calls if state.groups else ()
    return [call.arguments[name] for call in calls if name in call.arguments]


def _chooser(
    shown: Sequence[tuple[Leaf, float, Evidence]],
    state: State,
    taken: frozenset[str],
    known: frozenset[str],
) -> Callable[[str], Any]:
    def choose(reading: Any) -> Any:
        if isinstance(reading, tuple):
            return _piece(reading, shown, state)
        examples = [
            ShownPiece(leaf.source.example.demo.task, dict(evidence.spans).get(reading, ()), weight)
            for leaf, weight, evidence in shown
        ]
        if reading == "phrase":
            span = phrases.choose(examples, state.task, taken)
            return state.task.piece(span) if span else None
        return tagger.choose(reading, examples, state.task, taken, known)

    return choose


def _piece(reading: Key, shown: Sequence[tuple[Leaf, float, Evidence]], state: State) -> Any:
    """A piece of a long text that was seen, found as demonstrations found theirs."""
    _, base, kind = reading
    text = evaluate(base, state, no_choice)
    if not text:
        return None
    examples: list[ShownPiece] = []
    known: dict[str, float] = {}
    for leaf, weight, evidence in shown:
        then = leaf.source.example.state
        seen = read_task(evaluate(base, then, no_choice) or "", then.clock)
        examples.append(ShownPiece(seen, dict(evidence.spans).get(reading, ()), weight))
        known[leaf.text] = known.get(leaf.text, 0.0) + weight
    return long_texts.choose(kind, examples, read_task(text, state.clock), known)
