"""HR: changes of personnel records with messages to others: raises, ratings, transfers, departures."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    PERSONNEL,
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr.employees import (
    HIGH,
    changing,
    look,
    named,
    names,
    someone,
    subject,
)
from worksmith.evals.kinds.enterprise.goals.hr.records import UPDATE, raised_by
from worksmith.evals.kinds.enterprise.goals.notifications import mail
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Action

_MOVING = ("09", "10")
_BEST = "5"


def _transfer(ctx: DrawContext) -> Found:
    """Who moves, and the words for the new department, level and manager."""
    own = ctx.rng.random() < 0.5
    departments, levels = (PERSONNEL, ("10",)) if own else ((), _MOVING)
    found, boss = attempt(someone, ctx, departments=departments, levels=levels), someone(ctx, levels=HIGH)
    row = need(found)
    if boss["department"] == row["department"]:
        raise UnfitError
    level = "10" if row["level"] == "09" else "12"
    slots = {"name": row["name"], "department": boss["category"], "level": level, "boss": boss["name"]}
    return Found(row, slots)


def _transfer_from_another(ctx: DrawContext) -> Found:
    """The same where the manager so far is neither the persona nor the new one."""
    found = _transfer(ctx)
    old = ctx.above(found.row)
    if old["emp_id"] == ctx.me["emp_id"] or old["name"] == found.slots["boss"]:
        raise UnfitError
    return found


def _leaver(ctx: DrawContext) -> Found:
    row = subject(ctx, HIGH)
    ctx.other(ctx.above(row))
    return Found(row, {"name": row["name"]})


GROUP = GoalGroup("hr/moves.toml", draws=(_transfer, _transfer_from_another, _leaver))


def draw_raised_told(ctx: DrawContext) -> Draw:
    row = subject(ctx)
    slots = {"name": row["name"], "percent": str(ctx.rng.randrange(2, 21, 2))}
    change = raised_by(slots, row)
    salary = change.arguments["salary"]
    return changing(ctx, slots, row, change, _pay(row["name"], salary), mentions=[salary])


@GROUP.goal(draw_raised_told)
def raised_told(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.private(row, "salary")
    plan.weigh(row)
    change = raised_by(slots, row)
    plan.carry_out("I raise it.", change)
    message = _pay(row["name"], change.arguments["salary"])
    return plan.carry_out("I mail the new salary to the person.", message)


def _draw_raises(ctx: DrawContext, number: int, *, told: bool) -> Draw:
    rows = [need(attempt(subject, ctx)) for _ in range(number)]
    if len({row["emp_id"] for row in rows}) < number:
        raise UnfitError
    slots = {**names(rows), "percent": str(ctx.rng.randrange(2, 21, 2))}
    raises = [raised_by(slots, row) for row in rows]
    drawn = ctx.draw(slots, actions=raises, about=[("employees", row) for row in rows])
    if not told:
        return drawn
    other = someone(ctx, departments=PERSONNEL)
    if other in rows:
        raise UnfitError
    slots["other"], amounts = other["name"], [change.arguments["salary"] for change in raises]
    return drawn.adding(_pays(slots, raises), slots=slots, mentions=amounts)


def _raises(slots: Slots, plan: PlanRecorder, number: int, *, told: bool) -> Values:
    raises = []
    for name in named(slots, number):
        row = look(plan, name)
        plan.private(row, "salary")
        plan.weigh(row)
        raises.append(raised_by(slots, row))
        plan.carry_out(f"I raise the salary of {name}.", raises[-1])
    return plan.carry_out("I mail the new amounts.", _pays(slots, raises)) if told else ()


def draw_rated_up_told(ctx: DrawContext) -> Draw:
    row = subject(ctx)
    change = _rated_up(row)
    rating = change.arguments["performance_rating"]
    return changing(ctx, {"name": row["name"]}, row, change, _review(row["name"], rating), mentions=[rating])


@GROUP.goal(draw_rated_up_told)
def rated_up_told(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.private(row, "performance_rating")
    plan.weigh(row)
    change = _rated_up(row)
    plan.carry_out("I raise the rating by one.", change)
    message = _review(row["name"], change.arguments["performance_rating"])
    return plan.carry_out("I mail the new rating to the person.", message)


def _rated_up(row: Record) -> Action:
    """One point more than now, of five."""
    if row["performance_rating"] == _BEST:
        raise UnfitError
    return action(UPDATE, emp_id=row["emp_id"], performance_rating=str(int(row["performance_rating"]) + 1))


def _pays(slots: Slots, raises: Sequence[Action]) -> Action:
    amounts = " and ".join(f"{change.arguments['salary']} rupees" for change in raises)
    return mail(slots["other"], "New salaries", f"The new salaries are {amounts}.")


def _pay(recipient: str, salary: str) -> Action:
    return mail(recipient, "Your salary", f"Your new salary is {salary} rupees.")


def _review(recipient: str, rating: str) -> Action:
    return mail(recipient, "Your rating", f"Your performance rating is now {rating}.")


GROUP.add(
    both_raised=Logic.given(_draw_raises, _raises, number=2, told=False),
    both_raised_told=Logic.given(_draw_raises, _raises, number=2, told=True),
    three_raised=Logic.given(_draw_raises, _raises, number=3, told=False),
)
