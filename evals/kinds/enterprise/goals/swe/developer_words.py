"""Words of developers: repositories, issues and requirements that are not there yet."""

from __future__ import annotations

from functools import cache
from typing import Any

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError
from worksmith.evals.kinds.enterprise.goals.swe.github import LICENCES
from worksmith.tools.files.data_files import read_toml

_LATEST = (9, 20, 40)


def draw_repository(ctx: DrawContext) -> dict[str, str]:
    """The slots for a repository that is not there yet: name, first file with its content, licence."""
    row = ctx.rng.choice(ctx.facts.all("issues"))
    topic = ctx.facts.fact("issues", row["issue_id"], "topic") or ""
    name = f"{_slug(ctx.me['name'])}/{_slug(topic)}-{ctx.rng.choice(_data()['kinds'])}"
    if ctx.facts.where("repositories", repo_name=name):
        raise UnfitError
    version = ".".join(str(ctx.rng.randint(0, most)) for most in _LATEST)
    file = ctx.rng.choice(_data()["files"])
    return {
        "repo": name,
        "path": file["path"],
        "code": file["code"].format(version=version, topic=topic),
        "licence": ctx.rng.choice(LICENCES),
    }


def draw_complaint(ctx: DrawContext, function: str) -> tuple[str, str]:
    """The title and the text of a new issue about a function."""
    numbers = {"function": function, "count": str(ctx.rng.randint(3, 90) * 10)}
    title: str = ctx.rng.choice(_data()["titles"])
    text: str = ctx.rng.choice(_data()["complaints"])
    return title.format_map(numbers), text.format_map(numbers)


def draw_requirement(ctx: DrawContext) -> str:
    """A new description of an issue."""
    text: str = ctx.rng.choice(_data()["requirements"])
    return text.format(count=ctx.rng.randint(3, 90) * 10)


def draw_first_issue(ctx: DrawContext) -> tuple[str, str]:
    """The title and the text of the first issue of a repository."""
    title, text = ctx.rng.choice(_data()["beginnings"])
    return title, text


def _slug(text: str) -> str:
    """A name as repositories write it."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return "-".join(words)


@cache
def _data() -> dict[str, Any]:
    return read_toml(__package__, "words.toml")
