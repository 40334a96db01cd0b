"""The proposers of DSPy's MIPROv2 and of GEPA, as sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dspy

from worksmith.evals.dspy_programs.demo_format import public_form, without_notes
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.material import keeps_secrets
from worksmith.optimizers.proposals.reflection import Reflection
from worksmith.optimizers.proposals.source import Standing
from worksmith.tools.seeding import rng


class Grounded(Asking):
    """MIPROv2's proposer, which sees demonstrations and a tip; predictors in turn. It looks at no score."""

    name = "MIPROv2"
    adaptive = False

    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        from dspy.propose.grounded_proposer import TIPS, GroundedProposer

        named = list(enumerate(standing.program.named_predictors()))
        free = [(place, each) for place, each in named if each[0] not in self.checks.pinned]
        if not free:
            return None
        place, (name, predictor) = free[number % len(free)]
        random = rng(standing.seed, self.name, standing.round, number)
        form = public_form if keeps_secrets(self.checks.env) else without_notes
        parts = [form(each.parts[name]) for each in standing.bank.demonstrations if name in each.parts]
        examples = [dspy.Example(augmented=True, **part) for part in parts if part]
        random.shuffle(examples)

        def ask() -> str:
            proposer = GroundedProposer(
                self.proposer.lm,
                standing.program,
                [],
                use_dataset_summary=False,
                program_aware=False,
                rng=random,
            )
            proposed: str = proposer.propose_instruction_for_predictor(
                program=standing.program,
                predictor=predictor,
                pred_i=place,
                # The first set stands for the empty one.
                demo_candidates={place: [[], examples]},
                demo_set_i=1,
                trial_logs={},
                tip=random.choice([*TIPS.values()]),
            )
            return proposed

        text = self.asked(ask)
        return Candidate(instructions={name: text}) if text else None


class GepaReflection(Reflection):
    """GEPA's reflection prompt over worksmith's description of failures."""

    name = "GEPA"

    def ask(self, fields: Mapping[str, str]) -> str:
        from gepa.strategies.instruction_proposal import InstructionProposalSignature as Prompt

        failures = [{"Inputs, responses and feedback": fields["failures"]}]
        asked = {"current_instruction_doc": fields["present_text"], "dataset_with_feedback": failures}
        reply: Any = self.proposer.lm(Prompt.prompt_renderer(asked))[0]
        text = reply["text"] if isinstance(reply, dict) else reply
        return str(Prompt.output_extractor(text)["new_instruction"])
