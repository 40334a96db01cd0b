"""Changes of records that a text names, and messages on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.telling import Recipient, chat
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.enterprise.schema import KEYS

_UNSEEN: Mapping[str, str] = {}


@dataclass(frozen=True)
class Change:
    """A change of one record.

    Attributes:
        source: the record's table; empty where the text is about no record.
        draw_record: draws the record with the words of the text.
        find: finds the record through the tools; None where the words are enough to change it.
        why: the thought that leads to the change, with slots in braces.
        action: the change, from the record as drawn or found and the words of the text.
        mentions: slots that the change must contain.
        tells: those to be told, who have to be different people.
        key_text: the messages, with the record's key in {key}; those that are in `also` as well.
        subject: of mails.
        colleague: somebody else to be told, whom the text names in a slot.
        also: further changes that the same record leads to, with their thoughts.
    """

    source: str
    draw_record: Callable[[DrawContext], Found]
    find: Callable[[PlanRecorder, Slots], Row] | None
    why: str
    action: Callable[[Mapping[str, str], Slots], Action]
    mentions: tuple[str, ...] = ()
    tells: tuple[Recipient, ...] = ()
    key_text: str = ""
    subject: str = ""
    colleague: tuple[str, Callable[[DrawContext], Record]] | None = None
    also: tuple[tuple[str, Callable[[Mapping[str, str], Slots], Action]], ...] = ()

    def actions(self, row: Mapping[str, str], slots: Slots) -> list[Action]:
        """The changes that a record, as drawn or found, leads to."""
        return [self.action(row, slots), *(action(row, slots) for _, action in self.also)]

    def draw(self, ctx: DrawContext) -> Draw:
        """Draw the change, and a colleague to be told of it if there is to be one."""
        if self.colleague is None:
            return self._draw(ctx)
        slot, pick = self.colleague
        found, other = attempt(self._draw, ctx), pick(ctx)
        drawn = need(found)
        if any(act.arguments.get("recipient") == other["emp_id"] for act in drawn.actions):
            raise UnfitError
        row = need(ctx.facts.at(drawn.about[-1]))
        return drawn.adding(chat(other["name"], self._text(row)), slots={slot: other["name"]})

    def solve(self, slots: Slots, plan: PlanRecorder) -> Values:
        """Find the record, change it, tell whom it concerns."""
        why = self.why.format_map(slots)
        if self.find is None:
            plan.carry_out(why, self.action(_UNSEEN, slots))
            for thought, action in self.also:
                plan.carry_out(thought, action(_UNSEEN, slots))
            return ()
        row = self.find(plan, slots)
        plan.carry_out(why, self.action(row, slots))
        for thought, action in self.also:
            plan.carry_out(thought, action(row, slots))
        for recipient in self.tells:
            to = recipient.lookup(plan, row)
            plan.carry_out(recipient.why, recipient.message(to, self.subject, self._text(row)))
        if self.colleague is not None:
            name = slots[self.colleague[0]]
            plan.carry_out(f"I tell {name}.", chat(name, self._text(row)))
        return ()

    def _draw(self, ctx: DrawContext) -> Draw:
        row, slots, about = self.draw_record(ctx)
        people = [recipient.truth(ctx, row)["emp_id"] for recipient in self.tells]
        if len(set(people)) < len(people):
            raise UnfitError
        messages = [
            recipient.message(to, self.subject, self._text(row))
            for recipient, to in zip(self.tells, people, strict=True)
        ]
        said = [row[KEYS[self.source]]] if messages or (self.also and self.key_text) else []
        return ctx.draw(
            slots,
            actions=[*self.actions(row, slots), *messages],
            mentions=[*(slots[name] for name in self.mentions), *said],
            about=[*about, *([(self.source, row)] if self.source else [])],
        )

    def _text(self, row: Mapping[str, str]) -> str:
        return self.key_text.format(key=row[KEYS[self.source]])


def no_words(_: DrawContext) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Changes that share no words."""
    return {}, ()


class Series:
    """Several changes, one after the other, that a single text asks for.

    Args:
        words: draws the words that the changes share, and the parts of them that each has to mention.
    """

    def __init__(
        self, words: Callable[[DrawContext], tuple[Mapping[str, str], tuple[str, ...]]], *changes: Change
    ) -> None:
        self._words = words
        self._changes = changes

    def draw(self, ctx: DrawContext) -> Draw:
        """Draw the words, and for each change its record.

        Raises:
            UnfitError: two of the words are the same.
        """
        words, mentions = self._words(ctx)
        slots, found = dict(words), []
        for change in self._changes:
            record = change.draw_record(ctx)
            slots |= record.slots
            found.append((change, record))
        if len(set(slots.values())) < len(slots):
            raise UnfitError
        own = [(change.source, record.row) for change, record in found if change.source]
        return ctx.draw(
            slots,
            actions=[act for change, record in found for act in change.actions(record.row, slots)],
            mentions=[*mentions, *(slots[name] for change in self._changes for name in change.mentions)],
            about=[*own, *(each for _, record in found for each in record.about)],
        )

    def solve(self, slots: Slots, plan: PlanRecorder) -> Values:
        """Make the changes in their order."""
        for change in self._changes:
            change.solve(slots, plan)
        return ()
