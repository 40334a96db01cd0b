"""A metric of the user's as the score of episodes."""

from __future__ import annotations

import pickle

import dspy

from tests.optimizers.mailroom import Mailroom, lm, mails
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.metric import MetricScorer
from worksmith.evals.suite import suite_of_examples

ASKED: list[str] = []


def short(example: dspy.Example, prediction: dspy.Prediction) -> dspy.Prediction:
    """Half the score, and words unless the topic is right."""
    ASKED.append(example.mail)
    right = prediction.topic == example.topic
    return dspy.Prediction(score=right / 2, feedback="" if right else f"not {prediction.topic}")


def test_a_metric_is_asked_once_and_its_words_are_the_fault_on_record() -> None:
    suite = suite_of_examples(mails(6, 1), ())
    scorer = pickle.loads(pickle.dumps(MetricScorer(short)))
    settings = EvalSettings(env=suite.env, lm=lm(), workers=2, scorers=[scorer])
    ASKED.clear()
    records = evaluate(Mailroom(), suite.tasks, settings).records

    assert len(ASKED) == len(records)
    assert {record.fault.detail for record in records if record.fault} == {"not other"}
