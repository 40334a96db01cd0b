"""An episode's tools for agents of any framework."""

from __future__ import annotations

import inspect
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from worksmith.programs.prompting.native_tools import native_name
from worksmith.retrievers.strict_json import parse_json
from worksmith.tools.dispatch import Observation
from worksmith.tools.errors import needing
from worksmith.tools.files.unicode import writable
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    import dspy
    from langchain_core.tools import BaseTool
    from mcp.server import Server

    from worksmith.tools.episode import Episode
    from worksmith.tools.tool import Tool

ENDED = "The task has ended, so the call was not made."
"""The reply to a call after the end of the episode."""

_DEEPEST, _MOST = 200, 1_000_000
"""How deep arguments may be nested, and how many values they may have at one depth."""

_FINISHED = "The task is finished."


@dataclass(frozen=True, eq=False)
class AgentTool:
    """A tool of an episode. A call with keyword arguments gives the text for the agent; no mistake raises.

    Attributes:
        name: letters, digits, `_` and `-`, as chat APIs want it: `calendar__create_event`.
        description: the purpose of the tool.
        schema: JSON schema of the arguments.
        signature: of a Python function with these arguments.

    Example:
        >>> print(task.tools[0].name)
        tickets__search
    """

    name: str
    description: str
    schema: dict[str, Any]
    signature: inspect.Signature
    _run: Callable[[dict[str, Any]], str]
    _plain: Callable[[dict[str, Any]], dict[str, Any]] = dict

    def plain(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments that the tool takes, in the types of its schema; others as they are."""
        return self._plain(arguments)

    def __call__(self, /, **arguments: Any) -> str:
        return self._run(arguments)

    def function(self) -> Callable[..., str]:
        """The tool as a Python function: with name, typed signature, and docstring with `Args:`."""

        def call(*values: Any, **arguments: Any) -> str:
            return self._run(self.signature.bind_partial(*values).arguments | arguments)

        call.__name__ = call.__qualname__ = self.name
        notes = {name: each.get("description") for name, each in self.schema["properties"].items()}
        told = [f"    {name}: {note}" for name, note in notes.items() if note]
        call.__doc__ = "\n".join([self.description, *(["", "Args:", *told] if told else [])])
        call.__annotations__ = {p.name: p.annotation for p in self.signature.parameters.values()}
        call.__annotations__["return"] = str
        call.__signature__ = self.signature  # type: ignore[attr-defined]
        return call


class AgentTools(Sequence[AgentTool]):
    """The tools of one episode. Threads and asynchronous tasks of an agent may call them at the same time.

    Where an answer has fields, such as a status, `finish` is one of the tools.

    Attributes:
        failure: the first failure of the harness in a call; frameworks may hide it.
        answer: the arguments of `finish`; None before it.

    Args:
        episode: an open one, such as `env.episode()`.
        with_finish: whether `finish` is a tool even if an answer is only a text, for agents without a visible
            last message.

    Example:
        >>> tools = ws.AgentTools(env.episode(persona=suite.tasks[0].persona))
        >>> tools.end()
        >>> tools.call(tools[0].name, {})
        'The task has ended, so the call was not made.'
    """

    def __init__(self, episode: Episode, *, with_finish: bool = False) -> None:
        self.failure: Exception | None = None
        self.answer: dict[str, Any] | None = None
        self._episode, self._ended = episode, False
        self._lock = threading.RLock()
        self._names = {native_name(name): name for name in episode.toolset}
        self._tools = [self._bound(tool) for tool in episode.toolset.values()]
        if with_finish or set(episode.kind.finish.arguments) != {"answer"}:
            self._tools.append(self._finish())

    def __len__(self) -> int:
        return len(self._tools)

    def __getitem__(self, place: Any) -> Any:
        return self._tools[place]

    def __iter__(self) -> Iterator[AgentTool]:
        return iter(self._tools)

    def call(self, name: str, arguments: Any) -> str:
        """Call a tool.

        Args:
            name: as in `AgentTool`, or the tool's own with a dot.
            arguments: by name, or as the JSON text of a model's reply; wrong ones give a text about the
                fault.

        Returns:
            The text for the agent.

        Raises:
            RetrievalError, InfrastructureError: the harness failed, so that the episode is lost.
        """
        return self.observe(name, arguments).text

    def observe(self, name: str, arguments: Any) -> Observation:
        """Call a tool as `call` does, for callers that need the status with the text."""
        with self._lock:
            if self.failure is not None:
                raise self.failure
            if self._ended:
                return Observation("refused", ENDED, ENDED)
            if isinstance(arguments, str):
                with suppress(ValueError):
                    arguments = parse_json(arguments.encode(errors="surrogatepass"))
            if name == FINISH and isinstance(arguments, Mapping):
                return self._finished(arguments)
            own = self._names.get(name, name) if isinstance(name, str) else type(name).__name__
            if _endless(arguments):
                arguments = "nested too deeply"
            try:
                seen = self._episode.call(writable(own), arguments)
            except Exception as error:
                self.failure = error
                raise
            if seen.status != "unknown_tool":
                return seen
            text = (
                f"{writable(str(name))} is not a valid tool, try one of [{', '.join(t.name for t in self)}]."
            )
            self._episode.calls[-1] = replace(
                self._episode.calls[-1], observation=Observation(seen.status, text, text)
            )
            return self._episode.calls[-1].observation

    def _finished(self, arguments: Mapping[str, Any]) -> Observation:
        fields = self.answer_fields
        # As with `Answer`, a status is not asked for everywhere, and may be given anywhere.
        if unknown := [writable(str(name)) for name in arguments if name not in (*fields, "status")]:
            text = f"{FINISH} takes {', '.join(fields)}; {unknown[0]}: no such argument"
            return Observation("bad_arguments", text, text)
        self.answer, self._ended = dict(arguments), True
        return Observation("ok", _FINISHED, _FINISHED)

    @property
    def answer_fields(self) -> Mapping[str, str]:
        """The fields of an answer in this world, each with its meaning; `answer` is always one."""
        return self._episode.kind.finish.arguments

    @property
    def ending(self) -> str:
        """How a task ends, for a prompt."""
        finish = self._episode.kind.finish
        if self._tools and self._tools[-1].name == FINISH:
            return f"{finish.summary} Call {FINISH} for that."
        return f"{finish.summary} Your last message is the answer: {finish.arguments['answer']}"

    def end(self) -> None:
        """Refuse all further calls."""
        with self._lock:
            self._ended = True

    def callables(self) -> list[Callable[..., str]]:
        """The tools as Python functions, for frameworks that read signatures and docstrings."""
        return [tool.function() for tool in self]

    def openai(self) -> list[dict[str, Any]]:
        """The tools as the parameter `tools` of OpenAI's chat API."""
        return [
            {
                "type": "function",
                "function": {"name": each.name, "description": each.description, "parameters": each.schema},
            }
            for each in self
        ]

    def dspy(self) -> list[dspy.Tool]:
        """The tools as `dspy.Tool`s, without `finish`, which DSPy's loops have themselves."""
        import dspy

        return [
            dspy.Tool(each, name=each.name, desc=each.description, args=each.schema["properties"])
            for each in self
            if each.name != FINISH
        ]

    def langchain(self) -> list[BaseTool]:
        """The tools as LangChain's `BaseTool`s.

        Raises:
            InputError: LangChain is not installed.
        """
        with needing("LangChain", "langgraph"):
            from worksmith.programs.own_agents.langchain_tool import LangChainTool
        return [
            LangChainTool(name=each.name, description=each.description, args_schema=each.schema, called=each)
            for each in self
        ]

    def mcp(self) -> Server[Any]:
        """The tools as a server of the official MCP SDK, for its client in this process.

        Raises:
            InputError: the SDK is not installed.
        """
        with needing("MCP", "mcp"):
            from worksmith.programs.own_agents.mcp_server import tool_server
        return tool_server(self)

    def _bound(self, tool: Tool) -> AgentTool:
        name = native_name(tool.name)
        hints = typing.get_type_hints(tool.function, include_extras=True)
        parameters = [
            parameter.replace(annotation=hints[parameter.name], kind=parameter.POSITIONAL_OR_KEYWORD)
            for parameter in list(inspect.signature(tool.function).parameters.values())[1:]
        ]
        parameters.sort(key=lambda each: each.default is not each.empty)
        signature = inspect.Signature(parameters, return_annotation=str)
        run = partial(self.call, name)
        # Frameworks make schemas strict in place, and the tool is that of all episodes.
        return AgentTool(name, tool.summary, deepcopy(tool.parameters), signature, run, tool.plain)

    def _finish(self) -> AgentTool:
        finish = self._episode.kind.finish
        fields = {name: {"type": "string", "description": note} for name, note in finish.arguments.items()}
        schema = {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature(
            [inspect.Parameter(name, kind, annotation=str) for name in fields], return_annotation=str
        )
        return AgentTool(FINISH, finish.summary, schema, signature, lambda given: self.call(FINISH, given))


def _endless(value: Any) -> bool:
    """Whether a value holds itself, or is nested too deeply to be kept."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _parts(each)]
        if not level or len(level) > _MOST:
            break
    return bool(level)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset) else ()
