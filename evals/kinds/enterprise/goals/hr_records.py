"""HR: correcting and removing personnel records, one at a time."""

from __future__ import annotations

from collections.abc import Mapping

from evals.kinds.enterprise.goals import clauses
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.hr import (
    DIRECTORY,
    HIGH,
    PERSONNEL,
    SENIOR,
    changing,
    do,
    look,
    someone,
    subject,
)
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Row, Script, UnfitError
from evals.tasks.task import Action

BOOK = Book("HR", "hr_records.toml", departments=PERSONNEL)

UPDATE = "employee_data.update"
REMOVE = "employee_data.delete"
SENIORS_ONLY = ("self_protection", "level_too_low", "wrong_department", "left_company")
ONCE_SEEN = ("self_protection", "level_too_low", "left_company")
"""The same where a private value has to be seen first: other departments do not get to the change."""

_NEXT_STATUS = {"Single": "Married", "Married": "Divorced", "Divorced": "Married"}
_STEP = 50


# --- single values --------------------------------------------------------------------------------------


def draw_salary_set(scene: Scene) -> Draw | None:
    """Somebody and another salary."""
    row = subject(scene)
    if row is None:
        return None
    salary = str(round(int(row["salary"]) * scene.rng.uniform(1.02, 1.2) / _STEP) * _STEP)
    slots = {"name": row["name"], "salary": salary}
    return changing(scene, slots, row, _salary(slots))


@BOOK.goal(DIRECTORY, steps=1, type="crud", draw=draw_salary_set, levels=SENIOR, denials=SENIORS_ONLY)
def salary_set(slots: Slots, call: Script) -> Values:
    """Change it."""
    return do(call, "I set the new salary.", _salary(slots))


def draw_rating_set(scene: Scene) -> Draw | None:
    """Somebody and another rating."""
    row, rating = subject(scene), str(scene.rng.randint(1, 5))
    if row is None or row["performance_rating"] == rating:
        return None
    slots = {"name": row["name"], "rating": rating}
    return changing(scene, slots, row, rate(slots))


@BOOK.goal(DIRECTORY, steps=1, type="crud", draw=draw_rating_set, levels=SENIOR, denials=SENIORS_ONLY)
def rating_set(slots: Slots, call: Script) -> Values:
    """Change it."""
    return do(call, "I record the rating.", rate(slots))


def draw_leaves_set(scene: Scene) -> Draw | None:
    """Somebody and other balances."""
    row = someone(scene)
    if row is None:
        return None
    casual, sick = (
        str(scene.rng.randint(0, int(row[field]))) for field in ("total_casual_leaves", "total_sick_leaves")
    )
    if casual == row["remaining_casual_leaves"] or sick == row["remaining_sick_leaves"]:
        return None
    slots = {"name": row["name"], "casual": casual, "sick": sick}
    return changing(scene, slots, row, _leaves(slots))


@BOOK.goal(
    DIRECTORY, steps=1, type="crud", draw=draw_leaves_set, denials=("wrong_department", "left_company")
)
def leaves_set(slots: Slots, call: Script) -> Values:
    """Change both."""
    return do(call, "I correct both balances.", _leaves(slots))


def draw_personal_set(scene: Scene) -> Draw | None:
    """Somebody who has had a birthday, and is something else than before."""
    row = someone(scene)
    if row is None:
        return None
    status = _NEXT_STATUS[row["marital_status"]]
    slots = {"name": row["name"], "status": status.lower(), "age": str(int(row["age"]) + 1)}
    return changing(scene, slots, row, _personal(slots))


@BOOK.goal(
    DIRECTORY, steps=1, type="crud", draw=draw_personal_set, denials=("wrong_department", "left_company")
)
def personal_set(slots: Slots, call: Script) -> Values:
    """Change both."""
    return do(call, "I correct marital status and age.", _personal(slots))


def draw_removed(scene: Scene) -> Draw | None:
    """Somebody who leaves."""
    row = subject(scene, HIGH)
    if row is None:
        return None
    return changing(scene, {"name": row["name"]}, row, action(REMOVE, emp_id=row["name"]), levels=HIGH)


@BOOK.goal(DIRECTORY, steps=1, type="crud", draw=draw_removed, levels=HIGH, denials=SENIORS_ONLY)
def removed(slots: Slots, call: Script) -> Values:
    """Take them off the records."""
    return do(call, "I record that this person leaves.", action(REMOVE, emp_id=slots["name"]))


# --- values to be worked out ----------------------------------------------------------------------------


def draw_leave_booked(scene: Scene) -> Draw | None:
    """Somebody who has taken some days."""
    row, kind = someone(scene), scene.rng.choice(("casual", "sick", "vacation"))
    if row is None or int(row[f"remaining_{kind}_leaves"]) < 2:
        return None
    days = scene.rng.randint(2, min(4, int(row[f"remaining_{kind}_leaves"])))
    slots = {"name": row["name"], "kind": kind, "days": str(days)}
    return changing(scene, slots, row, _booked(slots, row))


@BOOK.goal(DIRECTORY, steps=2, type="crud", draw=draw_leave_booked, denials=("left_company",))
def leave_booked(slots: Slots, call: Script) -> Values:
    """What is left, and then less."""
    row = look(call, slots["name"])
    call.private(row, f"remaining_{slots['kind']}_leaves")
    call.weigh(row)
    return do(call, "I subtract the days.", _booked(slots, row))


def draw_raised(scene: Scene) -> Draw | None:
    """Somebody and a raise in percent."""
    row = subject(scene)
    if row is None:
        return None
    slots = {"name": row["name"], "percent": str(scene.rng.randrange(2, 21, 2))}
    return changing(scene, slots, row, raised_by(slots, row))


@BOOK.goal(DIRECTORY, steps=2, type="crud", draw=draw_raised, levels=SENIOR, denials=ONCE_SEEN)
def raised(slots: Slots, call: Script) -> Values:
    """What it is, and then more."""
    row = look(call, slots["name"])
    call.private(row, "salary")
    call.weigh(row)
    return do(call, "I raise it.", raised_by(slots, row))


def draw_vacation_capped(scene: Scene) -> Draw | None:
    """Somebody with more vacation left than may be carried over."""
    row, most = someone(scene), clauses.value(scene.facts, clauses.CARRIED)
    if row is None or int(row["remaining_vacation_leaves"]) <= most:
        return None
    slots = {"name": row["name"]}
    return changing(scene, slots, row, _capped(slots, most))


@BOOK.goal(
    DIRECTORY, steps=2, type="crud", draw=draw_vacation_capped, denials=("wrong_department", "left_company")
)
def vacation_capped(slots: Slots, call: Script) -> Values:
    """What may be carried over, and then no more."""
    most = clauses.rule(call, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value
    return do(call, "I cut the balance down to that.", _capped(slots, most))


# --- parts ----------------------------------------------------------------------------------------------


def rate(slots: Slots) -> Action:
    """Recording a rating."""
    return action(UPDATE, emp_id=slots["name"], performance_rating=slots["rating"])


def raised_by(slots: Slots, row: Mapping[str, str] | Row) -> Action:
    """Raising a salary by some percent of what it is."""
    exact = int(row["salary"]) * (100 + int(slots["percent"]))
    if exact % 100:
        raise UnfitError("that is no whole amount")
    return action(UPDATE, emp_id=row["emp_id"], salary=str(exact // 100))


def _salary(slots: Slots) -> Action:
    return action(UPDATE, emp_id=slots["name"], salary=slots["salary"])


def _leaves(slots: Slots) -> Action:
    return action(
        UPDATE,
        emp_id=slots["name"],
        remaining_casual_leaves=slots["casual"],
        remaining_sick_leaves=slots["sick"],
    )


def _personal(slots: Slots) -> Action:
    return action(UPDATE, emp_id=slots["name"], marital_status=slots["status"], age=slots["age"])


def _booked(slots: Slots, row: Mapping[str, str]) -> Action:
    field = f"remaining_{slots['kind']}_leaves"
    return action(UPDATE, emp_id=row["emp_id"], **{field: str(int(row[field]) - int(slots["days"]))})


def _capped(slots: Slots, most: int) -> Action:
    return action(UPDATE, emp_id=slots["name"], remaining_vacation_leaves=str(most))
