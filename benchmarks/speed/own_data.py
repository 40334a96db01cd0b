"""What the size of a user's own tables costs: reading them, opening episodes, calls by key.

Targets: an episode over 1,000,000 rows takes at most 1.5 times as long as one over 1,000; a second start
does not read the sources again. Both sizes take turns in one process.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.policy import private_part

DESCRIPTION = "episodes over own tables of 1,000 and 1,000,000 rows; seconds to read them"

SIZES = (1_000, 1_000_000)

_DEPARTMENTS = ("IT", "HR", "Sales", "Legal")
_RULES = {
    "sources": {
        "people": {"rules": [{"id": "P", "operations": ["read"], "when": {"same": "department"}}]},
        "tickets": {
            "rules": [
                {
                    "id": "T",
                    "operations": ["read", "create", "update"],
                    "when": {
                        "any": [
                            {"same": "department"},
                            {"may": {"operation": "read", "source": "people", "on": {"owner": "id"}}},
                        ]
                    },
                }
            ],
            "private": {"fields": ["hours"], "rule": {"id": "H", "when": {"self": "owner"}}},
        },
    }
}


def run(quick: bool) -> dict[str, Any]:
    """Read both sizes, then measure episodes over them by turns."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in SIZES:
            _write_sources(folder, size)
            first, again = (_started(folder / str(size)) for _ in range(2))
            figures[f"seconds_{size}"] = {"first_start": first, "second_start": again}
        for rules in ("open", "rules"):
            environments = [_environment(folder / str(size), rules == "rules") for size in SIZES]
            # The first one loads a copy of the world.
            firsts = [round(_timed(_episode, env, 1) / 1000, 1) for env in environments]
            figures[f"first_episode_milliseconds_{rules}"] = dict(zip(map(str, SIZES), firsts, strict=True))
            figures[f"microseconds_{rules}"] = _compared(environments, 3 if quick else 15)
    ratios = [
        figure["ratio"] for rules in ("open", "rules") for figure in figures[f"microseconds_{rules}"].values()
    ]
    return figures | {"highest_ratio": max(ratios)}


def _write_sources(folder: Path, size: int) -> None:
    place = folder / str(size)
    place.mkdir()
    with (place / "tickets.csv").open("w", encoding="utf-8") as file:
        file.write("ticket_id,title,department,owner,priority,hours,urgent,opened\n")
        for n in range(size):
            department, owner = _DEPARTMENTS[n % 4], (n + 2) % (size // 10)
            file.write(
                f"T-{n},Printer {n} on floor {n % 50} is jammed,{department},p{owner},{n % 5},{n % 100 / 4},"
                f"{'true' if n % 3 else 'false'},2026-01-{n % 28 + 1:02d} 09:00\n"
            )
    with (place / "people.csv").open("w", encoding="utf-8") as file:
        file.write("id,name,department\n")
        file.writelines(f"p{n},Person {n},{_DEPARTMENTS[n % 4]}\n" for n in range(size // 10))


def _started(place: Path) -> float:
    """Seconds of one start of a project over these sources."""
    start = time.perf_counter()
    _environment(place)
    return round(time.perf_counter() - start, 3)


def _environment(place: Path, rules: bool = False) -> Environment:
    sources = {name: place / f"{name}.csv" for name in ("tickets", "people")}
    env = Environment.from_tables(
        sources, now="2026-01-05 09:00", personas="people", folder=place / "worlds", sandboxes=1
    )
    if rules:
        (place / "policy.json").write_text(json.dumps(_RULES))
        env.use_policy(place / "policy.json")

    @env.tool(writes=False)
    def get(ctx: Context, key: str) -> dict[str, Any]:
        """Read a ticket."""
        return ctx["tickets"].get(key)

    @env.tool
    def close(ctx: Context, key: str) -> str:
        """Close a ticket."""
        ctx["tickets"].update(key, priority=0, urgent=False)
        return "Closed."

    @env.tool
    def add(ctx: Context, title: str) -> str:
        """Add a ticket."""
        return str(ctx["tickets"].insert({"title": title, "department": "IT"}))

    return env


def _episode(env: Environment) -> None:
    """An episode with a read and a change by key, and what it changed."""
    episode = env.episode(persona=env.persona("p8"))
    for name in ("get", "close"):
        observation = episode.call(f"tools.{name}", {"key": "T-502"})
        assert observation.status == "ok", observation
    assert len(episode.outcome().changes) == 1


def _added(env: Environment) -> None:
    """An episode that adds a row under the next key."""
    assert env.episode(persona=env.persona("p8")).call("tools.add", {"title": "New"}).status == "ok"


def _demonstration(env: Environment) -> None:
    """Whether a persona may read what a demonstration quotes."""
    quoted = frozenset({"tickets/T-500", private_part("tickets/T-600")})
    assert env.unreadable(env.persona("p8"), quoted) in (
        frozenset(),
        frozenset({private_part("tickets/T-600")}),
    )


_MEASURED: dict[str, Callable[[Environment], None]] = {
    "episode": _episode,
    "new_row": _added,
    "demonstration": _demonstration,
}


def _compared(environments: list[Environment], rounds: int) -> dict[str, dict[str, float]]:
    figures = {}
    for name, body in _MEASURED.items():
        for env in environments:
            body(env)
        times: list[list[float]] = [[] for _ in environments]
        for _ in range(rounds):
            for found, env in zip(times, environments, strict=True):
                found.append(_timed(body, env))
        small, large = (statistics.median(found) for found in times)
        figures[name] = {
            **{str(size): round(found, 1) for size, found in zip(SIZES, (small, large), strict=True)},
            "ratio": round(large / small, 2),
        }
    return figures


def _timed(body: Callable[[Environment], None], env: Environment, repeats: int = 50) -> float:
    """Microseconds of one call, of some at least and a tenth of a second at most."""
    start = time.perf_counter()
    done = 0
    while done < repeats and (done == 0 or time.perf_counter() - start < 0.1):
        body(env)
        done += 1
    return (time.perf_counter() - start) / done * 1e6
