"""HR: policy clauses applied to what personnel records say: notice, probation, leave, ratings, signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError
from evals.kinds.enterprise.goals.goal import GoalGroup, Logic, Slots, Values
from evals.kinds.enterprise.goals.hr import clauses
from evals.kinds.enterprise.goals.hr.employees import climb, look, myself, someone
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.tasks.task import Entity

GROUP = GoalGroup("hr/rules.toml")

_DIRECTOR = "14"
_VACATION = "remaining_vacation_leaves"
_LAST_OF_ALL_MONTHS = 28


def draw_probation_end(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    if day(row["doj"]).day > _LAST_OF_ALL_MONTHS:
        raise UnfitError
    end = clauses.months_later(day(row["doj"]), clauses.value(ctx.facts, clauses.PROBATION))
    return ctx.draw({"name": row["name"]}, answer=[entities.date(end.isoformat())])


@GROUP.goal(draw_probation_end)
def probation_end(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    months = clauses.rule(plan, clauses.HANDBOOK, "How long is probation?", clauses.PROBATION).value
    plan.weigh(row)
    return (clauses.months_later(day(row["doj"]), months).isoformat(),)


def draw_training_due(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    due = day(row["doj"]) + timedelta(days=clauses.value(ctx.facts, clauses.TRAINING))
    return ctx.draw({"name": row["name"]}, answer=[entities.date(due.isoformat())])


@GROUP.goal(draw_training_due)
def training_due(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    days = clauses.rule(plan, clauses.COMPLIANCE, "Until when is it to be done?", clauses.TRAINING).value
    plan.weigh(row)
    return ((day(row["doj"]) + timedelta(days=days)).isoformat(),)


def draw_devices_back(ctx: DrawContext) -> Draw:
    if not ctx.facts.left:
        raise UnfitError
    row = ctx.rng.choice(ctx.facts.left)
    if not ctx.facts.known_by_name(row):
        raise UnfitError
    due = clauses.working_days_later(day(row["dol"]), clauses.value(ctx.facts, clauses.RETURN))
    return ctx.draw(
        {"name": row["name"]},
        answer=[entities.date(due.isoformat())],
        about=[("employees", row)],
        subject=row["emp_id"],
    )


@GROUP.goal(draw_devices_back)
def devices_back(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    last = day(plan.private(row, "dol"))
    days = clauses.rule(plan, clauses.ASSETS, "How long do leavers have?", clauses.RETURN).value
    return (clauses.working_days_later(last, days).isoformat(),)


def _draw_notice(ctx: DrawContext, row: Record, slots: Mapping[str, str], *more: Entity) -> Draw:
    if row["emp_id"] == ctx.me["emp_id"] or row["department"] not in _ordinary(ctx):
        raise UnfitError
    start = ctx.facts.now.date() + timedelta(days=ctx.rng.randint(1, 60))
    probation = clauses.months_later(_safe(row["doj"]), clauses.value(ctx.facts, clauses.PROBATION))
    if abs((probation - start).days) < 45:
        raise UnfitError
    key = clauses.NOTICE["new" if start < probation else "settled"]
    director = row["level"] == _DIRECTOR and start >= probation
    days = clauses.exceptional(ctx.facts, key) if director else clauses.value(ctx.facts, key)
    end = (start + timedelta(days=days)).isoformat()
    return ctx.draw({**slots, "day": start.isoformat()}, answer=[*more, entities.date(end)])


def _notice(plan: PlanRecorder, slots: Slots, row: Row) -> str:
    start = date.fromisoformat(slots["day"])
    probation, new, settled = clauses.rules(
        plan, clauses.HANDBOOK, "Which notice period applies?", clauses.PROBATION, *clauses.NOTICE.values()
    )
    plan.weigh(row)
    if start < clauses.months_later(_safe(row["doj"]), probation.value):
        return (start + timedelta(days=new.value)).isoformat()
    days = settled.exceptional if row["level"] == _DIRECTOR else settled.value
    return (start + timedelta(days=days)).isoformat()


def _safe(text: str) -> date:
    found = day(text)
    return found.replace(day=min(found.day, _LAST_OF_ALL_MONTHS))


def _ordinary(ctx: DrawContext) -> frozenset[str]:
    """Departments but the executives, whose contracts no handbook covers."""
    return frozenset(row["department"] for row in ctx.facts.staff())


def draw_my_lapsing(ctx: DrawContext) -> Draw:
    lost = _lost(ctx, ctx.me)
    if lost <= 0:
        raise UnfitError
    return ctx.draw({}, answer=[entities.number(lost)])


@GROUP.goal(draw_my_lapsing)
def my_lapsing(slots: Slots, plan: PlanRecorder) -> Values:
    me = myself(plan)
    plan.weigh(me)
    return (str(_lapsing(me[_VACATION], _carried(plan))),)


def draw_lapsing(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    if _lost(ctx, row) <= 0:
        raise UnfitError
    return ctx.draw({"name": row["name"]}, answer=[entities.number(_lost(ctx, row))])


@GROUP.goal(draw_lapsing)
def lapsing(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    return (str(_lapsing(plan.private(row, _VACATION), _carried(plan))),)


def draw_reports_lapsing(ctx: DrawContext) -> Draw:
    reports = _reports(ctx)
    names = [entities.person(row) for row in reports if _lost(ctx, row) > 0]
    if len(reports) < 2:
        raise UnfitError
    return ctx.draw({}, answer=names, nothing=not names)


@GROUP.goal(draw_reports_lapsing)
def reports_lapsing(slots: Slots, plan: PlanRecorder) -> Values:
    reports = plan.every("employees", "Who reports to me, and what do they have left?", reports_to="me")
    most = _carried(plan)
    here = [row for row in reports if row["is_valid"] == "TRUE"]
    return _named(plan, [row for row in here if _lapsing(row[_VACATION], most) > 0])


def draw_reports_to_improve(ctx: DrawContext) -> Draw:
    reports, most = _reports(ctx), clauses.value(ctx.facts, clauses.PLAN)
    names = [entities.person(row) for row in reports if int(row["performance_rating"]) <= most]
    if len(reports) < 2:
        raise UnfitError
    return ctx.draw({}, answer=names, nothing=not names)


@GROUP.goal(draw_reports_to_improve)
def reports_to_improve(slots: Slots, plan: PlanRecorder) -> Values:
    reports = plan.every("employees", "Who reports to me, and how are they rated?", reports_to="me")
    most = clauses.rule(plan, clauses.RATINGS, "Which ratings lead to a plan?", clauses.PLAN).value
    here = [row for row in reports if row["is_valid"] == "TRUE"]
    return _named(plan, [row for row in here if int(row["performance_rating"]) <= most])


def _named(plan: PlanRecorder, rows: Sequence[Row]) -> Values:
    for row in rows:
        plan.pick(row)
    return tuple(row["name"] for row in rows)


def _reports(ctx: DrawContext) -> list[Record]:
    rows = ctx.facts.where("employees", reports_to=ctx.me["emp_id"])
    return [row for row in rows if row["is_valid"] == "TRUE"]


def _lost(ctx: DrawContext, row: Record) -> int:
    return _lapsing(row[_VACATION], clauses.value(ctx.facts, clauses.CARRIED))


def _carried(plan: PlanRecorder) -> int:
    return clauses.rule(plan, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value


def _lapsing(left: str, most: int) -> int:
    if not left:
        raise UnfitError("nothing is known of vacation")
    return int(left) - most


def _draw_notice_of(ctx: DrawContext, levels: int) -> Draw:
    row = someone(ctx)
    leaver = ctx.above(row, levels)
    asked = [entities.person(leaver)] if levels else []
    return _draw_notice(ctx, leaver, {"name": row["name"]}, *asked)


def _notice_of(slots: Slots, plan: PlanRecorder, levels: int) -> Values:
    leaver = climb(plan, look(plan, slots["name"]), levels)
    end = _notice(plan, slots, leaver)
    return (leaver["name"], end) if levels else (end,)


GROUP.add(
    notice_end=Logic.given(_draw_notice_of, _notice_of, levels=0),
    notice_of_manager=Logic.given(_draw_notice_of, _notice_of, levels=1),
    notice_above=Logic.given(_draw_notice_of, _notice_of, levels=2),
)
