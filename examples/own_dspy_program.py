"""A DSPy program of two predictors, compiled by a race and by DSPy's random search with as many calls."""

import random

import dspy

import worksmith as ws

TEAMS = {"invoice": "finance", "refund": "finance", "password": "desk", "login": "desk", "crash": "lab"}


class Copycat:  # in place of a language model: it copies the demonstration with most words in common
    def __init__(self, knows):
        self.knows, self.calls = knows, 0

    def complete(self, request):
        self.calls += 1
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


splits = {"trainset": list(mails(40)), "valset": list(mails(60))}
copy, know = Copycat(knows=False), Copycat(knows=True)
teacher = dspy.LM("copycat/knows", engine=know, cache=False)
dspy.configure(lm=dspy.LM("copycat/copies", engine=copy, cache=False))
theirs = dspy.BootstrapFewShotWithRandomSearch(metric, {"lm": teacher}).compile(Mailroom(), **splits)
budget = ws.Budget(calls=copy.calls + know.calls)
ours = ws.Race(metric, teacher=teacher, budget=budget, demos=4).compile(Mailroom(), **splits)
print(f"{ours.compilation}\n\nof {budget.limits.max_calls} calls the race made {budget.spent.calls}")
for name, program in {"as it is": Mailroom(), "random search": theirs, "race": ours}.items():
    measured = ws.evaluate(program, list(mails(200)), metric=metric, progress=False)
    found = measured.summary.scores["outcome"]
    print(f"{name:14} {100 * found.value:5.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]")
