"""Chats and mails, in every area: answering, changing and deleting them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import partner, pick_chat_fact
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.messages.news import draw_news, sentence, words_of_news
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series
from worksmith.evals.kinds.enterprise.goals.telling import MAIL, chat
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("messages/changes.toml")


def latest_from(ctx: DrawContext) -> tuple[Record, Record]:
    """The newest mail of somebody to the persona."""
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    mails = ctx.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=ctx.me["emp_id"])
    latest = max(mails, key=lambda mail: mail["date"])
    if [mail["date"] for mail in mails].count(latest["date"]) > 1:
        raise UnfitError
    return latest, sender


def draw_reply_latest(ctx: DrawContext) -> Draw:
    latest, sender = latest_from(ctx)
    news, mentions = draw_news(ctx.facts, ctx.rng)
    return ctx.draw(
        {"name": sender["name"], "news": news},
        actions=[reply(sender["emp_id"], latest["thread_id"], news)],
        mentions=mentions,
        about=[("mail", latest)],
    )


@GROUP.goal(draw_reply_latest)
def reply_latest(slots: Slots, plan: PlanRecorder) -> Values:
    latest = find_latest(plan, slots)
    answer = reply(latest["sender_emp_id"], latest["thread_id"], slots["news"])
    return plan.carry_out("I answer in the same thread.", answer)


def find_latest(plan: PlanRecorder, slots: Slots) -> Row:
    """The newest mail to the persona from whom the text names."""
    mails = plan.read(
        "mail", f"I look for the newest mail from {slots['name']}.", sender=slots["name"], recipient="me",
        limit=1,
    )  # fmt: skip
    return plan.pick(mails.first)


def reply(recipient: str, thread_id: str, news: str) -> Action:
    """Answer in a thread."""
    return action(MAIL, recipient=recipient, thread_id=thread_id, body=sentence(news))


def _draw_chat(ctx: DrawContext) -> Found:
    row, other, latent, _ = pick_chat_fact(ctx)
    topic, project = latent.facts["topic"], latent.facts["project"]
    return Found(row, {"name": other["name"], "topic": topic, "project": project})


def _draw_mail(ctx: DrawContext) -> Found:
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    return Found(row, {"name": sender["name"], "subject": row["subject"], "day": row["date"][:10]})


def _find_mail(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one(
        "mail",
        "I look for that mail.",
        sender=slots["name"],
        recipient="me",
        subject=slots["subject"],
        date_from=slots["day"],
        date_to=slots["day"],
    )


GROUP.add(
    delete_chat=Change(
        "conversations",
        _draw_chat,
        find_chat,
        "I delete that chat.",
        lambda row, _: action("conversations.delete", conversation_id=row["conversation_id"]),
    ),
    delete_mail=Change(
        "mail",
        _draw_mail,
        _find_mail,
        "I delete that mail.",
        lambda row, _: action("enterprise_mail_system.delete", email_id=row["email_id"]),
    ),
)


def _draw_sent(ctx: DrawContext) -> Found:
    """A mail that the persona sent, the only one to this colleague of that day with its subject."""
    sent = ctx.facts.where("mail", sender_emp_id=ctx.me["emp_id"])
    row = ctx.pick("mail", sent)
    other, day = partner(ctx, row), row["date"][:10]
    to = [mail for mail in sent if mail["recipient_emp_id"] == other["emp_id"] and mail["date"][:10] == day]
    if sum(row["subject"].lower() in mail["subject"].lower() for mail in to) > 1:
        raise UnfitError
    return Found(row, {"name": other["name"], "subject": row["subject"], "day": day})


def _find_sent(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one(
        "mail", "I look for that mail of mine.", sender="me", recipient=slots["name"],
        subject=slots["subject"], date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip


_REWRITE_MAIL = Change(
    "mail",
    _draw_sent,
    _find_sent,
    "I replace the text of that mail.",
    lambda row, slots: action(
        "enterprise_mail_system.update", email_id=row["email_id"], body=sentence(slots["news"])
    ),
)
_SAY_REWRITTEN = Change(
    "",
    lambda ctx: Found(ctx.me, {}),
    None,
    "I say so in the chat.",
    lambda _, slots: chat(slots["name"], sentence(slots["news"])),
)
GROUP.add(
    rewrite_mail=Series(words_of_news, _REWRITE_MAIL),
    rewrite_mail_tell=Series(words_of_news, _REWRITE_MAIL, _SAY_REWRITTEN),
)


def draw_rewrite_chat(ctx: DrawContext) -> Draw:
    row = ctx.pick("conversations", ctx.facts.where("conversations", sender_emp_id=ctx.me["emp_id"]))
    news, mentions = draw_news(ctx.facts, ctx.rng)
    slots = {"conversation_id": row["conversation_id"], "news": news}
    return ctx.draw(slots, actions=[_rewrite(slots)], mentions=mentions, about=[("conversations", row)])


@GROUP.goal(draw_rewrite_chat)
def rewrite_chat(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I replace the text of that chat.", _rewrite(slots))


def _rewrite(slots: Slots) -> Action:
    text = sentence(slots["news"])
    return action("conversations.update", conversation_id=slots["conversation_id"], text=text)
