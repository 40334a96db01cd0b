"""The proposers of DSPy's MIPROv2 and of GEPA, as sources."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.demo_format import public_form, without_notes
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import Checks, keeps_secrets
from worksmith.optimizers.proposals.material import Material
from worksmith.optimizers.proposals.reflection import FAILURES
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.proposer import Proposer
from worksmith.tools.errors import missing_extra
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from worksmith.optimizers.demos.trace_bank import TraceBank


class Grounded(Asking):
    """MIPROv2's proposer, which sees demonstrations and a tip. It looks at no dev episode."""

    name = "MIPROv2"
    adaptive = False

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        from dspy.propose.grounded_proposer import TIPS, GroundedProposer

        names = [name for name in standing.own_instructions if name not in self.checks.pinned]
        if not names:
            return None
        name = names[number % len(names)]
        place = list(standing.own_instructions).index(name)
        random = rng(standing.seed, self.name, standing.round, number)
        examples = self._examples(standing.bank, name)
        random.shuffle(examples)

        def ask(lm: dspy.LM) -> str:
            proposer = GroundedProposer(
                prompt_model=lm,
                program=standing.program,
                trainset=[],
                use_dataset_summary=False,
                program_aware=False,
                rng=random,
            )
            return str(
                proposer.propose_instruction_for_predictor(
                    program=standing.program,
                    predictor=standing.program.predictors()[place],
                    pred_i=place,
                    # The first set stands for none.
                    demo_candidates={place: [[], examples]},
                    demo_set_i=1,
                    trial_logs={},
                    tip=random.choice([*TIPS.values()]),
                )
            )

        text = self.asked(standing, number, ask)
        return Candidate(instructions={name: text}) if text else None

    def _examples(self, bank: TraceBank, predictor: str) -> list[dspy.Example]:
        form = public_form if keeps_secrets(self.checks.env) else without_notes
        parts = (each.parts[predictor] for each in bank.demonstrations if predictor in each.parts)
        return [dspy.Example(augmented=True, **shown) for part in parts if (shown := form(part))]


class GepaReflection(Asking):
    """GEPA's reflection prompt over our description of failures; predictors in turn.

    Raises:
        InputError: `gepa` is not installed.
    """

    name = "GEPA"

    def __init__(self, proposer: Proposer, checks: Checks) -> None:
        if find_spec("gepa") is None:
            raise missing_extra("GEPA's reflection", "gepa")
        super().__init__(proposer, checks)

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        names = [name for name in standing.own_instructions if name not in self.checks.pinned]
        if not names or not standing.failures:
            return None
        name = names[(standing.round + number) % len(names)]
        start = number * FAILURES % len(standing.failures)
        shown = [*standing.failures[start:], *standing.failures[:start]][:FAILURES]
        told = [
            Material(self.checks.env, standing.bank).of(standing.tasks[each.task_id], each) for each in shown
        ]
        given = {
            "current_instruction_doc": standing.instructions(name),
            "dataset_with_feedback": [
                {"Inputs": each.request, "Generated Outputs": each.run, "Feedback": each.feedback}
                for each in told
            ],
        }

        def ask(lm: dspy.LM) -> str:
            reply: Any = lm(self._signature.prompt_renderer(given))[0]
            text = reply["text"] if isinstance(reply, dict) else reply
            return str(self._signature.output_extractor(text)["new_instruction"])

        text = self.asked(standing, number, ask)
        return standing.best.joined(Candidate(instructions={name: text})) if text else None

    @cached_property
    def _signature(self) -> Any:
        from gepa.strategies.instruction_proposal import InstructionProposalSignature

        return InstructionProposalSignature
