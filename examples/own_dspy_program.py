"""Compile a DSPy program of two predictors by a race, beside DSPy's random search with as many calls.

The model is a small stand-in: it answers as the most similar demonstration in its prompt did.
"""

import random
import re

import dspy
from dspy import lm15

import worksmith as ws
from evals.statistics import mean

TEAMS = {
    "invoice": "finance",
    "refund": "finance",
    "password": "desk",
    "login": "desk",
    "crash": "engineering",
}
WAYS = (
    "my {} is wrong|help with the {} please|still no {} since {}|the {} question from {}|{} again, it is {}"
)


class Copycat:
    """Answers as the demonstration with most words in common did; one that knows needs none."""

    def __init__(self, knows=False):
        self.knows, self.calls = knows, 0

    def complete(self, request):
        self.calls += 1
        asked, shown = request.messages[-1].text, request.messages[:-1]
        outputs = re.findall(r"`\[\[ ## (\w+) ## \]\]`", asked)
        topic = next((word for word in TEAMS if word in asked), "other")
        right = {"topic": topic, "team": TEAMS.get(topic, "nobody")}
        reply = "".join(
            f"[[ ## {n} ## ]]\n{right.get(n, '') if self.knows else 'other'}\n\n" for n in outputs
        )
        if shown and not self.knows:
            words = set(asked.split())
            pairs = zip(shown[::2], shown[1::2], strict=True)
            reply = max(pairs, key=lambda pair: len(words & set(pair[0].text.split())))[1].text
        return lm15.Response(
            None, request.model, lm15.Message.assistant([lm15.TextPart(reply)]), "stop", lm15.Usage(1, 1, 2)
        )


class Mailroom(dspy.Module):
    def __init__(self):
        super().__init__()
        self.sort = dspy.Predict("mail -> topic")
        self.route = dspy.Predict("mail, topic -> team")

    def forward(self, mail):
        topic = self.sort(mail=mail).topic
        return dspy.Prediction(topic=topic, team=self.route(mail=mail, topic=topic).team)


def metric(example, prediction, trace=None):
    return (prediction.topic == example.topic) / 2 + (prediction.team == example.team) / 2


def mails(count, seed):
    draw = random.Random(seed)
    for number in range(count):
        topic = draw.choice(list(TEAMS))
        mail = draw.choice(WAYS.split("|")).format(topic, draw.choice(["Monday", "May", "Bonn"]))
        yield dspy.Example(mail=f"{mail} ({number})", topic=topic, team=TEAMS[topic]).with_inputs("mail")


def scored(program):
    results = dspy.Evaluate(devset=test, metric=metric)(program).results
    return mean({place: [float(score)] for place, (_, _, score) in enumerate(results)})


train, dev, test = list(mails(40, 1)), list(mails(60, 2)), list(mails(200, 3))
student, teacher = Copycat(), Copycat(knows=True)
dspy.configure(lm=dspy.LM("copycat/student", engine=student, cache=False))
teaching = dspy.LM("copycat/teacher", engine=teacher, cache=False)

search = dspy.BootstrapFewShotWithRandomSearch(
    metric, teacher_settings={"lm": teaching}, num_candidate_programs=4, max_bootstrapped_demos=8
)
theirs = search.compile(Mailroom(), trainset=train, valset=dev)
calls = student.calls + teacher.calls

race = ws.Race(metric, teacher=teaching, budget=ws.Budget(calls=calls), demos=8)
ours = race.compile(Mailroom(), trainset=train, valset=dev)
print(ours.compilation)
print(f"{calls} calls for each")
for name, program in (("uncompiled", Mailroom()), ("random search", theirs), ("race", ours)):
    print(f"{name:13} {scored(program)}")
