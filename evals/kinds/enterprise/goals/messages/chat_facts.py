"""The facts of chats and mails, as questions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, need
from worksmith.evals.tasks.task import Entity
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.generating.latent import Latent

SHOWN = 3
"""The number of chats that a call shows in full, so that no ranking decides the result."""

PEOPLE = ("decider", "approver", "successor")
"""The facts that name a person."""


def asks() -> Mapping[str, str]:
    """How a question names each fact that can be asked for."""
    return _data()["names"]


def people() -> Mapping[str, str]:
    """How a text speaks of somebody whom a chat names."""
    return _data()["people"]


def askable(latent: Latent, among: tuple[str, ...] = ()) -> list[str]:
    """The facts of a record that can be asked for (of these, if given)."""
    return [name for name in latent.facts if name in asks() and (not among or name in among)]


def entity(facts: Facts, name: str, value: str) -> Entity:
    kind = _data()["types"][name]
    if kind == "person":
        found = facts.where("employees", name=value)
        return entities.person(found[0]) if len(found) == 1 else entities.text(value)
    return Entity(type=kind, value=value)


def my_chats(ctx: DrawContext) -> list[Record]:
    me = ctx.me["emp_id"]
    sent = ctx.facts.where("conversations", sender_emp_id=me)
    return [*sent, *ctx.facts.where("conversations", recipient_emp_id=me)]


def my_mails(ctx: DrawContext) -> list[Record]:
    """The mails that the persona has sent or got."""
    me = ctx.me["emp_id"]
    return [*ctx.facts.where("mail", sender_emp_id=me), *ctx.facts.where("mail", recipient_emp_id=me)]


def partner(ctx: DrawContext, row: Record) -> Record:
    """The other one of a chat or mail, if still here and known by name."""
    ids = (row["sender_emp_id"], row["recipient_emp_id"])
    other = ids[1] if ids[0] == ctx.me["emp_id"] else ids[0]
    return need(ctx.facts.colleague(other))


def _between(ctx: DrawContext, other: Record) -> list[Record]:
    ids = other["emp_id"]
    return [row for row in my_chats(ctx) if ids in (row["sender_emp_id"], row["recipient_emp_id"])]


def pick_chat_fact(ctx: DrawContext, *among: str) -> tuple[Record, Record, Latent, str]:
    """A chat of the persona, its partner, what it tells, and the name of a fact to ask for."""
    row = ctx.pick("conversations", my_chats(ctx))
    other = partner(ctx, row)
    latent = need(ctx.facts.latent("conversations", row["conversation_id"]))
    if len(_between(ctx, other)) > SHOWN:
        raise UnfitError
    names = askable(latent, among)
    if not names:
        raise UnfitError
    return row, other, latent, ctx.rng.choice(names)


@cache
def _data() -> dict[str, dict[str, str]]:
    return read_toml(__package__, "chat_facts.toml")
