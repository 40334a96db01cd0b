"""Rules for the course of an episode: which call needs another before it, how often, beside which never."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.numbers import python_numbers


class ProcedureRule(BaseModel):
    """A rule for the calls of one tool. It has one of `needs`, `at_most` and `never_with`.

    Attributes:
        tool: the tool whose calls are bound.
        needs: the tool that is called before.
        same: by argument of the bound call the argument of the needed one with the same value; a list where
            they have the same names.
        named: arguments of the bound call whose values a text of the needed one has, such as a question.
        reply: the result of the needed call, such as `yes`; letter case and a full stop do not count.
        each: whether every bound call needs its own, made after the bound call before it.
        at_most: the most calls of an episode.
        never_with: the tool that is not called in the same episode.
        why: the reason, for those who read a report.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    needs: str = ""
    same: dict[str, str] = Field(default_factory=dict)
    named: tuple[str, ...] = Field((), exclude_if=lambda names: not names)
    reply: str = ""
    each: bool = False
    at_most: PositiveInt | None = None
    never_with: str = ""
    why: str = ""

    @model_validator(mode="before")
    @classmethod
    def _as_pairs(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and isinstance(value.get("same"), list | tuple):
            return {**value, "same": {str(name): name for name in value["same"]}}
        return value

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if sum((bool(self.needs), self.at_most is not None, bool(self.never_with))) != 1:
            raise ValueError("give one of needs, at_most and never_with")
        if not self.needs and (self.same or self.named or self.reply or self.each):
            raise ValueError("same, named, reply and each go with needs")
        return self

    def with_names(self, full: Callable[[str], str]) -> Self:
        """The rule with the full names of its tools."""
        given = {name: getattr(self, name) for name in ("tool", "needs", "never_with")}
        return self.model_copy(update={name: full(tool) for name, tool in given.items() if tool})

    def __str__(self) -> str:
        if self.at_most is not None:
            return f"{self.tool} at most {self.at_most} time{'s' * (self.at_most != 1)}"
        if self.never_with:
            return f"{self.tool} never beside {self.never_with}"
        message = f"{self.tool} needs {'its own ' * self.each}{self.needs} before it"
        if self.same:
            message += f" with the same {' and '.join(self.same)}"
        if self.named:
            message += f", which names {' and '.join(self.named)}"
        return f"{message}, with the reply {self.reply!r}" if self.reply else message


def procedure(
    rules: Iterable[Any], tools: Mapping[str, Collection[str]], where: str
) -> tuple[ProcedureRule, ...]:
    """Rules as a user writes them, with the full names of tools.

    Args:
        tools: the names of arguments by the full name of the tool.
    """
    found = []
    for number, rule in enumerate(rules):
        place = f"{where}.{number}"
        try:
            read = ProcedureRule.model_validate(python_numbers(rule))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, (place, *first["loc"])))
            raise InputError(first["msg"].removeprefix("Value error, "), where=field) from error
        rule = read.with_names(partial(full_name, tools=tools, where=place))
        if rule.tool in (rule.needs, rule.never_with):
            raise InputError(f"{rule.tool} is bound by itself", where=place, hint="name two tools")
        arguments = [("same", rule.tool, ours) for ours in rule.same]
        arguments += [("same", rule.needs, theirs) for theirs in rule.same.values()]
        arguments += [("named", rule.tool, name) for name in rule.named]
        for field, tool, name in arguments:
            if name not in (known := tools[tool]):
                raise unknown(f"{tool} has no argument", name, known, f"{place}.{field}")
        found.append(rule)
    return tuple(found)


def full_name(name: str, tools: Iterable[str], where: str) -> str:
    """The full name of a tool, `toolkit.function`, that a user may call by its second half."""
    known = [*tools]
    if name in known:
        return name
    found = [full for full in known if full.partition(".")[2] == name]
    if len(found) > 1:
        raise InputError(
            f"several tools are called {name!r}", where=where, hint=f"write {' or '.join(found)}"
        )
    if not found:
        short = [full.partition(".")[2] for full in known]
        raise unknown("no tool", name, [*short, *known] if "." in name else short, where)
    return found[0]
