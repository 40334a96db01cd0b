"""Tools: plain typed functions with docstrings that an agent may call in an episode; toolkits of them."""

from __future__ import annotations

import copy
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import to_json

from worksmith.tools.argument_schema import portable
from worksmith.tools.errors import InputError, ToolError, unknown
from worksmith.tools.signatures import one_line, read_docstring, written

_WRITES = "__worksmith_writes__"
_MOST_FAULTS = 5
"""So many faults of a call are named; a list of a thousand entries can have as many."""


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is blank")
    return text


Text = Annotated[str, AfterValidator(_said)]
"""A text that is not blank."""

_LONGEST = 60
"""Characters of a wrong value that a message repeats."""


class BadArgumentsError(ToolError):
    """The arguments of a call do not fit the tool; the message names them with the reason."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


def is_reserved(name: str) -> bool:
    """Whether no argument can have a name: frameworks call tools as methods, and pydantic has its own."""
    return name == "self" or (name.startswith("model_") and hasattr(BaseModel, name))


def tool(*, writes: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function `f(context, ...)` as a tool.

    Args:
        writes: whether it may change the world. An undeclared change is rolled back.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(function, _WRITES, writes)
        return function

    return mark


class ToolText(BaseModel):
    """Texts that prompts show in place of a tool's own; absent ones do not change.

    Attributes:
        description: of the tool.
        arguments: descriptions by argument.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: Text | None = None
    arguments: dict[str, Text] = {}

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.description is None and not self.arguments:
            raise ValueError("give a `description`, or `arguments`")
        return self

    def __hash__(self) -> int:
        return hash((self.description, frozenset(self.arguments.items())))

    def joined(self, other: ToolText) -> ToolText:
        """These texts with those of another, which wins where both have one."""
        return ToolText(
            description=self.description if other.description is None else other.description,
            arguments=self.arguments | other.arguments,
        )


class Tool:
    """A tool function with its name, descriptions and validator, all made once.

    Args:
        strict: an argument of another JSON type than the declared one is an error. Else a text of a number is
            one, and a number is a text where a text is declared.
        ruled: whether access rules decide on its calls.

    Attributes:
        name: `toolkit.function`.
        writes: whether the tool may change the world.
        arguments: the argument names, in order.
        function: the marked function; its first parameter is the `ToolContext`.
    """

    def __init__(
        self, toolkit: str, function: Callable[..., Any], *, strict: bool = False, ruled: bool = True
    ) -> None:
        if not hasattr(function, _WRITES):
            raise TypeError(f"{function.__qualname__} is not marked with @tool")
        self.name = f"{toolkit}.{function.__name__}"
        self.function = function
        self.writes: bool = getattr(function, _WRITES)
        self.summary, notes = read_docstring(function)
        self._model = _argument_model(self.name, function, notes)
        told = {name: field.description for name, field in self._model.model_fields.items()}
        self.argument_notes = {**notes, **{name: note for name, note in told.items() if note}}
        self.arguments = tuple(self._model.model_fields)
        self._strict, self.ruled = strict, ruled
        # Models write null for an argument that they leave out; only if null is not a valid value.
        self._null_is_absent = frozenset(
            name
            for name, field in self._model.model_fields.items()
            if not field.is_required() and field.annotation in (str, int, float, bool)
        )

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Typed keyword arguments for the function; null leaves an optional argument out.

        Raises:
            BadArgumentsError: unknown or missing names, or values of the wrong type.
        """
        try:
            checked: dict[str, Any] = vars(self._checked(arguments))
            return checked
        except ValidationError as error:
            raise BadArgumentsError(self._explain(error)) from None

    def plain(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments that `validate` takes as JSON in the types of the schema; others as they are."""
        try:
            return self._checked(arguments).model_dump(mode="json", exclude_unset=True)
        except ValidationError:
            return dict(arguments)

    def _checked(self, arguments: Mapping[str, Any]) -> BaseModel:
        """The arguments; of a strict tool by the rules of JSON: a date is a text, and 5.0 a whole number."""
        given = self._given(arguments)
        if not self._strict:
            return self._model.model_validate(given)
        try:
            text = to_json(given)
        except ValueError:  # not valid Unicode, or no JSON
            return self._model.model_validate(given, strict=True)
        try:
            return self._model.model_validate_json(text, strict=True)
        except ValidationError:
            return self._model.model_validate_json(to_json(_whole(given)), strict=True)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {n: v for n, v in arguments.items() if v is not None or n not in self._null_is_absent}

    def described(self, text: ToolText) -> Tool:
        """The tool with other texts in prompts, and the same arguments.

        Raises:
            InputError: the argument is unknown.
        """
        for name in text.arguments:
            if name not in self.arguments:
                raise unknown(f"{self.name} has no argument", name, self.arguments, "descriptions")
        told = copy.copy(self)
        vars(told).pop("text", None)
        told.summary = self.summary if text.description is None else one_line(text.description)
        notes = {name: one_line(note) for name, note in text.arguments.items()}
        told.argument_notes = self.argument_notes | notes
        schema = self.parameters
        properties = {
            name: {**about, "description": notes[name]} if name in notes else about
            for name, about in schema.get("properties", {}).items()
        }
        told.parameters = {**schema, "properties": properties}
        return told

    @cached_property
    def text(self) -> str:
        """The tool as a prompt shows it: signature, summary, arguments."""
        lines = [f"{self.name}({', '.join(self._signature())}): {self.summary}"]
        lines.extend(f"  {name}: {note}" for name, note in self.argument_notes.items())
        return "\n".join(lines)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments, see `worksmith.tools.argument_schema`."""
        return portable(self._model.model_json_schema())

    def _signature(self) -> list[str]:
        shown = []
        for name, argument in self._model.model_fields.items():
            kind = written(argument.annotation)
            if argument.is_required():
                shown.append(f"{name}: {kind}")
            elif type(argument.default) is argument.annotation:  # the default is enough
                shown.append(f"{name}={argument.default!r}")
            else:
                shown.append(f"{name}: {kind} = {argument.default!r}")
        return shown

    def _explain(self, error: ValidationError) -> str:
        faults = error.errors(include_url=False, include_context=False)
        problems = []
        for problem in faults[:_MOST_FAULTS]:
            place = ".".join(map(str, problem["loc"])) or "arguments"
            message = "no such argument" if problem["type"] == "extra_forbidden" else problem["msg"]
            if self._strict and problem["type"] not in ("extra_forbidden", "missing"):
                message += f", not {_cut(problem['input'])}"
            problems.append(f"{place}: {message}")
        if len(faults) > _MOST_FAULTS:
            problems.append(f"and {len(faults) - _MOST_FAULTS} more")
        return f"{self.name} takes {', '.join(self.arguments) or 'no arguments'}; {'; '.join(problems)}"


def _whole(value: Any) -> Any:
    """A value in which whole numbers are integers."""
    match value:
        case float():
            return int(value) if value.is_integer() and abs(value) < 2**63 else value
        case Mapping():
            return {name: _whole(each) for name, each in value.items()}
        case list() | tuple():
            return [_whole(each) for each in value]
    return value


def _cut(value: Any) -> str:
    text = to_json(value, fallback=repr).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


Toolset = Mapping[str, Tool]
"""The tools of one episode, by name, in the order in which a prompt lists them."""


@dataclass(frozen=True)
class Toolkit:
    """The tools of one source or subject.

    Attributes:
        name: the first half of its tools' names.
        title: the purpose of the toolkit, in a few words.
        by_name_only: whether `all` tools are those of the other toolkits, since this one has them again in
            another form.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]
    by_name_only: bool = False

    @classmethod
    def of(
        cls, name: str, title: str, functions: Iterable[Callable[..., Any]], *, by_name_only: bool = False
    ) -> Toolkit:
        """A toolkit of marked functions, in the given order."""
        return cls(name, title, tuple(Tool(name, function) for function in functions), by_name_only)


def toolset(toolkits: Iterable[Toolkit], names: Iterable[str] | None = None) -> dict[str, Tool]:
    """The tools of the toolkits called `names`, in the toolkits' own order; None stands for all of them.

    Raises:
        InputError: if a name is not a toolkit's.
    """
    toolkits = tuple(toolkits)
    everything = {toolkit.name for toolkit in toolkits if not toolkit.by_name_only}
    wanted = everything if names is None else set(names)
    there = [toolkit.name for toolkit in toolkits]
    if absent := sorted(wanted.difference(there)):
        raise unknown("no toolkit", absent[0], there)
    return {t.name: t for toolkit in toolkits if toolkit.name in wanted for t in toolkit.tools}


def _argument_model(name: str, function: Callable[..., Any], notes: Mapping[str, str]) -> type[BaseModel]:
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fields: dict[str, Any] = {}
    for parameter in parameters:
        if is_reserved(parameter.name):
            hint = f"write another name, such as `{parameter.name}_`"
            raise InputError(f"no argument can be called {parameter.name}", where=name, hint=hint)
        default = ... if parameter.default is parameter.empty else parameter.default
        note: dict[str, Any] = {"description": notes[parameter.name]} if parameter.name in notes else {}
        fields[parameter.name] = (hints[parameter.name], Field(default, **note))
    return create_model(name.replace(".", "_"), __base__=_Arguments, **fields)


FINISH = "finish"
"""The name of the call by which an agent ends a task. It belongs to no toolkit."""


@dataclass(frozen=True)
class FinishCall:
    """The call by which an agent ends a task, as prompts and tool schemas describe it.

    Attributes:
        summary: the purpose of the call, in one sentence.
        arguments: the content of each argument, which is a text.
    """

    summary: str
    arguments: Mapping[str, str] = field(hash=False)

    @cached_property
    def text(self) -> str:
        """The call as prompts show tools: signature, summary, arguments."""
        signature = ", ".join(f"{name}: str" for name in self.arguments)
        notes = (f"  {name}: {note}" for name, note in self.arguments.items())
        return "\n".join([f"{FINISH}({signature}): {self.summary}", *notes])


WITHOUT_ANSWER = FinishCall(
    "End the task, once everything asked for is done or turned out not to apply.",
    {"answer": "One or two sentences on what was done or found."},
)
"""For worlds in which nothing but their state is judged."""
