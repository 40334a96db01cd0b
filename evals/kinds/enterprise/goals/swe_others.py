"""SWE: what else there is, if anything: of the same reporter, in the same file, in the newest repository."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Rows, Script
from evals.kinds.enterprise.goals.swe import (
    SENIORS,
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    draw_repository,
    files,
    find_chat_issue,
    find_issue,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
)
from evals.kinds.enterprise.goals.swe_github import SUBAREA as GITHUB
from evals.kinds.enterprise.goals.swe_newest import draw_way, walk
from evals.kinds.enterprise.goals.swe_patch import SUBAREA as PATCH

BOOK = Book("SWE", "swe_others.toml", departments=("EN",))
_MOST = 8


def draw_newest_repo_open(scene: Scene) -> Draw | None:
    """A colleague with several repositories."""
    file = scene.pick("repositories")
    owner = scene.facts.colleague(file["emp_id"]) if file else None
    newest = newest_repository(scene, owner["emp_id"]) if owner else None
    if owner is None or newest is None or owner["emp_id"] == scene.me["emp_id"]:
        return None
    rows = scene.facts.where("issues", repo_name=newest["repo_name"], status="open")
    return _issues(scene, {"name": owner["name"]}, rows, [("repositories", newest)])


@BOOK.goal(GITHUB, steps=2, draw=draw_newest_repo_open, levels=SENIORS, empty=True)
def newest_repo_open(slots: Slots, call: Script) -> Values:
    """Repository, open issues."""
    rows = call.read(
        "repositories", f"I look for the newest repository of {slots['name']}.",
        owner=slots["name"], limit="1",
    )  # fmt: skip
    repo = call.pick(rows[0])["repo_name"]
    return _ids(call, call.every("issues", "What is open there?", repo_name=repo, status="open"))


def draw_newest_author_repos(scene: Scene) -> Draw | None:
    """A repository whose newest issue somebody else reported."""
    found = draw_repository(scene)
    issue = latest_issue(found[1]) if found else None
    author = reporter(scene, issue) if issue else None
    if found is None or issue is None or author is None:
        return None
    return _repositories(scene, {"repo": found[0]}, author, issue)


@BOOK.goal(GITHUB, steps=2, draw=draw_newest_author_repos, levels=SENIORS, empty=True)
def newest_author_repos(slots: Slots, call: Script) -> Values:
    """Issue, the reporter's files."""
    return _owned(call, newest_issue(call, slots["repo"]))


def draw_way_author_repos(scene: Scene) -> Draw | None:
    """The same, from the newest repository of a colleague."""
    way = draw_way(scene)
    return _repositories(scene, way.slots, way.author, way.issue) if way else None


@BOOK.goal(GITHUB, steps=3, draw=draw_way_author_repos, levels=SENIORS, empty=True)
def newest_repo_author_repos(slots: Slots, call: Script) -> Values:
    """Repository, issue, the reporter's files."""
    return _owned(call, walk(call, slots))


def draw_file_for_manager(scene: Scene) -> Draw | None:
    """A file of somebody else, and their manager."""
    row = scene.pick("repositories", files(scene))
    owner = scene.facts.colleague(row["emp_id"]) if row else None
    manager = scene.facts.manager(owner["emp_id"]) if owner else None
    if row is None or owner is None or manager is None or owner["emp_id"] == scene.me["emp_id"]:
        return None
    slots = {"name": owner["name"], "file": row["file_id"]}
    answer = [entities.ident("email", manager["email"]), entities.date(row["creation_date"])]
    return scene.draw(slots, answer=answer, about=[("repositories", row)])


@BOOK.goal(
    GITHUB, steps=3, draw=draw_file_for_manager, levels=SENIORS, denials=("not_owner", "level_too_low")
)
def file_for_manager(slots: Slots, call: Script) -> Values:
    """The owner, the manager, the file."""
    owner = call.one("employees", f"I look {slots['name']} up.", name=slots["name"])
    manager = manager_of(call, owner)
    file = call.one("repositories", "Now the file.", file_id=slots["file"])
    return manager["email"], file["creation_date"]


def draw_reporter_open(scene: Scene) -> Draw | None:
    """A closed issue and what its reporter has open."""
    found = draw_named_issue(scene, "closed")
    if found is None or found[0]["emp_id"] == scene.me["emp_id"]:
        return None
    issue, _, slots = found
    rows = scene.facts.where("issues", emp_id=issue["emp_id"], status="open")
    return _issues(scene, slots, rows, [("issues", issue)])


@BOOK.goal(PATCH, steps=2, draw=draw_reporter_open, levels=SENIORS, empty=True)
def reporter_open(slots: Slots, call: Script) -> Values:
    """Issue, what else its reporter has open."""
    issue = find_issue(call, slots)
    rows = call.every("issues", "What of this reporter is open?", author=issue["emp_id"], status="open")
    return _ids(call, rows)


def draw_chat_file_open(scene: Scene) -> Draw | None:
    """A closed issue that a chat names, and what is open on the same file."""
    found = draw_chat_issue(scene, "closed")
    if found is None:
        return None
    chat, issue, _, slots = found
    rows = scene.facts.where("issues", repo_name=issue["repo_name"], path=issue["path"], status="open")
    return _issues(scene, slots, rows, [("conversations", chat), ("issues", issue)])


@BOOK.goal(PATCH, steps=3, draw=draw_chat_file_open, levels=SENIORS, empty=True, who=chats_about_issues)
def chat_file_open(slots: Slots, call: Script) -> Values:
    """Chat, issue, what is open on its file."""
    issue = find_chat_issue(call, slots)
    rows = call.every(
        "issues", "What is open on the same file?",
        repo_name=issue["repo_name"], path=issue["path"], status="open",
    )  # fmt: skip
    return _ids(call, rows)


# --- parts ----------------------------------------------------------------------------------------------


def _issues(
    scene: Scene, slots: dict[str, str], rows: list[Record], about: list[tuple[str, Record]]
) -> Draw | None:
    if not rows:
        return scene.draw(slots, nothing=True, about=about)
    if len(rows) > _MOST:
        return None
    answer = [entities.ident("issue_id", row["issue_id"]) for row in rows]
    return scene.draw(slots, answer=answer, about=about)


def _ids(call: Script, rows: Rows) -> Values:
    return tuple(row["issue_id"] for row in rows) if rows else call.none(rows)


def _repositories(scene: Scene, slots: dict[str, str], author: Record, issue: Record) -> Draw | None:
    names = sorted({row["repo_name"] for row in scene.facts.where("repositories", emp_id=author["emp_id"])})
    if not names:
        return scene.draw(slots, nothing=True, about=[("issues", issue)])
    return scene.draw(slots, answer=[entities.text(name) for name in names], about=[("issues", issue)])


def _owned(call: Script, issue: Row) -> Values:
    rows = call.every("repositories", "What does the reporter own?", owner=issue["emp_id"])
    return tuple(sorted({row["repo_name"] for row in rows})) if rows else call.none(rows)
