"""Chats and mails, in every area: sending, answering, changing and deleting them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Logic, Slots, Values
from evals.kinds.enterprise.goals.messages.chat_facts import asks, pick_chat_fact
from evals.kinds.enterprise.goals.messages.chats import draw_named, find_chat, look_up_named
from evals.kinds.enterprise.goals.messages.news import draw_news, draw_subject, sentence
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.telling import chat, mail, my_manager, telling_my_manager

GROUP = GoalGroup("messages/changes.toml")


def draw_send_chat(ctx: DrawContext) -> Draw:
    found, (news, mentions) = attempt(ctx.colleague), draw_news(ctx.facts, ctx.rng)
    other = need(found)
    slots = {"name": other["name"], "news": news}
    return ctx.draw(slots, actions=[chat(other["name"], sentence(news))], mentions=mentions)


@GROUP.goal(draw_send_chat)
def send_chat(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I send the message in the chat.", chat(slots["name"], sentence(slots["news"])))


def draw_send_mail(ctx: DrawContext) -> Draw:
    found, (news, mentions) = attempt(ctx.colleague), draw_news(ctx.facts, ctx.rng)
    other = need(found)
    slots = {"name": other["name"], "news": news, "subject": draw_subject(ctx.rng)}
    message = mail(other["name"], slots["subject"], sentence(news))
    return ctx.draw(slots, actions=[message], mentions=mentions)


@GROUP.goal(draw_send_mail)
def send_mail(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I send the mail.", mail(slots["name"], slots["subject"], sentence(slots["news"])))


def draw_message_manager(ctx: DrawContext) -> Draw:
    news, mentions = draw_news(ctx.facts, ctx.rng)
    manager = ctx.above(ctx.me)
    message = chat(manager["emp_id"], sentence(news))
    return ctx.draw({"news": news}, actions=[message], mentions=mentions)


@GROUP.goal(draw_message_manager)
def message_manager(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I send my manager the message.", chat(my_manager(plan), sentence(slots["news"])))


def draw_mail_manager_of(ctx: DrawContext) -> Draw:
    found, (news, mentions) = attempt(ctx.colleague), draw_news(ctx.facts, ctx.rng)
    other = need(found)
    manager = ctx.other(ctx.above(other))
    slots = {"name": other["name"], "news": news, "subject": draw_subject(ctx.rng)}
    message = mail(manager["emp_id"], slots["subject"], sentence(news))
    return ctx.draw(slots, actions=[message], mentions=mentions)


@GROUP.goal(draw_mail_manager_of)
def mail_manager_of(slots: Slots, plan: PlanRecorder) -> Values:
    other = plan.one("employees", f"I look up to whom {slots['name']} reports.", name=slots["name"])
    message = mail(other["reports_to"], slots["subject"], sentence(slots["news"]))
    return plan.carry_out("I send the manager the mail.", message)


def _fact_for_somebody(ctx: DrawContext) -> tuple[Record, Record, dict[str, str], str]:
    """A chat, somebody to be told, slots, and the fact to be told."""
    found, other = attempt(pick_chat_fact, ctx), ctx.colleague()
    row, first, latent, name = need(found)
    if other["emp_id"] == first["emp_id"]:
        raise UnfitError
    told = latent.facts
    slots = {
        "name": first["name"],
        "other": other["name"],
        "topic": told["topic"],
        "project": told["project"],
        "ask": asks()[name],
        "fact": name,
    }
    return row, other, slots, told[name]


def draw_pass_on(ctx: DrawContext) -> Draw:
    row, other, slots, value = _fact_for_somebody(ctx)
    message = chat(other["name"], _fact_sentence(slots, value))
    return ctx.draw(slots, actions=[message], mentions=[value], about=[("conversations", row)])


@GROUP.goal(draw_pass_on)
def pass_on(slots: Slots, plan: PlanRecorder) -> Values:
    value = plan.fact(find_chat(plan, slots), slots["fact"])
    return plan.carry_out(
        f"I pass it on to {slots['other']}.", chat(slots["other"], _fact_sentence(slots, value))
    )


def draw_mail_on(ctx: DrawContext) -> Draw:
    row, other, slots, value = _fact_for_somebody(ctx)
    slots["subject"] = draw_subject(ctx.rng)
    message = mail(other["name"], slots["subject"], _fact_sentence(slots, value))
    return ctx.draw(slots, actions=[message], mentions=[value], about=[("conversations", row)])


@GROUP.goal(draw_mail_on)
def mail_on(slots: Slots, plan: PlanRecorder) -> Values:
    value = plan.fact(find_chat(plan, slots), slots["fact"])
    message = mail(slots["other"], slots["subject"], _fact_sentence(slots, value))
    return plan.carry_out(f"I mail it to {slots['other']}.", message)


def draw_tell_named_manager(ctx: DrawContext) -> Draw:
    found = draw_named(ctx)
    manager = ctx.other(ctx.above(found[3]))
    news, mentions = draw_news(ctx.facts, ctx.rng)
    message = chat(manager["emp_id"], sentence(news))
    slots = {**found[2], "news": news}
    return ctx.draw(slots, actions=[message], mentions=mentions, about=[("conversations", found[0])])


@GROUP.goal(draw_tell_named_manager)
def tell_named_manager(slots: Slots, plan: PlanRecorder) -> Values:
    person = look_up_named(plan, slots)
    message = chat(person["reports_to"], sentence(slots["news"]))
    return plan.carry_out(f"I write to the manager of {person['name']}.", message)


def draw_tell_both(ctx: DrawContext) -> Draw:
    found = draw_named(ctx)
    manager = ctx.other(ctx.above(found[3]))
    news, mentions = draw_news(ctx.facts, ctx.rng)
    messages = [chat(to, sentence(news)) for to in (found[3]["emp_id"], manager["emp_id"])]
    slots = {**found[2], "news": news}
    return ctx.draw(slots, actions=messages, mentions=mentions, about=[("conversations", found[0])])


@GROUP.goal(draw_tell_both)
def tell_both(slots: Slots, plan: PlanRecorder) -> Values:
    person = look_up_named(plan, slots)
    plan.carry_out(f"I write to {person['name']}.", chat(person["emp_id"], sentence(slots["news"])))
    return plan.carry_out(
        "I write to the manager as well.", chat(person["reports_to"], sentence(slots["news"]))
    )


def _fact_sentence(slots: Slots, value: str) -> str:
    ask = slots["ask"]
    return f"The {ask} for the {slots['topic']} of {slots['project']}: {value}."


GROUP.add(
    tell_both_and_mine=telling_my_manager(
        Logic(draw_tell_both, tell_both),
        lambda to, slots: chat(to, sentence(slots["news"])),
        why="I write to my manager as well.",
    )
)
