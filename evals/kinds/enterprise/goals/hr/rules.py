"""HR: policy clauses applied to what personnel records say: notice, probation, leave, ratings, signatures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr import clauses
from worksmith.evals.kinds.enterprise.goals.hr.cases import draw_most_lapsing, most_lapsing
from worksmith.evals.kinds.enterprise.goals.hr.employees import look, myself, names, someone
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Entity

GROUP = GoalGroup("hr/rules.toml")

_DIRECTOR = "14"
_VACATION = "remaining_vacation_leaves"
_LAST_OF_ALL_MONTHS = 28


def draw_probation_end(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    return ctx.draw({"name": row["name"]}, answer=[_probation(ctx, row)])


@GROUP.goal(draw_probation_end)
def probation_end(slots: Slots, plan: PlanRecorder) -> Values:
    return (_find_probation(plan, look(plan, slots["name"])),)


def _probation(ctx: DrawContext, row: Record) -> Entity:
    if day(row["doj"]).day > _LAST_OF_ALL_MONTHS:
        raise UnfitError
    months = clauses.value(ctx.facts, clauses.PROBATION)
    return entities.date(clauses.months_later(day(row["doj"]), months).isoformat())


def _find_probation(plan: PlanRecorder, row: Row) -> str:
    months = clauses.rule(plan, clauses.HANDBOOK, "How long is probation?", clauses.PROBATION).value
    plan.weigh(row)
    return clauses.months_later(day(row["doj"]), months).isoformat()


def draw_training_due(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    return ctx.draw({"name": row["name"]}, answer=[_training(ctx, row)])


@GROUP.goal(draw_training_due)
def training_due(slots: Slots, plan: PlanRecorder) -> Values:
    return (_find_training(plan, look(plan, slots["name"])),)


def _training(ctx: DrawContext, row: Record) -> Entity:
    days = clauses.value(ctx.facts, clauses.TRAINING)
    return entities.date((day(row["doj"]) + timedelta(days=days)).isoformat())


def _find_training(plan: PlanRecorder, row: Row) -> str:
    days = clauses.rule(plan, clauses.COMPLIANCE, "Until when is it to be done?", clauses.TRAINING).value
    plan.weigh(row)
    return (day(row["doj"]) + timedelta(days=days)).isoformat()


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


def _end_of_notice(ctx: DrawContext, row: Record, start: date) -> date:
    if row["department"] not in _ordinary(ctx):
        raise UnfitError
    probation = clauses.months_later(_safe(row["doj"]), clauses.value(ctx.facts, clauses.PROBATION))
    if abs((probation - start).days) < 45:
        raise UnfitError
    key = clauses.NOTICE["new" if start < probation else "settled"]
    director = row["level"] == _DIRECTOR and start >= probation
    days = clauses.exceptional(ctx.facts, key) if director else clauses.value(ctx.facts, key)
    return start + timedelta(days=days)


def _notice(plan: PlanRecorder, slots: Slots, row: Row) -> date:
    start = date.fromisoformat(slots["day"])
    probation, new, settled = clauses.rules(
        plan, clauses.HANDBOOK, "Which notice period applies?", clauses.PROBATION, *clauses.NOTICE.values()
    )
    plan.weigh(row)
    if start < clauses.months_later(_safe(row["doj"]), probation.value):
        return start + timedelta(days=new.value)
    days = settled.exceptional if row["level"] == _DIRECTOR else settled.value
    return start + timedelta(days=days)


def _start(ctx: DrawContext) -> date:
    """A possible day of notice."""
    return ctx.facts.now.date() + timedelta(days=ctx.rng.randint(1, 60))


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


def draw_notice_end(ctx: DrawContext) -> Draw:
    row, start = someone(ctx), _start(ctx)
    end = _end_of_notice(ctx, row, start)
    slots = {"name": row["name"], "day": start.isoformat()}
    return ctx.draw(slots, answer=[entities.date(end.isoformat())])


@GROUP.goal(draw_notice_end)
def notice_end(slots: Slots, plan: PlanRecorder) -> Values:
    return (_notice(plan, slots, look(plan, slots["name"])).isoformat(),)


def draw_leaver_dates(ctx: DrawContext) -> Draw:
    row, start = someone(ctx), _start(ctx)
    slots = {"name": row["name"], "day": start.isoformat()}
    return ctx.draw(slots, answer=_last_dates(ctx, row, start))


@GROUP.goal(draw_leaver_dates)
def leaver_dates(slots: Slots, plan: PlanRecorder) -> Values:
    return _find_last_dates(plan, slots, look(plan, slots["name"]))


def draw_leaver_plan(ctx: DrawContext) -> Draw:
    row, start = someone(ctx), _start(ctx)
    if _lost(ctx, row) <= 0:
        raise UnfitError
    slots = {"name": row["name"], "day": start.isoformat()}
    return ctx.draw(slots, answer=[*_last_dates(ctx, row, start), entities.number(_lost(ctx, row))])


@GROUP.goal(draw_leaver_plan)
def leaver_plan(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    left = plan.private(row, _VACATION)
    return *_find_last_dates(plan, slots, row), str(_lapsing(left, _carried(plan)))


def _draw_leavers(ctx: DrawContext, number: int) -> Draw:
    (rows, first, lost), start = draw_most_lapsing(ctx, number), _start(ctx)
    slots = {**names(rows), "day": start.isoformat()}
    answer = [entities.person(first), entities.number(lost), *_last_dates(ctx, first, start)]
    return ctx.draw(slots, answer=answer)


def _leavers(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    row, lost = most_lapsing(slots, plan, number)
    return row["name"], lost, *_find_last_dates(plan, slots, row)


def _last_dates(ctx: DrawContext, row: Record, start: date) -> list[Entity]:
    """The end of a person's notice, and the last day to return devices."""
    end = _end_of_notice(ctx, row, start)
    back = clauses.working_days_later(end, clauses.value(ctx.facts, clauses.RETURN))
    return [entities.date(one.isoformat()) for one in (end, back)]


def _find_last_dates(plan: PlanRecorder, slots: Slots, row: Row) -> tuple[str, str]:
    end = _notice(plan, slots, row)
    days = clauses.rule(plan, clauses.ASSETS, "How long do leavers have?", clauses.RETURN).value
    return end.isoformat(), clauses.working_days_later(end, days).isoformat()


def draw_newcomer_dates(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    return ctx.draw({"name": row["name"]}, answer=[_training(ctx, row), _probation(ctx, row)])


@GROUP.goal(draw_newcomer_dates)
def newcomer_dates(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    return _find_training(plan, row), _find_probation(plan, row)


GROUP.add(
    two_leavers=Logic.given(_draw_leavers, _leavers, number=2),
    three_leavers=Logic.given(_draw_leavers, _leavers, number=3),
)
