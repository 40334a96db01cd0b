"""The org that a tool works on."""

from __future__ import annotations

from tools.crm.access import CrmPolicy
from tools.crm.org import Org, WorldOrg
from tools.crm.settings import OrgSettings
from tools.desk import Desk


def open_org(desk: Desk) -> Org:
    """The live org of an episode if it has one, else that of its world as far as the persona may see it.

    A live org applies the rights of the user who connects to it.
    """
    if isinstance(desk.backend, Org):
        return desk.backend
    return WorldOrg(
        desk.connection,
        desk.now.date(),
        changeset=desk.changeset,
        schema=_policy(desk).schema_for(desk.persona.id),
    )


def settings_of(desk: Desk) -> OrgSettings:
    """How the org of an episode behaves."""
    return _policy(desk).settings


def _policy(desk: Desk) -> CrmPolicy:
    assert isinstance(desk.policy, CrmPolicy)  # the kind opens no other
    return desk.policy
