"""Tags of a run about its system: versions, platform, commit; no names of machines or people."""

from __future__ import annotations

import platform
import subprocess
from functools import cache

from worksmith.evals.records.run_card import package_versions

_SECONDS = 5.0


@cache
def system_tags() -> dict[str, str]:
    tags = {
        "mlflow.source.name": "worksmith",
        "mlflow.source.type": "LOCAL",
        "worksmith.python": platform.python_version(),
        "worksmith.platform": f"{platform.system()} {platform.machine()}",
    }
    found = package_versions("worksmith", "dspy", "mlflow", "litellm", "apsw")
    return tags | {f"worksmith.version.{name}": version for name, version in found.items()} | _git()


def _git() -> dict[str, str]:
    """The commit of the current directory, and whether files that it tracks have changed since."""
    commit = _said("rev-parse", "HEAD")
    if not commit:
        return {}
    changed = _said("status", "--porcelain", "--untracked-files=no")
    dirty = {} if changed is None else {"worksmith.git.dirty": str(bool(changed)).lower()}
    return {"mlflow.source.git.commit": commit, **dirty}


def _said(*command: str) -> str | None:
    """The answer of git; None without git, a repository, or an answer in time."""
    try:
        done = subprocess.run(
            ["git", *command], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
