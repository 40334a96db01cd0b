"""Chats and mails, in every area: answering, changing and deleting them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import partner, pick_chat_fact
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.paths import Found


def latest(ctx: DrawContext) -> Found:
    """A person's newest mail to the persona."""
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    mails = ctx.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=ctx.me["emp_id"])
    newest = max(mails, key=lambda mail: mail["date"])
    if [mail["date"] for mail in mails].count(newest["date"]) > 1:
        raise UnfitError
    return Found(newest, {"name": sender["name"]})


def _chat(ctx: DrawContext) -> Found:
    row, other, latent, _ = pick_chat_fact(ctx)
    topic, project = latent.facts["topic"], latent.facts["project"]
    return Found(row, {"name": other["name"], "topic": topic, "project": project})


def _mail(ctx: DrawContext) -> Found:
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    return Found(row, {"name": sender["name"], "subject": row["subject"], "day": row["date"][:10]})


def _sent(ctx: DrawContext) -> Found:
    """A mail that the persona sent, the only one to this colleague of that day with its subject."""
    sent = ctx.facts.where("mail", sender_emp_id=ctx.me["emp_id"])
    row = ctx.pick("mail", sent)
    other, day = partner(ctx, row), row["date"][:10]
    to = [mail for mail in sent if mail["recipient_emp_id"] == other["emp_id"] and mail["date"][:10] == day]
    if sum(row["subject"].lower() in mail["subject"].lower() for mail in to) > 1:
        raise UnfitError
    return Found(row, {"name": other["name"], "subject": row["subject"], "day": day})


def _my_chat(ctx: DrawContext) -> Found:
    row = ctx.pick("conversations", ctx.facts.where("conversations", sender_emp_id=ctx.me["emp_id"]))
    return Found(row, {"conversation_id": row["conversation_id"]})


GROUP = GoalGroup("messages/edits.toml", draws=(latest, _chat, _mail, _sent, _my_chat), finds=(find_chat,))
