"""User functions as tools. A function that is not a tool is refused at its declaration."""

from __future__ import annotations

import inspect
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from worksmith.tools.access.search import Searched
from worksmith.tools.code import functions_digest
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.outside import Outside
from worksmith.tools.numbers import listed
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool import FINISH, Tool, Toolkit, tool
from worksmith.tools.tool_context import Shown, ToolContext
from worksmith.tools.user_tool import ASK_USER

if TYPE_CHECKING:
    from worksmith.tools.kinds.own_data.outside import Recorder

_DONE = "Done."
"""The result of a tool that returns nothing."""


@dataclass
class OwnTools:
    """The tools of an environment, in the order of their declaration.

    Attributes:
        tables: the tables that they work on.
        searched: those of them that have an index.
        served: by toolkit the content address of a server's description of its tools.
    """

    tables: Sequence[Table]
    searched: dict[str, Searched] = field(default_factory=dict)
    served: dict[str, str] = field(default_factory=dict)
    _kits: dict[str, dict[str, Tool]] = field(default_factory=dict)
    _outside: dict[str, Outside] = field(default_factory=dict)
    _functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    _origins: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        function: Callable[..., Any],
        toolkit: str,
        *,
        writes: bool,
        outside: bool = False,
        twin: Callable[..., Any] | None = None,
        recorder: Recorder | None = None,
        origin: str = "",
    ) -> None:
        """Declare a tool; arguments as in `Environment.tool`.

        Args:
            origin: names a tool in messages that is not a user function; its code is not in the digest.
        """
        where = origin or _place(function)
        check_function(function, where)
        name = f"{toolkit}.{function.__name__}"
        # Chat APIs take no dots, so that `__` stands between the names of toolkit and tool.
        if not toolkit.isidentifier() or "__" in toolkit or toolkit.endswith("_"):
            hint = "use letters, digits, and single _ between them"
            raise InputError(f"{toolkit!r} is no name of a toolkit", where=where, hint=hint)
        if name == ASK_USER.name:
            raise InputError(f"there is a tool {name} already", where=where, hint="tasks with a user have it")
        if name in self._functions:
            taken = self._origins.get(name) or _place(self._functions[name])
            raise InputError(f"there is a tool {name} already", where=where, hint=f"see {taken}")
        if twin is not None:
            _check_twin(function, twin, where)
        if not outside and (twin is not None or recorder is not None):
            raise InputError(
                "only a tool that reaches outside has a stand-in", where=where, hint="add outside=True"
            )
        called: Callable[..., Any] = function
        if outside:
            called = self._outside[name] = Outside(name, function, twin, recorder)
        self._kits.setdefault(toolkit, {})[name] = self._made(toolkit, function, called, writes, where)
        self._functions[name] = function
        if origin:
            self._origins[name] = origin

    @property
    def toolkits(self) -> tuple[Toolkit, ...]:
        """The toolkits, each with its tools."""
        return tuple(
            Toolkit(name, name.replace("_", " "), tuple(kit.values())) for name, kit in self._kits.items()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The full names of all tools."""
        return tuple(name for kit in self._kits.values() for name in kit)

    @property
    def outside(self) -> frozenset[str]:
        """The tools that reach outside."""
        return frozenset(self._outside)

    @property
    def unrehearsable(self) -> list[str]:
        """The tools that reach outside and have no stand-in."""
        return [name for name, tool in self._outside.items() if not tool.rehearsable]

    @property
    def digest(self) -> str:
        """Content address of all functions and recorded replies.

        Raises:
            InputError: a file of recorded replies is damaged.
        """
        outside = self._outside
        twins = {name: tool.twin for name, tool in outside.items() if tool.twin is not None}
        named = [
            {name: f"{function.__module__}.{function.__qualname__}" for name, function in each.items()}
            for each in (self._functions, twins)
        ]
        own = [function for name, function in self._functions.items() if name not in self._origins]
        code = functions_digest([*own, *twins.values()])
        recorded = {name: tool.recorder.digest for name, tool in outside.items() if tool.recorder}
        tools = [tool for kit in self._kits.values() for tool in kit.values()]
        shown = [[tool.name, tool.summary, tool.parameters, tool.writes] for tool in tools]
        return digest([named, code, recorded, shown, self.served])

    def _made(
        self, toolkit: str, function: Callable[..., Any], called: Callable[..., Any], writes: bool, where: str
    ) -> Tool:
        @tool(writes=writes)
        @wraps(function)
        def run(ctx: ToolContext, /, **arguments: Any) -> Any:
            own = Context(ctx, self.tables, self.searched, writes=writes)
            value = called(own, **arguments)
            if not isinstance(value, Shown | None):
                value = to_jsonable_python(value, inf_nan_mode="null", fallback=listed)
            own.announce(value.value if isinstance(value, Shown) else value)
            return _DONE if value is None else value

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an argument may have the name of a method of pydantic's
                made = Tool(toolkit, run, strict=True)
                _ = made.parameters, made.text
        except InputError as error:
            error.where = where
            raise
        except Exception as error:
            said = str(error).partition("\n")[0]
            raise InputError(
                f"the type of an argument cannot be that of a tool: {said}",
                where=where,
                hint="use str, int, float, bool, Literal, Optional, list, or a pydantic model",
            ) from error
        return made


def check_function(function: Any, where: str) -> None:
    """See that something is a plain typed function with a docstring, whose first argument is the context.

    Raises:
        InputError: it is not.
    """

    def refuse(fault: str, hint: str) -> InputError:
        return InputError(fault, where=where, hint=hint)

    if not inspect.isfunction(function) or function.__name__ == "<lambda>":
        raise refuse("a tool is a plain function", "write `def close_ticket(ctx, ...)`")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise refuse("a tool cannot be async", "write a plain function that waits for its result")
    if inspect.isgeneratorfunction(function):
        raise refuse("a tool cannot yield", "return a list")
    if function.__name__ == FINISH:
        raise refuse(f"no tool can be called {FINISH}", "it is the call that ends a task")
    if not (function.__doc__ or "").strip():
        raise refuse("the docstring is missing", "say in one sentence what the tool does: the agent reads it")
    parameters = list(inspect.signature(function).parameters.values())
    hints = _hints(function, where)
    if not parameters or hints.get(parameters[0].name, Context) is not Context:
        rest = ", ".join(str(parameter) for parameter in parameters)
        wanted = f"def {function.__name__}(ctx{', ' + rest if rest else ''})"
        raise refuse("the first argument of a tool is its context", f"write `{wanted}`")
    for parameter in parameters[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise refuse(f"*{parameter.name} is no argument of a tool", "name each argument")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise refuse(f"{parameter.name} cannot be given by name", "leave out the `/`")
        if parameter.name not in hints:
            raise refuse(f"the argument {parameter.name} has no type", f"write `{parameter.name}: str`")
        if parameter.name.startswith("_"):
            raise refuse(f"the argument {parameter.name} begins with _", "leave the _ out")


def _hints(function: Callable[..., Any], where: str) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception as error:
        raise InputError(
            f"a type cannot be read: {error}",
            where=where,
            hint="types of arguments have to be known in its module",
        ) from error


def _check_twin(function: Callable[..., Any], twin: Any, tool: str) -> None:
    where = f"twin of {tool}"
    if not inspect.isfunction(twin) or inspect.iscoroutinefunction(twin):
        raise InputError("a twin is a plain function", where=where)
    taken, wanted = (tuple(inspect.signature(each).parameters)[1:] for each in (twin, function))
    if taken != wanted:
        raise InputError(
            f"it takes ({', '.join(taken)}) and the tool ({', '.join(wanted)})",
            where=where,
            hint="give both the same arguments",
        )


def _place(function: Any) -> str:
    """The name of a function with its file and line, for messages."""
    name = getattr(function, "__qualname__", None) or repr(function)
    code = getattr(function, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else str(name)
