"""SWE: closing, reopening and deleting issues, and telling reporters and others of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.messages.news import draw_subject
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.record_changes import Change
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    ISSUE_ID,
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    find_chat_issue,
    find_issue,
)
from worksmith.evals.kinds.enterprise.goals.telling import Recipient, chat, mail
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("swe/notices.toml")


def _author(ctx: DrawContext, issue: Record) -> Record:
    """Who reported an issue: somebody else than the persona, and still here."""
    return ctx.other(ctx.facts.colleague(issue["emp_id"]))


def _draw_issue(ctx: DrawContext, status: str) -> Found:
    issue, _, slots = draw_named_issue(ctx, status, mine=True)
    return Found(issue, slots)


def _draw_chat(ctx: DrawContext) -> Found:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    return Found(issue, slots, [("conversations", row)])


def _turn(key: str, status: str) -> Action:
    return action("github_issues.update", issue_id=key, status=status)


_REPORTER = Recipient("I tell the reporter.", _author, lambda _, issue: issue["emp_id"])
_CLOSE = Change(
    "issues",
    partial(_draw_issue, status="open"),
    find_issue,
    "I close that issue.",
    lambda issue, _: _turn(issue["issue_id"], "closed"),
    key_text="{key} is closed.",
    subject="Issue closed",
)
_REOPEN = Change(
    "issues",
    partial(_draw_issue, status="closed"),
    find_issue,
    "I open that issue again.",
    lambda issue, _: _turn(issue["issue_id"], "open"),
    tells=(replace(_REPORTER, by="mail"),),
    key_text="I have opened {key} again.",
    subject="Issue reopened",
)
_DELETE = Change(
    "issues",
    partial(_draw_issue, status=""),
    find_issue,
    "I delete that issue.",
    lambda issue, _: action("github_issues.delete", issue_id=issue["issue_id"]),
    tells=(_REPORTER,),
    key_text="I have deleted {key}.",
)
_CLOSE_NAMED_IN_CHAT = replace(_CLOSE, draw_record=_draw_chat, find=find_chat_issue)


def _closed_to(*messages: Callable[[str, Slots], Action], people: tuple[str, ...]) -> Change:
    """Close an issue, tell its reporter, and send these messages with its id.

    Args:
        people: the slots of the colleagues who get them.
    """

    def draw(ctx: DrawContext) -> Found:
        found = _draw_issue(ctx, "open")
        names = [_author(ctx, found.row)["name"], *(ctx.colleague()["name"] for _ in people)]
        if len(set(names)) < len(names):
            raise UnfitError
        others = dict(zip(people, names[1:], strict=True))
        return Found(found.row, {**found.slots, **others, "subject": draw_subject(ctx.rng)})

    return replace(
        _CLOSE,
        draw_record=draw,
        mentions=() if messages == (_chat_other,) else ("subject",),
        also=(
            ("I tell the reporter.", lambda issue, _: chat(issue["emp_id"], _said(issue["issue_id"]))),
            *(("I pass it on.", partial(_written, message)) for message in messages),
        ),
    )


def _written(message: Callable[[str, Slots], Action], issue: Mapping[str, str], slots: Slots) -> Action:
    return message(_said(issue["issue_id"]), slots)


def _said(key: str) -> str:
    return _CLOSE.key_text.format(key=key)


def _chat_other(text: str, slots: Slots) -> Action:
    return chat(slots["other"], text)


def _mail_third(text: str, slots: Slots) -> Action:
    return mail(slots["third"], slots["subject"], text)


def _post(text: str, slots: Slots) -> Action:
    return action("social_platform.create", title=slots["subject"], body=text)


GROUP.add(
    close_tell=replace(_CLOSE, tells=(_REPORTER,)),
    reopen_tell=_REOPEN,
    delete_tell=_DELETE,
    close_tell_other=_closed_to(_chat_other, people=("other",)),
    close_tell_two=_closed_to(_chat_other, _mail_third, people=("other", "third")),
    close_tell_post=_closed_to(_post, _chat_other, people=("other",)),
    close_tell_three=_closed_to(_post, _chat_other, _mail_third, people=("other", "third")),
)
GROUP.add(
    chats_about_issues,
    chat_close_tell=replace(_CLOSE_NAMED_IN_CHAT, tells=(_REPORTER,)),
    chat_close_both=replace(
        _CLOSE_NAMED_IN_CHAT, tells=(_REPORTER,), colleague=("other", DrawContext.colleague)
    ),
)


def draw_chat_close(ctx: DrawContext) -> Draw:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    actions = [_turn(issue["issue_id"], "closed")]
    return ctx.draw(slots, actions=actions, about=[("conversations", row), ("issues", issue)])


@GROUP.goal(draw_chat_close, who=chats_about_issues)
def chat_close(slots: Slots, plan: PlanRecorder) -> Values:
    key = plan.quoted(find_chat(plan, slots), ISSUE_ID)
    return plan.carry_out(f"The chat names {key}, so I close it.", _turn(key, "closed"))
