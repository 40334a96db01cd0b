"""Goals whose data file says all but how words and records are drawn.

Of such a goal the file has `draw`, the names of what is drawn, in order; `plan`, the names of its steps; and
`mentions`, what the changes must contain. With `distinct` all words must differ; `eager` is how many of
its draws are made even where the first is unfit; `protected` are the levels of the personnel department at
which one may change the records of others, and not one's own.

The file's head has `acts`, the steps that look a record up, list some, or change something, and `says`, the
texts of messages. In them `{customer}` is a word of the task's text, and `{@sales.emp_id}` a cell of the
record that was drawn from `sales`, or looked up there. Two records of one source are told apart by names, in
`draw` behind a colon, in `acts` by `as`. A step is one of

    sale                   an act, or a function of the group that finds a record
    find_sale as sold      the same, where the record is not called by its source
    chat colleague sold    a chat message to who is in the slot `colleague`, with the text `sold`
    mail third sold        a mail to who is in the slot `third`, with the slot `subject`
    post sold              a post with the slot `subject`

and what is drawn one of

    newcomer               words, by a function of the group
    sales any_sale         a record of `sales` with words
    colleague third        a colleague's name for the slot `third`
    another third          the same of somebody to whom nothing else is sent
    news clauses           something to tell, for the slot `news`
    subject                of mails and posts
    manager                the persona as `@me`, who reports to somebody
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    PERSONNEL,
    Draw,
    DrawContext,
    UnfitError,
    attempt,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.news import draw_news, draw_subject, sentence
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Action

Drawer = Callable[[DrawContext], Found]
Finder = Callable[[PlanRecorder, Slots], Row]

_MESSAGES: dict[str, tuple[str, str, dict[str, str]]] = {
    "chat": ("I write it in the chat.", "conversations.create", {"recipient": "{to}", "text": "{said}"}),
    "mail": (
        "I mail it.",
        "enterprise_mail_system.create",
        {"recipient": "{to}", "subject": "{subject}", "body": "{said}"},
    ),
    "post": ("I publish the post.", "social_platform.create", {"title": "{subject}", "body": "{said}"}),
}


@dataclass(frozen=True)
class Act:
    """One step of a plan.

    Attributes:
        why: the thought that leads to it.
        tool: that changes something, or the source in which a record is looked up.
        arguments: of the tool.
        reads: whether a record is looked up.
        first: whether the first of several records is meant.
        name: of the record; default is the source.
        answer: the column that the answer lists, where records are listed.
        where: the cells of these records in the truth.
    """

    why: str
    tool: str
    arguments: Mapping[str, str]
    reads: bool = False
    first: bool = False
    name: str = ""
    answer: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, step: str, head: Mapping[str, Any]) -> Act:
        """The act that a data file calls so, see this module."""
        if act := head["acts"].get(step):
            kind = next(name for name in ("call", "read", "list") if name in act)
            return cls(
                act["why"],
                act[kind],
                act["with"],
                reads=kind != "call",
                first=act.get("first", False),
                name=act.get("as", ""),
                answer=act.get("answer", ""),
                where=act.get("where", {}),
            )
        kind, *to, text = step.split()
        why, tool, arguments = _MESSAGES[kind]
        spelled = {"{to}": f"{{{''.join(to)}}}", "{said}": head["says"][text]}
        return cls(why, tool, {name: spelled.get(value, value) for name, value in arguments.items()})

    def action(self, words: Mapping[str, Any]) -> Action:
        return Action(tool=self.tool, arguments=_filled(self.arguments, words))

    def carry_out(self, plan: PlanRecorder, slots: Slots, rows: dict[str, Mapping[str, str]]) -> Values:
        """Take the step; returns the answer if it lists one."""
        words = _words(slots, rows)
        why, arguments = self.why.format_map(words), _filled(self.arguments, words)
        if self.answer:
            return plan.listing(plan.every(self.tool, why, **arguments), self.answer)
        if not self.reads:
            plan.carry_out(why, self.action(words))
        elif self.first:
            rows[self.name or self.tool] = plan.pick(plan.read(self.tool, why, **arguments, limit=1).first)
        else:
            rows[self.name or self.tool] = plan.one(self.tool, why, **arguments)
        return ()


@dataclass
class _Drawn:
    """The results of a draw so far.

    Attributes:
        others: ids of people to whom nothing else may be sent.
    """

    slots: dict[str, str] = field(default_factory=dict)
    rows: dict[str, Record] = field(default_factory=dict)
    about: list[tuple[str, Record]] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def add(self, source: str, found: Found, parts: Sequence[str]) -> None:
        """Add a record under its source, or under the name behind a colon."""
        table, _, name = source.partition(":")
        if table == "another":
            self.others.append(found.row["emp_id"])
            table = ""
        self.slots |= found.slots
        self.mentions += parts
        self.about += [*found.about, *([(table, found.row)] if table else [])]
        self.rows |= dict(found.about)
        if name or table:
            self.rows[name or table] = found.row


class Steps:
    """The draw and the solution of one goal.

    Args:
        goal: its entry in the data file.
        head: of the data file.
        drawers: what may be drawn, by name.
        finders: what may be found, by name.
    """

    def __init__(
        self,
        goal: Mapping[str, Any],
        head: Mapping[str, Any],
        drawers: Mapping[str, Drawer],
        finders: Mapping[str, Finder],
    ) -> None:
        self._draws = [_drawing(entry, drawers) for entry in goal["draw"]]
        self._steps = [_step(entry, head, finders) for entry in goal["plan"]]
        self._mentions: list[str] = goal.get("mentions", [])
        self._protected: list[str] = goal.get("protected", [])
        self._distinct: bool = goal.get("distinct", False)
        self._eager: int = goal.get("eager", 0)

    def draw(self, ctx: DrawContext) -> Draw:
        """Draw the words and the records.

        Raises:
            UnfitError: nothing was hit, or two words are the same that must not be.
        """
        drawn = self._drawn(ctx)
        slots, words = drawn.slots, _words(drawn.slots, drawn.rows)
        if self._distinct and len(set(slots.values())) < len(slots):
            raise UnfitError
        last = self._steps[-1]
        if isinstance(last, Act) and last.answer:
            listed = ctx.facts.where(last.tool, **_filled(last.where, words))
            return ctx.listing(slots, listed, last.answer, drawn.about)
        actions = [step.action(words) for step in self._steps if isinstance(step, Act) and not step.reads]
        if any(action.arguments.get("recipient") in drawn.others for action in actions):
            raise UnfitError
        return ctx.draw(
            slots,
            actions=actions,
            mentions=[*drawn.mentions, *(f"{{{name}}}".format_map(words) for name in self._mentions)],
            about=drawn.about,
            subject=self._subject(drawn.rows.get("employees")),
        )

    def _drawn(self, ctx: DrawContext) -> _Drawn:
        """All that is drawn, one after the other."""
        drawn, unfit = _Drawn(), False
        for place, (source, drawing) in enumerate(self._draws):
            if unfit and place >= self._eager:
                break
            so_far = replace(ctx, drawn=drawn.rows, words=drawn.slots)
            hit = attempt(drawing, so_far) if self._eager and not place else drawing(so_far)
            if hit is None:  # some more is drawn nevertheless, so that the next draw has the same numbers
                unfit = True
            else:
                drawn.add(source, *hit)
        if unfit:
            raise UnfitError
        return drawn

    def _subject(self, row: Record | None) -> str:
        """Whose record is changed, if they could change it themselves but for being the one concerned."""
        protected = row is not None and row["department"] in PERSONNEL and row["level"] in self._protected
        return row["emp_id"] if row is not None and protected else ""

    def solve(self, slots: Slots, plan: PlanRecorder) -> Values:
        """Take the steps in their order."""
        rows: dict[str, Mapping[str, str]] = {}
        answer: Values = ()
        for step in self._steps:
            if isinstance(step, Act):
                answer = step.carry_out(plan, slots, rows)
            else:
                name, find = step
                row = find(plan, slots)
                rows[name or row.ref.partition("/")[0]] = row
        return answer


def _step(entry: str, head: Mapping[str, Any], finders: Mapping[str, Finder]) -> Act | tuple[str, Finder]:
    """An act, or the finder of a record and its name."""
    finder, _, name = entry.partition(" as ")
    return (name, finders[finder]) if finder in finders else Act.of(entry, head)


_Drawing = Callable[[DrawContext], tuple[Found, Sequence[str]]]
"""Draws a record with its words, and their parts that the changes must mention."""


def _drawing(entry: str, drawers: Mapping[str, Drawer]) -> tuple[str, _Drawing]:
    """An entry `source drawer`, or a drawer alone, where only its words count."""
    *source, name = entry.split()

    def slot(ctx: DrawContext) -> tuple[Found, Sequence[str]]:
        if source in (["colleague"], ["another"]):
            row = ctx.colleague()
            return Found(row, {name: row["name"]}), ()
        if source == ["news"]:
            news, parts = draw_news(ctx.facts, ctx.rng, name)
            return Found(ctx.me, {"news": news}), parts
        if name == "manager":
            ctx.above(ctx.me)
            return Found(ctx.me, {}), ()
        return Found(ctx.me, {"subject": draw_subject(ctx.rng)}), ()

    if entry == "manager":
        return ":me", slot
    if entry == "subject" or source in (["colleague"], ["another"], ["news"]):
        return "another" if source == ["another"] else "", slot
    return "".join(source), lambda ctx: (drawers[name](ctx), ())


class _Word(str):
    """A word of a text; `{news:sentence}` makes it a sentence."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return sentence(self) if spec == "sentence" else super().__format__(spec)


def _words(slots: Slots, rows: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    texts = {name: _Word(word) for name, word in slots.items()}
    return {**texts, **{f"@{source}": SimpleNamespace(**row) for source, row in rows.items()}}


def _filled(arguments: Mapping[str, str], words: Mapping[str, Any]) -> dict[str, str]:
    return {name: text.format_map(words) for name, text in arguments.items()}
