"""Tasks that ask for a mended function: hidden tests decide, and only about the code."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.evals.kinds.enterprise.goals.ground import Ground
from tests.evals.scoring.hidden_tests.hostile import PASSING, written
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.answer_scorer import AnswerScorer
from worksmith.evals.scoring.hidden_tests import sandbox
from worksmith.evals.scoring.hidden_tests.checking import failing
from worksmith.evals.scoring.hidden_tests.sandbox import SandboxError
from worksmith.tools.episode_result import EpisodeResult

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")


class Office(Ground):
    """A small world with a task of mending."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, seed=26)
        self.scorer = AnswerScorer(self.env)
        self.task = self.tasks("swe.mend_issue", 1)[0]

    def ended(self, code: str) -> EpisodeResult:
        """The end of an agent that writes this text into the file and does nothing else."""
        assert self.task.gold_plan is not None
        episode = self.env.episode(persona=self.task.persona)
        update = self.task.gold_plan[-1]
        episode.call(update.tool, {**update.arguments, "code": code})
        return EpisodeResult("finished", episode.outcome(), calls=episode.calls)

    def score(self, code: str, *, more: tuple[str, dict[str, str]] | None = None) -> float:
        """The outcome of an agent that reads as the plan does and writes this text into the file."""
        assert self.task.gold_plan is not None
        *reads, update = self.task.gold_plan
        episode = self.env.episode(persona=self.task.persona)
        for step in reads:
            episode.call(step.tool, step.arguments)
        episode.call(update.tool, {**update.arguments, "code": code})
        if more is not None:
            episode.call(*more)
        result = EpisodeResult(
            "finished", episode.outcome(), calls=episode.calls, answer="Done.", answer_status="answered"
        )
        return self.scorer(self.task, result)[PRIMARY]

    @property
    def fixed(self) -> str:
        """The accepted text of the file."""
        return str(self.task.expected[0].arguments["code"])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    return Office(tmp_path_factory.mktemp("world"))


def faulty(office: Office) -> str:
    path = office.task.expected[0].arguments
    row = office.facts.get("repositories", f"{path['repo_name']}:{path['path']}")
    assert row is not None
    return row["code"]


def test_the_mended_file_passes_and_the_faulty_one_does_not(office: Office) -> None:
    assert office.score(office.fixed) == 1
    assert office.score(faulty(office)) == 0
    assert office.task.hidden_tests is not None
    assert failing(faulty(office), office.task.hidden_tests.cases)


def test_a_right_file_written_otherwise_passes(office: Office) -> None:
    other = "# Mended.\n" + ast.unparse(ast.parse(office.fixed)) + "\n"
    assert other != office.fixed
    assert office.score(other) == 1


def test_a_patch_for_the_example_of_the_issue_alone_fails(office: Office) -> None:
    facts = office.facts.latent("issues", office.task.slots["issue"])
    assert facts is not None
    name, call = facts.facts["function"], ast.parse(facts.facts["call"]).body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    given = [ast.literal_eval(argument) for argument in call.value.args]
    special = f"_general = {name}\n\n\ndef {name}(*given, **more):\n    if list(given) == {given!r}:\n"
    special += f"        return {facts.facts['expected']}\n    return _general(*given, **more)\n"
    assert office.score(faulty(office) + "\n\n" + special) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong", ["I mended it.", "def other():\n    return 1\n", "(", "pass\n", *PASSING.values()]
)
def test_what_does_not_mend_fails(office: Office, wrong: str) -> None:
    assert office.score(wrong) == 0
    facts = office.facts.latent("issues", office.task.slots["issue"])
    assert facts is not None
    assert office.score(faulty(office) + "\n\n" + written(wrong, name=facts.facts["function"])) == 0


def test_the_record_says_how_many_tests_fail(office: Office) -> None:
    fault = office.scorer.fault(office.task, office.ended("def other():\n    return 1\n"))
    assert office.task.hidden_tests is not None
    count = len(office.task.hidden_tests.cases)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("wrong_code", f"{count} of {count} hidden tests fail")
    assert office.scorer.fault(office.task, office.ended("# Mended.\n" + office.fixed)) is None
    assert office.scorer.fault(office.task, office.ended(faulty(office))) is None


def test_another_change_beside_a_right_patch_fails(office: Office) -> None:
    close = ("github_issues.update", {"issue_id": office.task.slots["issue"], "status": "closed"})
    other = "# Mended.\n" + office.fixed
    assert office.score(other) == 1
    assert office.score(other, more=close) == 0


def test_without_a_sandbox_nothing_is_said_of_the_patch(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_child", lambda: "raise SystemExit")
    with pytest.raises(SandboxError):
        office.score("# Mended somehow.\n" + office.fixed)
    assert office.score(office.fixed) == 1


def test_the_agent_does_not_see_the_tests(office: Office) -> None:
    assert office.task.hidden_tests is not None
    assert "hidden_tests" not in office.task.visible().model_dump()
    cases = office.task.hidden_tests.cases
    assert sum(call in office.task.query for call, _ in cases) == 0
