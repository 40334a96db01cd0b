"""A DSPy program of two predictors, compiled by a race and by DSPy's random search with as many calls."""

import contextlib
import random
import re
import sys

import dspy
from dspy import lm15

import worksmith as ws
from evals.statistics import mean

TEAMS = {"invoice": "finance", "refund": "finance", "password": "desk", "login": "desk", "crash": "lab"}
WAYS = ("my {} is wrong", "help with the {} please", "still no {} since {}", "the {} from {}", "{} again, {}")


class Copycat:  # in place of a language model: it copies the demonstration with most words in common
    def __init__(self, knows):
        self.knows, self.calls = knows, 0

    def complete(self, request):
        self.calls += 1
        asked, shown = request.messages[-1].text, request.messages[:-1]
        topic = next((word for word in TEAMS if word in asked and self.knows), "other")
        right = {"topic": topic, "team": TEAMS.get(topic, "nobody")}
        names = re.findall(r"# (\w+) #.*?`", asked)
        reply = "\n".join(f"[[ ## {name} ## ]]\n{right.get(name)}" for name in names)
        if shown and not self.knows:
            near = [len({*asked.split()} & {*turn.text.split()}) for turn in shown[::2]]
            reply = shown[1::2][near.index(max(near))].text
        return lm15.Response(None, "copycat", lm15.Message.assistant(reply), "stop", lm15.Usage(1, 1, 2))


class Mailroom(dspy.Module):
    def __init__(self):
        self.sort, self.route = dspy.Predict("mail -> topic"), dspy.Predict("mail, topic -> team")

    def forward(self, mail):
        topic = self.sort(mail=mail).topic
        return dspy.Prediction(topic=topic, team=self.route(mail=mail, topic=topic).team)


def metric(example, prediction, trace=None):
    return (prediction.topic == example.topic) / 2 + (prediction.team == example.team) / 2


def mails(count, draw):
    for topic in draw.choices(list(TEAMS), k=count):
        mail = f"{draw.choice(WAYS).format(topic, draw.choice(['Monday', 'May', 'Bonn']))} ({draw.random()})"
        yield dspy.Example(mail=mail, topic=topic, team=TEAMS[topic]).with_inputs("mail")


train, dev, test = (list(mails(count, random.Random(count))) for count in (40, 60, 200))
engines = Copycat(knows=False), Copycat(knows=True)
student, teacher = (dspy.LM(f"copycat/{engine.knows}", engine=engine, cache=False) for engine in engines)
dspy.configure(lm=student)
search = dspy.BootstrapFewShotWithRandomSearch(
    metric, teacher_settings={"lm": teacher}, max_bootstrapped_demos=8
)
with contextlib.redirect_stdout(sys.stderr):
    theirs = search.compile(Mailroom(), trainset=train, valset=dev)
calls = sum(engine.calls for engine in engines)
race = ws.Race(metric, teacher=teacher, budget=ws.Budget(calls=calls), demos=8)
ours = race.compile(Mailroom(), trainset=train, valset=dev)
print(f"{ours.compilation}\n\non {len(test)} other mails, after {calls} calls at most:")
for name, program in (("uncompiled", Mailroom()), ("random search", theirs), ("race", ours)):
    found = mean({place: [metric(each, program(mail=each.mail))] for place, each in enumerate(test)})
    print(f"{name:14} {100 * found.value:5.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]")
