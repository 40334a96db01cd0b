"""Mails, in every area: finding them, their threads and who wrote them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, latest
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import my_mails, partner
from worksmith.evals.kinds.enterprise.goals.messages.chats import LATEST_POST, draw_named, find_chat
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row


def _draw_received(ctx: DrawContext) -> Found:
    """The sender of a mail to the persona that subject and day identify."""
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender, subject = partner(ctx, row), _plain(row["subject"])
    same = [mail for mail in my_mails(ctx) if subject.lower() in mail["subject"].lower()]
    if len({mail["sender_emp_id"] for mail in same if mail["date"][:10] == row["date"][:10]}) > 1:
        raise UnfitError
    return Found(sender, {"subject": subject, "day": row["date"][:10]}, [("mail", row)])


def _find_sender(plan: PlanRecorder, slots: Slots) -> Row:
    mail = plan.one(
        "mail", "I look for that mail in my inbox.",
        recipient="me", subject=slots["subject"], date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    return plan.one("employees", "Who is the sender?", emp_id=mail["sender_emp_id"])


def _mail_from(
    ctx: DrawContext, found: tuple[Record, Record, dict[str, str], Record], sender: Record
) -> Draw:
    mails = ctx.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=ctx.me["emp_id"])
    row, _, slots, _ = found
    if not mails:
        return ctx.draw(slots, nothing=True, about=[("conversations", row)])
    last = latest(mails, "date")
    answer = [entities.text(last["subject"]), entities.date(last["date"])]
    return ctx.draw(slots, answer=answer, about=[("conversations", row), ("mail", last)])


def _newest_from(plan: PlanRecorder, sender: str) -> Values:
    mails = plan.read(
        "mail", "I look for the newest mail from that person to me.", sender=sender, recipient="me",
        limit=1,
    )  # fmt: skip
    if not mails:
        return plan.none(mails)
    return plan.pick(mails.first)["subject"], mails.first["date"][:10]


def _plain(subject: str) -> str:
    """A subject without the marks of replies."""
    while subject.lower().startswith(("re: ", "fwd: ")):
        subject = subject.partition(": ")[2]
    return subject


GROUP = GoalGroup(
    "messages/mails.toml", draws=(_draw_received,), finds=(_find_sender,), links={"post": LATEST_POST}
)


def draw_mail_from_named(ctx: DrawContext) -> Draw:
    found = draw_named(ctx)
    return _mail_from(ctx, found, found[3])


@GROUP.goal(draw_mail_from_named)
def mail_from_named(slots: Slots, plan: PlanRecorder) -> Values:
    name = plan.fact(find_chat(plan, slots), slots["fact"])
    return _newest_from(plan, name)


def draw_latest_mail(ctx: DrawContext) -> Draw:
    row = ctx.pick("mail", ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"]))
    sender = partner(ctx, row)
    mails = ctx.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=ctx.me["emp_id"])
    latest = max(mails, key=lambda mail: mail["date"])
    if len(mails) < 2 or [mail["date"][:10] for mail in mails].count(latest["date"][:10]) > 1:
        raise UnfitError
    answer = [entities.text(latest["subject"]), entities.date(latest["date"])]
    return ctx.draw({"name": sender["name"]}, answer=answer, about=[("mail", latest)])


@GROUP.goal(draw_latest_mail)
def latest_mail(slots: Slots, plan: PlanRecorder) -> Values:
    mails = plan.read(
        "mail", f"I look for the newest mail from {slots['name']}.", sender=slots["name"], recipient="me",
        limit=1,
    )  # fmt: skip
    mail = plan.pick(mails.first)
    return mail["subject"], mail["date"][:10]


def draw_mail_on_subject(ctx: DrawContext) -> Draw:
    mails = ctx.facts.where("mail", recipient_emp_id=ctx.me["emp_id"])
    row = ctx.pick("mail", mails)
    sender = partner(ctx, row)
    subject = _plain(ctx.rng.choice(ctx.facts.all("mail"))["subject"] if ctx.empty else row["subject"])
    found = [
        mail
        for mail in ctx.facts.where("mail", sender_emp_id=sender["emp_id"])
        if mail["recipient_emp_id"] == ctx.me["emp_id"] and subject.lower() in mail["subject"].lower()
    ]
    slots = {"name": sender["name"], "subject": subject}
    if not found:
        return ctx.draw(slots, nothing=True)
    if len(found) > 1:
        raise UnfitError
    answer = [entities.ident("email_id", row["email_id"]), entities.date(row["date"])]
    return ctx.draw(slots, answer=answer, about=[("mail", row)])


@GROUP.goal(draw_mail_on_subject)
def mail_on_subject(slots: Slots, plan: PlanRecorder) -> Values:
    mails = plan.read(
        "mail", f"I look for mails from {slots['name']} on that subject.",
        sender=slots["name"], recipient="me", subject=slots["subject"],
    )  # fmt: skip
    if not mails:
        return plan.none(mails)
    return plan.pick(mails.first)["email_id"], mails[0]["date"][:10]


def draw_thread_size(ctx: DrawContext) -> Draw:
    row = ctx.pick("mail", my_mails(ctx))
    other = partner(ctx, row)
    same_day = [
        mail
        for mail in my_mails(ctx)
        if mail["date"][:10] == row["date"][:10]
        and other["emp_id"] in (mail["sender_emp_id"], mail["recipient_emp_id"])
    ]
    me = ctx.me["emp_id"]
    thread = [
        mail
        for mail in ctx.facts.where("mail", thread_id=row["thread_id"])
        if me in (mail["sender_emp_id"], mail["recipient_emp_id"])
    ]
    if len(same_day) > 1 or len(thread) < 2:
        raise UnfitError
    last = max(thread, key=lambda mail: mail["date"])
    answer = [entities.number(len(thread)), entities.date(last["date"])]
    return ctx.draw({"name": other["name"], "day": row["date"][:10]}, answer=answer, about=[("mail", row)])


@GROUP.goal(draw_thread_size)
def thread_size(slots: Slots, plan: PlanRecorder) -> Values:
    mail = plan.one(
        "mail", f"I look for the mail between {slots['name']} and me of that day.",
        with_employee=slots["name"], date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    thread = plan.every("mail", "Now all of its thread.", thread_id=mail["thread_id"])
    return str(thread.total), max(row["date"] for row in thread)[:10]
