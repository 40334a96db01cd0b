"""The calls of models in one episode: which part asked, the prompt and reply, tokens and time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.metering import metered, metering
from worksmith.programs.prompting.exchange import Wire
from worksmith.programs.prompting.forms import AUTO
from worksmith.programs.prompting.native_tools import NativeTools
from worksmith.programs.prompting.replies.lenient import OTHER_FORM, as_answer, found_calls, own_name
from worksmith.tools.episode_result import UNREADABLE, AskRecord, Part, Usage
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.programs.demo_filter import DemoView


def model_in_use(lm: Any) -> Any:
    """The model `lm`, or by default that of DSPy's settings.

    Raises:
        InputError: no model is set.
    """
    found = lm or dspy.settings.lm
    if found is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    return found


@dataclass(eq=False)
class LMCalls:
    """The calls so far. An adapter that is bound to it asks models, see `TrajectoryAdapter.bound`.

    Attributes:
        demos: the demonstrations that prompts may show; None for all.
        persona: id of the person on whose behalf models are asked.
        prompt: the format of prompts, see `worksmith.programs.prompting.forms.check_prompt`.
        model: the name of the program's model; other models are named in the records of their calls.
        unreadable: number of replies that could not be read.
        unanswered: why the model gave no reply to a tool that asked it; a tool would swallow the exception.
        kinds: the leniencies by which the last reply was read.
        offered: the tools on offer; None outside an episode.
    """

    demos: DemoView | None = None
    persona: str = ""
    prompt: str = AUTO
    model: str = ""
    task: str = ""
    records: list[AskRecord] = field(default_factory=list)
    unreadable: int = 0
    unanswered: Exception | None = None
    kinds: list[str] = field(default_factory=list)
    offered: NativeTools | None = None
    _part: Part = "select"
    _made: int = 0
    _sent: dict[Part, Sequence[Any]] = field(default_factory=dict)
    _metered: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        return sum((record.usage for record in self.records), start=Usage())

    def shown(self, demos: Sequence[Any]) -> list[Any]:
        """The demonstrations that a prompt may show, of those that a predictor has."""
        return list(demos) if self.demos is None else self.demos.shown(demos)

    def metered(self, lm: Any) -> Any:
        """The model with counted requests: one for all calls of the episode."""
        known = self._metered.get(id(lm))
        if known is None:
            known = self._metered[id(lm)] = lm, metered(lm)
        return known[1]

    def read_leniently(self, reply: str, signature: type[dspy.Signature]) -> dict[str, Any] | None:
        """The output fields of a reply that has not the form asked for; None if it makes no call."""
        found = found_calls(reply, [*self.offered.names.values()]) if self.offered is not None else None
        answer = None if found is None else as_answer(found, signature)
        self.kinds = [UNREADABLE] if found is None or answer is None else [OTHER_FORM, *found.kinds]
        return answer

    def name_tools(self, answer: dict[str, Any]) -> None:
        """Let the calls of an answer have the names of tools on offer that they mean."""
        tools = [] if self.offered is None else [*self.offered.names.values()]
        calls = answer.get("calls")
        for call in (answer, *answer.get("further", ()), *(calls if isinstance(calls, list) else ())):
            if isinstance(call, dict) and isinstance(call.get("tool"), str):
                call["tool"], kinds = own_name(call["tool"], tools)
                self.kinds += kinds

    def begin(self, part: Part, made: int) -> None:
        """Keep the next calls as those of a part of the program.

        Args:
            made: how many tool calls were made before.
        """
        self._part, self._made = part, made

    @contextmanager
    def measured(self, lm: Any) -> Iterator[Wire]:
        """A block with one call of a model, which is kept with any result."""
        asked = model_name(lm)
        other = "" if asked == self.model else asked
        part, made, wire, started = self._part, self._made, Wire(), time.perf_counter()
        self.kinds = []
        with metering() as meter:
            try:
                yield wire
            finally:
                seconds = time.perf_counter() - started
                exchange = wire.exchange(self._sent.get(part, ()))
                self._sent[part] = wire.sent
                reading = ", ".join(dict.fromkeys(self.kinds))
                self.records.append(
                    AskRecord(part, made, meter.usage, seconds, exchange, wire.finish_reason, other, reading)
                )

    def answer_tool(self, lm: Any, prompt: str) -> str:
        """The reply to a text that a tool asks the agent's model, without any format.

        Args:
            lm: None for the one that DSPy's settings hold.

        Raises:
            InputError: no model is set.
            Exception: the reply is missing, see `worksmith.evals.lm.failures`.
        """
        try:
            found = model_in_use(lm)
            with self.measured(found) as wire, wire.listening(self.metered(found)) as heard:
                said = heard(prompt)[0]
        except Exception as error:
            self.unanswered = error
            raise
        return str(said["text"] if isinstance(said, dict) else said)
