"""SWE: longer ways, from a colleague to their newest repository, its newest issue, and who reported it."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script
from evals.kinds.enterprise.goals.swe import (
    SENIORS,
    file_of,
    latest_issue,
    newest_issue,
    newest_repository,
    reporter,
    reporter_of,
)
from evals.tasks.task import Entity

BOOK = Book("SWE", "swe_newest.toml", departments=("EN",))
SUBAREA = "GitHub"


class Way:
    """From a colleague to the newest issue of their newest repository.

    Attributes:
        slots: the colleague's name.
        issue: where the way ends.
        author: who reported it.
        answer: the repository and what was found on the way.
    """

    def __init__(self, slots: dict[str, str], issue: Record, author: Record) -> None:
        self.slots = slots
        self.issue = issue
        self.author = author
        self.answer = [entities.text(issue["repo_name"])]


def draw_way(scene: Scene) -> Way | None:
    """A colleague with several repositories, from whom the way is clear."""
    file = scene.pick("repositories")
    owner = scene.facts.colleague(file["emp_id"]) if file else None
    if owner is None or owner["emp_id"] == scene.me["emp_id"]:
        return None
    newest = newest_repository(scene, owner["emp_id"])
    rows = scene.facts.where("issues", repo_name=newest["repo_name"]) if newest else []
    issue = latest_issue(rows)
    author = reporter(scene, issue) if issue else None
    return Way({"name": owner["name"]}, issue, author) if issue and author else None


def walk(call: Script, slots: Slots) -> Row:
    """The way, through the tools."""
    rows = call.read(
        "repositories", f"I look for the newest repository of {slots['name']}.",
        owner=slots["name"], limit="1",
    )  # fmt: skip
    return newest_issue(call, call.pick(rows[0])["repo_name"])


def draw_issue(scene: Scene) -> Draw | None:
    """Just the issue."""
    way = draw_way(scene)
    return _draw(scene, way, entities.ident("issue_id", way.issue["issue_id"])) if way else None


@BOOK.goal(SUBAREA, steps=2, draw=draw_issue, levels=SENIORS)
def newest_repo_issue(slots: Slots, call: Script) -> Values:
    """Repository, issue."""
    issue = walk(call, slots)
    return issue["repo_name"], issue["issue_id"]


def draw_author(scene: Scene) -> Draw | None:
    """The mail address of who reported it."""
    way = draw_way(scene)
    return _draw(scene, way, entities.ident("email", way.author["email"])) if way else None


@BOOK.goal(SUBAREA, steps=3, draw=draw_author, levels=SENIORS)
def newest_repo_author(slots: Slots, call: Script) -> Values:
    """Repository, issue, who reported it."""
    issue = walk(call, slots)
    return issue["repo_name"], reporter_of(call, issue)["email"]


def draw_file_author(scene: Scene) -> Draw | None:
    """With the size of the file."""
    way = draw_way(scene)
    if way is None:
        return None
    return _draw(scene, way, _size(scene, way), entities.ident("email", way.author["email"]))


@BOOK.goal(SUBAREA, steps=4, draw=draw_file_author, levels=SENIORS)
def newest_repo_file_author(slots: Slots, call: Script) -> Values:
    """Repository, issue, file, who reported it."""
    issue = walk(call, slots)
    size = file_of(call, issue)["size"]
    return issue["repo_name"], size, reporter_of(call, issue)["email"]


def draw_file_manager(scene: Scene) -> Draw | None:
    """With the manager instead."""
    way = draw_way(scene)
    manager = scene.facts.manager(way.author["emp_id"]) if way else None
    if way is None or manager is None:
        return None
    return _draw(scene, way, _size(scene, way), entities.ident("email", manager["email"]))


@BOOK.goal(SUBAREA, steps=5, draw=draw_file_manager, levels=SENIORS)
def newest_repo_file_manager(slots: Slots, call: Script) -> Values:
    """Repository, issue, file, who reported it, the manager."""
    issue = walk(call, slots)
    size = file_of(call, issue)["size"]
    return issue["repo_name"], size, manager_of(call, reporter_of(call, issue))["email"]


def draw_file_chain(scene: Scene) -> Draw | None:
    """Two levels above who reported it."""
    way = draw_way(scene)
    first = scene.facts.manager(way.author["emp_id"]) if way else None
    second = scene.facts.manager(first["emp_id"]) if first else None
    if way is None or second is None:
        return None
    return _draw(scene, way, _size(scene, way), entities.ident("email", second["email"]))


@BOOK.goal(SUBAREA, steps=6, draw=draw_file_chain, levels=SENIORS)
def newest_repo_file_chain(slots: Slots, call: Script) -> Values:
    """Repository, issue, file, who reported it, two levels above."""
    issue = walk(call, slots)
    size = file_of(call, issue)["size"]
    second = manager_of(call, manager_of(call, reporter_of(call, issue)))
    return issue["repo_name"], size, second["email"]


def _draw(scene: Scene, way: Way, *more: Entity) -> Draw | None:
    return scene.draw(way.slots, answer=[*way.answer, *more], about=[("issues", way.issue)])


def _size(scene: Scene, way: Way) -> Entity:
    file = scene.facts.get("repositories", f"{way.issue['repo_name']}:{way.issue['path']}")
    assert file is not None
    return entities.number(int(file["size"]))
