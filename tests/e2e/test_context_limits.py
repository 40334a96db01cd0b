"""A race over a model that refuses long prompts: what it refuses is wrong, and not lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import dspy
import pytest
from dspy.lm15 import Request, Response
from dspy.utils.exceptions import ContextWindowExceededError

from tests import standin
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.suite import Suite
from worksmith.models.resolve import resolve
from worksmith.optimizers import registry
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.models import Model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.verification import derived
from worksmith.optimizers.settings import Settings
from worksmith.programs.agent import Agent


class Narrow:
    """The stand-in, as a provider would serve it that takes so many characters."""

    def __init__(self, most: int) -> None:
        self._most, self._inner = most, standin.Standin()
        self.digest = f"{most}/{self._inner.digest}"

    def complete(self, request: Request) -> Response:
        texts = [str(request.system or ""), *(message.text or "" for message in request.messages)]
        if sum(map(len, texts)) > self._most:
            raise ContextWindowExceededError(model=request.model)
        return self._inner.complete(request)


@pytest.mark.slow
def test_no_program_is_accepted_that_is_worse_with_the_prompts_it_makes(office: Path, tmp_path: Path) -> None:
    suite = Suite.open(office)
    # A name of a provider: such a model could be down, and losses to it would be tried again.
    model = Model("narrow/model", dspy.LM("narrow/model", engine=Narrow(52_000), cache=False, num_retries=0))
    teacher = Model("gold", resolve("gold", tasks=suite.tasks))
    agent = Agent("react", env=suite.env)
    race = registry.optimizer("race", Settings(seed=0, candidates=1))
    plan = Plan(agent, agent.config, suite, model, teacher, race, tmp_path, train_limit=40, dev_limit=40)
    result = compile_program(plan)
    compiled = result.compiled

    ends = Counter(record.status for log in tmp_path.glob("student/*.jsonl") for record in read_log(log))
    assert ends["context_limit"] > 0
    assert ends.keys() <= {"finished", "step_limit", "invalid_reply", "context_limit"}
    trials = {str(trial.name): trial.score for trial in compiled.trials}
    assert trials[str(compiled.chosen)].n == trials["uncompiled"].n
    assert trials[str(compiled.chosen)].value >= trials["uncompiled"].value
    again = derived(plan)
    assert (again.artifact.digest, again.logs) == (result.artifact.digest, ())
