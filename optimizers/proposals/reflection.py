"""A model reads failures, and rewrites an instruction or the description of a tool."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from functools import reduce
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import dspy

from worksmith.optimizers.candidates.building import Configurable
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.feedback import wrong_arguments
from worksmith.optimizers.proposals.hints import OUTPUTS
from worksmith.optimizers.proposals.material import described
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.tools.tool import ToolText

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
    """A language model works with the present text, and some of its runs failed. Write a better text.

    Give rules that hold for all tasks of these kinds, and keep what is right in the present text. Name no
    people, records, numbers or days of single tasks. The new text takes the place of the present one.
    """

    failures: str = dspy.InputField(desc="failed runs, what was wrong, and runs that were right")
    earlier_texts: str = dspy.InputField(desc="texts that were tried, with scores from 0 to 1")
    subject: str = dspy.InputField(desc="what the present text is")
    advice: str = dspy.InputField()
    present_text: str = dspy.InputField()
    proposed_instruction: str = dspy.OutputField(desc="the whole new text and nothing else")


class Target(NamedTuple):
    """The instructions of a predictor, or the description of a tool or of one of its arguments.

    Attributes:
        own, present: the text of the program as it is, and that of the best one.
        subject: what the text is, for the model.
    """

    name: str
    own: str
    present: str
    subject: str
    of_tool: bool = False
    argument: str = ""

    def candidate(self, text: str) -> Candidate:
        if self.argument:
            return Candidate(tools={self.name: ToolText(arguments={self.argument: text})})
        if self.of_tool:
            return Candidate(tools={self.name: ToolText(description=text)})
        return Candidate(instructions={self.name: text})

    def text_in(self, candidate: Candidate) -> str:
        if not self.of_tool:
            return candidate.instructions.get(self.name) or self.own
        told = candidate.tools.get(self.name) or ToolText(description=self.own)
        return (told.arguments.get(self.argument) if self.argument else told.description) or self.own


class Reflection(Asking):
    """Asks for the text that most of some failures point to.

    If they point to no predictor, all get new instructions first, and then each in turn.

    Args:
        tools: whether descriptions of tools may change. Every second proposal is one, if the program is an
            agent, and failures point to a tool; every fourth is of an argument that was wrong.
    """

    name = "reflection"

    def __init__(self, proposer: Proposer, checks: Checks, *, tools: bool = False) -> None:
        super().__init__(proposer, checks)
        self._tools = tools

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        failed = deque(standing.failures)
        failed.rotate(-number * _FAILURES)
        shown = list(failed)[:_FAILURES]
        env, tasks = self.checks.env, standing.tasks
        told = [described(each, tasks[each.task_id], env, standing.bank)[:_LONGEST] for each in shown]
        found = [
            target.candidate(text)
            for target in self._targets(standing, number, shown)
            if (text := self._text(standing, number, target, "\n\n---\n\n".join(told)))
        ]
        return reduce(Candidate.joined, found, standing.best) if found else None

    def _text(self, standing: Standing, number: int, target: Target, failures: str) -> str:
        fields = {
            "failures": failures,
            "earlier_texts": "\n\n".join(_earlier(standing, target)),
            "subject": target.subject,
            "advice": _ADVICE[number % len(_ADVICE)],
            "present_text": target.present,
        }
        text = self.asked(lambda: self.ask(fields))
        # Small models repeat their input.
        return "" if any(text in given for given in fields.values()) else text

    def ask(self, fields: Mapping[str, str]) -> str:
        """The reply of the model.

        Args:
            fields: the inputs of `ImproveText`.
        """
        return str(dspy.Predict(ImproveText)(**fields).proposed_instruction)

    def _targets(self, standing: Standing, number: int, shown: Sequence[EpisodeRecord]) -> list[Target]:
        names = [name for name in standing.predictors if name not in self.checks.pinned]
        best, program = standing.best_program, standing.program
        if self._tools and isinstance(best, Configurable) and (number % 2 == 0 or not names):
            known = best.shown_tools.keys() - self.checks.pinned
            misused = Counter(tool for each in shown for tool in _misused(standing, each) & known)
            for name in sorted(misused, key=lambda name: (-misused[name], name)):
                if number % 4 == 2 and (argument := _mistaken(standing, shown, name)):
                    own, present = (
                        each.shown_tools[name].argument_notes.get(argument, "") for each in (program, best)
                    )
                    subject = f"The description of the argument `{argument}` of the tool `{name}`"
                    return [Target(name, own, present, subject, of_tool=True, argument=argument)]
                own, present = program.shown_tools[name].summary, best.shown_tools[name].summary
                subject = f"The description of the tool `{name}`, which tells a model when and how to call it"
                return [Target(name, own, present, subject, of_tool=True)]
        if not names or not shown:
            return []
        blamed = Counter(name for each in shown if (name := _blamed(standing, each)) in names)
        if not blamed and not any(each.instructions for each in standing.tried.values()):
            return [_predictor(standing, name) for name in names]
        default = _in_turn(standing, names, number)
        return [_predictor(standing, max(sorted(blamed), key=blamed.__getitem__, default=default))]


def _predictor(standing: Standing, name: str) -> Target:
    signature = standing.predictors[name].signature
    fields = f"{', '.join(signature.input_fields)} -> {', '.join(signature.output_fields)}"
    subject = f"The instruction of the step `{name}` of a program; the step is: {fields}"
    own = standing.own_instructions.get(name, signature.instructions)
    return Target(name, own, signature.instructions, subject)


def _misused(standing: Standing, record: EpisodeRecord) -> set[str]:
    """Tools that were needed and not called with success, and the tool of the first wrong call."""
    task = standing.tasks[record.task_id]
    found = {step.tool for step in (*(task.gold_plan or ()), *task.expected)}
    found -= {call.tool for call in record.calls if call.status == "ok"}
    first = record.fault.step if record.fault else None
    return found | {call.tool for number, call in enumerate(record.calls, start=1) if number == first}


def _mistaken(standing: Standing, records: Sequence[EpisodeRecord], tool: str) -> str:
    """The argument of a tool that was wrong most often; empty without one."""
    found = (
        each for record in records for each in wrong_arguments(standing.tasks[record.task_id], record.calls)
    )
    wrong = Counter(argument for name, arguments in found if name == tool for argument in arguments)
    return max(sorted(wrong), key=wrong.__getitem__, default="")


def _blamed(standing: Standing, record: EpisodeRecord) -> str:
    """The predictor at which an episode first went wrong; empty if no rule finds it."""
    refused = any(call.status == "refused" for call in record.calls)
    steps = standing.tasks[record.task_id].gold_plan or ()
    unplanned = bool(record.plan) and any(step.tool not in record.plan for step in steps)
    return standing.predictor_with(OUTPUTS["verdict" if refused else "plan" if unplanned else "call"])


def _in_turn(standing: Standing, names: Sequence[str], number: int) -> str:
    """Each in turn; once all were tried, every second time the one whose instructions gained most."""
    gains: dict[str, float] = {}
    for tried, candidate in standing.tried.items():
        gains |= {name: max(gains.get(name, -1.0), standing.gain(tried)) for name in candidate.instructions}
    if gains.keys() >= {*names} and number % 2 == 0 and len({*gains.values()}) > 1:
        return max(names, key=gains.__getitem__)
    return names[number % len(names)]


def _earlier(standing: Standing, target: Target) -> list[str]:
    """The best texts of the same place with the mean scores of their programs, the best one last."""
    found: dict[str, float] = {}
    for name, candidate in {INCUMBENT: Candidate(), **standing.tried}.items():
        if scores := standing.scores.get(name):
            text = target.text_in(candidate)
            found[text] = max(found.get(text, 0.0), fmean(scores.values()))
    best = sorted(found, key=lambda text: found[text])[-_EARLIER:]
    return [f"Score {found[text]:.2f}: {text}" for text in best]
