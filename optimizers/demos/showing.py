"""Showing: chosen demonstrations put into a program's predictors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.dspy_programs.demo_tokens import demo_tokens, fitting
from worksmith.evals.dspy_programs.nearest import (
    Embedding,
    NearestPredict,
    NearestSettings,
    show_all,
    show_nearest,
)
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.selection import Display
from worksmith.optimizers.demos.steps import Unit
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.retrievers.texts.words import words

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task


class Shown(NamedTuple):
    """A program, and the demonstrations that it can show."""

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...]


_ASKER: Final = "context"


class ShowSettings(Protocol):
    """The settings of showing, see `worksmith.optimizers.settings.Settings`."""

    @property
    def embedding(self) -> Embedding: ...

    @property
    def demo_unit(self) -> Unit: ...

    @property
    def demo_tokens(self) -> int | None: ...


def show(program: dspy.Module, display: Display | Mapping[str, Display], settings: ShowSettings) -> Shown:
    """A copy of `program` whose predictors show `display`.

    Args:
        display: for all predictors, or for each by its name; one without an entry does not change.
        settings: demonstrations beyond its `demo_tokens` are left out; the fixed ones are let in first. Where
            demonstrations quote records, a prompt counts them as it shows them.

    Raises:
        InputError: a predictor of another class would need a search.
    """
    copy, limit = copied_program(program), settings.demo_tokens
    shown: dict[int, Demonstration] = {}
    searching = {}
    predictors = dict(copy.named_predictors())
    displays = dict.fromkeys(predictors, display) if isinstance(display, Display) else display
    for name, own in displays.items():
        predictor = predictors[name]
        later = limit is not None and any(each.records for each in own.fixed)
        fixed = own.fixed
        if not later:
            fixed = tuple(fitting(((each, _size(each, name)) for each in fixed), limit))
        everything = (*fixed, *own.searched)
        predictor.demos = _examples(everything, name)
        shown |= {id(each): each for each in everything}
        if predictor.demos and (own.searched or later):
            searching[name] = NearestSettings(
                _query_field(name, predictor.signature.input_fields, everything),
                own.count,
                settings.embedding,
                fixed=sum(name in each.parts for each in fixed),
                tokens=limit or 0,
                by_state=settings.demo_unit == "step",
                asker=_asker_field(name, everything),
            )
    show_all(copy, displays.keys() - searching.keys())
    return Shown(show_nearest(copy, searching), tuple(shown.values()))


def nothing_in_common(program: dspy.Module, shown: Sequence[Demonstration], tasks: Sequence[Task]) -> str:
    """The remark that no task has a word in common with a searched demonstration; empty if one has."""
    if not any(isinstance(predictor, NearestPredict) for predictor in program.predictors()):
        return ""
    index = LexicalIndex({f"{place:06}": each.query for place, each in enumerate(shown)})
    if not tasks or any(index.shares_words(task.query) for task in tasks):
        return ""
    return "no task to choose by has a word in common with a demonstration: none is really the nearest"


def give_demonstrations(program: dspy.Module, demonstrations: Sequence[Demonstration]) -> dspy.Module:
    """A copy of `program` whose predictors show `demonstrations`, in that order."""
    copy = copied_program(program)
    for name, predictor in copy.named_predictors():
        predictor.demos = _examples(demonstrations, name)
    return copy


def _examples(demonstrations: Iterable[Demonstration], name: str) -> list[dspy.Example]:
    examples = (demonstration.example(name) for demonstration in demonstrations)
    return [example for example in examples if example is not None]


def _size(demonstration: Demonstration, name: str) -> dict[str, int]:
    """The tokens that a demonstration takes in the prompts of a predictor."""
    part = demonstration.parts.get(name)
    return {} if part is None else {name: demo_tokens(part)}


def _asker_field(name: str, demonstrations: Sequence[Demonstration]) -> str:
    """The input of an agent's predictor with persona and time; empty for other predictors."""
    parts = [(each.request, each.parts[name]) for each in demonstrations if name in each.parts]
    return _ASKER if all(asked and _ASKER in part for asked, part in parts) else ""


def _query_field(name: str, inputs: Iterable[str], demonstrations: Sequence[Demonstration]) -> str:
    """The input of a predictor that holds the task's text in every demonstration; empty without one.

    Where a task is several inputs, sentences come before shorter texts, such as ids, dates and names. Of
    several the one that differs most often between tasks, and among equals the shortest: a question rather
    than its context.
    """
    parts = [(d.query, d.parts[name]) for d in demonstrations if name in d.parts]
    texts = {
        field: [part[field] for _, part in parts]
        for field in inputs
        if all(isinstance(part.get(field), str) and part[field] in query for query, part in parts)
    }
    for field, found in texts.items():
        if found == [query for query, _ in parts]:
            return field
    spoken = {field: found for field, found in texts.items() if any(map(_has_words, found))}
    told = {field: found for field, found in spoken.items() if _are_sentences(found)}
    among = told or spoken
    return min(among, key=lambda field: (-len(set(among[field])), sum(map(len, among[field]))), default="")


def _has_words(text: str) -> bool:
    return 2 * sum(map(str.isalpha, text)) > len(text)


def _are_sentences(texts: Sequence[str]) -> bool:
    """Whether most texts have three words or more."""
    return 2 * sum(sum(word[0].isalpha() for word in words(text)) >= 3 for text in texts) >= len(texts)
