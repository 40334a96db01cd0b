"""Commits that are cut off at one of their steps, and what came of them."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any, cast

import sqlalchemy as sa

import worksmith as ws
from worksmith.serving.programs import desk, proposals
from worksmith.serving.programs.metrics import Metrics
from worksmith.serving.programs.rollouts import Rollouts
from worksmith.serving.programs.settings import ChangeSettings
from worksmith.serving.programs.tokens import Caller
from worksmith.tools.kinds.own_data.sources import database, stored_tables
from worksmith.tools.proposed_changes import content_of

_STEPS = frozenset(str(module.__file__) for module in (desk, proposals, database, stored_tables))
"""The files whose lines are the steps of a commit."""

MORE = 10
"""By how much a task raises a number."""


class Shop:
    """A shop whose one number is raised by approved changes, opened as a server opens it.

    Args:
        folder: of the server's own files.
        url: of a database with `make_shop`'s table.
    """

    def __init__(self, folder: Path, url: str) -> None:
        shop = ws.Database(url, tables=["product"])
        self.env = ws.Environment.from_tables({"shop": shop}, now="2026-01-05", folder=folder / "worlds")

        @self.env.tool
        def order(ctx: ws.Context, more: int) -> None:
            """Order more of the product."""
            ctx["product"].update(1, units=ctx["product"].get(1)["units"] + more)

        self.env.commit(shop.commit, settle=shop.settle)
        self._proposals = proposals.Proposals(folder / "changes.db", "shop")
        self.desk = desk.Desk(
            cast(Rollouts, SimpleNamespace(suite=SimpleNamespace(env=self.env))),
            self._proposals,
            Metrics(),
            ChangeSettings(),
        )
        self.caller = Caller(self.env.world.manifest.persona, False)

    @property
    def units(self) -> int:
        self.env.refresh()
        episode = self.env.episode()
        return int(cast(int, next(iter(episode.rows([("product", 1)]).values()))["units"]))

    def propose(self) -> proposals.Proposal:
        self.env.refresh()
        episode = self.env.episode()
        episode.call("tools.order", {"more": MORE})
        content = content_of("Order more", self.env.now, episode.finished(), self.env)
        return self._proposals.add(self.caller.persona.id, content, seconds=600)

    def approve(self, proposal: proposals.Proposal) -> str:
        return str(self.desk.approve(proposal.id, proposal.digest, self.caller)["status"])

    def status(self, proposal: proposals.Proposal) -> str:
        return str(self.desk.proposal(proposal.id, self.caller)["status"])


def make_shop(url: str) -> None:
    """Put the shop's table into an empty database."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE product (id INTEGER PRIMARY KEY, units INTEGER)")
        connection.exec_driver_sql("INSERT INTO product VALUES (1, 0)")
    engine.dispose()


@contextmanager
def cut(at: int, end: Callable[[], object]) -> Iterator[list[int]]:
    """Call `end` at a step of the commits in the block; gives the number of steps so far."""
    steps = [0]

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in _STEPS:
            return None
        if event == "line":
            steps[0] += 1
            if steps[0] == at:
                end()
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        yield steps
    finally:
        sys.settrace(before)


def kill_commits(context: Any, folder: Path, kills: int) -> dict[str, Any]:
    """Kill processes at steps that lie evenly over a commit; the change is then made, if it is open."""
    folder.mkdir()
    file = folder / "shop.db"
    file.touch()
    url = f"sqlite:///{file}"
    make_shop(url)
    shop, said = Shop(folder, url), folder / "steps"
    found: Counter[str] = Counter()
    for number in range(kills + 1):
        proposal, before = shop.propose(), shop.units
        at = 0 if number == 0 else 1 + (number - 1) * int(said.read_text()) // kills
        process = context.Process(target=_approve, args=(folder, url, proposal, at, said))
        process.start()
        process.join()
        if at and process.exitcode != -signal.SIGKILL:
            raise RuntimeError(f"a commit was not killed at step {at}")
        found["kills"] += at > 0
        status = shop.status(proposal)
        found[f"{status}_after_kill"] += at > 0
        found["false_status"] += (status == "committed") != (shop.units == before + MORE)
        if status == "pending":
            shop.approve(proposal)
        elif status == "failed":
            shop.approve(shop.propose())
        found["made_once"] += at > 0 and shop.units == before + MORE
    return {"false_status": 0, **found}


def _approve(folder: Path, url: str, proposal: proposals.Proposal, at: int, said: Path) -> None:
    shop = Shop(folder, url)
    with cut(at, lambda: os.kill(os.getpid(), signal.SIGKILL)) as steps:
        shop.approve(proposal)
    said.write_text(str(steps[0]))
