"""The files of the company's repositories."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Row, guard_of
from worksmith.tools.kinds.enterprise.toolkits.crud import crud
from worksmith.tools.kinds.enterprise.values import changes, required
from worksmith.tools.kinds.enterprise.writing import content_hash, content_size, done, today
from worksmith.tools.tool_context import ToolContext

DEFAULT_LICENSE = "mit"
LANGUAGES = {
    ".py": "Python",
    ".js": "JavaScript",
    ".ts": "TypeScript",
    ".java": "Java",
    ".go": "Go",
    ".rs": "Rust",
    ".sh": "Shell",
    ".sql": "SQL",
    ".md": "Markdown",
}


def create(
    ctx: ToolContext, repo_name: str, path: str, code: str, language: str, license: str
) -> dict[str, Any]:
    guard = guard_of(ctx)
    name, file = _repository_name(repo_name), _path(path)
    required("code", code)
    file_id = f"{name}:{file}"
    guard.insert(
        "repositories",
        {
            "file_id": file_id,
            "repo_name": name,
            "path": file,
            "emp_id": ctx.persona.id,
            "language": language.strip() or LANGUAGES.get(PurePosixPath(file).suffix, "Text"),
            "license": license.strip().lower() or _license_of(guard, name),
            "creation_date": today(ctx),
            "size": content_size(code),
            "copies": "1",
            "hash": content_hash(code),
            "code": code,
        },
    )
    return done("repositories", file_id, "created")


def update(
    ctx: ToolContext, repo_name: str, path: str, code: str, language: str, license: str
) -> dict[str, Any]:
    name = _repository_name(repo_name)
    if code.strip() and not path.strip():
        raise ToolError("path is missing: code goes into one file.")
    changed = changes(code=code, language=language, license=license.lower())
    if "code" in changed:
        changed |= {"code": code, "size": content_size(code), "hash": content_hash(code)}
    guard = guard_of(ctx)
    if path.strip():
        file_id = f"{name}:{_path(path)}"
        guard.update("repositories", file_id, changed)
        return done("repositories", file_id, "updated")
    for file_id in (files := _files(ctx, name)):
        guard.update("repositories", file_id, changed)
    return {"repo_name": name, "files": len(files), "done": "updated"}


def delete(ctx: ToolContext, repo_name: str, path: str) -> dict[str, Any]:
    file_id = f"{_repository_name(repo_name)}:{_path(path)}"
    guard_of(ctx).delete("repositories", file_id)
    return done("repositories", file_id, "deleted")


def _with_issues(guard: Guard, rows: list[Row]) -> list[Row]:
    """Rows with the issues of each file, as far as they may be read."""
    names = sorted({row["repo_name"] for row in rows})
    if not names:
        return rows
    marks = ", ".join("?" * len(names))
    issues = defaultdict(list)
    for issue in guard.find("issues", [(f"repo_name IN ({marks})", tuple(names))]):
        shown = {name: issue[name] for name in ("issue_id", "title", "status")}
        issues[issue["repo_name"], issue["path"]].append(shown)
    return [{**row, "issues": issues[row["repo_name"], row["path"]]} for row in rows]


def _repository_name(text: str) -> str:
    name = required("repo_name", text)
    owner, _, rest = name.partition("/")
    if not owner or not rest or "/" in rest or ":" in name:
        raise ToolError(f"repo_name: {text!r} is not of the form owner/name.")
    return name


def _path(text: str) -> str:
    path = required("path", text).lstrip("/")
    if not path or ".." in PurePosixPath(path).parts:
        raise ToolError(f"path: {text!r} is no path inside a repository.")
    return path


def _license_of(guard: Guard, repo_name: str) -> str:
    """The license of the first readable file."""
    known = guard.find("repositories", [("repo_name = ?", (repo_name,))], limit=1)
    return known[0]["license"] if known and known[0]["license"] else DEFAULT_LICENSE


def _files(ctx: ToolContext, repo_name: str) -> list[str]:
    """All files of a repository; a persona who may not change each of them changes none."""
    files = ctx.values("SELECT file_id FROM repositories WHERE repo_name = ? ORDER BY _row", (repo_name,))
    if not files:
        raise ToolError(f"There is no repository {repo_name!r}.")
    return files


TOOLKIT = crud("github", shows=_with_issues, create=create, update=update, delete=delete)
