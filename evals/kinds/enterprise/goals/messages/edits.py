"""Chats and mails, in every area: answering, changing and deleting them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import Slots, Values
from evals.kinds.enterprise.goals.messages.chat_facts import chat_told, partner
from evals.kinds.enterprise.goals.messages.chats import everywhere, find_chat, groups
from evals.kinds.enterprise.goals.messages.news import draw_news, sentence
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.telling import MAIL, chat, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError, need
from evals.tasks.task import Action

GROUPS = groups("messages/changes.toml")


def _latest_from(ctx: DrawContext) -> tuple[Record, Record]:
    """The newest mail of somebody to the persona."""
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    mails = ctx.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=ctx.me["emp_id"])
    latest = max(mails, key=lambda mail: mail["date"])
    need([mail["date"] for mail in mails].count(latest["date"]) == 1)
    return latest, sender


def draw_reply_latest(ctx: DrawContext) -> Draw:
    latest, sender = _latest_from(ctx)
    news, mentions = draw_news(ctx.facts, ctx.rng)
    return ctx.draw(
        {"name": sender["name"], "news": news},
        actions=[_reply(sender["emp_id"], latest["thread_id"], news)],
        mentions=mentions,
        about=[("mail", latest)],
    )


@everywhere(GROUPS, steps=2, type="crud", draw=draw_reply_latest)
def reply_latest(slots: Slots, plan: PlanRecorder) -> Values:
    mails = plan.read(
        "mail", f"I look for the newest mail from {slots['name']}.", sender=slots["name"], recipient="me",
        limit="1",
    )  # fmt: skip
    latest = plan.pick(mails.first)
    reply = _reply(latest["sender_emp_id"], latest["thread_id"], slots["news"])
    return plan.carry_out("I answer in the same thread.", reply)


def draw_reply_and_tell(ctx: DrawContext) -> Draw:
    draw, manager = draw_reply_latest(ctx), ctx.above(ctx.me)
    row = need(ctx.facts.at(draw.about[0]))
    if manager["name"] == draw.slots["name"]:
        raise UnfitError
    message = chat(manager["emp_id"], sentence(draw.slots["news"]))
    return ctx.draw(
        draw.slots, actions=[*draw.actions, message], mentions=draw.mentions, about=[("mail", row)]
    )


@everywhere(GROUPS, steps=4, type="crud", draw=draw_reply_and_tell)
def reply_and_tell(slots: Slots, plan: PlanRecorder) -> Values:
    reply_latest(slots, plan)
    return plan.carry_out("I tell my manager the same.", chat(my_manager(plan), sentence(slots["news"])))


def draw_delete_chat(ctx: DrawContext) -> Draw:
    row, other, latent, _ = chat_told(ctx)
    return ctx.draw(
        {"name": other["name"], "topic": latent.facts["topic"], "project": latent.facts["project"]},
        actions=[action("conversations.delete", conversation_id=row["conversation_id"])],
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=2, type="crud", draw=draw_delete_chat)
def delete_chat(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_chat(plan, slots)
    plan.write("conversations.delete", "I delete that chat.", conversation_id=row["conversation_id"])
    return ()


def draw_delete_mail(ctx: DrawContext) -> Draw:
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    return ctx.draw(
        {"name": sender["name"], "subject": row["subject"], "day": row["date"][:10]},
        actions=[action("enterprise_mail_system.delete", email_id=row["email_id"])],
        about=[("mail", row)],
    )


@everywhere(GROUPS, steps=2, type="crud", draw=draw_delete_mail)
def delete_mail(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "mail", "I look for that mail.", sender=slots["name"], recipient="me", subject=slots["subject"],
        date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    plan.write("enterprise_mail_system.delete", "I delete that mail.", email_id=row["email_id"])
    return ()


def draw_rewrite_chat(ctx: DrawContext) -> Draw:
    row = ctx.pick("conversations", ctx.facts.where("conversations", sender_emp_id=ctx.me["emp_id"]))
    news, mentions = draw_news(ctx.facts, ctx.rng)
    key = row["conversation_id"]
    return ctx.draw(
        {"conversation_id": key, "news": news},
        actions=[action("conversations.update", conversation_id=key, text=sentence(news))],
        mentions=mentions,
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=1, type="crud", draw=draw_rewrite_chat, denials=("not_participant",))
def rewrite_chat(slots: Slots, plan: PlanRecorder) -> Values:
    plan.write(
        "conversations.update", "I replace the text of that chat.",
        conversation_id=slots["conversation_id"], text=sentence(slots["news"]),
    )  # fmt: skip
    return ()


def _reply(recipient: str, thread_id: str, news: str) -> Action:
    return action(MAIL, recipient=recipient, thread_id=thread_id, body=sentence(news))
