"""HR: registering newcomers, and telling others of their mail address."""

from __future__ import annotations

import re

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.hr.employees import DIRECTORY, PERSONNEL, SENIOR, someone
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.telling import mail, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError
from evals.tasks.task import Action
from tools.kinds.enterprise.generate.people.names import outsiders

GROUP = GoalGroup("HR", "hr/newcomers.toml", departments=PERSONNEL)

CREATE = "employee_data.create"

_JUNIOR = "09"
_LEADING = ("10", "12")
_SALARIES = (900, 1900)
_STEP = 50


def draw_registered(ctx: DrawContext) -> Draw:
    boss, slots, _ = newcomer(ctx)
    return ctx.draw(slots, actions=[_created(slots)], about=[("employees", boss)])


@GROUP.goal(
    DIRECTORY, steps=1, type="crud", draw=draw_registered, levels=SENIOR,
    denials=("level_too_low", "wrong_department", "left_company"),
)  # fmt: skip
def registered(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I register the newcomer.", _created(slots))


def draw_registered_told(ctx: DrawContext) -> Draw:
    boss, slots, email = newcomer(ctx)
    actions = [_created(slots), welcome(slots["boss"], slots, email)]
    return ctx.draw(slots, actions=actions, mentions=[email], about=[("employees", boss)])


@GROUP.goal(
    DIRECTORY, steps=2, type="crud", draw=draw_registered_told, levels=SENIOR,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def registered_told(slots: Slots, plan: PlanRecorder) -> Values:
    made = plan.write(CREATE, "I register the newcomer.", **_created(slots).arguments)
    return plan.carry_out("I tell the manager the new address.", welcome(slots["boss"], slots, made["email"]))


def draw_registered_reported(ctx: DrawContext) -> Draw:
    found, mine = newcomer(ctx), ctx.above(ctx.me)
    boss, slots, email = found
    actions = [_created(slots), welcome(mine["emp_id"], slots, email)]
    return ctx.draw(slots, actions=actions, mentions=[email], about=[("employees", boss)])


@GROUP.goal(
    DIRECTORY, steps=3, type="crud", draw=draw_registered_reported, levels=SENIOR,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def registered_reported(slots: Slots, plan: PlanRecorder) -> Values:
    made = plan.write(CREATE, "I register the newcomer.", **_created(slots).arguments)
    return plan.carry_out(
        "I tell my manager the new address.", welcome(my_manager(plan), slots, made["email"])
    )


def newcomer(ctx: DrawContext) -> tuple[Record, dict[str, str], str]:
    """The manager of somebody new, what is to be registered, and the mail address that comes of it."""
    boss = someone(ctx, levels=_LEADING)
    peers = ctx.facts.staff((boss["department"],), (_JUNIOR,))
    name = next(outsiders(ctx.rng, {row["name"] for row in ctx.facts.all("employees")}))
    email = f"{'.'.join(re.findall('[a-z]+', name.lower())[:2])}@{ctx.me['email'].partition('@')[2]}"
    if not peers or ctx.facts.where("employees", email=email):
        raise UnfitError
    slots = {
        "newcomer": name,
        "department": boss["category"],
        "title": ctx.rng.choice(peers)["title"],
        "level": _JUNIOR,
        "boss": boss["name"],
        "salary": str(ctx.rng.randint(*_SALARIES) * _STEP),
    }
    return boss, slots, email


def welcome(recipient: str, slots: Slots, email: str) -> Action:
    """The mail that tells of a newcomer."""
    body = f"{slots['newcomer']} has joined us. The new mail address is {email}."
    return mail(recipient, f"New colleague: {slots['newcomer']}", body)


def _created(slots: Slots) -> Action:
    return action(
        CREATE,
        name=slots["newcomer"],
        department=slots["department"],
        level=slots["level"],
        title=slots["title"],
        reports_to=slots["boss"],
        salary=slots["salary"],
    )
