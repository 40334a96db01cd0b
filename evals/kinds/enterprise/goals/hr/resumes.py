"""HR: what resumes say of the time before people joined."""

from __future__ import annotations

from collections.abc import Callable

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.paths import HERE, Found, Question, Start, record
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row

GROUP = GoalGroup("hr/resumes.toml")


def _drawn(*needed: str) -> Callable[[DrawContext], Found]:
    """Draw the resume of somebody else who works here, which states certain facts."""

    def draw(ctx: DrawContext) -> Found:
        row = ctx.pick("resumes")
        person = ctx.other(ctx.facts.colleague(row["emp_id"]))
        for name in needed:
            need(ctx.facts.fact("resumes", row["resume_id"], name))
        return Found(row, {"name": person["name"]})

    return draw


def _find(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("resumes", f"I open the resume of {slots['name']}.", employee=slots["name"])


_STUDIES = Start("resumes", _drawn("degree", "college"), _find)
_CAREER = Start("resumes", _drawn("employer", "years_before"), _find)
_DEGREE, _COLLEGE = HERE.fact("resumes", "degree"), HERE.fact("resumes", "college")
_EMPLOYER = HERE.fact("resumes", "employer")
_YEARS = HERE.fact("resumes", "years_before", lambda value: entities.number(int(value)))
_NOW = HERE.to(record("employees", "And what does that colleague do now?", "emp_id")).text("title")

GROUP.add(
    resume_studies=Question(_STUDIES, _DEGREE, _COLLEGE),
    resume_career=Question(_CAREER, _EMPLOYER, _YEARS),
    resume_rise=Question(Start("resumes", _drawn("employer", "applied_for"), _find), _EMPLOYER, _NOW),
)


def draw_resume_count(ctx: DrawContext) -> Draw:
    """A former employer or a college of which no other name is a part."""
    kind = ctx.rng.choice(("employer", "college"))
    stated = [latent.facts[kind] for latent in ctx.facts.latents("resumes", "resume") if kind in latent.facts]
    value = ctx.rng.choice(stated)
    if sum(value in row["content"] for row in ctx.facts.all("resumes")) != stated.count(value):
        raise UnfitError
    people = [_of(ctx, row) for row in ctx.facts.all("resumes") if value in row["content"]]
    here = sum(person["is_valid"] == "TRUE" for person in people)
    answer = [entities.number(len(people)), entities.number(here)]
    return ctx.draw({"place": value}, answer=answer)


def _of(ctx: DrawContext, resume: Record) -> Record:
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
