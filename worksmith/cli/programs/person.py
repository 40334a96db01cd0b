"""A person in an agent's place: reads the task, types calls of tools, and finishes with an answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from worksmith.tools.statuses import ANSWER_STATUSES
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.programs.own_agents.task import AgentTask, Answer
    from worksmith.programs.own_agents.tools import AgentTool

_PROMPT = "call> "
_HOW = (
    "Type TOOL name=value ... (or TOOL and a JSON object), such as: notes.search query='lost parcel'\n"
    "tools lists them, help TOOL explains one, finish ANSWER ends the task "
    "(finish denied, finish partial ANSWER where that is its status), quit ends it without one."
)


def person(task: AgentTask) -> Answer:
    """Ask the person at the terminal, until the task is finished, given up, or has no steps left."""
    from rich.console import Console

    from worksmith.jobs.showing.printing import escape
    from worksmith.programs.own_agents.task import Answer

    console = Console(stderr=True)
    console.rule("[bold]task", align="left")
    console.print(escape(task.text), style="bold")
    console.print(escape(task.context), style="dim")
    console.print(_HOW, markup=False, highlight=False, style="dim")
    tools = {tool.name.replace("__", ".", 1): tool for tool in task.tools if tool.name != FINISH}
    made = 0
    with _completion([*tools, "tools", "help", FINISH, "quit"]):
        while made < task.max_steps:
            try:
                message = console.input(f"[dim]{made + 1} of {task.max_steps}[/] {_PROMPT}").strip()
            except EOFError:
                break
            word, _, rest = message.partition(" ")
            if word == "quit":
                break
            if word == FINISH:
                return _answer(rest.strip(), Answer)
            if word in tools:
                try:
                    given = _arguments(rest)
                except ValueError as error:
                    console.print(f"not understood: {error}", markup=False)
                    continue
                made += 1
                console.print(escape(task.tools.call(word, given)))
            elif word:
                _explain(console, word, rest.strip(), tools)
    return Answer("")


@contextmanager
def _completion(words: list[str]) -> Iterator[None]:
    """A block in which the tab key completes these words, where the terminal's library is installed."""
    try:
        import readline
    except ImportError:
        yield
        return
    before = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")

    def complete(text: str, state: int) -> str | None:
        return [*(word for word in words if word.startswith(text)), None][state]

    readline.set_completer(complete)
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


def _answer(said: str, made: type[Answer]) -> Answer:
    word, _, rest = said.partition(" ")
    return made(rest.strip(), status=word) if word in ANSWER_STATUSES else made(said)


def _arguments(text: str) -> dict[str, Any]:
    """Arguments as `name=value` words, or as a JSON object.

    Raises:
        ValueError: they are neither.
    """
    text = text.strip()
    if text.startswith("{"):
        given = json.loads(text)
        return dict(given)
    pairs = [word.partition("=") for word in shlex.split(text)]
    if odd := next((name for name, sign, _ in pairs if not sign), None):
        raise ValueError(f"{odd!r} has no =")
    return {name: value for name, _, value in pairs}


def _explain(console: Any, word: str, rest: str, tools: dict[str, AgentTool]) -> None:
    if word == "help" and rest in tools:
        tool = tools[rest]
        console.print(tool.description, markup=False, style="bold")
        for name, each in tool.schema["properties"].items():
            needed = " (required)" if name in tool.schema.get("required", ()) else ""
            console.print(f"  {name}{needed}: {each.get('description', '')}", markup=False, highlight=False)
    elif word == "tools":
        for name, tool in tools.items():
            console.print(f"{name}: {tool.description.partition(chr(10))[0]}", markup=False, highlight=False)
    else:
        console.print(f"{word!r} is not a tool. {_HOW}", markup=False, highlight=False)
