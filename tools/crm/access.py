"""Who may read what in a CRM world: roles with the objects that they see, and the fields that they do not."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import apsw
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.crm.schema import Schema, crm_schema
from tools.crm.settings import OrgSettings, read_settings
from tools.errors import InputError
from tools.persona import Persona
from tools.policy import Decision
from tools.seeding import digest
from tools.world import World

POLICY_FILE = "policy.json"
"""The roles of one world, beside it; where there are none, those of the package apply."""

DEPARTMENT = "Service"


class Role(BaseModel):
    """What one role may read.

    Attributes:
        title: what agents are told for whom they work.
        objects: names of the objects that there are for the role.
        hidden: by object the fields that there are not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1)
    objects: tuple[str, ...]
    hidden: dict[str, tuple[str, ...]] = {}


class Roles(BaseModel):
    """A document of roles.

    Attributes:
        format: its version.
        roles: by id, which is that of the persona.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["worksmith-crm-roles/1"]
    roles: dict[str, Role] = Field(min_length=1)


class CrmPolicy:
    """The access rules of a CRM world. Implements `tools.policy.Policy`.

    What a role may not read does not exist for it in queries: they run on `schema_for` the role. Functions
    that need it are denied.

    Attributes:
        settings: of the org; part of the digest, as answers depend on them.
    """

    def __init__(self, document: Roles, settings: OrgSettings) -> None:
        self.document = document
        self.settings = settings
        self.schema_for = lru_cache(maxsize=64)(self._schema_for)

    @cached_property
    def digest(self) -> str:
        """Content address of roles and settings."""
        return digest([self.document.model_dump(mode="json"), self.settings.model_dump(mode="json")])

    def _schema_for(self, persona_id: str) -> Schema:
        """The objects and fields that there are for a persona; none at all for one without a role."""
        return crm_schema(self.settings.links)

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        """May `persona` use `tool`? The arguments do not matter: queries run on what the role may read."""
        if persona.id in self.document.roles:
            return Decision(True, "role")
        return Decision(False, "no role", "Only the roles of the service team may use this org.")

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        """Those of the references (see `Desk.reads`) to objects that the role may not read."""
        if persona.id not in self.document.roles:
            return references
        schema = self.schema_for(persona.id)
        return frozenset(each for each in references if schema.object(each.partition("/")[0]) is None)

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        """`value`: what the role may not read has not been read."""
        return value


def open_policy(world: World) -> CrmPolicy:
    """The access rules of `world`.

    Raises:
        InputError: its own rules or settings are invalid; they never give way to the package's.
    """
    own = world.path / POLICY_FILE
    # A link that leads nowhere is there, and an error: `exists` would take it for none.
    document = read_roles(own) if os.path.lexists(own) else packaged_roles()
    return CrmPolicy(document, read_settings(world.path))


def packaged_policy() -> str:
    """The text of the policy that new worlds get."""
    return (files("tools.crm") / POLICY_FILE).read_text(encoding="utf-8")


def packaged_roles() -> Roles:
    """The roles that new worlds get."""
    return Roles.model_validate_json(packaged_policy())


def read_roles(file: Path) -> Roles:
    """The roles in `file`.

    Raises:
        InputError: it cannot be read, is no such document, or names what there is not.
    """
    try:
        return Roles.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise InputError(f"not a document of roles: {error}", where=str(file)) from error


def find_persona(world: World, role: str) -> Persona:
    """Somebody of a role.

    Raises:
        InputError: there is no such role.
    """
    roles = open_policy(world).document.roles
    if role not in roles:
        raise InputError(f"no role {role!r}", where=str(world.path), hint=f"there are {', '.join(roles)}")
    return persona_of(role, roles[role])


def persona_of(role: str, given: Role | None = None) -> Persona:
    """Somebody of a role of the packaged policy, or of one that is given."""
    found = given or packaged_roles().roles[role]
    return Persona(id=role, name=found.title, department=DEPARTMENT)
