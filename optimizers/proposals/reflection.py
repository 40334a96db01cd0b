"""A model reads failures, and writes an instruction or the description of a tool anew."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.hints import OUTPUTS
from worksmith.optimizers.proposals.material import described
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.racing.rules import INCUMBENT

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

_FAILURES, _LONGEST, _EARLIER = 4, 1_500, 4
"""The failures that a prompt shows, the characters of each, and the earlier texts that it shows."""

_ADVICE = (
    "Correct what causes most of the failures.",
    "Keep the present text, and add up to three short rules to it.",
    "Write short sentences, each with one rule.",
    "Give the steps in the order in which they are to be done, and say what to check before the end.",
    "Say how to tell the cases apart that were mixed up.",
)
"""What proposals are asked for in turn, so that they differ."""


class ImproveText(dspy.Signature):  # type: ignore[misc]
    """A language model works with a text, and some of its runs failed. Write a better text in its place.

    Give rules that hold for all tasks of these kinds, and keep what is right in the present text. Name no
    people, records, numbers or days of single tasks. Reply with the new text alone.
    """

    subject: str = dspy.InputField(desc="what the text is")
    present_text: str = dspy.InputField()
    earlier_texts: str = dspy.InputField(desc="other texts that were tried, with scores from 0 to 1")
    failures: str = dspy.InputField(desc="failed runs, what was wrong, and runs that were right")
    advice: str = dspy.InputField()
    proposed_instruction: str = dspy.OutputField(desc="the new text")


class Target(NamedTuple):
    """A text to write anew.

    Attributes:
        place: the keys that lead to it in a candidate's data.
        subject: what it is, for the model.
        own: the program's own text.
    """

    place: tuple[str, ...]
    subject: str
    own: str

    def candidate(self, text: str) -> Candidate:
        data: Any = reduce(lambda inner, key: {key: inner}, reversed(self.place), text)
        return Candidate.from_json(data)

    def text_in(self, candidate: Candidate) -> str:
        """A candidate's text of this place, else the program's own."""
        found: Any = reduce(lambda data, key: data.get(key) or {}, self.place, candidate.to_json())
        return found or self.own


class Reflection(Asking):
    """Asks for the text that most of some failures point to.

    Args:
        tools: whether the program shows tools whose descriptions may change; then every second proposal is
            one of a tool, if failures point to any.
    """

    name = "reflection"

    def __init__(self, proposer: Proposer, checks: Checks, *, tools: bool = False) -> None:
        super().__init__(proposer, checks)
        found = [tool for kit in checks.env.kind.toolkits if tools for tool in kit.tools]
        self._tools = {tool.name: tool for tool in found if tool.name not in checks.pinned}

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        failed = deque(standing.failures)
        failed.rotate(-number * _FAILURES)
        shown = list(failed)[:_FAILURES]
        target = self._target(standing, number, shown)
        if target is None:
            return None
        env, tasks = self.checks.env, standing.tasks
        told = [described(each, tasks[each.task_id], env, standing.bank)[:_LONGEST] for each in shown]
        fields = {
            "subject": target.subject,
            "present_text": target.text_in(standing.best),
            "earlier_texts": "\n\n".join(_earlier(standing, target)),
            "failures": "\n\n---\n\n".join(told),
            "advice": _ADVICE[(standing.round + number) % len(_ADVICE)],
        }
        text = self.asked(standing, number, lambda lm: self.ask(lm, fields))
        return standing.best.joined(target.candidate(text)) if text else None

    def ask(self, lm: dspy.LM, fields: Mapping[str, str]) -> str:
        """The reply of the model.

        Args:
            fields: the inputs of `ImproveText`.
        """
        with dspy.context(adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
            return str(dspy.Predict(ImproveText)(**fields).proposed_instruction)

    def _target(self, standing: Standing, number: int, shown: Sequence[EpisodeRecord]) -> Target | None:
        names = [name for name in standing.predictors if name not in self.checks.pinned]
        misused = Counter(place for each in shown for place in set(self._misused(standing, each)))
        if misused and (number % 2 or not names):
            return self._of_tool(*min(misused, key=lambda place: (-misused[place], place)))
        if not (names and shown):
            return None
        blamed = Counter(name for each in shown if (name := _blamed(standing, each)) in names)
        name = max(sorted(blamed), key=blamed.__getitem__, default=_in_turn(standing, names, number))
        signature = standing.predictors[name].signature
        fields = f"{', '.join(signature.input_fields)} -> {', '.join(signature.output_fields)}"
        subject = f"The instruction of the step `{name}` of a program; the step is: {fields}"
        domains = {domain for each in shown for domain in standing.tasks[each.task_id].domains}
        kits = [kit for kit in self.checks.env.kind.toolkits if kit.name in domains]
        listed = "\n".join(f"{tool.name}: {tool.summary}" for kit in kits for tool in kit.tools)
        subject = f"{subject}\n{listed[:_LONGEST]}".rstrip()
        own = standing.own_instructions.get(name, signature.instructions)
        return Target(("instructions", name), subject, own)

    def _of_tool(self, name: str, argument: str) -> Target:
        tool, told = self._tools[name], f"`{name}`, by which a model decides when and how to call it"
        if not argument:
            return Target(("tools", name, "description"), f"The description of the tool {told}", tool.summary)
        subject = f"The description of the argument `{argument}` of the tool {told}"
        return Target(("tools", name, "arguments", argument), subject, tool.argument_notes.get(argument, ""))

    def _misused(self, standing: Standing, record: EpisodeRecord) -> Iterator[tuple[str, str]]:
        """Tools that were not called where they were needed, or in a wrong way; maybe with an argument."""
        task = standing.tasks[record.task_id]
        wanted = {step.tool: step.arguments for step in (*(task.gold_plan or ()), *task.expected)}
        called = {call.tool for call in record.calls if call.status == "ok"}
        yield from ((tool, "") for tool in wanted if tool in self._tools and tool not in called)
        first = record.fault.step if record.fault else None
        for number, call in enumerate(record.calls, start=1):
            if call.tool in self._tools and (
                number == first or call.status in ("bad_arguments", "tool_error")
            ):
                given = call.arguments if isinstance(call.arguments, Mapping) else {}
                right, names = wanted.get(call.tool, given), self._tools[call.tool].arguments
                differing = [name for name in names if given.get(name) != right.get(name)]
                yield call.tool, differing[0] if len(differing) == 1 else ""


def _blamed(standing: Standing, record: EpisodeRecord) -> str | None:
    """The predictor at which an episode first went wrong; None where no rule tells."""
    refused = any(call.status == "refused" for call in record.calls)
    steps = standing.tasks[record.task_id].gold_plan or ()
    unplanned = bool(record.plan) and any(step.tool not in record.plan for step in steps)
    return standing.predictor_with(OUTPUTS["verdict" if refused else "plan" if unplanned else "call"])


def _in_turn(standing: Standing, names: Sequence[str], number: int) -> str:
    """Each in turn; once all were tried, every second time the one whose instructions gained most."""
    gains: dict[str, float] = {}
    for tried, candidate in standing.tried.items():
        gains |= {name: max(gains.get(name, -1.0), standing.gain(tried)) for name in candidate.instructions}
    if gains.keys() >= {*names} and number % 2 == 0:
        return max(names, key=gains.__getitem__)
    return names[(standing.round + number) % len(names)]


def _earlier(standing: Standing, target: Target) -> list[str]:
    """The best texts of the same place with the mean scores of their programs, the best one last."""
    found: dict[str, float] = {}
    for name, candidate in {INCUMBENT: Candidate(), **standing.tried}.items():
        if scores := standing.scores.get(name):
            text = target.text_in(candidate)
            found[text] = max(found.get(text, 0.0), fmean(scores.values()))
    best = sorted(found, key=lambda text: found[text])[-_EARLIER:]
    return [f"Score {found[text]:.2f}: {text}" for text in best]
