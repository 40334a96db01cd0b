"""The access rules of a tool in plain words, for prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from worksmith.tools.access.access_policy import AccessPolicy
    from worksmith.tools.policy import Policy

_UNKNOWN = "Nothing is known about the rules."


def rules_text(policy: Policy, tool: str) -> str:
    """The rules for `tool`, one a line; a sentence where the policy cannot be put in words."""
    in_words: Callable[[str], str] | None = getattr(policy, "in_words", None)
    if in_words is not None:
        return in_words(tool)
    document = getattr(policy, "document", None)
    if document is None or not hasattr(document, "tools"):
        return _UNKNOWN
    return _rules_text(cast("AccessPolicy", policy), tool)


@lru_cache(maxsize=512)
def _rules_text(policy: AccessPolicy, tool: str) -> str:
    document = policy.document
    if tool not in document.tools:
        return f"No rule mentions {tool}: nobody may use it."
    use = document.tools[tool]
    if use is None:
        return "Everybody who works here may use this tool."
    source, operation = use
    lines = [f"To {operation} a record of {source} one of these must hold:"]
    for rule in document.rules(source, operation):
        limited = f", but only {_listed(rule.fields)}" if rule.fields else ""
        lines.append(f"- {rule.id}: {_words(_data(rule.when), document.groups)}{limited}.")
    if len(lines) == 1:
        lines = [f"Nobody may {operation} a record of {source}."]
    private = document.sources[source].private if source in document.sources else None
    if private is not None:
        who = _words(_data(private.rule.when), document.groups)
        lines.append(f"{_listed(private.fields)} are private ({private.rule.id}): shown only if {who}.")
    return "\n".join(lines)


def _data(predicate: Any) -> dict[str, Any]:
    data: dict[str, Any] = predicate.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data


def _words(predicate: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]) -> str:
    (kind, value), *_ = predicate.items()
    if kind in ("all", "any"):
        parts = [_words(part, groups) for part in value]
        joined = (" and " if kind == "all" else " or ").join(parts)
        return f"({joined})" if len(parts) > 1 else joined
    if kind == "not":
        return f"not ({_words(value, groups)})"
    if kind == "department":
        codes = [code for name in value for code in groups.get(name, (name,))]
        return f"the person is in {_listed(codes, 'or')}"
    return _PLAIN[kind](value)


def _level(levels: Mapping[str, Any]) -> str:
    said = [f"is {_listed(map(str, levels['in']), 'or')}"] if "in" in levels else []
    said += [f"is at least {levels['min']}"] if "min" in levels else []
    said += [f"is at most {levels['max']}"] if "max" in levels else []
    return f"the person's level {_listed(said)}"


def _own(fields: str | list[str]) -> str:
    return f"the person is the record's {_listed([fields] if isinstance(fields, str) else fields, 'or')}"


def _elsewhere(joined: Mapping[str, Any]) -> str:
    return f"{joined['source']} with the same {_listed(joined['on'])}"


_PLAIN: dict[str, Callable[[Any], str]] = {
    "always": lambda _: "always",
    "level": _level,
    "self": _own,
    "manages": lambda field: f"the person is above the record's {field} in the hierarchy",
    "outranks": lambda field: f"the person's level is above that of the record's {field}",
    "record": lambda cell: f"the record's {cell['field']} is {_listed(cell['in'], 'or')}",
    "may": lambda right: f"the person may {right['operation']} some record of {_elsewhere(right)}",
    "exists": lambda fact: f"there is a record of {_elsewhere(fact)}",
}


def _listed(words: Any, last: str = "and") -> str:
    words = list(words)
    return f" {last} ".join(", ".join(part) for part in (words[:-1], words[-1:]) if part)
