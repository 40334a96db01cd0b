"""Posts, and what belongs to them in chats and mails, in every area: announcing, correcting, withdrawing."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, action, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.edits import find_latest, latest_from, reply
from worksmith.evals.kinds.enterprise.goals.messages.news import (
    sentence,
    words_of_correction,
    words_of_news,
)
from worksmith.evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to, post
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Question, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series, no_words

GROUP = GoalGroup("messages/posts.toml")


def posts(facts: Facts, row: Record) -> bool:
    """Whether somebody has published a post."""
    return bool(facts.where("posts", emp_id=row["emp_id"]))


def _draw_post(ctx: DrawContext) -> Found:
    """A post of the persona's, the only one of theirs with this title in it."""
    mine = ctx.facts.where("posts", emp_id=ctx.me["emp_id"])
    row = ctx.pick("posts", mine)
    if sum(row["title"].lower() in post["title"].lower() for post in mine) > 1:
        raise UnfitError
    return Found(row, {"title": row["title"]})


def _draw_dated(ctx: DrawContext) -> Found:
    """Such a post that names a day."""
    found = _draw_post(ctx)
    need(ctx.facts.fact("posts", found.row["post_id"], "day"))
    return found


def _find_post(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("posts", "I look for that post of mine.", author="me", title=slots["title"])


def _draw_latest(ctx: DrawContext) -> Found:
    latest, sender = latest_from(ctx)
    return Found(latest, {"name": sender["name"]})


def _said(slots: Slots) -> str:
    return sentence(slots["news"])


_CORRECT = Change(
    "posts",
    _draw_dated,
    _find_post,
    "I replace its text.",
    lambda post, slots: action(
        "social_platform.update", post_id=post["post_id"], body=sentence(slots["news"])
    ),
)
_WITHDRAW = Change(
    "posts",
    _draw_post,
    _find_post,
    "I delete the post.",
    lambda post, _: action("social_platform.delete", post_id=post["post_id"]),
)
_TELL, _MAIL = chat_to("other", _said), mail_to("third", _said)
_REPLY = Change(
    "mail",
    _draw_latest,
    find_latest,
    "I answer in the same thread.",
    lambda latest, slots: reply(latest["sender_emp_id"], latest["thread_id"], slots["news"]),
)
_SAY_WITHDRAWN = replace(
    chat_to("other", lambda slots: f'I have withdrawn my post "{slots["title"]}".'), mentions=("title",)
)

GROUP.add(announce=Series(words_of_news, post(_said)))
GROUP.add(
    posts,
    correct_post=Series(words_of_correction, _CORRECT),
    withdraw_post=Series(no_words, _WITHDRAW),
    withdraw_tell=Series(no_words, _WITHDRAW, _SAY_WITHDRAWN),
    correct_tell=Series(words_of_correction, _CORRECT, _TELL),
    correct_mail=Series(words_of_correction, _CORRECT, _TELL, _MAIL),
    correct_reply=Series(words_of_correction, _CORRECT, _REPLY, _TELL),
    correct_all=Series(words_of_correction, _CORRECT, _REPLY, _TELL, _MAIL),
)


def _draw_anybodys(ctx: DrawContext) -> Found:
    """A post that its title tells from all others."""
    row = ctx.pick("posts")
    if sum(row["title"].lower() in post["title"].lower() for post in ctx.facts.all("posts")) > 1:
        raise UnfitError
    return Found(row, {"title": row["title"]})


_ANY = Start(
    "posts",
    _draw_anybodys,
    lambda plan, slots: plan.one("posts", "I look for that post.", title=slots["title"]),
)
_AUTHOR = Ask(
    HERE, lambda ctx, post: entities.person(ctx.other(ctx.facts.colleague(post["emp_id"]))),
    lambda _, post: post["author"],
)  # fmt: skip
GROUP.add(post_author=Question(_ANY, _AUTHOR, HERE.date("date")))
