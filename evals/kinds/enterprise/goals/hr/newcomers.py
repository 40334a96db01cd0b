"""HR: registering newcomers, with messages about their mail address."""

from __future__ import annotations

import re

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr.employees import someone
from worksmith.evals.kinds.enterprise.goals.notifications import mail, my_manager
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.enterprise.generate.people.names import outsiders

GROUP = GoalGroup("hr/newcomers.toml")

CREATE = "employee_data.create"

_JUNIOR = "09"
_LEADING = ("10", "12")
_SALARIES = (900, 1900)
_STEP = 50


def draw_registered(ctx: DrawContext) -> Draw:
    boss, slots, _ = newcomer(ctx)
    return ctx.draw(slots, actions=[_created(slots)], about=[("employees", boss)])


@GROUP.goal(draw_registered)
def registered(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I register the newcomer.", _created(slots))


def newcomer(ctx: DrawContext) -> tuple[Record, dict[str, str], str]:
    """The manager of a newcomer, the record to register, and the resulting mail address."""
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
    """The mail about a newcomer."""
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


def _draw_told(ctx: DrawContext, *, above: bool) -> Draw:
    boss, slots, email = newcomer(ctx)
    to = ctx.above(ctx.me)["emp_id"] if above else slots["boss"]
    actions = [_created(slots), welcome(to, slots, email)]
    return ctx.draw(slots, actions=actions, mentions=[email], about=[("employees", boss)])


def _registered_told(slots: Slots, plan: PlanRecorder, *, above: bool) -> Values:
    made = plan.write(CREATE, "I register the newcomer.", **_created(slots).arguments)
    to, who = (my_manager(plan), "my") if above else (slots["boss"], "the")
    return plan.carry_out(f"I tell {who} manager the new address.", welcome(to, slots, made["email"]))


GROUP.add(
    registered_told=Logic.given(_draw_told, _registered_told, above=False),
    registered_reported=Logic.given(_draw_told, _registered_told, above=True),
)
