"""A user who answers an agent by rule: the same dialogue and message get the same reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from worksmith.retrievers.texts.words import folded, words

YES, UNKNOWN, GOODBYE = "Yes.", "I do not remember.", "No, that is all. Thank you and goodbye."

_ACT = re.compile(
    r"\b(?:yes ?(?:/|or) ?no|(?:shall|should) (?:i|we)|proceed|go ahead|do you (?:agree|approve))\b"
    r"|\b(?:may|can) (?:i|we) (?!have|get|ask|know|see|help)|\b(?:want|like) (?:me|us) to\b"
    r"|\bconfirm\b(?! (?:that )?your?\b)"
)
"""Asks for leave to do something."""

_CHECK = re.compile(r"\b(?:is|are) your?\b|\bconfirm (?:that )?your?\b|\b(?:correct|right) ?\?")
"""Asks whether its statement about the user is right."""

_CLOSING = re.compile(
    r"\b(?:any|some)thing (?:else|more|further)\b|\b(?:good)?bye\b|\bhave a (?:nice|good|great)\b"
)
_ASKING = re.compile(r"\?|\b(?:please|tell|give|provide|share|need|what|which|who|where|when|how|could)\b")

_SMALL_WORDS = frozenset(
    {"a", "an", "and", "for", "i", "is", "my", "number", "of", "or", "the", "to", "your"}
)
"""Words in the names of facts that do not identify them."""

_ID = re.compile(r"[\w.@-]*\d[\w.@-]*")
_DIGITS = 4
"""The fewest digits of an id."""


def _listed(value: Any) -> Any:
    """One value or several; empty for null."""
    return () if value is None else value if isinstance(value, list | tuple) else (value,)


Said = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), Field(coerce_numbers_to_str=True)
]
Values = Annotated[tuple[Said, ...], BeforeValidator(_listed)]


class User(BaseModel):
    """The person at the other end of a task, see `worksmith.tools.user_tool`.

    Attributes:
        wants: the reason of the conversation, in the user's words.
        facts: by name the user's answers; null for what the user does not remember.
        confirms: the acts that the user says yes to: each a list of texts and names of facts. A message must
            name all these texts and the values of these facts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    wants: Said
    facts: dict[Said, Values] = Field(default_factory=dict)
    confirms: tuple[Annotated[Values, Field(min_length=1)], ...] = ()

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    def reply(self, dialogue: Sequence[tuple[str, str]], message: str) -> str:
        """The reply to a message.

        Args:
            dialogue: the earlier messages, each with its reply.
        """
        text, told = folded(message), any(self.wants in reply for _, reply in dialogue)
        asked = [name for name in self.facts if not _stems(name).isdisjoint(_stems(message))]
        missing = [name for name in asked if not any(named(message, self.facts[name]))]
        if _ACT.search(text):
            return YES if self._agrees(message) else f"No. {self._telling(missing) or self.wants}"
        if _CLOSING.search(text):
            return GOODBYE
        if _CHECK.search(text) and self._is_told(message):
            known = _ids(*(value for values in self.facts.values() for value in values))
            right = asked and not missing and _ids(message) <= known
            return YES if right else f"No. {self._telling(missing or asked) or self.wants}"
        if _ASKING.search(text):
            return self._telling(asked) or (UNKNOWN if told and "your" in words(text) else self.wants)
        return GOODBYE if told else self.wants

    def _telling(self, names: Iterable[str]) -> str:
        """The facts of these names in words."""
        return " ".join(
            f"My {name}{' is' if len(values) == 1 else ':'} {' and '.join(values)}."
            if (values := self.facts[name])
            else f"I do not remember my {name}."
            for name in names
        )

    def _is_told(self, message: str) -> bool:
        """Whether a message states facts about the user, and does not only ask for them."""
        return bool(_ids(message)) or any(any(named(message, values)) for values in self.facts.values())

    def _agrees(self, message: str) -> bool:
        """Whether a message names all of something that the user confirms, and no other id of such a form."""
        agreed: list[str] = []
        for parts in self.confirms:
            texts = [text for part in parts for text in self.facts.get(part) or (part,)]
            agreed += texts if all(named(message, texts)) else ()
        known = _ids(*agreed)
        forms = set(map(_form, known))
        return bool(agreed) and all(each in known for each in _ids(message) if _form(each) in forms)


def named(message: str, texts: Iterable[str]) -> list[bool]:
    """Of each text whether a message has its words one after another."""
    within = _spaced(message)
    return [_spaced(text) in within for text in texts]


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _stems(text: str) -> set[str]:
    return {word.removesuffix("s") for word in words(text) if word not in _SMALL_WORDS}


def _ids(*texts: str) -> set[str]:
    """The words with some digits: ids, numbers, dates, addresses of mail."""
    found = (word.strip("-.@") for text in texts for word in _ID.findall(folded(text)))
    return {word for word in found if sum(map(str.isdigit, word)) >= _DIGITS}


def _form(word: str) -> str:
    """What words of one kind have in common: 0 for each digit, a for each letter."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", word))
