"""SWE: changing repositories and issues, and telling those whom it concerns."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.message_changes import chat, mail, my_manager, tell
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.kinds.enterprise.goals.swe import (
    SENIORS,
    draw_function,
    draw_issue,
    draw_named_issue,
    files,
    find_file,
    find_issue,
    my_files,
    owns_code,
)
from evals.kinds.enterprise.goals.swe_github import LICENCES, owner_of
from evals.kinds.enterprise.goals.swe_words import complaint, new_repository, requirement
from evals.tasks.task import Action

BOOK = Book("SWE", "swe_workspace.toml", departments=("EN",))
SUBAREA = "workspace DB"


# --- looking up -----------------------------------------------------------------------------------------


def draw_file_card(scene: Scene) -> Draw | None:
    """A file and what is recorded of it."""
    row = scene.pick("repositories", files(scene))
    if row is None:
        return None
    answer = [entities.number(int(row["size"])), entities.number(int(row["copies"]))]
    return scene.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@BOOK.goal(SUBAREA, steps=1, draw=draw_file_card)
def file_card(slots: Slots, call: Script) -> Values:
    """One look at the file."""
    row = call.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], row["copies"]


def draw_file_owner(scene: Scene) -> Draw | None:
    """A file and its owner's mail address."""
    row = scene.pick("repositories", files(scene))
    owner = scene.facts.person(row["emp_id"]) if row else None
    if row is None or owner is None or owner["emp_id"] == scene.me["emp_id"]:
        return None
    answer = [entities.number(int(row["size"])), entities.ident("email", owner["email"])]
    return scene.draw(
        {"repo": row["repo_name"], "path": row["path"]}, answer=answer, about=[("repositories", row)]
    )


@BOOK.goal(SUBAREA, steps=2, draw=draw_file_owner, levels=SENIORS)
def file_owner(slots: Slots, call: Script) -> Values:
    """The file, then the directory."""
    row = call.one("repositories", "I open that file.", repo_name=slots["repo"], path=slots["path"])
    return row["size"], owner_of(call, row)["email"]


# --- repositories ---------------------------------------------------------------------------------------


def draw_new_repository(scene: Scene) -> Draw | None:
    """A name, a first file, and a licence."""
    slots = new_repository(scene)
    return scene.draw(slots, actions=[_first_file(slots)]) if slots else None


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_new_repository, denials=("wrong_department",))
def create_repository(slots: Slots, call: Script) -> Values:
    """Add the first file."""
    tell(call, "I begin the repository with that file.", _first_file(slots))
    return ()


def draw_new_repository_mail(scene: Scene) -> Draw | None:
    """The same, and the persona's manager."""
    slots, manager = new_repository(scene), scene.facts.manager(scene.me["emp_id"])
    if slots is None or manager is None:
        return None
    message = mail(manager["emp_id"], "New repository", _begun(slots))
    return scene.draw(slots, actions=[_first_file(slots), message], mentions=[slots["repo"]])


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_new_repository_mail, denials=("wrong_department",))
def create_repository_mail(slots: Slots, call: Script) -> Values:
    """Look up oneself, add the first file, send."""
    manager = my_manager(call)
    tell(call, "I begin the repository with that file.", _first_file(slots))
    tell(call, "I write to my manager.", mail(manager, "New repository", _begun(slots)))
    return ()


def draw_relicense(scene: Scene) -> Draw | None:
    """A repository of the persona and another licence."""
    row = scene.pick("repositories", my_files(scene))
    licence = scene.rng.choice(LICENCES)
    if row is None or licence == row["license"]:
        return None
    slots = {"repo": row["repo_name"], "licence": licence}
    change = action("github.update", repo_name=row["repo_name"], license=licence)
    return scene.draw(slots, actions=[change], about=[("repositories", row)])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_relicense, who=owns_code, denials=("not_owner",))
def relicense(slots: Slots, call: Script) -> Values:
    """Change all its files."""
    call.write(
        "github.update", "I change the licence of the whole repository.",
        repo_name=slots["repo"], license=slots["licence"],
    )  # fmt: skip
    return ()


def draw_delete_file_mail(scene: Scene) -> Draw | None:
    """A file of the persona, by one of its functions; and their manager."""
    found, manager = draw_function(scene, my_files(scene)), scene.facts.manager(scene.me["emp_id"])
    if found is None or manager is None:
        return None
    row, slots = found
    deletion = action("github.delete", repo_name=row["repo_name"], path=row["path"])
    message = mail(manager["emp_id"], "File deleted", _gone(row["path"], slots["repo"]))
    return scene.draw(
        slots, actions=[deletion, message], mentions=[row["path"]], about=[("repositories", row)]
    )


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_delete_file_mail, who=owns_code)
def delete_file_mail(slots: Slots, call: Script) -> Values:
    """Find it, delete it, look up oneself, send."""
    row = find_file(call, slots)
    call.write("github.delete", "I delete that file.", repo_name=slots["repo"], path=row["path"])
    message = mail(my_manager(call), "File deleted", _gone(row["path"], slots["repo"]))
    tell(call, "I tell my manager which file is gone.", message)
    return ()


# --- issues ---------------------------------------------------------------------------------------------


def draw_open_issue(scene: Scene) -> Draw | None:
    """A file, and something to complain about."""
    row = scene.pick("repositories", files(scene))
    functions = scene.facts.fact("repositories", row["file_id"], "functions") if row else None
    if row is None or not functions:
        return None
    title, text = complaint(scene, scene.rng.choice(functions.split(", ")))
    slots = {"repo": row["repo_name"], "path": row["path"], "title": title, "text": text}
    return scene.draw(slots, actions=[_issue(slots)], mentions=[title, text], about=[("repositories", row)])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_open_issue, denials=("not_owner",))
def open_issue(slots: Slots, call: Script) -> Values:
    """Open it."""
    tell(call, "I open the issue on that file.", _issue(slots))
    return ()


def draw_open_issue_owner(scene: Scene) -> Draw | None:
    """A function, something to complain about, and the owner of its file."""
    found = draw_function(scene)
    owner = scene.facts.colleague(found[0]["emp_id"]) if found else None
    if found is None or owner is None or owner["emp_id"] == scene.me["emp_id"]:
        return None
    row, slots = found
    title, text = complaint(scene, slots["function"])
    slots = {**slots, "title": title, "text": text}
    message = chat(owner["emp_id"], _opened(title, row["path"]))
    return scene.draw(
        slots,
        actions=[_issue({**slots, "path": row["path"]}), message],
        mentions=[title, text, row["path"]],
        about=[("repositories", row)],
    )


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_open_issue_owner, levels=SENIORS)
def open_issue_owner(slots: Slots, call: Script) -> Values:
    """Find the file, open the issue, tell the owner."""
    row = find_file(call, slots)
    tell(call, "I open the issue on that file.", _issue({**slots, "path": row["path"]}))
    tell(call, "I tell the owner of the file.", chat(row["emp_id"], _opened(slots["title"], row["path"])))
    return ()


def draw_close_issue(scene: Scene) -> Draw | None:
    """An open issue that the persona may close, by id."""
    found = draw_issue(scene, "open", mine=True)
    if found is None:
        return None
    key = found[0]["issue_id"]
    change = action("github_issues.update", issue_id=key, status="closed")
    return scene.draw({"issue": key}, actions=[change], about=[("issues", found[0])])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_close_issue, denials=("not_owner",))
def close_issue(slots: Slots, call: Script) -> Values:
    """Close it."""
    call.write("github_issues.update", "I close that issue.", issue_id=slots["issue"], status="closed")
    return ()


def draw_describe_issue(scene: Scene) -> Draw | None:
    """An issue of the persona's by repository and function, and what is to be added to the description."""
    found = draw_named_issue(scene, "open", mine=True)
    if found is None:
        return None
    row, _, slots = found
    slots = {**slots, "text": requirement(scene)}
    change = action("github_issues.update", issue_id=row["issue_id"], description=slots["text"])
    return scene.draw(slots, actions=[change], mentions=[slots["text"]], about=[("issues", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_describe_issue, denials=("not_owner",))
def describe_issue(slots: Slots, call: Script) -> Values:
    """Find it, describe it anew."""
    issue = find_issue(call, slots)
    call.write(
        "github_issues.update", "I replace its description.",
        issue_id=issue["issue_id"], description=slots["text"],
    )  # fmt: skip
    return ()


def draw_delete_issue(scene: Scene) -> Draw | None:
    """An issue that the persona may delete, by repository and function."""
    found = draw_named_issue(scene, mine=True)
    if found is None:
        return None
    row, _, slots = found
    deletion = action("github_issues.delete", issue_id=row["issue_id"])
    return scene.draw(slots, actions=[deletion], about=[("issues", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_delete_issue, denials=("not_owner",))
def delete_issue(slots: Slots, call: Script) -> Values:
    """Find it, delete it."""
    issue = find_issue(call, slots)
    call.write("github_issues.delete", "I delete that issue.", issue_id=issue["issue_id"])
    return ()


# --- parts ----------------------------------------------------------------------------------------------


def _first_file(slots: Slots) -> Action:
    return action(
        "github.create",
        repo_name=slots["repo"],
        path=slots["path"],
        code=slots["code"],
        license=slots["licence"],
    )


def _issue(slots: Slots) -> Action:
    return action(
        "github_issues.create",
        repo_name=slots["repo"],
        path=slots["path"],
        title=slots["title"],
        description=slots["text"],
    )


def _begun(slots: Slots) -> str:
    return f"I have begun the repository {slots['repo']}."


def _gone(path: str, repo: str) -> str:
    return f"I have deleted {path} from {repo}."


def _opened(title: str, path: str) -> str:
    return f'I have opened the issue "{title}" on {path}.'
