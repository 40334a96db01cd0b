"""What engineers want to begin or complain about."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from evals.kinds.enterprise.goals.scene import Scene
from evals.kinds.enterprise.goals.swe_github import LICENCES

_LATEST = (9, 20, 40)


def new_repository(scene: Scene) -> dict[str, str] | None:
    """The slots for a repository that is not there yet: name, first file with its content, licence."""
    row = scene.rng.choice(scene.facts.all("issues"))
    topic = scene.facts.fact("issues", row["issue_id"], "topic") or ""
    name = f"{slug(scene.me['name'])}/{slug(topic)}-{scene.rng.choice(_data()['kinds'])}"
    if scene.facts.where("repositories", repo_name=name):
        return None
    version = ".".join(str(scene.rng.randint(0, most)) for most in _LATEST)
    file = scene.rng.choice(_data()["files"])
    return {
        "repo": name,
        "path": file["path"],
        "code": file["code"].format(version=version, topic=topic),
        "licence": scene.rng.choice(LICENCES),
    }


def complaint(scene: Scene, function: str) -> tuple[str, str]:
    """The title and the text of a new issue about a function."""
    numbers = {"function": function, "count": str(scene.rng.randint(3, 90) * 10)}
    title: str = scene.rng.choice(_data()["titles"])
    text: str = scene.rng.choice(_data()["complaints"])
    return title.format_map(numbers), text.format_map(numbers)


def requirement(scene: Scene) -> str:
    """A new description of an issue."""
    text: str = scene.rng.choice(_data()["requirements"])
    return text.format(count=scene.rng.randint(3, 90) * 10)


def slug(text: str) -> str:
    """A name as repositories write it."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return "-".join(words)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(
        package_files("evals.kinds.enterprise.goals").joinpath("swe_words.toml").read_text(encoding="utf-8")
    )
