"""What a chat of the persona's says, passed on to others, in every area."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import asks, pick_chat_fact
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.news import draw_subject
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.steps import Act
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("messages/passing.toml")


def _passed_on(*messages: str, people: tuple[str, ...], worded: bool = False) -> Logic:
    """Find a fact in a chat and send it.

    Args:
        messages: the ways, as the steps of plans have them: `chat other`, `mail third`, `post`.
        people: the slots of those who get it, in the order in which they are drawn.
        worded: whether the language model words it.
    """
    acts = [Act.of(f"{message} it", {"acts": {}, "says": {"it": "{said}"}}) for message in messages]

    def sent(slots: Slots, text: str) -> list[Action]:
        return [act.action({**slots, "said": text}) for act in acts]

    def draw(ctx: DrawContext) -> Draw:
        found, others = attempt(pick_chat_fact, ctx), [ctx.colleague()["name"] for _ in people]
        row, partner, latent, name = need(found)
        if len({partner["name"], *others}) <= len(others):
            raise UnfitError
        slots = {
            "name": partner["name"],
            "topic": latent.facts["topic"],
            "project": latent.facts["project"],
            "ask": asks()[name],
            "fact": name,
            "subject": draw_subject(ctx.rng),
            **dict(zip(people, others, strict=True)),
        }
        value = latent.facts[name]
        text = _worded(slots, value) if worded else _said(slots, value)
        actions = sent(slots, text)
        titled = any(slots["subject"] in change.arguments.values() for change in actions)
        return ctx.draw(
            slots,
            actions=actions,
            mentions=[value, slots["subject"]] if titled else [value],
            about=[("conversations", row)],
        )

    def solve(slots: Slots, plan: PlanRecorder) -> Values:
        value = plan.fact(find_chat(plan, slots), slots["fact"])
        text = _said(slots, value)
        if worded:
            prompt = (
                f"Make a friendly announcement of one or two sentences of this, and keep all facts: {text}"
            )
            text = plan.word("I have the language model word it.", prompt, _worded(slots, value))
        for message in sent(slots, text):
            plan.carry_out("I pass it on.", message)
        return ()

    return Logic(draw, solve)


def _said(slots: Slots, value: str) -> str:
    return f"About the {slots['topic']} of {slots['project']}, {slots['ask']}: {value}."


def _worded(slots: Slots, value: str) -> str:
    return f"News from {slots['project']}! {_said(slots, value)} Ask me if you want to know more."


GROUP.add(
    pass_on=_passed_on("chat other", people=("other",)),
    mail_on=_passed_on("mail other", people=("other",)),
    announce_fact=_passed_on("post", people=()),
    announce_worded=_passed_on("post", people=(), worded=True),
    pass_on_both=_passed_on("chat other", "chat third", people=("other", "third")),
    mail_worded=_passed_on("mail other", people=("other",), worded=True),
    spread=_passed_on("post", "chat other", "mail third", people=("other", "third")),
    spread_more=_passed_on(
        "post", "chat other", "chat fourth", "mail third", people=("other", "third", "fourth")
    ),
    spread_worded=_passed_on(
        "post", "chat other", "chat fourth", "mail third", people=("other", "third", "fourth"), worded=True
    ),
)
