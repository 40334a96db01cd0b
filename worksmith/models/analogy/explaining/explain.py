"""Explaining a demonstrated value: every expression that gives it in the state before the step."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.models.analogy.explaining.dates import from_moment
from worksmith.models.analogy.explaining.rows import from_rows
from worksmith.models.analogy.pieces import long_texts
from worksmith.models.analogy.reading import dates
from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.task import Task, read_task
from worksmith.models.analogy.reading.words import CONTENT, case_of, content_words, recase
from worksmith.models.analogy.values.expressions import Evidence, evaluate, no_choice
from worksmith.models.analogy.values.moments import Key
from worksmith.models.analogy.values.rows import MAX_ROWS, number_columns

Explained = dict[Key, Evidence]


_TEXT_READINGS = ("quote", "email", "digits", "code", "period", "step", "unit")
_NUMBER_READINGS = ("over", "year", "steps", "amount", "minutes", "number", "days", "percent")
_COUNTED = ("minutes", "number", "days", "percent")
_CONST_COST = 1.2
_LONGEST_PIECE = 60


def _from_seen_texts(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """The places of the value in long texts that were seen."""
    moment = dates.parse(value)
    if len(value) > _LONGEST_PIECE:
        return
    for index in range(len(state.groups)):
        for base in long_texts.cells(index, state):
            text = read_task(evaluate(base, state, no_choice) or "", state.clock)
            for reading, form, spans in long_texts.places(value, moment, text):
                where = ("text", base, reading)
                yield ("text", base, reading, form), Evidence(0.7, ((where, spans),))


def explain(value: str, name: str, state: State) -> Explained:
    """The expressions that give the value of the argument `name`, with their evidence."""
    found: Explained = {}
    moment = dates.parse(value)
    for key, evidence in (
        *_copies(value, name, state),
        *(from_moment(moment, state) if moment else ()),
        *_from_seen_texts(value, state),
    ):
        if key not in found or evidence.cost < found[key].cost:
            found[key] = evidence
    if not moment and not found:
        for key, evidence in _composed(value, state):
            found.setdefault(key, evidence)
    if not _observed(value, state):
        found[("const", value)] = Evidence(_CONST_COST)
    return found


def _observed(value: str, state: State) -> bool:
    """Whether the value was read in this episode: it is no constant then, however often it is the same."""
    read = (item for group in state.groups for item in group.items)
    if any(item and item in value for item in read):
        return True
    return any(value in row.values() for group in state.groups for row in group.rows[:MAX_ROWS])


def _copies(value: str, name: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    yield from _from_text(value, state)
    yield from _from_numbers(value, state)
    yield from _from_calls(value, name, state)
    for index in range(len(state.groups)):
        yield from from_rows(value, index, state)


def _from_text(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    task = state.task
    for reading in _TEXT_READINGS:
        fits: dict[str, list[int]] = {}
        for index in task.pools.get(reading, ()):
            case = case_of(str(task.tokens[index].readings[reading]), value)
            if case:
                fits.setdefault(case, []).append(index)
        for case, indexes in fits.items():
            yield ("task", reading, case), Evidence(_case_cost(case), ((reading, tuple(indexes)),))
    spans: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for span in task.spans(value):
        case = case_of(task.piece(span), value)
        if case:
            for reading in _span_readings(span, task):
                spans.setdefault((reading, case), []).append(span)
    for (reading, case), ranges in spans.items():
        cost = (0.1 if reading == "words" else 0.25) + _case_cost(case)
        yield ("task", reading, case), Evidence(cost, ((reading, tuple(ranges)),))


def _span_readings(span: tuple[int, int], task: Task) -> Iterator[str]:
    """A row of plain words, a phrase with anything in it, or both."""
    tokens = task.tokens[slice(*span)]
    if all(token.is_word for token in tokens):
        yield "words"
    if len(tokens) > 1:
        yield "phrase"


def _case_cost(case: str) -> float:
    return 0.0 if case == "same" else 0.2


def _from_numbers(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    wanted = number(value)
    if wanted is None:
        return
    for reading in _NUMBER_READINGS:
        pool = state.task.pools.get(reading, ())
        fits = tuple(i for i in pool if float(state.task.tokens[i].readings[reading]) == wanted)
        if fits:
            cost = 0.1 if reading in _COUNTED else 0.05
            yield ("number", reading), Evidence(cost, ((reading, fits),))


def _from_calls(value: str, argument_name: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    for group_index, group in enumerate(state.groups):
        for index, call in enumerate(group.calls):
            for name, argument in call.arguments.items():
                if argument == value:
                    cost = -0.05 if name == argument_name else 0.5
                    yield ("arg", group_index, index, name), Evidence(cost + 0.1 * index)
                    if index == len(group.calls) - 1 and index:
                        yield ("arg", group_index, -1, name), Evidence(cost + 0.05)
        if group.calls[-1].observation.text == value:
            yield ("reply", group_index), Evidence(0.3)
        for index, item in enumerate(group.items):
            if item == value:
                yield ("item", group_index, index), Evidence(0.3)
                if index == len(group.items) - 1:
                    yield ("item", group_index, -1), Evidence(0.35)
        if len(group.calls) > 1 and any(call.observation.series for call in group.calls):
            yield from _winners(value, group_index, state)


def _winners(value: str, group: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    for how in ("mean", "sum", "last", "growth"):
        for name in state.groups[group].calls[0].arguments:
            key = ("winner", group, how, name)
            if evaluate(key, state, no_choice) == value:
                yield key, Evidence(0.7)


def _from_content(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """A phrase of the task that has the same telling words, with any others between them."""
    words = content_words(value)
    if len(words) > 1:
        spans = tuple(state.task.holding(words))
        if spans:
            yield ("task", "phrase", CONTENT), Evidence(0.4, (("phrase", spans),))


def _joined(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """Two values, one behind the other."""
    for base, first, cost in _parts(state):
        rest = value[len(first) :].lstrip(" ,;:-/|")
        if value.startswith(first) and rest:
            gap = value[len(first) : len(value) - len(rest)]
            for key, evidence in (*_from_text(rest, state), *_from_calls(rest, "", state)):
                yield ("join", base, gap, key), Evidence(0.5 + cost + evidence.cost, evidence.spans)


def _composed(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """A text with a value inside: fixed words before or after it."""
    yield from _from_content(value, state)
    yield from _joined(value, state)
    for base, inner, cost in _parts(state):
        for case in ("same", "snake", "lower"):
            text = recase(inner, case)
            start = value.find(text)
            if start >= 0:
                key = ("affix", base, value[:start], case, value[start + len(text) :])
                yield key, Evidence(1.0 + cost + (0.1 if case != "same" else 0.0))
                break


def _parts(state: State) -> Iterator[tuple[Key, str, float]]:
    for index, group in enumerate(state.groups):
        if len(group.calls) > 1:
            for name in group.calls[0].arguments:
                for how in ("mean", "sum"):
                    won = evaluate(("winner", index, how, name), state, no_choice)
                    if won and len(won) >= 4:
                        yield ("winner", index, how, name), won, 0.1
        for place, item in enumerate(group.items[:8]):
            yield ("item", index, place), item, 0.0
        for name, argument in group.calls[0].arguments.items():
            if len(argument) >= 4:
                yield ("arg", index, 0, name), argument, 0.2
        for column in group.columns if len(group.rows) <= 5 else ():
            cell = group.rows[0].get(column, "")
            if len(cell) >= 4 and column not in number_columns(group):
                yield ("cell", index, ("pick", ("first",), ("all",)), column), cell, 0.3
