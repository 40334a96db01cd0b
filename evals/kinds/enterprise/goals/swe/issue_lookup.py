"""Common parts of software engineering's goals: code, issues, and the ways to them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.entities import number
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import my_chats, partner
from worksmith.evals.kinds.enterprise.goals.messages.chats import find_chat
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row

SENIORS = ("10", "12", "14")
"""The levels of engineers who may read all code."""

ISSUE_ID = r"ISS-\d+"

Told = Mapping[str, str]
"""The latent facts of an issue."""

_CONTEXT = 3
"""So many records a call shows with their texts in full."""


def files(ctx: DrawContext) -> list[Record]:
    """The files that the persona may read."""
    if ctx.me["level"] in SENIORS:
        return ctx.facts.all("repositories")
    return ctx.facts.where("repositories", emp_id=ctx.me["emp_id"])


def my_files(ctx: DrawContext) -> list[Record]:
    """The files that the persona owns."""
    return ctx.facts.where("repositories", emp_id=ctx.me["emp_id"])


def issues(ctx: DrawContext, *, mine: bool = False) -> list[Record]:
    """The issues of all repositories that the persona may read, or may change."""
    if ctx.me["level"] in SENIORS and not mine:
        return ctx.facts.all("issues")
    repos = sorted({row["repo_name"] for row in my_files(ctx)})
    found = [row for repo in repos for row in ctx.facts.where("issues", repo_name=repo)]
    reported = ctx.facts.where("issues", emp_id=ctx.me["emp_id"])
    return found + [row for row in reported if row["repo_name"] not in repos]


def draw_issue(ctx: DrawContext, status: str = "", *, mine: bool = False) -> tuple[Record, Told]:
    """An issue that the persona may read (or change) with its facts."""
    rows = [row for row in issues(ctx, mine=mine) if status in ("", row["status"])]
    row = ctx.pick("issues", rows)
    latent = need(ctx.facts.latent("issues", row["issue_id"]))
    return row, latent.facts


def draw_named_issue(
    ctx: DrawContext, status: str = "", *, mine: bool = False
) -> tuple[Record, Told, dict[str, str]]:
    """An issue that repository and function identify, and these as slots."""
    row, told = draw_issue(ctx, status, mine=mine)
    others = ctx.facts.where("issues", repo_name=row["repo_name"])
    same = [o for o in others if ctx.facts.fact("issues", o["issue_id"], "function") == told["function"]]
    slots = {"repo": row["repo_name"], "function": told["function"]}
    if len(same) != 1:
        raise UnfitError
    return row, told, slots


def draw_function(ctx: DrawContext, rows: list[Record] | None = None) -> tuple[Record, dict[str, str]]:
    """A file that one of its functions identifies in its repository, and both as slots."""
    row = ctx.pick("repositories", files(ctx) if rows is None else rows)
    functions = ctx.facts.fact("repositories", row["file_id"], "functions")
    if not functions:
        raise UnfitError
    function = ctx.rng.choice(functions.split(", "))
    others = ctx.facts.where("repositories", repo_name=row["repo_name"])
    if sum(defines(other["code"], function) for other in others) != 1:
        raise UnfitError
    return row, {"repo": row["repo_name"], "function": function}


def defines(code: str, function: str) -> bool:
    """Whether a file has this function."""
    return re.search(rf"(?:def |function |^){re.escape(function)}\(", code, re.MULTILINE) is not None


def draw_repository(ctx: DrawContext) -> tuple[str, list[Record]]:
    """A repository that the persona may read, and its issues."""
    row = ctx.pick("repositories", files(ctx))
    return row["repo_name"], ctx.facts.where("issues", repo_name=row["repo_name"])


def newest_repository(ctx: DrawContext, owner: str) -> Record:
    """A file of the newest of several repositories of somebody."""
    rows = ctx.facts.where("repositories", emp_id=owner)
    days = {row["repo_name"]: row["creation_date"] for row in rows}
    last = max(days.values(), default="")
    if len(days) < 2 or list(days.values()).count(last) > 1:
        raise UnfitError
    return next(row for row in rows if row["creation_date"] == last)


def latest_issue(rows: list[Record]) -> Record:
    """The issue that was opened last, if there is just one."""
    last = max((row["created_at"] for row in rows), default="")
    found = [row for row in rows if row["created_at"] == last]
    if len(found) != 1 or len(rows) == 1:
        raise UnfitError
    return found[0]


def reporter(ctx: DrawContext, issue: Record) -> Record:
    """Who reported an issue, if not the persona."""
    if issue["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return need(ctx.facts.person(issue["emp_id"]))


def draw_numbered_issue(ctx: DrawContext, status: str = "") -> Found:
    """An issue that the persona may read, by its number."""
    row, _ = draw_issue(ctx, status)
    return Found(row, {"issue": row["issue_id"]})


def open_issue(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    """The issue whose number the text has."""
    return plan.one("issues", "I open that issue.", issue_id=slots["issue"])


def draw_fault(ctx: DrawContext, *, numbered: bool = False) -> Found:
    """An open issue whose fault is on one line."""
    row, told, slots = draw_named_issue(ctx, "open")
    if not on_one_line(told):
        raise UnfitError
    return Found(row, {"issue": row["issue_id"]} if numbered else slots)


def on_one_line(told: Told) -> bool:
    """Whether mending the fault changes just the line that it is on."""
    before, after = told["code"].splitlines(), told["fixed"].splitlines()
    if len(before) != len(after):
        return False
    return [str(n) for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]] == [
        told["line"]
    ]


def draw_chat_issue(
    ctx: DrawContext, status: str = "", *, mine: bool = False
) -> tuple[Record, Record, Told, dict[str, str]]:
    """A chat of the persona that names an issue they may read (or change): chat, issue, its facts, slots."""
    readable = {row["issue_id"] for row in issues(ctx, mine=mine) if status in ("", row["status"])}
    named = {}
    for chat in my_chats(ctx):
        latent = ctx.facts.latent("conversations", chat["conversation_id"])
        keys = [ref.partition("/")[2] for ref in latent.refs if ref.startswith("issues/")] if latent else []
        if len(keys) == 1 and keys[0] in readable:
            named[chat["conversation_id"]] = keys[0]
    row = ctx.pick("conversations", [c for c in my_chats(ctx) if c["conversation_id"] in named])
    other = partner(ctx, row)
    told = need(ctx.facts.latent("conversations", row["conversation_id"]))
    issue = need(ctx.facts.get("issues", named[row["conversation_id"]]))
    fault = need(ctx.facts.latent("issues", named[row["conversation_id"]]))
    slots = {"name": other["name"], "topic": told.facts["topic"], "project": told.facts["project"]}
    return row, issue, fault.facts, slots


def owns_code(facts: Facts, row: Record) -> bool:
    """Whether somebody owns a file."""
    return bool(facts.where("repositories", emp_id=row["emp_id"]))


def mends_code(facts: Facts, row: Record) -> bool:
    """Whether a file of somebody's has an open issue."""
    return any(
        facts.where("issues", repo_name=file["repo_name"], path=file["path"], status="open")
        for file in facts.where("repositories", emp_id=row["emp_id"])
    )


def chats_about_issues(facts: Facts, row: Record) -> bool:
    """Whether a chat of somebody names an issue."""
    chats = [
        chat
        for column in ("sender_emp_id", "recipient_emp_id")
        for chat in facts.where("conversations", **{column: row["emp_id"]})
    ]
    told = [facts.latent("conversations", chat["conversation_id"]) for chat in chats]
    return any(ref.startswith("issues/") for latent in told if latent for ref in latent.refs)


def find_file(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    """The file of a repository that has a function."""
    rows = plan.read(
        "repositories", f"I look for {slots['function']} in that repository.",
        repo_name=slots["repo"], query=slots["function"], limit=_CONTEXT,
    )  # fmt: skip
    for row in rows:
        if defines(row["code"], slots["function"]):
            return plan.pick(row)
    raise UnfitError("no such file")


def find_issue(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    """The issue of a repository that is about a function."""
    rows = plan.read(
        "issues", f"I look for the issue about {slots['function']}.",
        repo_name=slots["repo"], query=slots["function"], limit=_CONTEXT,
    )  # fmt: skip
    for row in rows:
        if f"`{slots['function']}`" in row["description"]:
            return plan.pick(row)
    raise UnfitError("no such issue")


def find_chat_issue(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    key = plan.quoted(find_chat(plan, slots), ISSUE_ID)
    return plan.one("issues", f"The chat names {key}, so I open that issue.", issue_id=key)


def newest_issue(plan: PlanRecorder, repo: str) -> Row:
    """The issue of a repository that was opened last."""
    rows = plan.read("issues", "I look for the newest issue of the repository.", repo_name=repo, limit=1)
    return plan.pick(rows[0])


def file_of(plan: PlanRecorder, issue: Row) -> Row:
    return plan.one(
        "repositories", "I open the file that the issue is about.",
        repo_name=issue["repo_name"], path=issue["path"],
    )  # fmt: skip


def fault_line(plan: PlanRecorder, issue: Row, file: Row) -> str:
    plan.weigh(file)
    return plan.understood(issue, "line")


def reporter_of(plan: PlanRecorder, issue: Row) -> Row:
    """The directory's entry of who reported an issue."""
    return plan.one("employees", "Who reported it?", emp_id=issue["emp_id"])


AUTHOR = Link(lambda ctx, issue: need(ctx.facts.person(issue["emp_id"])), reporter_of)
"""From an issue to its reporter."""

OTHER_AUTHOR = Link(reporter, reporter_of)
"""The same, if it is not the persona."""

FILE = Link(
    lambda ctx, issue: need(ctx.facts.get("repositories", f"{issue['repo_name']}:{issue['path']}")), file_of
)
"""From an issue to its file."""

FAULT_LINE = Ask(
    HERE,
    lambda ctx, issue: number(int(need(ctx.facts.fact("issues", issue["issue_id"], "line")))),
    lambda plan, issue: fault_line(plan, issue, file_of(plan, issue)),
)
"""The line of an issue's file that must change."""
