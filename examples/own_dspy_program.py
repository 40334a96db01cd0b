"""A DSPy program of two predictors, compiled by a race. A rule stands in for its language model.

A model such as `dspy.LM("openai/gpt-4o-mini")` can take the place of `copy`, a larger one that of `teacher`.
"""

import random

import dspy

import worksmith as ws

TEAMS = {"invoice": "finance", "refund": "finance", "password": "desk", "login": "desk", "crash": "lab"}


class Copycat:  # in place of a language model: it copies the demonstration with most words in common
    def __init__(self, knows):
        self.knows = knows

    def complete(self, request):
        asked, shown = request.messages[-1].text, request.messages[:-1]
        topic = next((word for word in TEAMS if word in asked and self.knows), "other")
        right = {"topic": topic, "team": TEAMS.get(topic, "nobody")}
        reply = "\n".join(f"[[ ## {n} ## ]]\n{right[n]}" for n in right if f"## {n} ## ]]`" in asked)
        if shown and not self.knows:
            near = [len({*asked.split()} & {*turn.text.split()}) for turn in shown[::2]]
            reply = shown[1::2][near.index(max(near))].text
        message, usage = dspy.lm15.Message.assistant(reply), dspy.lm15.Usage(1, 1, 2)
        return dspy.lm15.Response(None, request.model, message, "stop", usage)


class Mailroom(dspy.Module):
    def __init__(self):
        self.sort, self.route = dspy.Predict("mail -> topic"), dspy.Predict("mail, topic -> team")

    def forward(self, mail):
        topic = self.sort(mail=mail).topic
        return dspy.Prediction(topic=topic, team=self.route(mail=mail, topic=topic).team)


def metric(mail, prediction, trace=None):
    return (prediction.topic == mail.topic) / 2 + (prediction.team == TEAMS[mail.topic]) / 2


def mails(count):
    for topic in (draw := random.Random(count)).choices(list(TEAMS), k=count):
        mail = f"{draw.choice(['my', 'no'])} {topic} {draw.choice(['again', 'here'])} ({draw.random()})"
        yield dspy.Example(mail=mail, topic=topic).with_inputs("mail")


teacher = dspy.LM("copycat/knows", engine=Copycat(knows=True), cache=False)
copy = dspy.LM("copycat/copies", engine=Copycat(knows=False), cache=False)
race = ws.Race(metric, lm=copy, teacher=teacher, budget=ws.Budget(calls=700), demos=4)
better = race.compile(Mailroom(), trainset=list(mails(40)), valset=list(mails(60)))
print(better.compilation)
for name, program in {"before": Mailroom(), "after": better}.items():
    found = ws.evaluate(program, list(mails(100)), metric=metric, lm=copy, progress=False).summary.scores[
        "outcome"
    ]
    print(f"{name:7}{100 * found.value:5.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]")
