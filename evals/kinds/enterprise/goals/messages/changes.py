"""Chats and mails, in every area: sending them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, attempt, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.news import draw_news, draw_subject, sentence
from worksmith.evals.kinds.enterprise.goals.notifications import mail
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder

GROUP = GoalGroup("messages/changes.toml")


def draw_worded_mail(ctx: DrawContext) -> Draw:
    found, (news, mentions) = attempt(ctx.colleague), draw_news(ctx.facts, ctx.rng)
    slots = {"name": need(found)["name"], "news": news, "subject": draw_subject(ctx.rng)}
    message = mail(slots["name"], slots["subject"], _friendly(slots))
    return ctx.draw(slots, actions=[message], mentions=mentions)


@GROUP.goal(draw_worded_mail)
def worded_mail(slots: Slots, plan: PlanRecorder) -> Values:
    body = plan.word(
        "I have the language model write it.",
        f"Write a short, friendly mail to {slots['name']} that says: {sentence(slots['news'])} "
        "Keep names, dates and figures as they are.",
        _friendly(slots),
    )
    return plan.carry_out("I send what it wrote.", mail(slots["name"], slots["subject"], body))


def _friendly(slots: Slots) -> str:
    first = slots["name"].partition(" ")[0]
    return f"Hello {first}, I hope you are well. {sentence(slots['news'])} Thank you, and have a good week!"
