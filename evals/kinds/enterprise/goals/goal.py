"""What a goal is: one kind of enterprise task, how it is worded, drawn, and solved through the tools.

How to add goals, for an area `X` (a field of work: Sales, SWE, IT, HR, BizOps) and a subject `y`:

* `x_y.toml` holds the wording, one table per goal, named as the goal:

      [units_sold]
      says = "{0} units of {product} were sold in {year}."
      test = ["...", "...", "..."]
      train = ["...", "..."]
      dev = ["..."]

  At least three phrasings for `test`, two for `train`, one for `dev`; no phrasing stands in two splits. The
  first of a list is casual, the second brisk, the third formal, the fourth casual again ...: a persona
  always speaks in one register. First person, no tool names, no id that has to be found out. More phrasings
  make fewer near-duplicates. `says` is the answer in a sentence, for judges: {0}, {1} ... are the answer's
  values, {all} all of them, the slots go by name. `empty` (optional) is the sentence for an answer that
  there is nothing. Goals that change something need no `says`.

* `x_y.py` holds the logic; its name is listed in `registry.MODULES`:

      GROUP = GoalGroup("Sales", "sales/product.toml", departments=("SA",))

      def _draw(ctx: DrawContext) -> Draw | None:
          product = ctx.pick("products")
          ...
          return ctx.draw({"product": ..., "year": ...}, answer=[number(n)], about=[("products", product)])

      @GROUP.goal("product", steps=2, draw=_draw, empty=True, denials=("wrong_department",))
      def units_sold(slots: Slots, plan: PlanRecorder) -> Values:
          product = plan.one("products", "I look the product up by name.", product_name=slots["product"])
          sales = plan.every("sales", "Now its sales of that year.", product_id=product["product_id"], ...)
          return (str(sum(int(row["quantity"]) for row in sales)),)

`draw(ctx)` works from the truth (`ctx.facts`: rows as dicts of texts, latent facts), `solve(slots,
plan)` from the slots and what the tools show; the generator accepts a task only where both find the same
answer. Draws are cheap and may fail: return None (an unlucky person, not unique, no clear maximum) to be
asked again.

* `ctx.me` is the persona, already chosen: somebody active of the group's (or goal's) `departments` who may
  do all that `needs` says, such as `needs=(("delete", "sales"),)`, and of whom `who(facts, row)` holds, where
  only few could ask this. Start from what is theirs where the
  policy looks at owners or participants. `ctx.rng` is the only source of chance. `ctx.pick(source,
  rows)` chooses a record that no other split has; list the records that the task is about in `about`.
* `ctx.empty`: the task is to have the answer that there is nothing: draw parameters that match no record
  (only goals with `empty=True` are ever asked), return `ctx.draw(slots, nothing=True, ...)`, and let
  `solve` return `plan.none(rows)` where it finds no rows.
* Slots are the words of the text. A name may be a slot only if it is unique (`facts.colleague(emp_id)`,
  `facts.unique(source, column, value)`).
* Every step must matter: what it first shows must be an argument of a later step, or part of the answer.
  What is only computed with (counted, compared, added) has to be declared: `plan.weigh(row_or_rows)`;
  `plan.every` does so by itself. Several steps that show the same are an error of the goal; look which
  names the tools join to a record already. Steps are counted: `steps` is exact, an episode with more or
  fewer is not accepted.
* `plan.read` gives rows (`.total`), `plan.one` the only match, `plan.every` all matches, `plan.fact(row,
  name)` a latent fact that the shown text says (`plan.understood` one that it says in other words) (texts
  are cut where more than three records are shown: read that one record by its key first), `plan.quoted(row,
  pattern)` the id of another record that a text names, `plan.private(row, field)` a private field of an
  employee. `plan.pick(row)` notes that a row out of `plan.read` is needed (it becomes part of `must_read`).
* Goals that change something: `type="crud"`, `solve` ends in `plan.write("toolkit.tool", why, **arguments)`
  and returns `()` (or values, where something is asked as well); `draw` gives the same calls, worked out by
  itself, as `actions=[action("toolkit.tool", **arguments)]`. Whatever is said in free text and matters goes
  into `mentions`. Every action must change something. The text tells every value that is not free text or
  generated.
* `denials`: why somebody else may be denied this (see `denials.REASONS`). The generator gives the same text
  to such a person, runs the plan up to the denial, and keeps the first as the allowed twin. The wording has
  to make sense for both, and as a list is only filtered, what is denied has to be read by its key or be
  closed to the person altogether: name the record's id in the text. `subject` in a draw is the employee
  acted upon.
* An answer has at most eight values; `entities.number`, `amount`, `date`, `person`, `text`, `ident` make
  them. At least one of them must not stand in the question.

* A plan may search (`query=...`), but must not depend on how an index ranks: narrow the search by other
  arguments until all that is left is shown, or search for words that only the wanted record has. Suites are
  generated before they are indexed.

To see why a goal does not come out, look at `Filler.unfit` (`python -m evals.kinds.enterprise.trial SUITE
GOAL` shows it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import Any, Literal, NamedTuple, Protocol, Required, TypedDict, Unpack

from evals.authoring.data_files import read_toml
from evals.kinds.enterprise.facts import Facts, Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.tasks.task import Split

Slots = Mapping[str, str]
Values = tuple[str, ...]
Solve = Callable[[Slots, PlanRecorder], Values]
DrawFunction = Callable[[DrawContext], Draw]
Who = Callable[[Facts, Record], bool]
GoalType = Literal["search", "crud"]

REGISTERS = 3
"""Casual, brisk, formal."""

_FEWEST: dict[Split, int] = {"test": REGISTERS, "train": 2, "dev": 1}


@dataclass(frozen=True)
class Wording:
    """How a goal is said.

    Attributes:
        phrasings: by split.
        says: the answer in a sentence.
        empty: the sentence for an answer that there is nothing.
    """

    phrasings: Mapping[Split, tuple[str, ...]]
    says: str = ""
    empty: str = ""

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots of which each phrasing uses some."""
        return frozenset(
            name
            for phrasings in self.phrasings.values()
            for phrasing in phrasings
            for _, name, _, _ in Formatter().parse(phrasing)
            if name is not None
        )


@dataclass(frozen=True)
class Goal:
    """One kind of task.

    Attributes:
        id: `area.name` in lower case, the beginning of its tasks' ids.
        steps: how many calls its gold plan has.
        departments: where its personas work; anywhere, if empty.
        levels: of its personas; any, if empty.
        needs: (operation, source) pairs that a persona must in principle be allowed.
        who: whether an employee could ask this at all; everybody could, if None.
        empty: whether it may be drawn with nothing to be found.
        denials: the reasons for which somebody else may be denied.
    """

    id: str
    area: str
    subarea: str
    steps: int
    draw: DrawFunction
    solve: Solve
    wording: Wording
    type: GoalType = "search"
    departments: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    who: Who | None = None
    empty: bool = False
    denials: tuple[str, ...] = ()


class Solvable(Protocol):
    """Anything with a draw and a solution."""

    @property
    def draw(self) -> DrawFunction:
        """Draw a task."""
        ...

    @property
    def solve(self) -> Solve:
        """Solve it through the tools."""
        ...


class Logic(NamedTuple):
    """A draw and a solution that were written apart."""

    draw: DrawFunction
    solve: Solve


class GoalOptions(TypedDict, total=False):
    """The attributes of a goal beside its name, wording and logic; see `Goal`."""

    steps: Required[int]
    type: GoalType
    departments: tuple[str, ...]
    levels: tuple[str, ...]
    needs: tuple[tuple[str, str], ...]
    who: Who
    empty: bool
    denials: tuple[str, ...]


@dataclass
class GoalGroup:
    """The goals of one module with their wording.

    Attributes:
        area: the field of work.
        file: the data file with the wording.
        departments: where the personas of the area work.
        goals: the goals that the module declares, by `goal` and `add`.
    """

    area: str
    file: str
    departments: tuple[str, ...] = ()
    goals: list[Goal] = field(default_factory=list)

    @cached_property
    def wordings(self) -> dict[str, Wording]:
        """The wording of each goal in the file."""
        return read_wordings(self.file)

    @property
    def in_order(self) -> list[Goal]:
        """The goals in the order of the data file."""
        names = [f"{self.area.lower()}.{name}" for name in self.wordings]
        return sorted(self.goals, key=lambda goal: names.index(goal.id))

    def goal(
        self, subarea: str, *, draw: DrawFunction, **options: Unpack[GoalOptions]
    ) -> Callable[[Solve], Solve]:
        """Make the decorated `solve` a goal of this group, called as the function."""

        def add(solve: Solve) -> Solve:
            self.add(solve.__name__, subarea, Logic(draw, solve), **options)
            return solve

        return add

    def add(self, name: str, subarea: str, logic: Solvable, **options: Unpack[GoalOptions]) -> None:
        """Make a draw and a solution a goal of this group."""
        options.setdefault("departments", self.departments)
        goal = Goal(
            id=f"{self.area.lower()}.{name}",
            area=self.area,
            subarea=subarea,
            draw=logic.draw,
            solve=logic.solve,
            wording=self.wordings[name],
            **options,
        )
        self.goals.append(goal)


def read_wordings(file: str) -> dict[str, Wording]:
    """The wordings in one data file of this package.

    Raises:
        ValueError: too few phrasings, or the same in two splits; a mistake in this package, not in input.
    """
    tables: dict[str, dict[str, Any]] = read_toml(__package__, file)
    return {name: _wording(f"{file}: {name}", table) for name, table in tables.items()}


def _wording(where: str, table: Mapping[str, Any]) -> Wording:
    phrasings: dict[Split, tuple[str, ...]] = {split: tuple(table[split]) for split in _FEWEST}
    for split, fewest in _FEWEST.items():
        if len(phrasings[split]) < fewest:
            raise ValueError(f"{where} has fewer than {fewest} phrasings for {split}")
    every = [phrasing for split in phrasings.values() for phrasing in split]
    if len(set(every)) < len(every):
        raise ValueError(f"{where} has a phrasing twice")
    return Wording(phrasings, table.get("says", ""), table.get("empty", ""))
