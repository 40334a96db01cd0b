"""Tools that reach outside: in rehearsals a twin or recorded replies stand in for the real call."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from worksmith.tools.errors import ToolError
from worksmith.tools.files.json_files import read_models
from worksmith.tools.numbers import listed
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.tools.kinds.own_data.context import Context


class Reply(BaseModel):
    """One line of a file of recorded replies.

    Attributes:
        tool: the full name.
        persona: the id of the persona that the call was made for; None for everybody.
        error: the message of a tool that refused the call; None if it replied.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, Any]
    persona: str | None = None
    reply: Any = None
    error: str | None = None

    @property
    def key(self) -> str:
        """Identifies the call."""
        return _key(self.tool, self.persona, self.arguments)


class Recorder:
    """The replies of calls outside in a file of JSON lines; of two to the same call, the last one counts.

    Live calls add lines. Thread-safe.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self._lock = threading.Lock()

    @cached_property
    def _replies(self) -> dict[str, Reply]:
        if not self.path.exists():
            return {}
        return {reply.key: reply for reply in read_models(self.path, Reply, "a recorded reply")}

    @property
    def digest(self) -> str:
        """Content address of the replies, in any order; live calls record them in sequence.

        Raises:
            InputError: the file cannot be read, or a line is not a reply.
        """
        return digest({key: reply.model_dump(mode="json") for key, reply in self._replies.items()})

    def find(self, tool: str, persona: str, arguments: Mapping[str, Any]) -> Reply | None:
        """The recorded reply to a call of this persona, else one to everybody."""
        own = self._replies.get(_key(tool, persona, arguments))
        return own or self._replies.get(_key(tool, None, arguments))

    def add(self, reply: Reply) -> None:
        """Keep a reply, and write it to the file."""
        line = json.dumps(reply.model_dump(mode="json", exclude_none=True), ensure_ascii=False) + "\n"
        with self._lock:
            self._replies[reply.key] = reply
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line.encode())


class Outside:
    """A tool that reaches outside.

    Args:
        name: the full name of the tool.
        function: makes the real call.
        twin: takes the same arguments, and has no effect outside; None without one.
        recorder: holds replies of earlier calls; None without one.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        twin: Callable[..., Any] | None,
        recorder: Recorder | None,
    ) -> None:
        self.name = name
        self.recorder = recorder
        self.twin = twin
        self._function = function

    @property
    def rehearsable(self) -> bool:
        """Whether a twin or a record replaces the real call."""
        return self.twin is not None or self.recorder is not None

    def __call__(self, ctx: Context, /, **arguments: Any) -> Any:
        if ctx.live:
            return self._live(ctx, arguments)
        if ctx.past is not None:
            value, wrote = ctx.past.take(self.name)
            if wrote and self.twin is not None:  # which makes the same changes
                self.twin(ctx, **arguments)
            return value
        if self.recorder is not None:
            reply = self.recorder.find(self.name, ctx.persona.id, to_jsonable_python(arguments))
            if reply is not None:
                return _replied(reply)
        if self.twin is None:
            raise ToolError(f"{self.name} is not connected, and no reply to this call is recorded.")
        return self.twin(ctx, **arguments)

    def _live(self, ctx: Context, arguments: dict[str, Any]) -> Any:
        call: dict[str, Any] = {
            "tool": self.name,
            "persona": ctx.persona.id,
            "arguments": to_jsonable_python(arguments),
        }
        try:
            value = self._function(ctx, **arguments)
        except ToolError as error:
            if self.recorder is not None:
                self.recorder.add(Reply(**call, error=str(error)))
            raise
        if self.recorder is not None:
            self.recorder.add(Reply(**call, reply=to_jsonable_python(value, fallback=listed)))
        return value


def _replied(reply: Reply) -> Any:
    if reply.error is not None:
        raise ToolError(reply.error)
    return reply.reply


def _key(tool: str, persona: str | None, arguments: Mapping[str, Any]) -> str:
    return digest([tool, persona, dict(arguments)], 32)
