"""SWE: mending a fault: the issue and the file are read, the file is written again, hidden tests decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.notifications import chat, mail, my_manager
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.swe.issue_lookup import (
    chats_about_issues,
    draw_chat_issue,
    draw_issue,
    draw_named_issue,
    file_of,
    find_chat_issue,
    find_issue,
    mends_code,
    open_issue,
)
from worksmith.evals.scoring.hidden_tests.checking import cases_of
from worksmith.evals.tasks.task import Action, HiddenTests

GROUP = GoalGroup("swe/mend.toml")

_UNKNOWABLE = ("wrong_default",)
"""Faults whose repair neither the file nor the issue reveals."""


@dataclass(frozen=True)
class Mending:
    """A fault to mend, and what comes after.

    Attributes:
        draw_issue: draws the open issue with the words of the text.
        find: finds the issue through the tools.
        close: whether to close the issue then.
        tell: the recipient of a message then, if any.
    """

    draw_issue: Callable[[DrawContext], Found]
    find: Callable[[PlanRecorder, Slots], Row]
    close: bool = False
    tell: str = ""

    def draw(self, ctx: DrawContext) -> Draw:
        """Draw the issue, with the mended file, its tests and the further changes."""
        issue, slots, about = self.draw_issue(ctx)
        file = need(ctx.facts.get("repositories", f"{issue['repo_name']}:{issue['path']}"))
        if file["emp_id"] != ctx.me["emp_id"]:
            raise UnfitError
        told = need(ctx.facts.latent("issues", issue["issue_id"])).facts
        if told["operator"] in _UNKNOWABLE:
            raise UnfitError
        key, actions = issue["issue_id"], [_mended(issue["repo_name"], issue["path"], told["fixed"])]
        if self.close:
            actions.append(_closed(key))
        if self.tell == "reporter":
            actions.append(chat(ctx.other(ctx.facts.colleague(issue["emp_id"]))["emp_id"], _news(key)))
        if self.tell == "manager":
            actions.append(mail(ctx.above(ctx.me)["emp_id"], f"{key} is mended", _news(key)))
        return ctx.draw(
            slots,
            actions=actions,
            mentions=[key] if self.tell else [],
            about=[*about, ("issues", issue)],
            hidden_tests=HiddenTests(column="code", cases=cases_of(told["tests"])),
        )

    def solve(self, slots: Slots, plan: PlanRecorder) -> Values:
        """Read the issue and the file, write the file, close the issue, tell whom it concerns."""
        issue = self.find(plan, slots)
        file = file_of(plan, issue)
        key, fixed = issue["issue_id"], plan.understood(issue, "fixed")
        plan.weigh(file)
        change = _mended(file["repo_name"], file["path"], fixed)
        plan.carry_out("I correct the function and write the whole file back.", change)
        if self.close:
            plan.carry_out("Now I close the issue.", _closed(key))
        if self.tell == "reporter":
            plan.carry_out("I tell the reporter.", chat(issue["emp_id"], _news(key)))
        if self.tell == "manager":
            to = my_manager(plan)
            plan.carry_out("I tell my manager.", mail(to, f"{key} is mended", _news(key)))
        return ()


def _mended(repo: str, path: str, code: str) -> Action:
    return action("github.update", repo_name=repo, path=path, code=code)


def _closed(key: str) -> Action:
    return action("github_issues.update", issue_id=key, status="closed")


def _news(key: str) -> str:
    return f"I have mended the fault of {key}; the corrected file is in the repository."


def _numbered(ctx: DrawContext) -> Found:
    row, _ = draw_issue(ctx, "open", mine=True)
    return Found(row, {"issue": row["issue_id"]})


def _named(ctx: DrawContext) -> Found:
    row, _, slots = draw_named_issue(ctx, "open", mine=True)
    return Found(row, slots)


def _of_chat(ctx: DrawContext) -> Found:
    row, issue, _, slots = draw_chat_issue(ctx, "open", mine=True)
    return Found(issue, slots, [("conversations", row)])


GROUP.add(
    mends_code,
    mend_issue=Mending(_numbered, open_issue),
    mend_function=Mending(_named, find_issue),
    mend_and_close=Mending(_numbered, open_issue, close=True),
    mend_function_and_close=Mending(_named, find_issue, close=True),
    mend_and_tell=Mending(_numbered, open_issue, tell="reporter"),
    mend_close_and_tell=Mending(_named, find_issue, close=True, tell="reporter"),
    mend_close_and_report=Mending(_numbered, open_issue, close=True, tell="manager"),
)
GROUP.add(
    chats_about_issues,
    mend_from_chat=Mending(_of_chat, find_chat_issue),
    mend_from_chat_and_close=Mending(_of_chat, find_chat_issue, close=True),
)
