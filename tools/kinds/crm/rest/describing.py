"""What the API says about the objects of an org and their fields."""

from __future__ import annotations

import re
from typing import Any

from tools.kinds.crm.rest.cells import LENGTHS
from tools.kinds.crm.rest.messages import DATA
from tools.kinds.crm.rest.rules import rules
from tools.kinds.crm.schema import NUMBERS, CrmObject, Field, Schema
from tools.kinds.crm.sosl.tables import searchable

_SOAP = {
    "id": "tns:ID",
    "reference": "tns:ID",
    "boolean": "xsd:boolean",
    "int": "xsd:int",
    "double": "xsd:double",
    "currency": "xsd:double",
    "date": "xsd:date",
    "datetime": "xsd:dateTime",
}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def brief(entity: CrmObject, schema: Schema, *, writable: bool) -> dict[str, Any]:
    address = f"{DATA}/sobjects/{entity.name}"
    return {
        "name": entity.name,
        "label": _label(entity.name),
        "labelPlural": _label(entity.plural),
        "keyPrefix": entity.prefix,
        "custom": entity.name.endswith("__c"),
        "queryable": True,
        "retrieveable": True,
        "searchable": entity in searchable(schema),
        "createable": writable,
        "updateable": writable,
        "deletable": writable,
        "urls": {"sobject": address, "describe": f"{address}/describe", "rowTemplate": f"{address}/{{ID}}"},
    }


def described(entity: CrmObject, schema: Schema, *, writable: bool, audit: bool) -> dict[str, Any]:
    """All there is to know about an object.

    Args:
        writable: whether records can be changed at all.
        audit: whether new records may give dates that are otherwise the system's own.
    """
    fields = [_field(entity, field, writable=writable, audit=audit) for field in entity.queryable]
    children = [
        {"childSObject": child.object, "field": child.field.name, "relationshipName": child.name}
        for child in schema.children(entity.name)
    ]
    return brief(entity, schema, writable=writable) | {"fields": fields, "childRelationships": children}


def _field(entity: CrmObject, field: Field, *, writable: bool, audit: bool) -> dict[str, Any]:
    own = rules(entity.name)
    settable = writable and own.writable(field.name, creating=True, audit=audit)
    return {
        "name": field.name,
        "label": _label(field.name),
        "type": field.type,
        "soapType": _SOAP.get(field.type, "xsd:string"),
        "length": 18 if field.type in ("id", "reference") else LENGTHS.get(field.type, 0),
        "precision": 18 if field.type in NUMBERS else 0,
        "scale": 2 if field.type == "currency" else 0,
        "inlineHelpText": field.note or None,
        "custom": field.custom,
        "nameField": field.name == entity.title,
        "autoNumber": field.name in own.made and own.made[field.name].by == "number",
        "calculated": False,
        "createable": settable,
        "updateable": writable and own.writable(field.name, creating=False, audit=audit),
        "nillable": field.type != "boolean" and not own.given(field) and field.name not in own.required,
        "defaultedOnCreate": own.given(field) or field.name in own.audit or field.type == "boolean",
        "filterable": field.filterable,
        "sortable": field.sortable,
        "groupable": field.groupable,
        "idLookup": field.name == "Id",
        "externalId": False,
        "unique": False,
        "restrictedPicklist": bool(field.values),
        "picklistValues": [
            {
                "value": value,
                "label": value,
                "active": True,
                "defaultValue": own.defaults.get(field.name) == value,
            }
            for value in field.values
        ],
        "referenceTo": list(field.targets),
        "relationshipName": field.parent or None,
    }


def _label(name: str) -> str:
    return " ".join(_WORDS.split(name.removesuffix("__c").removesuffix("__kav")))
