"""Optimizers as teleprompters, on plain DSPy programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from tests.optimizers.mailroom import TEAMS, Mailroom, lm, mails, metric, score
from tests.tables import each_row
from worksmith.optimizers.demos.trace_bank import NothingTaughtError
from worksmith.optimizers.registry import optimizer
from worksmith.optimizers.search.few_shot import KNN, Bootstrap
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.tools.errors import InputError

TRAIN, DEV = mails(16, 1), mails(16, 2)
OURS = [Bootstrap, KNN, pytest.param(Race, marks=pytest.mark.slow)]


def made(kind: type[Teleprompter] = Bootstrap, **given: Any) -> Teleprompter:
    options = {"metric": metric, "lm": lm(), "teacher": lm(knows=True), "demos": 8, "candidates": 2}
    return kind(**{**options, **given})


class House(dspy.Module):  # type: ignore[misc]
    """A predictor with an input that is the same for all mails."""

    def __init__(self) -> None:
        super().__init__()
        self.predict = dspy.Predict("house, mail -> topic, team")

    def forward(self, **inputs: Any) -> Any:
        return self.predict(**inputs)


@pytest.mark.parametrize("kind", OURS)
def test_a_plain_program_gets_better_and_stays_its_own_class(kind: type[Teleprompter]) -> None:
    student = Mailroom()
    before = student.dump_state()
    compiled = made(kind).compile(student, trainset=TRAIN, valset=DEV)

    assert isinstance(made(kind), dspy.teleprompt.Teleprompter)
    assert type(compiled) is Mailroom
    assert compiled is not student
    assert student.dump_state() == before
    assert all(predictor.demos for predictor in compiled.predictors())
    assert score(compiled) > score(student) + 0.3
    found = compiled.compilation
    assert found.chosen in {trial.name for trial in found.trials}
    held_back = {each.mail for each in DEV}
    assert found.cost["teacher"]["episodes"] == sum(each.mail not in held_back for each in TRAIN)
    assert str(found.chosen) in str(found)


@pytest.mark.parametrize("name", ["none", "dspy:BootstrapFewShot", "dspy:LabeledFewShot", "dspy:KNNFewShot"])
def test_the_registered_optimizers_take_plain_programs_as_well(name: str) -> None:
    teaching = optimizer(name, metric=metric, lm=lm(), teacher=lm(knows=True))
    compiled = teaching.compile(Mailroom(), trainset=TRAIN, valset=DEV)
    assert type(compiled) is Mailroom
    assert bool(compiled.sort.demos) == (name != "none")


@pytest.mark.parametrize(("name", "bank"), [("dspy:LabeledFewShot", None), ("knn", "labels")])
def test_labels_of_examples_are_demonstrations_for_which_no_teacher_is_asked(
    name: str, bank: str | None, tmp_path: Path
) -> None:
    taught = optimizer(
        name, metric=metric, lm=lm(), bank=bank, demos=8, accept="best", journal=tmp_path / "j"
    )
    compiled = taught.compile(Mailroom(), trainset=TRAIN, valset=DEV)
    shown = [(demo.mail, demo.topic) for demo in compiled.sort.demos]
    assert set(shown) <= {(each.mail, each.topic) for each in TRAIN}
    assert "teacher" not in compiled.compilation.cost or not compiled.compilation.cost["teacher"]["episodes"]
    assert score(compiled) > score(Mailroom()) + 0.3

    compiled.compilation.save(tmp_path / "compiled.json")
    assert score(ws.load(tmp_path / "compiled.json", Mailroom())) == score(compiled)


def test_labels_may_lack_a_field_but_not_every_output() -> None:
    thinking = optimizer("dspy:LabeledFewShot", metric=lambda example, prediction: 1.0, lm=lm(knows=True))
    compiled = thinking.compile(dspy.ChainOfThought("mail -> topic"), trainset=TRAIN, valset=DEV)
    assert all("reasoning" not in demo and demo.topic for demo in compiled.predictors()[0].demos)
    with pytest.raises(InputError, match="no example has an output of a predictor"):
        thinking.compile(dspy.Predict("mail -> colour"), trainset=TRAIN, valset=DEV)


@pytest.mark.slow
def test_an_optimizer_of_somebody_elses_is_named_by_its_address() -> None:
    for name in ("dspy.teleprompt:BootstrapFewShot", "tests.optimizers.test_teleprompter:Own"):
        theirs = optimizer(name, metric=metric, lm=lm(knows=True))
        compiled = theirs.compile(Mailroom(), trainset=TRAIN, valset=DEV)
        assert compiled.compilation.artifact.manifest.optimizer == name
        assert score(compiled) > 0.5
    with pytest.raises(InputError, match="is not an optimizer"):
        optimizer("tests.optimizers.test_teleprompter:metric")


def test_the_same_example_many_times_is_no_evidence() -> None:
    again = [DEV[0].copy(team=DEV[0].team), DEV[0].copy(mail=f" {DEV[0].mail.upper()}")] * 10
    compiled = made().compile(Mailroom(), trainset=TRAIN, valset=again)
    assert compiled.compilation.chosen == "uncompiled"
    assert "on 1 intents" in str(compiled.compilation)


class Own:
    """An optimizer without a base class: it shows the first three examples."""

    def __init__(self, metric: Any) -> None:
        self.metric = metric

    def compile(self, student: dspy.Module, *, trainset: list[dspy.Example]) -> dspy.Module:
        copy = student.deepcopy()
        for example in trainset[:3]:
            with dspy.context(trace=[]):
                assert self.metric(example, copy(**example.inputs()))
                for predictor, inputs, outputs in dspy.settings.trace:
                    predictor.demos = [*predictor.demos, dspy.Example(augmented=True, **inputs, **outputs)]
        return copy


class Quoting(Own):
    """Shows the examples to choose by, with their labels."""

    def compile(self, student: dspy.Module, *, trainset: list[Any], valset: Any = ()) -> dspy.Module:
        copy = student.deepcopy()
        for predictor in copy.predictors():
            predictor.demos = [dspy.Example(augmented=True, **each) for each in (*valset, *trainset)]
        return copy


class Losing(Own):
    """Returns something else than the student."""

    def compile(self, student: dspy.Module, *, trainset: list[Any]) -> Any:
        return Mailroom()


def test_an_own_optimizer_shows_no_example_to_choose_by() -> None:
    theirs = optimizer("tests.optimizers.test_teleprompter:Quoting", metric=metric, lm=lm())
    compiled = theirs.compile(Mailroom(), trainset=TRAIN[:4], valset=TRAIN[2:8])
    shown = [[demo.mail for demo in predictor.demos] for predictor in compiled.predictors()]
    assert [sorted(mails) for mails in shown] == [sorted(each.mail for each in TRAIN[:2])] * 2


def test_an_own_optimizer_returns_the_student() -> None:
    theirs = optimizer("tests.optimizers.test_teleprompter:Losing", metric=metric, lm=lm())
    with pytest.raises(InputError, match="Losing returned a Mailroom, and not its student"):
        theirs.compile(Mailroom(), trainset=TRAIN, valset=DEV)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "successes"),
    [
        (lambda example, prediction: prediction.topic == "refund", True),
        (lambda example, prediction, trace: 0.6, False),
        (lambda example, prediction, trace, name, more: dspy.Prediction(score=1, feedback="well"), True),
    ],
)
def test_a_metric_may_return_what_dspys_may(given: Any, successes: bool) -> None:
    teaching = made(metric=given, accept="best")
    if not successes:
        with pytest.raises(InputError, match="taught nothing"):
            teaching.compile(Mailroom(), trainset=TRAIN, valset=DEV)
        teaching = made(metric=given, accept="best", threshold=0.6)
    assert teaching.compile(Mailroom(), trainset=TRAIN, valset=DEV).compilation.trials


@pytest.mark.parametrize("wrong", [7, "good", None, float("nan"), float("inf"), -0.1])
def test_a_score_outside_0_to_1_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="the metric <lambda> returned"):
        made(metric=lambda example, prediction: wrong).compile(Mailroom(), trainset=TRAIN, valset=DEV)


def test_a_mistake_in_a_metric_is_said_with_its_place() -> None:
    with pytest.raises(
        InputError, match=r"the metric raised AttributeError: .*'tpic' \(test_teleprompter.py:\d+\)"
    ):
        made(metric=lambda example, prediction: example.tpic).compile(Mailroom(), trainset=TRAIN, valset=DEV)


def test_a_metric_that_raises_on_some_answers_finds_them_wrong() -> None:
    def strict(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        return list(TEAMS).index(prediction.topic) == list(TEAMS).index(example.topic)

    found = made(metric=strict).compile(Mailroom(), trainset=TRAIN, valset=DEV).compilation
    assert found.trials[0].score.value == 0
    assert found.chosen != "uncompiled"
    assert re.match(
        r"the metric raised ValueError: .* \(test_teleprompter.py:\d+\), so \d+ of \d+ ans", str(found)
    )


def test_a_program_that_raises_is_wrong_and_no_fault_of_the_metric() -> None:
    class Broken(Mailroom):
        def forward(self, mail: str) -> dspy.Prediction:
            raise KeyError(mail)

    with pytest.raises(InputError, match=r"nothing was taught: none of 16 training tasks .* program error"):
        made().compile(Broken(), trainset=TRAIN, valset=DEV)


def test_without_a_valset_half_is_set_aside_and_that_is_said() -> None:
    compiled = made(seed=3).compile(Mailroom(), trainset=TRAIN)
    manifest = compiled.compilation.artifact.manifest
    assert (len(manifest.train), len(manifest.dev)) == (8, 8)
    assert not {*manifest.train} & {*manifest.dev}
    assert "8 of 16 examples (seed 3) are for choosing" in str(compiled.compilation)
    again = made(seed=4).compile(Mailroom(), trainset=TRAIN).compilation.artifact.manifest
    assert {*again.train} != {*manifest.train}


@each_row(
    ("given", "trainset", "said"),
    [
        ({}, TRAIN[:1], "too few"),
        ({"metric": None}, TRAIN, "need a metric"),
        ({}, [dspy.Example(mail="a"), dspy.Example(mail="b")], "has no inputs"),
        ({}, [dspy.Example(mail=f"a\udcff{i}").with_inputs("mail") for i in "12"], "half of a character"),
        ({}, ["a mail", "another"], "str is no dspy.Example"),
        ({"threshold": 0.0}, TRAIN, "threshold"),
        ({"over": []}, TRAIN, "^over: no part is named"),
        ({"forbidden": "fee"}, TRAIN, r"no list of texts: 'fee' \(give \['fee'\]"),
        ({"teacher": dspy.Predict("mail -> topic")}, TRAIN, "other names or fields"),
    ],
)
def test_what_does_not_suit_is_said(given: dict[str, Any], trainset: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(**given).compile(Mailroom(), trainset=trainset)


@pytest.mark.slow
def test_a_program_can_teach() -> None:
    teacher = Mailroom()
    teacher.set_lm(lm(knows=True))
    compiled = made(teacher=None).compile(Mailroom(), trainset=TRAIN, valset=DEV, teacher=teacher)
    assert score(compiled) > 0.5
    assert compiled.sort.lm is None


def test_a_compile_that_taught_nothing_makes_room_for_another_and_no_other_does(tmp_path: Path) -> None:
    def compile_on(examples: list[dspy.Example], of: Any = metric) -> Any:
        optimizer = made(metric=of, journal=tmp_path / "journal")
        return optimizer.compile(Mailroom(), trainset=examples, valset=DEV).compilation

    with pytest.raises(NothingTaughtError):
        compile_on(TRAIN[:6], lambda example, prediction: 0.0)
    with pytest.raises(InputError, match="an unfinished compile is here"):
        compile_on(TRAIN[:6], lambda example, prediction: 0.0)
    found = compile_on(TRAIN)
    with pytest.raises(InputError, match="an unfinished compile is here"):
        compile_on(TRAIN[:8])
    alone = made().compile(Mailroom(), trainset=TRAIN, valset=DEV).compilation
    assert (found.chosen, found.gaps) == (alone.chosen, alone.gaps)


def test_equal_examples_are_tasks_of_their_own_and_teach_nothing_to_themselves() -> None:
    with pytest.raises(InputError, match="asks the same as a task held back"):
        made().compile(Mailroom(), trainset=[TRAIN[0]] * 4, valset=[TRAIN[0]] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Bootstrap, KNN])
def test_a_compiled_program_is_saved_and_loaded(kind: type[Teleprompter], tmp_path: Path) -> None:
    compiled = made(kind).compile(Mailroom(), trainset=TRAIN, valset=DEV)
    compiled.save(tmp_path / "program.json")
    loaded = ws.load(tmp_path / "program.json", Mailroom())
    assert score(loaded) == score(compiled)
    if kind is Bootstrap:
        plain = Mailroom()
        plain.load(tmp_path / "program.json")
        assert score(plain) == score(compiled)
    compiled.compilation.save(tmp_path / "artifact.json")
    assert (tmp_path / "artifact.json").read_text().startswith('{\n "format"')


@pytest.mark.slow
def test_messages_name_arguments_and_not_options(tmp_path: Path) -> None:
    few = made(KNN).compile(Mailroom(), trainset=TRAIN, valset=DEV[:3]).compilation
    assert str(few).startswith("kept the program as it is: ")
    assert 'or accept="best"' in str(few)
    made(journal=tmp_path / "journal").compile(Mailroom(), trainset=TRAIN, valset=DEV)
    with pytest.raises(InputError, match=r"\(resume=True continues it, another folder starts again\)"):
        made(journal=tmp_path / "journal").compile(Mailroom(), trainset=TRAIN, valset=DEV)


def test_the_model_is_dspys_where_none_is_given() -> None:
    with dspy.context(lm=lm(knows=True)):
        compiled = made(lm=None, teacher=None).compile(Mailroom(), trainset=TRAIN, valset=DEV)
    assert "the model is copycat/True" in str(compiled.compilation)


def test_of_several_inputs_the_one_that_tells_tasks_apart_is_compared() -> None:
    house = "We sell lamps and chairs."
    given = [
        [dspy.Example(house=house, **each).with_inputs("house", "mail") for each in part]
        for part in (TRAIN, DEV)
    ]
    compiled = made(KNN).compile(House(), trainset=given[0], valset=given[1])
    assert compiled.predict.nearest.field == "mail"


def test_it_is_said_where_no_task_has_a_word_in_common_with_a_demonstration() -> None:
    others = [example.copy(mail=text) for text, example in zip(("退款", "密码", "发票"), DEV, strict=False)]
    for dev, silent in ((others, False), ([*others, DEV[3]], True)):
        compiled = made(KNN, demos=2, accept="best").compile(
            Mailroom(), trainset=TRAIN[:4], valset=[example.with_inputs("mail") for example in dev]
        )
        assert ("has a word in common" not in str(compiled.compilation)) == silent


@pytest.mark.slow
def test_a_compile_is_recorded_in_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'mlflow.db'}")
    compiled = made(track="mails").compile(Mailroom(), trainset=TRAIN, valset=DEV)
    client = mlflow.MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
    run = client.get_run(compiled.compilation.run_id)
    assert client.get_experiment(run.info.experiment_id).name == "mails"
    assert run.data.params["optimizer"] == "bootstrap"
    assert len(client.get_metric_history(run.info.run_id, "outcome")) == len(compiled.compilation.trials)
    assert [file.path for file in client.list_artifacts(run.info.run_id)] == ["program.json"]
    assert [each.dataset.name for each in run.inputs.dataset_inputs] == ["examples/dev", "examples/train"]
    for part, state in compiled.compilation.artifact.state.items():
        prompt = client.load_prompt(f"prompts:/examples.Mailroom.{part}@bootstrap").template
        assert prompt.startswith(state.signature.instructions)
        assert all(f"- mail: {demo['mail']}\n" in prompt for demo in state.demos)
