"""What the goals of software engineering share: the code and issues to ask about, and the ways there."""

from __future__ import annotations

from collections.abc import Mapping

from evals.kinds.enterprise.facts import Facts, Record
from evals.kinds.enterprise.goals.messages import find_chat
from evals.kinds.enterprise.goals.scene import Scene
from evals.kinds.enterprise.goals.script import Row, Script, UnfitError
from evals.kinds.enterprise.goals.told_in import my_chats, partner

SENIORS = ("10", "12", "14")
"""The levels of engineers who may read all code."""

ISSUE_ID = r"ISS-\d+"

Told = Mapping[str, str]
"""The latent facts of an issue."""

_CONTEXT = 3
"""So many records a call shows with their texts in full."""


# --- drawing --------------------------------------------------------------------------------------------


def files(scene: Scene) -> list[Record]:
    """The files that the persona may read."""
    if scene.me["level"] in SENIORS:
        return scene.facts.all("repositories")
    return scene.facts.where("repositories", emp_id=scene.me["emp_id"])


def my_files(scene: Scene) -> list[Record]:
    """The files that the persona owns."""
    return scene.facts.where("repositories", emp_id=scene.me["emp_id"])


def issues(scene: Scene, *, mine: bool = False) -> list[Record]:
    """The issues of all repositories that the persona may read, or may change."""
    if scene.me["level"] in SENIORS and not mine:
        return scene.facts.all("issues")
    repos = sorted({row["repo_name"] for row in my_files(scene)})
    found = [row for repo in repos for row in scene.facts.where("issues", repo_name=repo)]
    reported = scene.facts.where("issues", emp_id=scene.me["emp_id"])
    return found + [row for row in reported if row["repo_name"] not in repos]


def draw_issue(scene: Scene, status: str = "", *, mine: bool = False) -> tuple[Record, Told] | None:
    """An issue that the persona may read (or change) with what it tells."""
    rows = [row for row in issues(scene, mine=mine) if status in ("", row["status"])]
    row = scene.pick("issues", rows)
    latent = scene.facts.latent("issues", row["issue_id"]) if row else None
    return (row, latent.facts) if row and latent else None


def draw_named_issue(
    scene: Scene, status: str = "", *, mine: bool = False
) -> tuple[Record, Told, dict[str, str]] | None:
    """An issue that repository and function tell from all others, and these as slots."""
    found = draw_issue(scene, status, mine=mine)
    if found is None:
        return None
    row, told = found
    others = scene.facts.where("issues", repo_name=row["repo_name"])
    same = [o for o in others if scene.facts.fact("issues", o["issue_id"], "function") == told["function"]]
    slots = {"repo": row["repo_name"], "function": told["function"]}
    return (row, told, slots) if len(same) == 1 else None


def draw_function(scene: Scene, rows: list[Record] | None = None) -> tuple[Record, dict[str, str]] | None:
    """A file that one of its functions tells from all others of its repository, and both as slots."""
    row = scene.pick("repositories", files(scene) if rows is None else rows)
    functions = scene.facts.fact("repositories", row["file_id"], "functions") if row else None
    if row is None or not functions:
        return None
    function = scene.rng.choice(functions.split(", "))
    others = scene.facts.where("repositories", repo_name=row["repo_name"])
    if sum(defines(other["code"], function) for other in others) != 1:
        return None
    return row, {"repo": row["repo_name"], "function": function}


def defines(code: str, function: str) -> bool:
    """Whether a file has this function."""
    return f"def {function}(" in code


def draw_repository(scene: Scene) -> tuple[str, list[Record]] | None:
    """A repository that the persona may read, and its issues."""
    row = scene.pick("repositories", files(scene))
    return (row["repo_name"], scene.facts.where("issues", repo_name=row["repo_name"])) if row else None


def newest_repository(scene: Scene, owner: str) -> Record | None:
    """A file of the newest of several repositories of somebody."""
    rows = scene.facts.where("repositories", emp_id=owner)
    days = {row["repo_name"]: row["creation_date"] for row in rows}
    last = max(days.values(), default="")
    if len(days) < 2 or list(days.values()).count(last) > 1:
        return None
    return next(row for row in rows if row["creation_date"] == last)


def latest_issue(rows: list[Record]) -> Record | None:
    """The issue that was opened last, if there is just one."""
    last = max((row["created_at"] for row in rows), default="")
    found = [row for row in rows if row["created_at"] == last]
    return found[0] if len(found) == 1 and len(rows) > 1 else None


def reporter(scene: Scene, issue: Record) -> Record | None:
    """Who reported an issue, if not the persona."""
    return scene.facts.person(issue["emp_id"]) if issue["emp_id"] != scene.me["emp_id"] else None


def on_one_line(told: Told) -> bool:
    """Whether mending the fault changes just the line that it is on."""
    before, after = told["code"].splitlines(), told["fixed"].splitlines()
    if len(before) != len(after):
        return False
    return [str(n) for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]] == [
        told["line"]
    ]


def draw_chat_issue(
    scene: Scene, status: str = "", *, mine: bool = False
) -> tuple[Record, Record, Told, dict[str, str]] | None:
    """A chat of the persona that names an issue they may read (or change): chat, issue, its facts, slots."""
    readable = {row["issue_id"] for row in issues(scene, mine=mine) if status in ("", row["status"])}
    named = {}
    for chat in my_chats(scene):
        latent = scene.facts.latent("conversations", chat["conversation_id"])
        keys = [ref.partition("/")[2] for ref in latent.refs if ref.startswith("issues/")] if latent else []
        if len(keys) == 1 and keys[0] in readable:
            named[chat["conversation_id"]] = keys[0]
    row = scene.pick("conversations", [c for c in my_chats(scene) if c["conversation_id"] in named])
    other = partner(scene, row) if row else None
    told = scene.facts.latent("conversations", row["conversation_id"]) if row else None
    if row is None or other is None or told is None:
        return None
    issue = scene.facts.get("issues", named[row["conversation_id"]])
    latent = scene.facts.latent("issues", named[row["conversation_id"]])
    if issue is None or latent is None:
        return None
    slots = {"name": other["name"], "topic": told.facts["topic"], "project": told.facts["project"]}
    return row, issue, latent.facts, slots


# --- who could ask --------------------------------------------------------------------------------------


def owns_code(facts: Facts, row: Record) -> bool:
    """Whether somebody owns a file."""
    return bool(facts.where("repositories", emp_id=row["emp_id"]))


def chats_about_issues(facts: Facts, row: Record) -> bool:
    """Whether a chat of somebody names an issue."""
    chats = [
        chat
        for column in ("sender_emp_id", "recipient_emp_id")
        for chat in facts.where("conversations", **{column: row["emp_id"]})
    ]
    told = [facts.latent("conversations", chat["conversation_id"]) for chat in chats]
    return any(ref.startswith("issues/") for latent in told if latent for ref in latent.refs)


# --- solving --------------------------------------------------------------------------------------------


def find_file(call: Script, slots: Mapping[str, str]) -> Row:
    """The file of a repository that has a function."""
    rows = call.read(
        "repositories", f"I look for {slots['function']} in that repository.",
        repo_name=slots["repo"], query=slots["function"], limit=str(_CONTEXT),
    )  # fmt: skip
    for row in rows:
        if defines(row["code"], slots["function"]):
            return call.pick(row)
    raise UnfitError("no such file")


def find_issue(call: Script, slots: Mapping[str, str]) -> Row:
    """The issue of a repository that is about a function."""
    rows = call.read(
        "issues", f"I look for the issue about {slots['function']}.",
        repo_name=slots["repo"], query=slots["function"], limit=str(_CONTEXT),
    )  # fmt: skip
    for row in rows:
        if f"`{slots['function']}`" in row["description"]:
            return call.pick(row)
    raise UnfitError("no such issue")


def find_chat_issue(call: Script, slots: Mapping[str, str]) -> Row:
    """The issue that a chat names."""
    key = call.quoted(find_chat(call, slots), ISSUE_ID)
    return call.one("issues", f"The chat names {key}, so I open that issue.", issue_id=key)


def newest_issue(call: Script, repo: str) -> Row:
    """The issue of a repository that was opened last."""
    rows = call.read("issues", "I look for the newest issue of the repository.", repo_name=repo, limit="1")
    return call.pick(rows[0])


def file_of(call: Script, issue: Row) -> Row:
    """The file that an issue is about."""
    return call.one(
        "repositories", "I open the file that the issue is about.",
        repo_name=issue["repo_name"], path=issue["path"],
    )  # fmt: skip


def fault_line(call: Script, issue: Row, file: Row) -> str:
    """The line of the file that has to change."""
    call.weigh(file)
    return call.understood(issue, "line")


def reporter_of(call: Script, issue: Row) -> Row:
    """The directory's entry of who reported an issue."""
    return call.one("employees", "Who reported it?", emp_id=issue["emp_id"])
