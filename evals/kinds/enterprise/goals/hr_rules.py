"""HR: policy clauses applied to what personnel records say: notice, probation, leave, ratings, signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import clauses, entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.hr import (
    PERSONNEL,
    POLICIES,
    SENIOR,
    above,
    climb,
    look,
    myself,
    someone,
)
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script, UnfitError
from evals.tasks.task import Entity

BOOK = Book("HR", "hr_rules.toml")

_DIRECTOR = "14"
_VACATION = "remaining_vacation_leaves"
_LAST_OF_ALL_MONTHS = 28


# --- coming and going -----------------------------------------------------------------------------------


def draw_notice_end(scene: Scene) -> Draw | None:
    """Somebody who hands in notice."""
    row = someone(scene)
    return _draw_notice(scene, row, {"name": row["name"]}) if row else None


@BOOK.goal(POLICIES, steps=2, draw=draw_notice_end)
def notice_end(slots: Slots, call: Script) -> Values:
    """Level and first day, then the notice period."""
    return (_notice(call, slots, look(call, slots["name"])),)


def draw_notice_of_manager(scene: Scene) -> Draw | None:
    """Somebody whose manager hands in notice."""
    row = someone(scene)
    chain = above(scene, row, 1) if row else []
    if row is None or not chain:
        return None
    return _draw_notice(scene, chain[0], {"name": row["name"]}, entities.person(chain[0]))


@BOOK.goal(POLICIES, steps=3, draw=draw_notice_of_manager)
def notice_of_manager(slots: Slots, call: Script) -> Values:
    """The manager, the manager's record, the notice period."""
    manager = climb(call, look(call, slots["name"]))
    return manager["name"], _notice(call, slots, manager)


def draw_notice_above(scene: Scene) -> Draw | None:
    """Somebody the manager of whose manager hands in notice."""
    row = someone(scene)
    chain = above(scene, row, 2) if row else []
    if row is None or not chain:
        return None
    return _draw_notice(scene, chain[1], {"name": row["name"]}, entities.person(chain[1]))


@BOOK.goal(POLICIES, steps=4, draw=draw_notice_above)
def notice_above(slots: Slots, call: Script) -> Values:
    """Two levels up, the record there, the notice period."""
    manager = climb(call, look(call, slots["name"]), 2)
    return manager["name"], _notice(call, slots, manager)


def draw_probation_end(scene: Scene) -> Draw | None:
    """Somebody whose first day is known."""
    row = someone(scene)
    if row is None or day(row["doj"]).day > _LAST_OF_ALL_MONTHS:
        return None
    end = clauses.months_later(day(row["doj"]), clauses.value(scene.facts, clauses.PROBATION))
    return scene.draw({"name": row["name"]}, answer=[entities.date(end.isoformat())])


@BOOK.goal(POLICIES, steps=2, draw=draw_probation_end)
def probation_end(slots: Slots, call: Script) -> Values:
    """The first day, then the length."""
    row = look(call, slots["name"])
    months = clauses.rule(call, clauses.HANDBOOK, "How long is probation?", clauses.PROBATION).value
    call.weigh(row)
    return (clauses.months_later(day(row["doj"]), months).isoformat(),)


def draw_training_due(scene: Scene) -> Draw | None:
    """The persona as a newcomer once, or a colleague."""
    row = someone(scene)
    if row is None:
        return None
    due = day(row["doj"]) + timedelta(days=clauses.value(scene.facts, clauses.TRAINING))
    return scene.draw({"name": row["name"]}, answer=[entities.date(due.isoformat())])


@BOOK.goal(POLICIES, steps=2, draw=draw_training_due)
def training_due(slots: Slots, call: Script) -> Values:
    """The first day, then the time for the training."""
    row = look(call, slots["name"])
    days = clauses.rule(call, clauses.COMPLIANCE, "Until when is it to be done?", clauses.TRAINING).value
    call.weigh(row)
    return ((day(row["doj"]) + timedelta(days=days)).isoformat(),)


def draw_devices_back(scene: Scene) -> Draw | None:
    """Somebody who has left."""
    if not scene.facts.left:
        return None
    row = scene.rng.choice(scene.facts.left)
    if not scene.facts.known_by_name(row):
        return None
    due = clauses.working_days_later(day(row["dol"]), clauses.value(scene.facts, clauses.RETURN))
    return scene.draw(
        {"name": row["name"]}, answer=[entities.date(due.isoformat())], about=[("employees", row)],
        subject=row["emp_id"],
    )  # fmt: skip


@BOOK.goal(
    POLICIES, steps=2, draw=draw_devices_back, departments=PERSONNEL,
    denials=("private_field", "left_company"),
)  # fmt: skip
def devices_back(slots: Slots, call: Script) -> Values:
    """The last day, then the time for the return."""
    row = look(call, slots["name"])
    last = day(call.private(row, "dol"))
    days = clauses.rule(call, clauses.ASSETS, "How long do leavers have?", clauses.RETURN).value
    return (clauses.working_days_later(last, days).isoformat(),)


def _draw_notice(scene: Scene, row: Record, slots: Mapping[str, str], *more: Entity) -> Draw | None:
    if row["emp_id"] == scene.me["emp_id"] or row["department"] not in _ordinary(scene):
        return None
    start = scene.facts.now.date() + timedelta(days=scene.rng.randint(1, 60))
    probation = clauses.months_later(_safe(row["doj"]), clauses.value(scene.facts, clauses.PROBATION))
    if abs((probation - start).days) < 45:
        return None
    key = clauses.NOTICE["new" if start < probation else "settled"]
    director = row["level"] == _DIRECTOR and start >= probation
    days = clauses.exceptional(scene.facts, key) if director else clauses.value(scene.facts, key)
    end = (start + timedelta(days=days)).isoformat()
    return scene.draw({**slots, "day": start.isoformat()}, answer=[*more, entities.date(end)])


def _notice(call: Script, slots: Slots, row: Row) -> str:
    start = date.fromisoformat(slots["day"])
    probation, new, settled = clauses.rules(
        call, clauses.HANDBOOK, "Which notice period applies?", clauses.PROBATION, *clauses.NOTICE.values()
    )
    call.weigh(row)
    if start < clauses.months_later(_safe(row["doj"]), probation.value):
        return (start + timedelta(days=new.value)).isoformat()
    days = settled.exceptional if row["level"] == _DIRECTOR else settled.value
    return (start + timedelta(days=days)).isoformat()


def _safe(text: str) -> date:
    found = day(text)
    return found.replace(day=min(found.day, _LAST_OF_ALL_MONTHS))


def _ordinary(scene: Scene) -> frozenset[str]:
    """Departments but the executives, whose contracts no handbook covers."""
    return frozenset(row["department"] for row in scene.facts.staff())


# --- days that lapse, ratings ---------------------------------------------------------------------------


def draw_my_lapsing(scene: Scene) -> Draw | None:
    """The persona's vacation beyond what may be carried over."""
    lost = _lost(scene, scene.me)
    return scene.draw({}, answer=[entities.number(lost)]) if lost > 0 else None


@BOOK.goal(POLICIES, steps=2, draw=draw_my_lapsing)
def my_lapsing(slots: Slots, call: Script) -> Values:
    """What is left, and what may be carried over."""
    me = myself(call)
    call.weigh(me)
    return (str(_lapsing(me[_VACATION], _carried(call))),)


def draw_lapsing(scene: Scene) -> Draw | None:
    """Somebody's vacation beyond that."""
    row = someone(scene)
    if row is None or _lost(scene, row) <= 0:
        return None
    return scene.draw({"name": row["name"]}, answer=[entities.number(_lost(scene, row))])


@BOOK.goal(POLICIES, steps=2, draw=draw_lapsing, departments=PERSONNEL)
def lapsing(slots: Slots, call: Script) -> Values:
    """What is left, and what may be carried over."""
    row = look(call, slots["name"])
    return (str(_lapsing(call.private(row, _VACATION), _carried(call))),)


def draw_reports_lapsing(scene: Scene) -> Draw | None:
    """The persona's direct reports who lose days."""
    reports = _reports(scene)
    names = [entities.person(row) for row in reports if _lost(scene, row) > 0]
    return scene.draw({}, answer=names, nothing=not names) if len(reports) > 1 else None


@BOOK.goal(POLICIES, steps=2, draw=draw_reports_lapsing, levels=SENIOR, empty=True)
def reports_lapsing(slots: Slots, call: Script) -> Values:
    """All reports, and what may be carried over."""
    reports = call.every("employees", "Who reports to me, and what do they have left?", reports_to="me")
    most = _carried(call)
    here = [row for row in reports if row["is_valid"] == "TRUE"]
    return _named(call, [row for row in here if _lapsing(row[_VACATION], most) > 0])


def draw_reports_to_improve(scene: Scene) -> Draw | None:
    """The persona's direct reports whose rating leads to an improvement plan."""
    reports, most = _reports(scene), clauses.value(scene.facts, clauses.PLAN)
    names = [entities.person(row) for row in reports if int(row["performance_rating"]) <= most]
    return scene.draw({}, answer=names, nothing=not names) if len(reports) > 1 else None


@BOOK.goal(POLICIES, steps=2, draw=draw_reports_to_improve, levels=SENIOR, empty=True)
def reports_to_improve(slots: Slots, call: Script) -> Values:
    """All reports, and the rating that matters."""
    reports = call.every("employees", "Who reports to me, and how are they rated?", reports_to="me")
    most = clauses.rule(call, clauses.RATINGS, "Which ratings lead to a plan?", clauses.PLAN).value
    here = [row for row in reports if row["is_valid"] == "TRUE"]
    return _named(call, [row for row in here if int(row["performance_rating"]) <= most])


def _named(call: Script, rows: Sequence[Row]) -> Values:
    for row in rows:
        call.pick(row)
    return tuple(row["name"] for row in rows)


def _reports(scene: Scene) -> list[Record]:
    rows = scene.facts.where("employees", reports_to=scene.me["emp_id"])
    return [row for row in rows if row["is_valid"] == "TRUE"]


def _lost(scene: Scene, row: Record) -> int:
    return _lapsing(row[_VACATION], clauses.value(scene.facts, clauses.CARRIED))


def _carried(call: Script) -> int:
    return clauses.rule(call, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value


def _lapsing(left: str, most: int) -> int:
    if not left:
        raise UnfitError("nothing is known of vacation")
    return int(left) - most
