"""A plain DSPy program of two predictors over mails, and a model that copies demonstrations."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import dspy
from dspy.lm15 import Response

from tests.optimizers.proposing import reply

TEAMS = {"invoice": "finance", "refund": "finance", "password": "desk", "crash": "engineering"}


class Copycat:
    """Answers as the demonstration with most words in common did; one that knows needs none."""

    def __init__(self, *, knows: bool = False) -> None:
        self.knows = knows
        self.calls = 0
        self.digest = f"copycat-{knows}"

    def complete(self, request: Any) -> Response:
        self.calls += 1
        asked, shown = request.messages[-1].text, request.messages[:-1]
        topic = next((word for word in TEAMS if word in asked), "other")
        right = {"topic": topic, "team": TEAMS.get(topic, "nobody")} if self.knows else {}
        outputs = re.findall(r"`\[\[ ## (topic|team) ## \]\]`", asked)
        said = "".join(f"[[ ## {name} ## ]]\n{right.get(name, 'other')}\n\n" for name in outputs)
        if shown and not self.knows:
            words = set(asked.split())
            pairs = zip(shown[::2], shown[1::2], strict=True)
            said = max(pairs, key=lambda pair: len(words & set(pair[0].text.split())))[1].text
        return reply(request.model, said)


class Mailroom(dspy.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.sort = dspy.Predict("mail -> topic")
        self.route = dspy.Predict("mail, topic -> team")

    def forward(self, mail: str) -> dspy.Prediction:
        topic = self.sort(mail=mail).topic
        return dspy.Prediction(topic=topic, team=self.route(mail=mail, topic=topic).team)


def lm(*, knows: bool = False) -> dspy.LM:
    """A model; its engine counts calls."""
    return dspy.LM(f"copycat/{knows}", engine=Copycat(knows=knows), cache=False)


def mails(count: int, seed: int) -> list[dspy.Example]:
    draw = random.Random(seed)
    found = []
    for number in range(count):
        topic = draw.choice(list(TEAMS))
        mail = f"{draw.choice(['about my', 'help with the', 'once more the'])} {topic}, number {number}"
        found.append(dspy.Example(mail=mail, topic=topic, team=TEAMS[topic]).with_inputs("mail"))
    return found


def metric(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> float:
    """Half for the topic, half for the team."""
    return float((prediction.topic == example.topic) + (prediction.team == example.team)) / 2


def score(program: dspy.Module, of: Callable[..., Any] = metric) -> float:
    """The mean score on mails of their own, under the model that copies."""
    examples = mails(40, 9)
    with dspy.context(lm=lm()):
        return sum(float(of(each, program(**each.inputs()))) for each in examples) / len(examples)
