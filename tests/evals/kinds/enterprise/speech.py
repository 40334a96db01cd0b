"""How tasks are said: telegrams, slot labels, personas who speak of themselves, what is asked for."""

from __future__ import annotations

import re

from worksmith.evals.tasks.task import Task

_QUOTED = re.compile(r'"[^"]*"')
_PART = re.compile(r"[^.?!;:]+[.?!;:]*")
_CLAUSE = re.compile(r"\b(?:that|who|which|whom|whose|where|if|as|how)\b[^,;:.?!]*")
"""A clause inside a sentence, whose verb makes no sentence whole."""

_FINITE = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|do|does|did|can|could|will|would|may|might|must|shall|should|"
    r"(?:I|we|you|they) [a-z]+|(?:I|we|it|what|who|where|when|here|there|let)'(?:m|s|re|ve|d|ll)|"
    r"needs?|wants?|asks?|says?|goes|comes?|joins?|starts?|leaves|changes?|gets?|takes|wins|loses|brings|"
    r"quits?|resigns?|moves|puts?|went|got|raised|came|turned|wonders|lies?|led|counts?|agreed|earned|"
    r"ended|names|mentions|belongs|thinks?|keeps?|reports|depends|looks?|costs?|begins|ran|runs|wrote|sold|bought|sent)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:^(?:[^,]+, )?(?:(?:please|kindly|then|and|also|now|hey|so|just|but|first)\W+)*|"
    r"\b(?:please|kindly|then|and) |^(?:for|on|in|about|from) .*?)"
    r"(?!(?:chat|count|file|list|mail|message|name|note|post|rate|record|report|review) "
    r"(?:address(?:es)?|and|from|in|of|on|or|plus|to)\b)"
    r"(?:add|adjust|amend|announce|answer|apply|assign|book|brief|bring|build|calculate|cancel|change|chat|check|close|collect|"
    r"compare|complete|compute|correct|count|create|deduct|delete|determine|do|draft|drop|edit|enter|erase|"
    r"establish|exchange|fetch|file|find|fix|get|give|go|have|help|identify|increase|inform|keep|lay|leave|let|"
    r"list|look|lower|mail|make|mark|mend|merge|message|move|name|note|notify|open|pass|pick|ping|post|prepare|"
    r"provide|publish|pull|put|quote|raise|rate|read|reassign|record|reduce|refile|register|release|remind|"
    r"remove|rename|reopen|replace|reply|report|resolve|review|rework|save|say|search|see|send|set|show|sort|"
    r"state|subtract|suppose|swap|take|tell|throw|transfer|update|use|verify|withdraw|work|write) (?=\w)",
    re.IGNORECASE,
)

_LABELS = re.compile(
    r"\bperson (?:who decided|whose approval|who takes over)|day from which it applies|"
    r"date on which the change happens|number of minutes that the outage\b"
)
"""How the goals call the facts of chats and mails, which nobody says."""

_MANAGERS = re.compile(
    r"\b(?:managers?|boss(?:es)?|superiors?|supervisors?|my (?:own )?lead|reports? to|reporting line|"
    r"levels? (?:up|above|higher)|steps (?:up|above)|above me)\b(?!,? (?:me\b|[A-Z]))"
)


_PRONOUN = re.compile(
    r"\b(?:(?:that|this) person|their (?:boss|job|mail|manager|name|region|title)|they report)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\{(?:boss|client|customer|name|newcomer|other|third)\d?\}|\b(?:assignee|author|boss|manager|owner|raiser|"
    r"reporter|representative|resolver|reviewer|seller|solver|superior|who (?!are|is|was)\w+)\b",
    re.IGNORECASE,
)


def could_mean_two(phrasing: str) -> bool:
    """Whether a pronoun comes after two people."""
    said = _QUOTED.sub("", phrasing)
    found = _PRONOUN.search(said)
    return found is not None and len(set(_PERSON.findall(said[: found.start()]))) > 1


def is_telegram(text: str) -> bool:
    """Whether no part of a text is a whole sentence: an order, a question with a verb, or a statement."""
    return not any(map(_is_whole, _PART.findall(_QUOTED.sub("X", text))))


def _is_whole(part: str) -> bool:
    part = part.strip()
    asked = part if part.endswith("?") else _CLAUSE.sub("", part)
    return _ORDER.search(part) is not None or _FINITE.search(asked) is not None


def is_said_in_a_telegram(task: Task) -> bool:
    return is_telegram(task.query)


def says_a_label(task: Task) -> bool:
    return _LABELS.search(_QUOTED.sub("", task.query)) is not None


def speaks_of_itself(task: Task) -> bool:
    """Whether the persona says its own name."""
    return task.persona is not None and task.persona.name in task.query


def hops_to_a_manager(task: Task) -> bool:
    """Whether a text asks for, or wants to be told, a manager whom it does not name."""
    return _MANAGERS.search(_QUOTED.sub("", task.query)) is not None


def asks_for_an_address(task: Task) -> bool:
    return task.answer is not None and any(one.type == "email" for one in task.answer.required)
