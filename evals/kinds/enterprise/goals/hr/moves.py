"""HR: changes of personnel records that others are told of: raises, ratings, transfers, departures."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action, attempt, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Logic, Slots, Values
from evals.kinds.enterprise.goals.hr.employees import (
    HIGH,
    PERSONNEL,
    changing,
    look,
    setting,
    someone,
    subject,
)
from evals.kinds.enterprise.goals.hr.records import REMOVE, UPDATE, raised_by, rate
from evals.kinds.enterprise.goals.paths import Found
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.telling import mail, telling_my_manager
from evals.tasks.task import Action

GROUP = GoalGroup("hr/moves.toml")

_MOVING = ("09", "10")


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


def draw_both_raised(ctx: DrawContext) -> Draw:
    found, second = attempt(subject, ctx), subject(ctx)
    rows = [need(found), second]
    if rows[0]["emp_id"] == rows[1]["emp_id"]:
        raise UnfitError
    slots = {"name": rows[0]["name"], "name2": rows[1]["name"], "percent": str(ctx.rng.randrange(2, 21, 2))}
    about = [("employees", row) for row in rows]
    return ctx.draw(slots, actions=[raised_by(slots, row) for row in rows], about=about)


@GROUP.goal(draw_both_raised)
def both_raised(slots: Slots, plan: PlanRecorder) -> Values:
    for name in (slots["name"], slots["name2"]):
        row = look(plan, name)
        plan.private(row, "salary")
        plan.weigh(row)
        plan.carry_out(f"I raise the salary of {name}.", raised_by(slots, row))
    return ()


def draw_rated_told(ctx: DrawContext) -> Draw:
    found, rating = attempt(subject, ctx), str(ctx.rng.randint(1, 5))
    row = need(found)
    boss = ctx.other(ctx.above(row))
    if row["performance_rating"] == rating:
        raise UnfitError
    slots = {"name": row["name"], "rating": rating}
    return changing(ctx, slots, row, rate(slots), _review(boss["emp_id"], slots), mentions=[row["name"]])


@GROUP.goal(draw_rated_told)
def rated_told(slots: Slots, plan: PlanRecorder) -> Values:
    plan.carry_out("I record the rating.", rate(slots))
    row = look(plan, slots["name"])
    return plan.carry_out("I mail it to the manager.", _review(row["reports_to"], slots))


def draw_transferred_both_told(ctx: DrawContext) -> Draw:
    row, found_1, slots = _transfer(ctx)
    old = ctx.above(row)
    if old["emp_id"] in (ctx.me["emp_id"], found_1["emp_id"]):
        raise UnfitError
    messages = [_move(slots["boss"], slots), _move(old["emp_id"], slots)]
    return changing(ctx, slots, row, _moved(slots), *messages, mentions=[row["name"]])


@GROUP.goal(draw_transferred_both_told)
def transferred_both_told(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.carry_out("I move the record to the new department.", _moved(slots))
    plan.carry_out("I mail the new manager.", _move(slots["boss"], slots))
    return plan.carry_out("I mail the manager so far.", _move(row["reports_to"], slots))


def draw_swapped(ctx: DrawContext) -> Draw:
    found, other = attempt(someone, ctx, levels=_MOVING), someone(ctx, levels=_MOVING)
    row = need(found)
    bosses = [ctx.above(one) for one in (row, other)]
    people = {one["emp_id"] for one in (row, other, *bosses, ctx.me)}
    if len(people) < 5 or (row["department"], row["level"]) != (other["department"], other["level"]):
        raise UnfitError
    slots = {"name": row["name"], "name2": other["name"]}
    actions = _swap(slots, row, other)
    about = [("employees", row), ("employees", other)]
    return ctx.draw(slots, actions=actions, mentions=[row["name"], other["name"]], about=about)


@GROUP.goal(draw_swapped)
def swapped(slots: Slots, plan: PlanRecorder) -> Values:
    row, other = look(plan, slots["name"]), look(plan, slots["name2"])
    for change in _swap(slots, row, other):
        plan.carry_out("I exchange the managers and tell both.", change)
    return ()


def draw_removed_told(ctx: DrawContext) -> Draw:
    row = subject(ctx, HIGH)
    boss = ctx.other(ctx.above(row))
    slots = {"name": row["name"]}
    actions = [action(REMOVE, emp_id=row["emp_id"]), _left(boss["emp_id"], slots)]
    return changing(ctx, slots, row, *actions, mentions=[row["name"]], levels=HIGH)


@GROUP.goal(draw_removed_told)
def removed_told(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.carry_out("I record that this person leaves.", action(REMOVE, emp_id=row["emp_id"]))
    return plan.carry_out("I mail the manager.", _left(row["reports_to"], slots))


def _transfer(ctx: DrawContext) -> tuple[Record, Record, dict[str, str]]:
    """Who moves, the manager there, and the words for it."""
    own = ctx.rng.random() < 0.5
    departments, levels = (PERSONNEL, ("10",)) if own else ((), _MOVING)
    found, boss = attempt(someone, ctx, departments=departments, levels=levels), someone(ctx, levels=HIGH)
    row = need(found)
    if boss["department"] == row["department"]:
        raise UnfitError
    level = "10" if row["level"] == "09" else "12"
    slots = {"name": row["name"], "department": boss["category"], "level": level, "boss": boss["name"]}
    return row, boss, slots


def _moved(slots: Slots) -> Action:
    return action(
        UPDATE,
        emp_id=slots["name"],
        department=slots["department"],
        level=slots["level"],
        reports_to=slots["boss"],
    )


def _swap(slots: Slots, row: Record, other: Record) -> list[Action]:
    return [
        action(UPDATE, emp_id=row["emp_id"], reports_to=other["reports_to"]),
        action(UPDATE, emp_id=other["emp_id"], reports_to=row["reports_to"]),
        _exchange(row["reports_to"], slots),
        _exchange(other["reports_to"], slots),
    ]


def _pay(recipient: str, salary: str) -> Action:
    return mail(recipient, "Your salary", f"Your new salary is {salary} rupees.")


def _review(recipient: str, slots: Slots) -> Action:
    text = f"The performance rating of {slots['name']} is now {slots['rating']}."
    return mail(recipient, f"Rating of {slots['name']}", text)


def _move(recipient: str, slots: Slots) -> Action:
    text = f"{slots['name']} moves to {slots['department']} and reports to {slots['boss']} from now on."
    return mail(recipient, f"Transfer of {slots['name']}", text)


def _exchange(recipient: str, slots: Slots) -> Action:
    text = f"{slots['name']} and {slots['name2']} have exchanged their managers."
    return mail(recipient, "Exchange of managers", text)


def _left(recipient: str, slots: Slots) -> Action:
    return mail(recipient, f"Departure of {slots['name']}", f"{slots['name']} has left the company today.")


def _draw_transfer(ctx: DrawContext) -> Found:
    row, _, slots = _transfer(ctx)
    return Found(row, slots)


def draw_transferred_told(ctx: DrawContext) -> Draw:
    row, _, slots = _transfer(ctx)
    return changing(ctx, slots, row, _moved(slots), _move(slots["boss"], slots), mentions=[row["name"]])


def transferred_told(slots: Slots, plan: PlanRecorder) -> Values:
    plan.carry_out(_WHY, _moved(slots))
    return plan.carry_out("I mail the new manager.", _move(slots["boss"], slots))


_WHY = "I move the record to the new department."
_REMOVED_BOTH = telling_my_manager(
    Logic(draw_removed_told, removed_told), _left, why="I mail my own manager."
)
GROUP.add(
    transferred=setting(_draw_transfer, _WHY, _moved),
    transferred_told=Logic(draw_transferred_told, transferred_told),
    removed_both_told=_REMOVED_BOTH,
)
