"""Expected values: what counts as right in an answer or in a cell, in the notation of task files.

`"open"` is a value; `{"set": [...]}` all of some; `{"any": [...]}` one of some; `{"number": 3.5, "tolerance":
0.1}` a number; `{"pattern": "..."}` a regular expression. Of an answer there is also `{"status": "denied"}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    model_serializer,
    model_validator,
)

from worksmith.evals.kinds.own_data.patterns import LONGEST_PATTERN, checked, is_found
from worksmith.evals.kinds.own_data.readings import numbers, plainly, says_yes
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.own_data.locales import ENGLISH, Locale
from worksmith.tools.sqlite.cells import CellType, cell_text, shown_cell, typed_cell
from worksmith.tools.sqlite.cells import CellValue as Cell
from worksmith.tools.sqlite.outcome import folded_cell
from worksmith.tools.sqlite.schema import Table

_MEMBER = "\0"
"""Stands in an answer for a member of a set that was found."""

_BETWEEN = re.compile(
    rf"(?:[{_MEMBER}\s;,\[\]{{}}()\"'`*•&-]|\b(?:and|or)\b|\b\d{{1,3}}[.)]\s+[\[{{(\"'`*]*(?={_MEMBER}))*"
)
"""The members of a set and what may stand between them, such as the number of a member in a list."""


class Column(NamedTuple):
    """A column in which a value is expected."""

    kind: CellType
    exact: bool

    @classmethod
    def of(cls, table: Table, name: str) -> Column:
        return cls(table.type_of(name), name in table.exact)

    def typed(self, value: Cell) -> Cell:
        """A value of a task as a cell of this column; a column of texts takes numbers as they are written.

        Raises:
            ValueError: it is not one.
        """
        if self.kind == "text" and isinstance(value, int | float):
            value = cell_text(value)
        return shown_cell(typed_cell(value, self.kind), self.kind)

    def same(self, wanted: Cell, cell: Cell) -> bool:
        """Whether a cell of this column has a value of a task."""
        try:
            wanted = self.typed(wanted)
        except ValueError:
            return False
        return folded_cell(wanted, exact=self.exact) == folded_cell(cell, exact=self.exact)


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def example(self) -> Cell:
        """A right value; None if unknown."""
        return None

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The values, as generic answers have them."""
        return () if self.example is None else (_entity(self.example),)


class Exactly(RootModel[Cell]):
    """One value. Of an answer, letter case, spaces, forms of quotes and dashes, and its end do not count.

    An object can be mistaken for another form of an expected value: `{"value": {...}}` cannot.
    """

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, value: Any) -> Any:
        return value["value"] if isinstance(value, dict) and value.keys() == {"value"} else value

    @model_serializer
    def _written(self) -> Cell:
        return {"value": self.root} if isinstance(self.root, dict) else self.root

    @property
    def example(self) -> Cell:
        return self.root

    @property
    def said(self) -> str:
        """The value in words."""
        return "nothing" if self.root is None else repr(self.root)

    @property
    def entities(self) -> tuple[Entity, ...]:
        return (_entity(self.root),)

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        """Whether an answer has this value; a number, yes and no may stand in a sentence."""
        if isinstance(self.root, bool):
            return says_yes(text, locale) is self.root
        if isinstance(self.root, int | float):
            return _says_number(text, question, locale, float(self.root), 0.0)
        return plainly(text) == plainly(cell_text(self.root))

    def fits(self, cell: Cell, column: Column) -> bool:
        """Whether a cell has this value."""
        return column.same(self.root, cell)


class Caseless(_Form):
    """A text in any letter case."""

    caseless: str

    @property
    def example(self) -> Cell:
        return self.caseless

    @property
    def said(self) -> str:
        return f"{self.caseless!r} in any letter case"

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        return plainly(text) == plainly(self.caseless)

    def fits(self, cell: Cell, column: Column) -> bool:
        return column._replace(exact=False).same(self.caseless, cell)


class SetOf(_Form):
    """All of some values and no others, in any order."""

    set: tuple[str | int | float, ...] = Field(min_length=1)

    @property
    def example(self) -> Cell:
        return "; ".join(str(value) for value in self.set)

    @property
    def said(self) -> str:
        return f"all of {_listed(self.set)}"

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(_entity(value) for value in self.set)

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        return self._listed(text, plainly)

    def fits(self, cell: Cell, column: Column) -> bool:
        if isinstance(cell, list):
            kept = {folded_cell(each, exact=column.exact) for each in cell}
            return kept == {folded_cell(each, exact=column.exact) for each in self.set}
        return self._listed(cell_text(cell), str if column.exact else plainly)

    def _listed(self, text: str, folded: Callable[[str], str]) -> bool:
        rest = folded(text.replace(_MEMBER, "?"))
        for value in sorted({folded(str(value)) for value in self.set}, key=len, reverse=True):
            rest, found = re.subn(rf"(?<!\w){re.escape(value)}(?!\w)", _MEMBER, rest)
            if not found:
                return False
        return bool(_BETWEEN.fullmatch(rest.rstrip(".")))


class Number(_Form):
    """A number within a tolerance."""

    number: float = Field(allow_inf_nan=False)
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    @property
    def example(self) -> Cell:
        return int(self.number) if self.number.is_integer() else self.number

    @property
    def said(self) -> str:
        return f"{self.example}" + (f" within {self.tolerance:g}" if self.tolerance else "")

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        """Whether the numbers of an answer, those of the question left out, are this one."""
        return _says_number(text, question, locale, self.number, self.tolerance)

    def fits(self, cell: Cell, column: Column) -> bool:
        if cell is None or isinstance(cell, bool | list | dict):
            return False
        try:
            return abs(float(cell) - self.number) <= _slack(self.number, self.tolerance)
        except ValueError:
            return False


class Pattern(_Form):
    """A regular expression that is found in the text; `(?i)` ignores letter case, `^` and `$` bind ends."""

    pattern: Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN), AfterValidator(checked)]

    @property
    def said(self) -> str:
        return f"a text that matches {self.pattern!r}"

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        return is_found(self.pattern, text)

    def fits(self, cell: Cell, column: Column) -> bool:
        return cell is not None and self.answers(cell_text(cell), "")


class AnyOf(_Form):
    """One of some expected values."""

    any: tuple[Value, ...] = Field(min_length=1)

    @property
    def example(self) -> Cell:
        return next((each.example for each in self.any if each.example is not None), None)

    @property
    def said(self) -> str:
        return f"one of {', '.join(each.said for each in self.any)}"

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The first value, with the others as its aliases where each is a single one."""
        found = [each.entities for each in self.any if each.entities]
        if not found or any(len(entities) > 1 for entities in found):
            return found[0] if found else ()
        first, *others = (entities[0] for entities in found)
        return (first.model_copy(update={"alias": tuple(each.value for each in others)}),)

    def answers(self, text: str, question: str, locale: Locale = ENGLISH) -> bool:
        return any(each.answers(text, question, locale) for each in self.any)

    def fits(self, cell: Cell, column: Column) -> bool:
        return any(each.fits(cell, column) for each in self.any)


class Status(_Form):
    """The status that the agent must report in place of an answer."""

    status: Literal["denied", "not_found"]

    @property
    def said(self) -> str:
        return f"the status {self.status}"


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return next((name for name in _FORMS if name in value), "?")
    if isinstance(value, BaseModel):
        return "value" if isinstance(value, Exactly) else next(iter(type(value).model_fields))
    return "?" if isinstance(value, list) else "value"


def _cell_form(value: Any) -> str:
    """As `_form`; a list, and an object with other keys than those of a form, is a value."""
    name = _form(value)
    form = _BY_NAME.get(name)
    strange = form is None or (isinstance(value, dict) and not value.keys() <= form.model_fields.keys())
    return "value" if strange else name


_KNOWN = 'a value, {"set": [...]}, {"any": [...]}, {"number": 3, "tolerance": 0.1} or {"pattern": "..."}'

_Given = (
    Annotated[Exactly, Tag("value")]
    | Annotated[SetOf, Tag("set")]
    | Annotated[Number, Tag("number")]
    | Annotated[Pattern, Tag("pattern")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Caseless, Tag("caseless")]
)

Value = Annotated[
    _Given,
    Discriminator(_cell_form, custom_error_type="no_value", custom_error_message=f"expected is {_KNOWN}"),
]
"""The expected value of a cell, or of an answer that is given."""

Expected = Annotated[
    _Given | Annotated[Status, Tag("status")],
    Discriminator(
        _form,
        custom_error_type="no_answer",
        custom_error_message=f'expected is {_KNOWN}; or {{"status": "denied"}} or {{"status": "not_found"}}',
    ),
]
"""The expected answer of a task."""


_BY_NAME: Mapping[str, type[BaseModel]] = {
    "set": SetOf,
    "number": Number,
    "pattern": Pattern,
    "any": AnyOf,
    "caseless": Caseless,
}
_FORMS = (*_BY_NAME, "value", "status")


def _entity(value: Cell) -> Entity:
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else cell_text(value)
    return Entity(type="number" if isinstance(value, int | float) else "text", value=text)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _slack(number: float, tolerance: float) -> float:
    """The tolerance, with room for the rounding of binary fractions."""
    return tolerance + 1e-9 * max(1.0, abs(number))


def _says_number(text: str, question: str, locale: Locale, number: float, tolerance: float) -> bool:
    said, asked = numbers(text, locale), numbers(question, locale)
    named = said - asked or said
    return bool(named) and all(abs(each - number) <= _slack(number, tolerance) for each in named)


AnyOf.model_rebuild()
