"""What two colleagues say to each other: facts, details of the topic, and how each takes it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date
from typing import get_args

from worksmith.tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.talk.phrases import Phrases, joined, lowered
from worksmith.tools.kinds.enterprise.generate.topics import Kind, details, said
from worksmith.tools.kinds.enterprise.generate.wording import texts

_Small = tuple[str, str, str]

ANSWERED = {
    "status": ("progress", "blocker", "due", "outcome"),
    "request": ("approver", "outcome"),
}
"""What the one who was written to knows, by intent. All else is told by who began."""

_WORDS = (120, 260, 165)
"""So many words a chat has at least, at most, and most often before its last words."""

_SMALL_TALK = 0.25
_ASKED = 0.7
"""How often somebody asks for a detail; otherwise the other one goes on alone."""

_LEADS = 0.35
_REACTS = 0.85
_FEWEST = 3
_BLOCKS: tuple[Kind, ...] = ("done", "trouble", "gain", "next", "done", "trouble", "next")
"""Details come in this order, as many as there is room for, but not fewer than `_FEWEST`."""


@dataclass
class Chat:
    """One chat before it is worded."""

    project: Project
    topic: str
    day: date
    sender: Employee
    recipient: Employee
    intent: str
    facts: dict[str, str] = field(default_factory=dict)
    cited: Citable | None = None


def worded(numbers: random.Random, chat: Chat) -> str:
    """The text of a chat: a line for each turn, which begins with the speaker's name."""
    return _Dialogue(numbers, chat).text()


class _Dialogue:
    """A chat while it is worded.

    Attributes:
        turns: speaker and words of each turn.
        told: what was said last that calls for a reply: the occasion, the part of the topic, and the speaker.
    """

    def __init__(self, numbers: random.Random, chat: Chat) -> None:
        self.turns: list[tuple[str, list[str]]] = []
        self.told: tuple[tuple[str, ...], str | None, str] | None = None
        self._numbers = numbers
        self._chat = chat
        self._first, self._second = _called(chat.sender, chat.recipient)
        self._facts = {"topic": chat.topic, "project": chat.project.name, **chat.facts}
        asked = ("asked",) if "approver" in chat.facts else ()
        self._phrases = Phrases(numbers, (*asked, chat.facts["outcome"], chat.intent), self._facts)
        self._bank = details(chat.project.industry, chat.topic)
        self._left: dict[Kind, list[str]] = {kind: self._shuffled(kind) for kind in get_args(Kind)}
        self._parts = numbers.sample(self._bank.things, len(self._bank.things))
        self._drifted = False

    def text(self) -> str:
        chat = self._chat
        small = _small_talk(self._numbers, chat)
        self._open(small if small and small[0] == "begin" else None)
        stated = [slot for slot in chat.facts if slot != "outcome"]
        blocks = list(_BLOCKS)
        if chat.intent == "status":
            self._detail(blocks.pop(0), asked=True)
        goal = self._numbers.triangular(*_WORDS)
        for place, slot in enumerate(stated, 1):
            self._state(slot)
            if place == 1 and chat.cited is not None:
                self._say(self._teller(slot), chat.cited.mention(self._numbers), ("cite", chat.cited.source))
            fewest = len(_BLOCKS) - _FEWEST * place // len(stated)
            while blocks and (self._length() < goal * place / len(stated) or len(blocks) > fewest):
                self._detail(blocks.pop(0))
        self._conclude()
        self._close(small if small and small[0] == "end" else None)
        return "\n".join(f"{speaker}: {' '.join(words)}" for speaker, words in self.turns)

    def _open(self, small: _Small | None) -> None:
        first, second, words = self._first, self._second, self._phrases
        data = grammar("conversations").data
        greeting = words.of("greeting", "lines", other=second)
        opening = words.one(data["opening"][self._chat.intent], second)
        if small is not None:
            self._say(first, f"{greeting}, {lowered(words.fill(small[1], second))}")
            self._say(second, words.fill(small[2], first))
            self._say(first, opening)
        else:
            self._say(first, f"{greeting}, {lowered(opening)}")
        self._say(second, words.one(data["answer"][self._chat.intent], first))

    def _state(self, slot: str) -> None:
        """A question for a fact and the fact."""
        teller = self._teller(slot)
        question = self._phrases.one(grammar("conversations").data["ask"][slot], teller)
        self._ask(self._other(teller), self._back(question))
        self._drifted = False
        if self._numbers.random() < _ASKED:
            self._react(teller)
        self._say(teller, grammar("conversations").say(self._numbers, slot, self._facts), (slot,))

    def _detail(self, kind: Kind, *, asked: bool = False) -> None:
        """A sentence of the topic, asked for or not; `asked` if the question is there already."""
        teller = self._teller(next(iter(self._chat.facts)))
        listener = self._other(teller)
        found = self._take(kind)
        if found is None:
            return
        form, part = found
        if kind == "gain":
            self._gain(form, part, listener)
            return
        alone = self._speaker() == teller and len(self.turns[-1][1]) < 3
        if asked or not alone or self._numbers.random() < _ASKED:
            if not asked:
                probe = kind if part else f"{kind}_any"
                self._ask(listener, self._phrases.of("probe", probe, other=teller, thing=part))
            self._say(teller, self._led(form, "asked", kind), (kind,))
        else:
            self._say(teller, self._led(form, "more" if self._drifted else "fact", kind), (kind,), part)
        self._drifted = True
        if kind == "trouble":
            self._remedy(teller, form, part)

    def _remedy(self, teller: str, trouble: str, part: str | None) -> None:
        """What is done about the trouble just told, where a plan is about the same part."""
        plan = self._bank.answer_in(self._left["next"], trouble)
        if plan is not None:
            self._left["next"].remove(plan)
            listener = self._other(teller)
            self._ask(listener, self._phrases.of("remedy", "any", other=teller))
            self._say(teller, said(self._numbers, plan), ("next",), part)

    def _gain(self, form: str, part: str | None, listener: str) -> None:
        """Why it matters, after something good was told: the other one says it, or who told."""
        if self.told is None or self.told[0] not in {("done",), ("next",)}:
            return
        speaker = self._speaker()
        if speaker != listener and self._numbers.random() < 0.5:
            self._react(listener)
            self._say(listener, self._led(form, "listener", "gain"), ("gain",), part)
        else:
            self._say(speaker, self._led(form, "more", "gain"), ("gain",), part)

    def _conclude(self) -> None:
        teller, outcome = self._teller("outcome"), self._chat.facts["outcome"]
        listener = self._other(teller)
        self._ask(listener, self._back(self._phrases.of("wrap", self._chat.intent, other=teller)))
        if bridge := self._phrases.of("bridge", outcome, other=listener):
            self._say(teller, bridge)
        stated = grammar("conversations").say(self._numbers, f"outcome_{self._chat.intent}", self._facts)
        self._say(teller, stated, ("outcome", outcome))

    def _close(self, small: _Small | None) -> None:
        last = self._speaker()
        closing, words = self._other(last), self._phrases
        self._react(closing)
        self._say(closing, words.of("close", self._chat.intent, other=last, thing=self._parts[-1]))
        if small is not None:
            self._say(closing, words.fill(small[1], last))
            self._say(last, words.fill(small[2], closing))
        elif self._numbers.random() < _ASKED:
            self._say(last, words.of("bye", self._chat.intent, other=closing))

    def _ask(self, listener: str, question: str) -> None:
        """A reply to what was told, and a question unless one is open."""
        if self._numbers.random() < _REACTS:
            self._react(listener)
        if self._speaker() != listener or not self.turns[-1][1][-1].endswith("?"):
            self._say(listener, question)

    def _back(self, question: str) -> str:
        """A question on the matter of the chat; it states this after details of the topic."""
        if not self._drifted or question.startswith("And "):
            return question
        lead = self._phrases.of("back", self._chat.intent, other=self._first)
        return f"{lead[0].upper()}{lead[1:]}{lowered(question)}"

    def _react(self, speaker: str) -> None:
        """A reply to what the other one told last, if nobody has replied yet."""
        if self.told is not None and self.told[2] != speaker:
            occasion, part, other = self.told
            self._say(speaker, self._phrases.of("react", *occasion, other=other, thing=part))

    def _say(
        self, speaker: str, words: str, told: tuple[str, ...] | None = None, part: str | None = None
    ) -> None:
        """Join to the words of the same speaker just before."""
        if self.turns and self._speaker() == speaker:
            self.turns[-1][1].append(words)
        else:
            self.turns.append((speaker, [words]))
        self.told = (told, part, speaker) if told else None

    def _shuffled(self, kind: Kind) -> list[str]:
        forms: tuple[str, ...] = getattr(self._bank, kind)
        return self._numbers.sample(forms, len(forms))

    def _take(self, kind: Kind) -> tuple[str, str | None] | None:
        """A detail that was not told yet, best of a part that was not spoken of, and its part."""
        found = [(form, self._bank.part_in(form)) for form in self._left[kind]]
        if not found:
            return None
        form, part = next((one for one in found if one[1] in self._parts), found[0])
        self._left[kind].remove(form)
        if part in self._parts[:-1]:
            self._parts.remove(part)
        return form, part

    def _led(self, form: str, how: str, kind: Kind) -> str:
        """A detail in words, with a beginning that fits what stands before it."""
        detail = said(self._numbers, form)
        if how == "asked" and self._numbers.random() >= _LEADS:
            return detail
        return joined(
            self._chat.project.industry,
            self._phrases.of("lead", how, kind, other=self._other(self._speaker())),
            detail,
        )

    def _teller(self, slot: str) -> str:
        return self._second if slot in ANSWERED.get(self._chat.intent, ()) else self._first

    def _other(self, speaker: str) -> str:
        return self._second if speaker == self._first else self._first

    def _speaker(self) -> str:
        return self.turns[-1][0]

    def _length(self) -> int:
        return sum(len(words.split()) for _, turn in self.turns for words in turn)


def _small_talk(numbers: random.Random, chat: Chat) -> _Small | None:
    """The place of small talk, its words and the reply; mostly None."""
    if numbers.random() >= _SMALL_TALK:
        return None
    place = "end" if chat.intent == "incident" else numbers.choice(("begin", "end"))
    fitting = [
        pair
        for pair in texts("dialogue")["small"][place]
        if chat.day.month in pair.get("months", [chat.day.month])
        and chat.day.weekday() in pair.get("weekdays", [chat.day.weekday()])
    ]
    pair = numbers.choice(fitting)
    return place, pair["say"], pair["reply"]


def _called(one: Employee, other: Employee) -> tuple[str, str]:
    """First names, full ones if these are equal."""
    if one.first_name == other.first_name:
        return one.name, other.name
    return one.first_name, other.first_name
