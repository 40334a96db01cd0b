"""SWE: closing, reopening and deleting issues, and telling reporters and managers of it."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.message_changes import chat, mail, my_manager, tell
from evals.kinds.enterprise.goals.messages import find_chat
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Row, Script
from evals.kinds.enterprise.goals.swe import (
    ISSUE_ID,
    Told,
    chats_about_issues,
    draw_chat_issue,
    draw_named_issue,
    find_chat_issue,
    find_issue,
    reporter_of,
)
from evals.kinds.enterprise.goals.swe_workspace import SUBAREA
from evals.tasks.task import Action

BOOK = Book("SWE", "swe_notices.toml", departments=("EN",))

_SUBJECT = "Issue closed"
_Found = tuple[Record, Told, dict[str, str], Record]


def draw_reported(scene: Scene, status: str) -> _Found | None:
    """An issue that the persona may change and somebody else reported: issue, facts, slots, reporter."""
    found = draw_named_issue(scene, status, mine=True)
    author = _others(scene, found[0]) if found else None
    return (*found, author) if found and author else None


def draw_close_tell(scene: Scene) -> Draw | None:
    """An open issue."""
    found = draw_reported(scene, "open")
    if found is None:
        return None
    issue, _, slots, author = found
    key = issue["issue_id"]
    return _draw(scene, issue, slots, _turn(key, "closed"), chat(author["emp_id"], _closed(key)))


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_close_tell)
def close_tell(slots: Slots, call: Script) -> Values:
    """Find, close, tell the reporter."""
    issue = _close(call, find_issue(call, slots))
    tell(call, "I tell the reporter.", chat(issue["emp_id"], _closed(issue["issue_id"])))
    return ()


def draw_reopen_tell(scene: Scene) -> Draw | None:
    """A closed issue."""
    found = draw_reported(scene, "closed")
    if found is None:
        return None
    issue, _, slots, author = found
    key = issue["issue_id"]
    return _draw(
        scene, issue, slots, _turn(key, "open"), mail(author["emp_id"], "Issue reopened", _open(key))
    )


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_reopen_tell)
def reopen_tell(slots: Slots, call: Script) -> Values:
    """Find, reopen, tell the reporter."""
    issue = find_issue(call, slots)
    key = issue["issue_id"]
    tell(call, "I open that issue again.", _turn(key, "open"))
    tell(call, "I tell the reporter.", mail(issue["emp_id"], "Issue reopened", _open(key)))
    return ()


def draw_delete_tell(scene: Scene) -> Draw | None:
    """Any issue."""
    found = draw_reported(scene, "")
    if found is None:
        return None
    issue, _, slots, author = found
    key = issue["issue_id"]
    deletion = action("github_issues.delete", issue_id=key)
    return _draw(scene, issue, slots, deletion, chat(author["emp_id"], _deleted(key)))


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_delete_tell)
def delete_tell(slots: Slots, call: Script) -> Values:
    """Find, delete, tell the reporter."""
    issue = find_issue(call, slots)
    key = issue["issue_id"]
    tell(call, "I delete that issue.", action("github_issues.delete", issue_id=key))
    tell(call, "I tell the reporter.", chat(issue["emp_id"], _deleted(key)))
    return ()


def draw_close_tell_above(scene: Scene) -> Draw | None:
    """And the manager of who reported it."""
    found = draw_reported(scene, "open")
    manager = _manager(scene, found[3]) if found else None
    if found is None or manager is None:
        return None
    issue, _, slots, _ = found
    key = issue["issue_id"]
    return _draw(scene, issue, slots, _turn(key, "closed"), mail(manager["emp_id"], _SUBJECT, _closed(key)))


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_close_tell_above)
def close_tell_above(slots: Slots, call: Script) -> Values:
    """Find, close, look up the reporter, tell the manager."""
    issue = _close(call, find_issue(call, slots))
    manager = reporter_of(call, issue)["reports_to"]
    tell(call, "I tell the reporter's manager.", mail(manager, _SUBJECT, _closed(issue["issue_id"])))
    return ()


def draw_close_tell_both(scene: Scene) -> Draw | None:
    """Reporter and manager."""
    found = draw_reported(scene, "open")
    manager = _manager(scene, found[3]) if found else None
    if found is None or manager is None:
        return None
    issue, _, slots, author = found
    return _draw(scene, issue, slots, *_closing(issue["issue_id"], author["emp_id"], manager["emp_id"]))


@BOOK.goal(SUBAREA, steps=5, type="crud", draw=draw_close_tell_both)
def close_tell_both(slots: Slots, call: Script) -> Values:
    """Find, close, tell the reporter, look them up, tell the manager."""
    _close_and_tell_both(call, find_issue(call, slots))
    return ()


def draw_close_tell_mine(scene: Scene) -> Draw | None:
    """Reporter and persona's own manager, who is somebody else than the reporter."""
    found, mine = draw_reported(scene, "open"), scene.facts.manager(scene.me["emp_id"])
    if found is None or mine is None or mine["emp_id"] == found[3]["emp_id"]:
        return None
    issue, _, slots, author = found
    return _draw(scene, issue, slots, *_closing(issue["issue_id"], author["emp_id"], mine["emp_id"]))


@BOOK.goal(SUBAREA, steps=5, type="crud", draw=draw_close_tell_mine)
def close_tell_mine(slots: Slots, call: Script) -> Values:
    """Find, close, tell the reporter, look up oneself, tell one's manager."""
    issue = find_issue(call, slots)
    key = issue["issue_id"]
    tell(call, "I close that issue.", _turn(key, "closed"))
    tell(call, "I tell the reporter.", chat(issue["emp_id"], _closed(key)))
    tell(call, "I tell my manager.", mail(my_manager(call), _SUBJECT, _closed(key)))
    return ()


def draw_close_tell_three(scene: Scene) -> Draw | None:
    """Reporter, manager, and some colleague."""
    draw, other = draw_close_tell_both(scene), scene.colleague()
    issue = scene.facts.at(draw.about[0]) if draw else None
    if draw is None or issue is None or other is None:
        return None
    if other["emp_id"] in {act.arguments.get("recipient") for act in draw.actions}:
        return None
    message = chat(other["name"], _closed(issue["issue_id"]))
    return _draw(scene, issue, {**draw.slots, "name": other["name"]}, *draw.actions, message)


@BOOK.goal(SUBAREA, steps=6, type="crud", draw=draw_close_tell_three)
def close_tell_three(slots: Slots, call: Script) -> Values:
    """As to both, then tell the colleague."""
    issue = find_issue(call, slots)
    _close_and_tell_both(call, issue)
    tell(call, f"I tell {slots['name']}.", chat(slots["name"], _closed(issue["issue_id"])))
    return ()


# --- out of chats ---------------------------------------------------------------------------------------


def draw_chat_close(scene: Scene) -> Draw | None:
    """An open issue that a chat names."""
    found = draw_chat_issue(scene, "open", mine=True)
    if found is None:
        return None
    row, issue, _, slots = found
    actions = [_turn(issue["issue_id"], "closed")]
    return scene.draw(slots, actions=actions, about=[("conversations", row), ("issues", issue)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_chat_close, who=chats_about_issues)
def chat_close(slots: Slots, call: Script) -> Values:
    """Chat, close."""
    key = call.quoted(find_chat(call, slots), ISSUE_ID)
    tell(call, f"The chat names {key}, so I close it.", _turn(key, "closed"))
    return ()


def draw_chat_close_tell(scene: Scene) -> Draw | None:
    """And who reported it."""
    found = draw_chat_issue(scene, "open", mine=True)
    author = _others(scene, found[1]) if found else None
    if found is None or author is None:
        return None
    row, issue, _, slots = found
    key = issue["issue_id"]
    actions = [_turn(key, "closed"), chat(author["emp_id"], _closed(key))]
    about = [("conversations", row), ("issues", issue)]
    return scene.draw(slots, actions=actions, mentions=[key], about=about)


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_chat_close_tell, who=chats_about_issues)
def chat_close_tell(slots: Slots, call: Script) -> Values:
    """Chat, issue, close, tell the reporter."""
    issue = _close(call, find_chat_issue(call, slots))
    tell(call, "I tell the reporter.", chat(issue["emp_id"], _closed(issue["issue_id"])))
    return ()


def draw_chat_close_both(scene: Scene) -> Draw | None:
    """Reporter and manager."""
    found = draw_chat_issue(scene, "open", mine=True)
    author = _others(scene, found[1]) if found else None
    manager = _manager(scene, author) if author else None
    if found is None or author is None or manager is None:
        return None
    row, issue, _, slots = found
    key = issue["issue_id"]
    about = [("conversations", row), ("issues", issue)]
    actions = _closing(key, author["emp_id"], manager["emp_id"])
    return scene.draw(slots, actions=actions, mentions=[key], about=about)


@BOOK.goal(SUBAREA, steps=6, type="crud", draw=draw_chat_close_both, who=chats_about_issues)
def chat_close_both(slots: Slots, call: Script) -> Values:
    """Chat, issue, close, tell the reporter, look them up, tell the manager."""
    _close_and_tell_both(call, find_chat_issue(call, slots))
    return ()


# --- parts ----------------------------------------------------------------------------------------------


def _close(call: Script, issue: Row) -> Row:
    tell(call, "I close that issue.", _turn(issue["issue_id"], "closed"))
    return issue


def _close_and_tell_both(call: Script, issue: Row) -> None:
    key = _close(call, issue)["issue_id"]
    tell(call, "I tell the reporter.", chat(issue["emp_id"], _closed(key)))
    manager = reporter_of(call, issue)["reports_to"]
    tell(call, "I tell the reporter's manager.", mail(manager, _SUBJECT, _closed(key)))


def _closing(key: str, reporter: str, manager: str) -> list[Action]:
    return [_turn(key, "closed"), chat(reporter, _closed(key)), mail(manager, _SUBJECT, _closed(key))]


def _draw(scene: Scene, issue: Record, slots: dict[str, str], *actions: Action) -> Draw | None:
    return scene.draw(slots, actions=actions, mentions=[issue["issue_id"]], about=[("issues", issue)])


def _others(scene: Scene, issue: Record) -> Record | None:
    """Who reported an issue, if somebody else who is still here."""
    author = scene.facts.colleague(issue["emp_id"])
    return author if author is not None and author["emp_id"] != scene.me["emp_id"] else None


def _manager(scene: Scene, author: Record) -> Record | None:
    """The reporter's manager, if somebody else than the persona."""
    manager = scene.facts.manager(author["emp_id"])
    return manager if manager is not None and manager["emp_id"] != scene.me["emp_id"] else None


def _turn(key: str, status: str) -> Action:
    return action("github_issues.update", issue_id=key, status=status)


def _closed(key: str) -> str:
    return f"{key} is closed."


def _open(key: str) -> str:
    return f"I have opened {key} again."


def _deleted(key: str) -> str:
    return f"I have deleted {key}."
