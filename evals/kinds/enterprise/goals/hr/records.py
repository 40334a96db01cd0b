"""HR: correcting and removing personnel records, one at a time; what resumes say of the time before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr import clauses
from worksmith.evals.kinds.enterprise.goals.hr.employees import (
    HIGH,
    changing,
    look,
    someone,
    subject,
)
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Action

UPDATE = "employee_data.update"

_NEXT_STATUS = {"Single": "Married", "Married": "Divorced", "Divorced": "Married"}
_STEP = 50


def _set_salary(ctx: DrawContext) -> Found:
    row = subject(ctx)
    salary = str(round(int(row["salary"]) * ctx.rng.uniform(1.02, 1.2) / _STEP) * _STEP)
    return Found(row, {"name": row["name"], "salary": salary})


def _set_rating(ctx: DrawContext) -> Found:
    found, rating = attempt(subject, ctx), str(ctx.rng.randint(1, 5))
    row = need(found)
    if row["performance_rating"] == rating:
        raise UnfitError
    return Found(row, {"name": row["name"], "rating": rating})


def _set_leaves(ctx: DrawContext) -> Found:
    row = someone(ctx)
    casual, sick = (
        str(ctx.rng.randint(0, int(row[field]))) for field in ("total_casual_leaves", "total_sick_leaves")
    )
    if casual == row["remaining_casual_leaves"] or sick == row["remaining_sick_leaves"]:
        raise UnfitError
    return Found(row, {"name": row["name"], "casual": casual, "sick": sick})


def _set_personal(ctx: DrawContext) -> Found:
    row = someone(ctx)
    status = _NEXT_STATUS[row["marital_status"]]
    return Found(row, {"name": row["name"], "status": status.lower(), "age": str(int(row["age"]) + 1)})


def _leaver(ctx: DrawContext) -> Found:
    row = subject(ctx, HIGH)
    return Found(row, {"name": row["name"]})


def _draw_resume(ctx: DrawContext, needed: Sequence[str]) -> Found:
    """The resume of somebody else who works here, which states certain facts."""
    row = ctx.pick("resumes")
    person = ctx.other(ctx.facts.colleague(row["emp_id"]))
    for name in needed:
        need(ctx.facts.fact("resumes", row["resume_id"], name))
    return Found(row, {"name": person["name"]})


GROUP = GoalGroup(
    "hr/records.toml", draws=(_set_salary, _set_rating, _set_leaves, _set_personal, _leaver, _draw_resume)
)


def draw_leave_booked(ctx: DrawContext) -> Draw:
    found, kind = attempt(someone, ctx), ctx.rng.choice(("casual", "sick", "vacation"))
    row = need(found)
    if int(row[f"remaining_{kind}_leaves"]) < 2:
        raise UnfitError
    days = ctx.rng.randint(2, min(4, int(row[f"remaining_{kind}_leaves"])))
    slots = {"name": row["name"], "kind": kind, "days": str(days)}
    return changing(ctx, slots, row, _booked(slots, row))


@GROUP.goal(draw_leave_booked)
def leave_booked(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.private(row, f"remaining_{slots['kind']}_leaves")
    plan.weigh(row)
    return plan.carry_out("I subtract the days.", _booked(slots, row))


def draw_raised(ctx: DrawContext) -> Draw:
    row = subject(ctx)
    slots = {"name": row["name"], "percent": str(ctx.rng.randrange(2, 21, 2))}
    return changing(ctx, slots, row, raised_by(slots, row))


@GROUP.goal(draw_raised)
def raised(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.private(row, "salary")
    plan.weigh(row)
    return plan.carry_out("I raise it.", raised_by(slots, row))


def draw_vacation_capped(ctx: DrawContext) -> Draw:
    row, most = someone(ctx), clauses.value(ctx.facts, clauses.CARRIED)
    if int(row["remaining_vacation_leaves"]) <= most:
        raise UnfitError
    slots = {"name": row["name"]}
    return changing(ctx, slots, row, _capped(slots, most))


@GROUP.goal(draw_vacation_capped)
def vacation_capped(slots: Slots, plan: PlanRecorder) -> Values:
    most = clauses.rule(plan, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value
    return plan.carry_out("I cut the balance down to that.", _capped(slots, most))


def raised_by(slots: Slots, row: Mapping[str, str] | Row) -> Action:
    """Raising a salary by some percent of what it is."""
    exact = int(row["salary"]) * (100 + int(slots["percent"]))
    if exact % 100:
        raise UnfitError("that is no whole amount")
    return action(UPDATE, emp_id=row["emp_id"], salary=str(exact // 100))


def _booked(slots: Slots, row: Mapping[str, str]) -> Action:
    field = f"remaining_{slots['kind']}_leaves"
    return action(UPDATE, emp_id=row["emp_id"], **{field: str(int(row[field]) - int(slots["days"]))})


def _capped(slots: Slots, most: int) -> Action:
    return action(UPDATE, emp_id=slots["name"], remaining_vacation_leaves=str(most))


def draw_resume_count(ctx: DrawContext) -> Draw:
    """A former employer or a college of which no other name is a part."""
    kind = ctx.rng.choice(("employer", "college"))
    stated = [latent.facts[kind] for latent in ctx.facts.latents("resumes", "resume") if kind in latent.facts]
    value = ctx.rng.choice(stated)
    if sum(value in row["content"] for row in ctx.facts.all("resumes")) != stated.count(value):
        raise UnfitError
    people = [_author_of(ctx, row) for row in ctx.facts.all("resumes") if value in row["content"]]
    here = sum(person["is_valid"] == "TRUE" for person in people)
    answer = [entities.number(len(people)), entities.number(here)]
    return ctx.draw({"place": value}, answer=answer)


def _author_of(ctx: DrawContext, resume: Record) -> Record:
    return need(ctx.facts.person(resume["emp_id"]))


@GROUP.goal(draw_resume_count)
def resume_count(slots: Slots, plan: PlanRecorder) -> Values:
    place = slots["place"].replace("'", "''")
    sql = (
        "SELECT COUNT(*) AS resumes, SUM(e.is_valid = 'TRUE') AS here FROM resumes r "
        f"JOIN employees e ON e.emp_id = r.emp_id WHERE r.content LIKE '%{place}%'"
    )
    found = plan.select("I count the resumes that name it, and whose authors are still here.", sql).first
    return found["resumes"], found["here"]
