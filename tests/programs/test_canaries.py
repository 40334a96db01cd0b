"""What only a judge may know of a task reaches no prompt, trace or saved program, whoever optimizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy import lm15

from tests.optimizers.proposing import propose, reply
from tests.optimizers.shop import ANY_MODEL, Model, make_context, make_suite
from tests.programs.office import lm_of
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.optimizers.compiling.artifact import Artifact, Manifest
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult

CANARY = "xyzzy-canary"
SLOW = {name for name in OPTIMIZERS if name.startswith("dspy:")} - {"dspy:BootstrapFewShot"}


def planted(task: Task, number: int) -> Task:
    """The task with a canary wherever a judge finds the truth; every third one can only be done wrongly."""
    wrong = number % 3 == 0
    answer = Answer(
        kind="entities",
        required=(Entity(type="text", value=CANARY, alias=(CANARY,)),),
        forbidden=(CANARY,),
        reference=CANARY,
    )
    spoilt = [step.model_copy(update={"arguments": {"query": CANARY}, "why": CANARY}) for step in _plan(task)]
    expected = [each.model_copy(update={"arguments": {"event_id": CANARY}}) for each in task.expected]
    told = {
        "gold_plan": spoilt,
        "other_plans": [spoilt],
        "expected": expected if wrong else task.expected,
        "alternatives": [expected],
        "correction_reason": CANARY,
        "answer": answer,
        "mentions": [CANARY] if wrong else [],
        "origin": {"file": CANARY},
    }
    return Task.model_validate({**task.model_dump(), **told})


def _plan(task: Task) -> tuple[Step, ...]:
    assert task.gold_plan is not None
    return task.gold_plan


class Everybody:
    """Does tasks by plans that it was told, proposes instructions, and keeps all that it is asked."""

    digest = "everybody"

    def __init__(self, tasks: list[Task]) -> None:
        self._doing = GoldEngine(tasks)
        self.asked: list[str] = []

    def complete(self, request: lm15.Request) -> lm15.Response:
        system = request.system if isinstance(request.system, str) else str(request.system or "")
        turns = [str(message.text) for message in request.messages]
        self.asked.append("\n".join([system, *turns]))
        if "All interactions will be structured" not in system:
            return self._doing.complete(request)
        chat = [{"role": "system", "content": system}, {"role": "user", "content": turns[-1]}]
        return reply(request.model, propose(chat, len(self.asked)))


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("clean"))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    made = make_suite(tmp_path_factory.mktemp("planted"))
    return write_suite(made.world, [planted(task, number) for number, task in enumerate(made.tasks)])


def embedder(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), float(text.count("e"))] for text in texts]


Compile = Callable[[dspy.Module, Suite, dspy.LM], dspy.Module]


def _few_shot(kind: Any, **settings: Any) -> Compile:
    def compile_with(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
        made = kind(metric=suite.metric(), **settings)
        compiled: dspy.Module = made.compile(agent, trainset=suite.examples("train", limit=6))
        return compiled

    return compile_with


def _on_dev(kind: Any, **settings: Any) -> Compile:
    def compile_with(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
        train, dev = suite.examples("train", limit=6), suite.examples("dev", limit=3)
        compiled: dspy.Module = kind(metric=suite.metric(), **settings).compile(
            agent, trainset=train, valset=dev
        )
        return compiled

    return compile_with


def _labeled(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    compiled: dspy.Module = dspy.LabeledFewShot(k=4).compile(agent, trainset=suite.examples("train"))
    return compiled


def _knn(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    examples = suite.examples("train", limit=6)
    found = dspy.KNNFewShot(2, examples, dspy.Embedder(embedder), metric=suite.metric())
    compiled: dspy.Module = found.compile(agent)
    return compiled


def _copro(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    made = dspy.COPRO(prompt_model=lm, metric=suite.metric(), breadth=2, depth=2)
    compiled: dspy.Module = made.compile(
        agent, trainset=suite.examples("train", limit=4), eval_kwargs={"display_progress": False}
    )
    return compiled


def _mipro(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    made = dspy.MIPROv2(metric=suite.metric(), prompt_model=lm, task_model=lm, auto=None, num_candidates=2)
    compiled: dspy.Module = made.compile(
        agent,
        trainset=suite.examples("train", limit=6),
        valset=suite.examples("dev", limit=3),
        num_trials=2,
        minibatch=False,
    )
    return compiled


def _simba(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    made = dspy.SIMBA(metric=suite.metric(), bsize=4, num_candidates=2, max_steps=2, prompt_model=lm)
    compiled: dspy.Module = made.compile(agent, trainset=suite.examples("train", limit=6), seed=0)
    return compiled


def _gepa(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    made = dspy.GEPA(metric=suite.metric(), max_metric_calls=30, reflection_lm=lm)
    train, dev = suite.examples("train", limit=6), suite.examples("dev", limit=3)
    compiled: dspy.Module = made.compile(agent, trainset=train, valset=dev)
    return compiled


def _together(agent: dspy.Module, suite: Suite, lm: dspy.LM) -> dspy.Module:
    metric = suite.metric()
    agent.set_lm(lm)
    made = dspy.BetterTogether(metric=metric, demos=dspy.BootstrapFewShot(metric=metric))
    train, dev = suite.examples("train", limit=6), suite.examples("dev", limit=3)
    compiled: dspy.Module = made.compile(agent, trainset=train, valset=dev, strategy="demos")
    compiled.set_lm(None)
    return compiled


PLAIN: dict[str, Compile] = {
    "LabeledFewShot": _labeled,
    "BootstrapFewShot": _few_shot(dspy.BootstrapFewShot),
    "BootstrapFewShotWithRandomSearch": _on_dev(
        dspy.BootstrapFewShotWithRandomSearch, num_candidate_programs=2, num_threads=2
    ),
    "KNNFewShot": _knn,
    "COPRO": _copro,
    "MIPROv2": _mipro,
    "SIMBA": _simba,
    "GEPA": _gepa,
    "InferRules": _on_dev(dspy.InferRules, num_candidates=2, num_threads=1),
    "BetterTogether": _together,
}


def test_the_truth_is_looked_up_by_the_metric_and_is_not_in_the_examples(suite: Suite, clean: Suite) -> None:
    metric, known = suite.metric(), Everybody(list(clean.tasks))
    agent = Agent("act", env=suite.env)
    lm = lm_of(known)
    with dspy.context(lm=lm):
        scores = [metric(example, agent(**example.inputs())) for example in suite.examples("train")]

    assert 0 < sum(scores) < len(scores)
    examples = suite.examples("all")
    assert CANARY not in repr([*examples]) + examples._repr_html_() + str(examples.to_frame().to_dict())
    assert CANARY in repr([task.model_dump() for task in suite.tasks])


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_optimizers_of_plain_dspy_never_hold_the_truth(
    suite: Suite, clean: Suite, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    known = Everybody(list(clean.tasks))
    lm = lm_of(known)
    agent = Agent("react", env=suite.env, keep_history=True)
    with dspy.context(lm=lm, trace=[], disable_history=False):
        compiled = PLAIN[name](agent, suite, lm)
        compiled(task=suite.examples("dev")[0].task)
        traced = repr(dspy.settings.trace)
    compiled.save(tmp_path / "program.json")
    said = capfd.readouterr()

    assert known.asked
    for where in (*known.asked, traced, repr(lm.history), said.out, said.err):
        assert CANARY not in where
    assert CANARY not in (tmp_path / "program.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in ANY_MODEL]
)
def test_optimizers_of_the_command_never_hold_the_truth(suite: Suite, tmp_path: Path, name: str) -> None:
    teacher, student = (
        dspy.LM(f"scripted/{role}", engine=Model(*verbs), cache=False)
        for role, verbs in (("teacher", ("Cancel", "Rename", "Shift")), ("student", ("Cancel",)))
    )
    job = make_context(suite, tmp_path, teacher=teacher, student=student, demos=4, candidates=2)
    found = optimizer(name).search(job)
    manifest = Manifest(
        program={},
        suite={},
        scheme="standard",
        train=(),
        dev=(),
        lm="",
        teacher="",
        gold=False,
        optimizer=name,
        settings={},
    )
    Artifact.of(found.program, manifest, {}).write(tmp_path / "program.json")
    assert job.proposer is not None
    prompts = [
        *(
            str(turn.text)
            for lm in (teacher, student)
            for asked in lm.engine.requests
            for turn in asked.messages
        ),
        *job.proposer.lm.engine.asked,
    ]

    assert prompts
    assert all(CANARY not in prompt for prompt in prompts)
    for file in (tmp_path / "program.json", *tmp_path.rglob("traces.jsonl")):
        assert CANARY not in file.read_text()


class Careless(dspy.Module):  # type: ignore[misc]
    """Hands the whole task that it is given to a model."""

    def __init__(self, env: Environment) -> None:
        super().__init__()
        self.step = dspy.Predict("task -> answer")
        self._env = env

    def forward(self, task: Any) -> dspy.Prediction:
        episode = self._env.episode(task.domains)
        answer = self.step(task=str(task)).answer
        return dspy.Prediction(answer=answer, episode=EpisodeResult("finished", episode.outcome()))


def test_a_program_is_evaluated_without_being_given_the_truth(suite: Suite, clean: Suite) -> None:
    known = Everybody(list(clean.tasks))
    lm = lm_of(known)
    evaluate(Careless(suite.env), suite.tasks[:3], EvalSettings(env=suite.env, lm=lm, workers=1))

    assert suite.tasks[0].query in known.asked[0]
    assert all(CANARY not in prompt for prompt in known.asked)
