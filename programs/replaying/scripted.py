"""Engines that answer from a script, in the program's own format and without a model.

The data of a request (`worksmith.programs.prompting.request`) have its place in the script and the format of
the answer. So a gold plan can be bootstrapped from like from a strong teacher, and a published run can be
scored as if it happened now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import formatannotation
from typing import TYPE_CHECKING, Any, Self

import dspy
from dspy import lm15
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from worksmith.evals.scoring.result_tables import ended_by
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep, gold_transcripts
from worksmith.programs.prompting.json_layout import as_one_line
from worksmith.programs.prompting.native import CALLS
from worksmith.programs.prompting.native_tools import native_name
from worksmith.programs.prompting.render import as_fields
from worksmith.programs.prompting.request import AgentRequest, PromptData
from worksmith.programs.prompting.steps import as_text
from worksmith.programs.prompting.tool_calling import itself
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.seeding import digest
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task

_JUDGED = ("status", "who", "denied")
"""Fields that a transcript has only where answers are judged."""

_THOUGHTS = ("thought", "reasoning", "reason")
_NEXT = "This is the next step."
_TEXTS = {**dict.fromkeys((*_THOUGHTS, "plan"), _NEXT), "verdict": "Allowed"}
"""The fields that scripts have as texts, with a text for each."""

_MARKER = "[[ ## "


class RecordedEndError(WorksmithError):
    """A recorded run died here, and the episode that replays it ends as the run did.

    Attributes:
        episode_status: how that is.
    """

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.episode_status = ended_by(error)


class ScriptedEngine:
    """Answers from transcripts, keyed by task text. Stateless, so any number of episodes may share it.

    A transcript that ended in an error raises it at its end.

    Attributes:
        own_format: it reads and writes worksmith's format, with any adapter of a user.
        lacks: the reply to a task without a script.
    """

    lacks = "there is no script"

    own_format = True
    supports_function_calling = True

    def __init__(self, transcripts: Iterable[Transcript]) -> None:
        self._scripts: dict[str, list[Transcript]] = {}
        for transcript in transcripts:
            self._scripts.setdefault(transcript.query.strip(), []).append(transcript)
        if not self._scripts:
            raise InputError("there is nothing to answer from: no task has a transcript or gold plan")
        self.digest = digest(self.dump_state())

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply that the script has at this point.

        Raises:
            lm15.ConfigurationError: the request has no task of the script.
            RecordedEndError: the script ends in an error here.
        """
        if not isinstance(request, AgentRequest):
            if any(_MARKER in (message.text or "") for message in request.messages):
                raise lm15.ConfigurationError("the request is of no agent, and scripts are for agents")
            # A tool's question to the agent's own model: it has no script, and gets its text back.
            return scripted_response(
                request.model, lm15.Message.assistant(request.messages[-1].text or "(empty)")
            )
        place = request.data
        query = str(place.inputs["task"]).strip()
        scripts = self._scripts.get(query, [])
        asked_by = [script for script in scripts if script.who and script.who == place.persona]
        script = self._choose(_told(asked_by or scripts, str(place.inputs.get("context", ""))), place)
        if script is None:
            raise lm15.ConfigurationError(f"{self.lacks} for the task {query!r}")
        values = _reply(script, place)
        if place.as_json:
            said = lm15.Message.assistant(as_one_line(values))
        else:
            said = _as_text(values) if not request.tools else _as_calls(values)
        return scripted_response(request.model, said)

    def _choose(self, scripts: Sequence[Transcript], _place: PromptData) -> Transcript | None:
        """The script that applies, of those for one task and person."""
        return next(iter(scripts), None)

    def dump_state(self) -> dict[str, Any]:
        return {"transcripts": [_as_data(s) for scripts in self._scripts.values() for s in scripts]}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        engine = cls.__new__(cls)
        ScriptedEngine.__init__(engine, [_from_data(data) for data in state["transcripts"]])
        return engine


class GoldEngine(ScriptedEngine):
    """Replays the gold plans of tasks: a teacher in exactly the program's format.

    Raises:
        InputError: none of the tasks has a gold plan.
    """

    lacks = "there is no gold plan"

    def __init__(self, tasks: Iterable[Task]) -> None:
        super().__init__(found for task in tasks for found in gold_transcripts(task))

    def _choose(self, scripts: Sequence[Transcript], place: PromptData) -> Transcript | None:
        """The first one whose tools are all on offer, of those that the episode can have followed so far.

        Raises:
            lm15.ConfigurationError: nothing on offer is of a toolkit that any of them uses.
        """
        if len(scripts) < 2:
            return super()._choose(scripts, place)
        if (asked_about := place.inputs.get("tool")) is not None:
            having = (script for script in scripts if any(step.tool == asked_about for step in script.steps))
            return next(having, scripts[0])
        made = [each["tool"] for each in place.steps if "tool" in each]
        begun = [script for script in scripts if [step.tool for step in script.steps[: len(made)]] == made]
        offered = set(place.tools)
        if _kits(offered).isdisjoint(_kits(step.tool for script in scripts for step in script.steps)):
            raise lm15.ConfigurationError("no gold plan of the task can do with the tools on offer")
        fitting = (script for script in begun if offered.issuperset(step.tool for step in script.steps))
        return next(fitting, super()._choose(begun or scripts, place))


class TranscriptEngine(ScriptedEngine):
    """Replays runs of other agents: calls as they were made, then the final message or the error."""


def scripted_lm(engine: ScriptedEngine) -> dspy.LM:
    """A `dspy.LM` over a scripted engine.

    Not cached and not retried: an answer costs nothing and never changes. The name carries the script's
    digest, because DSPy knows models apart by name only.
    """
    kind = type(engine).__name__.removesuffix("Engine").lower()
    return dspy.LM(f"scripted/{kind}-{engine.digest}", engine=engine, cache=False, num_retries=0)


def _told(scripts: Sequence[Transcript], context: str) -> Sequence[Transcript]:
    """Those that fit the context best: another clock or policy makes another request."""
    fitting = [script for script in scripts if all(part in context for part in script.told)]
    most = max((len(script.told) for script in fitting), default=0)
    return [script for script in fitting if len(script.told) == most] or scripts


def is_scripted(lm: Any) -> bool:
    """Whether a model, or the one that it stands in for, answers from a script."""
    return isinstance(getattr(itself(lm), "engine", None), ScriptedEngine)


def check_fields(predictor: str, signature: type[dspy.Signature]) -> None:
    """Check that a script can fill the fields of a reply: calls, texts, and what has a default.

    Args:
        predictor: its name, for errors.

    Raises:
        InputError: it cannot.
    """
    for name, field in signature.output_fields.items():
        if name in CALLS or (name not in _TEXTS and not field.is_required()):
            continue
        try:
            TypeAdapter(field.annotation).validate_python(_TEXTS.get(name, _NEXT))
        except ValidationError as error:
            hint = (
                "make it a str, give it a default (dspy.OutputField(default=...)), or take a language model"
            )
            raise InputError(
                f"gold plans can only say a text, and {name} is {formatannotation(field.annotation)}",
                where=f"{predictor}.{name}",
                hint=hint,
            ) from error


def _reply(script: Transcript, place: PromptData) -> dict[str, Any]:
    """The fields of a reply, in the order asked for.

    One that a user's component adds has its default, else the thought.
    """
    if "verdict" in place.asked:
        values = _verdict(script, place)
    else:
        values = _step_values(script, place) if "tool" in place.asked else _whole_values(script, place)
    thought = next((values[name] for name in _THOUGHTS if values.get(name)), _NEXT)
    return {
        name: values.get(name, thought if field.is_required() else to_jsonable_python(field.get_default()))
        for name, field in place.asked.items()
    }


def _as_text(values: Mapping[str, Any]) -> lm15.Message:
    texts = {name: "null" if value is None else as_text(value) for name, value in values.items()}
    return lm15.Message.assistant(as_fields(texts))


def _as_calls(values: Mapping[str, Any]) -> lm15.Message:
    beside = [str(value) for name, value in values.items() if name not in CALLS]
    calls = values.get("calls", [values])
    parts = [
        lm15.ToolCallPart(f"call{number:05}", native_name(call["tool"]), call["arguments"])
        for number, call in enumerate(calls)
    ]
    return lm15.Message.assistant([*map(lm15.TextPart, filter(None, beside)), *parts])


def _step_values(script: Transcript, place: PromptData) -> dict[str, Any]:
    if len(place.steps) < len(script.steps):
        step = script.steps[len(place.steps)]
        return {"thought": step.thought, "tool": step.tool, "arguments": _arguments(step, place)}
    _raise_end(script)
    return {"thought": script.closing_thought, "tool": FINISH, "arguments": _closing(script, place)}


def _closing(script: Transcript, place: PromptData) -> dict[str, str]:
    return script.closing(place.tools.get(FINISH, ("status",)))


def _kits(tools: Iterable[str]) -> set[str]:
    return {tool.partition(".")[0] for tool in tools}


def _verdict(script: Transcript, place: PromptData) -> dict[str, str]:
    """The verdict on the call that the request describes: denied by the script."""
    last = script.steps[-1] if script.denied and script.steps else None
    called = (place.inputs.get("tool"), place.inputs.get("arguments"))
    if last is not None and called == (last.tool, last.arguments):
        return {"reason": "No rule allows this person to do that.", "verdict": "Denied"}
    return {"reason": "A rule allows it.", "verdict": "Allowed"}


def _whole_values(script: Transcript, place: PromptData) -> dict[str, Any]:
    _raise_end(script)
    closing = {"tool": FINISH, "arguments": _closing(script, place)}
    if place.steps and script.status:
        return {"reasoning": script.closing_thought, "calls": [closing]}
    calls = [{"tool": step.tool, "arguments": _arguments(step, place)} for step in script.steps]
    if not script.status:
        # Where answers are judged they are given after the calls have been seen.
        calls.append(closing)
    return {"reasoning": script.reasoning, "calls": calls, "plan": script.plan}


def _arguments(step: TranscriptStep, place: PromptData) -> dict[str, Any]:
    """The arguments; a text alone is the tool's first one."""
    if not isinstance(step.arguments, str):
        return dict(step.arguments)
    return {next(iter(place.tools.get(step.tool, ())), "text"): step.arguments}


def _raise_end(script: Transcript) -> None:
    if script.error:
        raise RecordedEndError(script.error)


def scripted_response(model: str, said: lm15.Message) -> lm15.Response:
    """The reply of a model that costs no tokens."""
    return lm15.Response(
        id=None,
        model=model,
        message=said,
        finish_reason="tool_call" if said.first(lm15.ToolCallPart) else "stop",
        usage=lm15.Usage(input_tokens=0, output_tokens=0),
    )


def _as_data(script: Transcript) -> dict[str, Any]:
    steps = [[step.tool, step.arguments, step.thought] for step in script.steps]
    ends = {"final": script.final, "error": script.error}
    judged = {name: getattr(script, name) for name in _JUDGED} if script.status else {}
    told = {"told": list(script.told)} if script.told else {}
    return {"query": script.query, "steps": steps, **ends, **told, **judged}


def _from_data(data: dict[str, Any]) -> Transcript:
    steps: Sequence[Any] = data["steps"]
    return Transcript(
        data["query"],
        tuple(TranscriptStep(*step) for step in steps),
        data["final"],
        data["error"],
        told=tuple(data.get("told", ())),
        **{name: data[name] for name in _JUDGED if name in data},
    )
