"""A model reads failures, and writes an instruction or the description of a tool anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import dspy

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.material import Material
from worksmith.optimizers.proposals.source import Standing, predictor_with
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.tools.tool import Tool, ToolText

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

FAILURES = 4
"""How many failures a prompt shows."""

_LONGEST_FAILURE, _EARLIER = 2_000, 4
"""Characters of a failure, and how many earlier texts are shown."""

_CALLS = ("tool", "calls")
"""The outputs of a predictor that chooses calls of tools."""

_ADVICE = (
    "Correct what causes most of the failures.",
    "Keep the present text, and add up to three short rules to it.",
    "Write short sentences, each with one rule.",
    "Give the steps in the order in which they are to be done, and say what to check before the end.",
    "Say how to tell the cases apart that were mixed up.",
)
"""What proposals are asked for in turn, so that they differ."""


class ImproveText(dspy.Signature):  # type: ignore[misc]
    """A language model works with the text below, and some of its runs failed. Write a better text in its
    place. Give rules that hold for all tasks of these kinds, and keep what is right in the present text. Name
    no people, records, numbers or days of single tasks. Reply with the new text alone.
    """

    subject: str = dspy.InputField(desc="what the text is")
    present_text: str = dspy.InputField()
    earlier_texts: str = dspy.InputField(desc="other texts that were tried, with their mean scores from 0 to 1")
    failures: str = dspy.InputField(desc="failed runs, what was wrong, and runs that were right")
    advice: str = dspy.InputField()
    proposed_instruction: str = dspy.OutputField(desc="the new text")


class Target(NamedTuple):
    """A text to write anew.

    Attributes:
        name: of a predictor or a tool.
        subject: what the text is, for the model.
        argument: of the tool, whose description it is; empty for the tool's own.
    """

    name: str
    subject: str
    text: str
    of_tool: bool = False
    argument: str = ""

    def candidate(self, text: str) -> Candidate:
        if not self.of_tool:
            return Candidate(instructions={self.name: text})
        about = {"arguments": {self.argument: text}} if self.argument else {"description": text}
        return Candidate(tools={self.name: ToolText.model_validate(about)})

    def text_in(self, candidate: Candidate) -> str | None:
        """A candidate's text of the same place."""
        if not self.of_tool:
            return candidate.instructions.get(self.name)
        told = candidate.tools.get(self.name)
        return (told.arguments.get(self.argument) if self.argument else told.description) if told else None


class Reflection(Asking):
    """Asks for the text that most failures of the best program point to.

    Args:
        tools: whether the program shows tools whose descriptions may change; then every second proposal is
            one of a tool, if failures point to any.
    """

    name = "reflection"

    def __init__(self, proposer: Proposer, checks: Checks, *, tools: bool = False) -> None:
        super().__init__(proposer, checks)
        kits = checks.env.kind.toolkits if tools else ()
        self._tools = {tool.name: tool for kit in kits for tool in kit.tools}

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        failed = standing.failures
        start = number * FAILURES % max(1, len(failed))
        shown = [*failed[start:], *failed[:start]][:FAILURES]
        target = self._target(standing, number, shown)
        if target is None:
            return None
        material = Material(self.checks.env, standing.bank)
        told = [material.of(standing.tasks[each.task_id], each).text[:_LONGEST_FAILURE] for each in shown]

        def ask(lm: dspy.LM) -> str:
            with dspy.context(adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
                reply = dspy.Predict(ImproveText)(
                    subject=target.subject,
                    present_text=target.text,
                    earlier_texts="\n\n".join(_earlier(standing, target)),
                    failures="\n\n---\n\n".join(told),
                    advice=_ADVICE[(standing.round + number) % len(_ADVICE)],
                )
            return str(reply.proposed_instruction)

        text = self.asked(standing, number, ask)
        if not text or text == target.text:
            return None
        return standing.best.joined(target.candidate(text))

    def _target(self, standing: Standing, number: int, shown: Sequence[EpisodeRecord]) -> Target | None:
        tools = [name for name in self._blamed_tools(standing) if name[0] not in self.checks.pinned]
        if tools and number % 2:
            return self._of_tool(standing, *tools[number // 2 % len(tools)])
        free = [name for name in standing.own_instructions if name not in self.checks.pinned]
        if not free:
            return self._of_tool(standing, *tools[0]) if tools else None
        blamed = blamed_predictor(standing, shown)
        name = blamed if blamed in free else free[(standing.round + number) % len(free)]
        signature = dict(standing.program.named_predictors())[name].signature
        fields = f"{', '.join(signature.input_fields)} -> {', '.join(signature.output_fields)}"
        subject = f"The instruction of the step `{name}` of a program; the step is: {fields}"
        return Target(name, subject, standing.instructions(name))

    def _of_tool(self, standing: Standing, name: str, argument: str) -> Target:
        tool = self._tools[name]
        own = tool.argument_notes.get(argument, "") if argument else tool.summary
        what = f"the argument `{argument}` of the tool" if argument else "the tool"
        subject = f"The description of {what} `{name}`, by which a model decides when and how to call it"
        target = Target(name, subject, own, of_tool=True, argument=argument)
        return target._replace(text=target.text_in(standing.best) or own)

    def _blamed_tools(self, standing: Standing) -> list[tuple[str, str]]:
        """Tools, and arguments of theirs, that failures point to; the most frequent first."""
        counts: Counter[tuple[str, str]] = Counter()
        for record in standing.failures:
            counts.update({place for place in _misused(standing, record, self._tools)})
        return sorted(counts, key=lambda place: (-counts[place], place))


def blamed_predictor(standing: Standing, records: Sequence[EpisodeRecord]) -> str | None:
    """The predictor at which most of the episodes first went wrong; None where no rule tells."""
    counts: Counter[str | None] = Counter()
    for record in records:
        plan = standing.tasks[record.task_id].gold_plan or ()
        refused = any(call.status == "refused" for call in record.calls)
        unplanned = any(step.tool not in record.plan for step in plan)
        outputs = ("verdict",) if refused else ("plan",) if record.plan and unplanned else _CALLS
        counts[predictor_with(standing.program, outputs)] += 1
    return max(counts, key=lambda name: (counts[name], name or ""), default=None)


def _misused(
    standing: Standing, record: EpisodeRecord, tools: dict[str, Tool]
) -> Iterator[tuple[str, str]]:
    """Tools that were called in a wrong way, or not where they were needed."""
    task = standing.tasks[record.task_id]
    called = {call.tool for call in record.calls if call.status == "ok"}
    wanted = [*(task.gold_plan or ()), *task.expected]
    yield from ((step.tool, "") for step in wanted if step.tool in tools and step.tool not in called)
    for number, call in enumerate(record.calls, start=1):
        if call.tool not in tools:
            continue
        first = record.fault is not None and record.fault.step == number
        if first or call.status in ("bad_arguments", "tool_error"):
            given = call.arguments if isinstance(call.arguments, dict) else {}
            right = next((step.arguments for step in wanted if step.tool == call.tool), given)
            wrong = [name for name in tools[call.tool].arguments if given.get(name) != right.get(name)]
            yield call.tool, wrong[0] if len(wrong) == 1 else ""


def _earlier(standing: Standing, target: Target) -> list[str]:
    """The best other texts of the same place with the mean scores of their programs, the best one last."""
    found = {target.text: 0.0}
    for name, candidate in standing.tried.items():
        text, scores = target.text_in(candidate), standing.scores.get(name)
        if text and scores:
            found[text] = max(found.get(text, 0.0), fmean(scores.values()))
    del found[target.text]
    best = sorted(found, key=lambda text: found[text])[-_EARLIER:]
    started = standing.scores.get(INCUMBENT)
    head = [f"The score of the program as it was: {fmean(started.values()):.2f}"] if started else []
    return [*head, *(f"Score {found[text]:.2f}: {text}" for text in best)]
