"""The rights of roles in a CRM world. Unreadable objects do not exist for a role."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from typing import Any

import apsw

from worksmith.tools.errors import InputError
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.access.roles import POLICY_FILE, Role, Roles, packaged_roles, read_roles
from worksmith.tools.kinds.crm.schema import Schema, crm_schema
from worksmith.tools.kinds.crm.settings import OrgSettings, read_settings
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Decision, parted
from worksmith.tools.seeding import digest
from worksmith.tools.world import World

DEPARTMENT = "Service"

_FUNCTION_TOOLKITS = ("functions", "plain")
_QUERIES = frozenset({"query.soql", "query.sosl"})

Needs = Mapping[str, tuple[str, ...]]
"""By object the fields that a function reads."""


class CrmPolicy:
    """The access rules of a CRM world. Implements `worksmith.tools.policy.Policy`.

    Queries of a role run on `schema_for` it; functions that need more than that are denied. Immutable and
    thread-safe.

    Attributes:
        settings: of the org; part of the digest, as answers depend on them.
    """

    def __init__(self, document: Roles, settings: OrgSettings) -> None:
        self.document = document
        self.settings = settings
        self.schema_for = lru_cache(maxsize=64)(self._schema_for)

    @cached_property
    def digest(self) -> str:
        return digest([self.document.model_dump(mode="json"), self.settings.model_dump(mode="json")])

    @cached_property
    def private(self) -> Mapping[str, frozenset[str]]:
        """By object the fields that not every role sees that sees the object."""
        found: dict[str, set[str]] = defaultdict(set)
        for role in self.document.roles.values():
            for name, fields in role.hidden.items():
                found[name].update(fields)
        return {name: frozenset(fields) for name, fields in found.items()}

    def _schema_for(self, persona_id: str) -> Schema:
        """The existing objects and fields for a persona; empty for one without a role."""
        role = self.document.roles.get(persona_id)
        whole = crm_schema(self.settings.links)
        return whole.only(role.objects, role.hidden) if role else whole.only((), {})

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        """May `persona` use `tool`? The arguments do not matter: queries run on readable records."""
        if persona.id not in self.document.roles or not persona.active:
            return Decision(False, "no role", "Only the roles of this org may use it.")
        toolkit, _, name = tool.partition(".")
        if tool in _QUERIES:
            return Decision(True, f"role {persona.id}")
        if toolkit not in _FUNCTION_TOOLKITS or name not in function_needs():
            return Decision(False, "unknown tool", f"The access rules do not mention {tool}.")
        lacking = self._lacking(persona.id, function_needs()[name])
        if lacking is None:
            return Decision(True, f"role {persona.id}")
        reason = f"{name} needs {lacking}, which {self.document.roles[persona.id].title} may not read."
        return Decision(False, f"role {persona.id}", reason)

    def _lacking(self, role: str, needs: Needs) -> str | None:
        """The first thing that a function needs and a role may not read."""
        schema = self.schema_for(role)
        for name, fields in needs.items():
            found = schema.object(name)
            if found is None:
                return name
            for field in fields:
                if found.field(field) is None:
                    return f"{name}.{field}"
        return None

    def in_words(self, tool: str) -> str:
        """Who may use a tool, and what queries know of, for a model that is to judge calls."""
        toolkit, _, name = tool.partition(".")
        lines = []
        for role, given in self.document.roles.items():
            if tool in _QUERIES:
                lines.append(f"{given.title} may ask for {self._reads(role)}.")
            elif toolkit not in _FUNCTION_TOOLKITS or name not in function_needs():
                return f"No rule mentions {tool}: nobody may use it."
            else:
                lacking = self._lacking(role, function_needs()[name])
                may = "may use it" if lacking is None else f"may not use it: it needs {lacking}"
                lines.append(f"{given.title} {may}.")
        return "\n".join(f"- {line}" for line in [*lines, "Nobody else may use it."])

    def _reads(self, role: str) -> str:
        """The objects that a role may read, each with the fields that it may not."""
        given = self.document.roles[role]
        hidden = {name: f" (but not {', '.join(given.hidden[name])})" for name in given.hidden}
        return ", ".join(f"{name}{hidden.get(name, '')}" for name in given.objects)

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        """Those of the references (see `ToolContext.reads`) that `persona` may not read.

        Records of an object are all alike: a role may read all of them or none of them.
        """
        role = self.document.roles.get(persona.id)
        if role is None or not persona.active:
            return references
        return frozenset(each for each in references if not _readable(role, each))

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        """`value`: unreadable records have not been read."""
        return value


def open_policy(world: World) -> CrmPolicy:
    """The access rules of `world`.

    Raises:
        InputError: its own rules or settings are invalid; they never give way to the package's.
    """
    own = world.path / POLICY_FILE
    # A link that leads nowhere is an error: `exists` would take it for a missing file.
    document = read_roles(own) if os.path.lexists(own) else packaged_roles()
    return CrmPolicy(document, read_settings(world.path))


def role_names(world: World) -> tuple[str, ...]:
    """The roles of a world, which are its personas."""
    return tuple(open_policy(world).document.roles)


def find_persona(world: World, role: str) -> Persona:
    """The persona of a role of `world`.

    Raises:
        InputError: the role is unknown.
    """
    roles = open_policy(world).document.roles
    if role not in roles:
        raise InputError(f"no role {role!r}", where=str(world.path), hint=f"there are {', '.join(roles)}")
    return persona_of(role, roles[role])


def persona_of(role: str, given: Role | None = None) -> Persona:
    """The persona of a role, by default of one of the packaged ones."""
    found = given or packaged_roles().roles[role]
    return Persona(id=role, name=found.title, department=DEPARTMENT)


@cache
def function_needs() -> Mapping[str, Needs]:
    """The needs of functions, in either mode."""
    return {
        function: {name: tuple(fields) for name, fields in needs.items()}
        for function, needs in read_toml(__package__, "needs.toml").items()
    }


def _readable(role: Role, reference: str) -> bool:
    name, _, private = parted(reference)
    return name in role.objects and not (private and role.hidden.get(name))
