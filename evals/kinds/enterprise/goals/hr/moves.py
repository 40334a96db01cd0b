"""HR: changes of personnel records that others are told of: raises, ratings, transfers, departures."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.hr.employees import (
    DIRECTORY,
    HIGH,
    PERSONNEL,
    SENIOR,
    changing,
    look,
    someone,
    subject,
)
from evals.kinds.enterprise.goals.hr.records import ONCE_SEEN, REMOVE, SENIORS_ONLY, UPDATE, raised_by, rate
from evals.kinds.enterprise.goals.messages.changes import mail, my_manager
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.tasks.task import Action

GROUP = GoalGroup("HR", "hr/moves.toml", departments=PERSONNEL)

_MOVING = ("09", "10")


# --- raises and ratings ---------------------------------------------------------------------------------


def draw_raised_told(ctx: DrawContext) -> Draw | None:
    """A raise; the person concerned is to know the new salary."""
    row = subject(ctx)
    if row is None:
        return None
    slots = {"name": row["name"], "percent": str(ctx.rng.randrange(2, 21, 2))}
    change = raised_by(slots, row)
    salary = change.arguments["salary"]
    return changing(ctx, slots, row, change, _pay(row["name"], salary), mentions=[salary])


@GROUP.goal(DIRECTORY, steps=3, type="crud", draw=draw_raised_told, levels=SENIOR, denials=ONCE_SEEN)
def raised_told(slots: Slots, plan: PlanRecorder) -> Values:
    """What it is, more, the mail."""
    row = look(plan, slots["name"])
    plan.private(row, "salary")
    plan.weigh(row)
    change = raised_by(slots, row)
    plan.carry_out("I raise it.", change)
    message = _pay(row["name"], change.arguments["salary"])
    return plan.carry_out("I mail the new salary to the person.", message)


def draw_both_raised(ctx: DrawContext) -> Draw | None:
    """The same raise for two people."""
    rows = [row for row in (subject(ctx), subject(ctx)) if row is not None]
    if len({row["emp_id"] for row in rows}) < 2:
        return None
    slots = {
        "name": rows[0]["name"],
        "name2": rows[1]["name"],
        "percent": str(ctx.rng.randrange(2, 21, 2)),
    }
    about = [("employees", row) for row in rows]
    return ctx.draw(slots, actions=[raised_by(slots, row) for row in rows], about=about)


@GROUP.goal(
    DIRECTORY, steps=4, type="crud", draw=draw_both_raised, levels=SENIOR,
    denials=("level_too_low",),
)  # fmt: skip
def both_raised(slots: Slots, plan: PlanRecorder) -> Values:
    """What they are, then more."""
    for name in (slots["name"], slots["name2"]):
        row = look(plan, name)
        plan.private(row, "salary")
        plan.weigh(row)
        plan.carry_out(f"I raise the salary of {name}.", raised_by(slots, row))
    return ()


def draw_rated_told(ctx: DrawContext) -> Draw | None:
    """A rating; the manager is to know it."""
    row, rating = subject(ctx), str(ctx.rng.randint(1, 5))
    boss = ctx.facts.manager(row["emp_id"]) if row else None
    if row is None or boss is None or boss["emp_id"] == ctx.me["emp_id"]:
        return None
    if row["performance_rating"] == rating:
        return None
    slots = {"name": row["name"], "rating": rating}
    return changing(ctx, slots, row, rate(slots), _review(boss["emp_id"], slots), mentions=[row["name"]])


@GROUP.goal(
    DIRECTORY, steps=3, type="crud", draw=draw_rated_told, levels=SENIOR,
    denials=("self_protection", "level_too_low", "wrong_department"),
)  # fmt: skip
def rated_told(slots: Slots, plan: PlanRecorder) -> Values:
    """The rating, the manager, the mail."""
    plan.carry_out("I record the rating.", rate(slots))
    row = look(plan, slots["name"])
    return plan.carry_out("I mail it to the manager.", _review(row["reports_to"], slots))


# --- transfers ------------------------------------------------------------------------------------------


def draw_transferred(ctx: DrawContext) -> Draw | None:
    """Somebody, another department, and the manager there."""
    found = _transfer(ctx)
    if found is None:
        return None
    row, _, slots = found
    return changing(ctx, slots, row, _moved(slots))


@GROUP.goal(DIRECTORY, steps=1, type="crud", draw=draw_transferred, levels=SENIOR, denials=SENIORS_ONLY)
def transferred(slots: Slots, plan: PlanRecorder) -> Values:
    """Change department, level and manager."""
    return plan.carry_out("I move the record to the new department.", _moved(slots))


def draw_transferred_told(ctx: DrawContext) -> Draw | None:
    """The same; the new manager is to know."""
    found = _transfer(ctx)
    if found is None:
        return None
    row, _, slots = found
    return changing(ctx, slots, row, _moved(slots), _move(slots["boss"], slots), mentions=[row["name"]])


@GROUP.goal(
    DIRECTORY, steps=2, type="crud", draw=draw_transferred_told, levels=SENIOR,
    denials=("self_protection", "level_too_low", "wrong_department"),
)  # fmt: skip
def transferred_told(slots: Slots, plan: PlanRecorder) -> Values:
    """The change, the mail."""
    plan.carry_out("I move the record to the new department.", _moved(slots))
    return plan.carry_out("I mail the new manager.", _move(slots["boss"], slots))


def draw_transferred_both_told(ctx: DrawContext) -> Draw | None:
    """The same; the manager so far is to know as well."""
    found = _transfer(ctx)
    old = ctx.facts.manager(found[0]["emp_id"]) if found else None
    if found is None or old is None or old["emp_id"] in (ctx.me["emp_id"], found[1]["emp_id"]):
        return None
    row, _, slots = found
    messages = [_move(slots["boss"], slots), _move(old["emp_id"], slots)]
    return changing(ctx, slots, row, _moved(slots), *messages, mentions=[row["name"]])


@GROUP.goal(
    DIRECTORY, steps=4, type="crud", draw=draw_transferred_both_told, levels=SENIOR,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def transferred_both_told(slots: Slots, plan: PlanRecorder) -> Values:
    """The manager so far, the change, two mails."""
    row = look(plan, slots["name"])
    plan.carry_out("I move the record to the new department.", _moved(slots))
    plan.carry_out("I mail the new manager.", _move(slots["boss"], slots))
    return plan.carry_out("I mail the manager so far.", _move(row["reports_to"], slots))


def draw_swapped(ctx: DrawContext) -> Draw | None:
    """Two people of one department and level who exchange their managers; both managers are to know."""
    row, other = someone(ctx, levels=_MOVING), someone(ctx, levels=_MOVING)
    bosses = [ctx.facts.manager(one["emp_id"]) if one else None for one in (row, other)]
    if row is None or other is None or bosses[0] is None or bosses[1] is None:
        return None
    people = {one["emp_id"] for one in (row, other, bosses[0], bosses[1], ctx.me)}
    if len(people) < 5 or (row["department"], row["level"]) != (other["department"], other["level"]):
        return None
    slots = {"name": row["name"], "name2": other["name"]}
    actions = _swap(slots, row, other)
    about = [("employees", row), ("employees", other)]
    return ctx.draw(slots, actions=actions, mentions=[row["name"], other["name"]], about=about)


@GROUP.goal(
    DIRECTORY, steps=6, type="crud", draw=draw_swapped, levels=SENIOR,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def swapped(slots: Slots, plan: PlanRecorder) -> Values:
    """Both records, both changes, two mails."""
    row, other = look(plan, slots["name"]), look(plan, slots["name2"])
    for change in _swap(slots, row, other):
        plan.carry_out("I exchange the managers and tell both.", change)
    return ()


# --- departures -----------------------------------------------------------------------------------------


def draw_removed_told(ctx: DrawContext) -> Draw | None:
    """Somebody leaves; the manager is to know."""
    row = subject(ctx, HIGH)
    boss = ctx.facts.manager(row["emp_id"]) if row else None
    if row is None or boss is None or boss["emp_id"] == ctx.me["emp_id"]:
        return None
    slots = {"name": row["name"]}
    actions = [action(REMOVE, emp_id=row["emp_id"]), _left(boss["emp_id"], slots)]
    return changing(ctx, slots, row, *actions, mentions=[row["name"]], levels=HIGH)


@GROUP.goal(
    DIRECTORY, steps=3, type="crud", draw=draw_removed_told, levels=HIGH,
    denials=("self_protection", "level_too_low", "wrong_department"),
)  # fmt: skip
def removed_told(slots: Slots, plan: PlanRecorder) -> Values:
    """The record, the removal, the mail."""
    row = look(plan, slots["name"])
    plan.carry_out("I record that this person leaves.", action(REMOVE, emp_id=row["emp_id"]))
    return plan.carry_out("I mail the manager.", _left(row["reports_to"], slots))


def draw_removed_both_told(ctx: DrawContext) -> Draw | None:
    """The same; the persona's own manager is to know as well."""
    draw, mine = draw_removed_told(ctx), ctx.facts.manager(ctx.me["emp_id"])
    if draw is None or mine is None:
        return None
    row = ctx.facts.at(draw.about[0])
    if row is None or mine["emp_id"] in (row["emp_id"], draw.actions[1].arguments["recipient"]):
        return None
    actions = [*draw.actions, _left(mine["emp_id"], draw.slots)]
    return changing(ctx, draw.slots, row, *actions, mentions=[row["name"]], levels=HIGH)


@GROUP.goal(
    DIRECTORY, steps=5, type="crud", draw=draw_removed_both_told, levels=HIGH,
    denials=("self_protection", "level_too_low", "wrong_department"),
)  # fmt: skip
def removed_both_told(slots: Slots, plan: PlanRecorder) -> Values:
    """As with one, then oneself and a second mail."""
    removed_told(slots, plan)
    return plan.carry_out("I mail my own manager.", _left(my_manager(plan), slots))


# --- parts ----------------------------------------------------------------------------------------------


def _transfer(ctx: DrawContext) -> tuple[Record, Record, dict[str, str]] | None:
    """Who moves, the manager there, and the words for it."""
    own = ctx.rng.random() < 0.5
    row = someone(ctx, departments=PERSONNEL if own else (), levels=("10",) if own else _MOVING)
    boss = someone(ctx, levels=HIGH)
    if row is None or boss is None or boss["department"] == row["department"]:
        return None
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
