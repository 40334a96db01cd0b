"""A small CRM org and two questions about the calendar, which have a plan for each of its toolkits."""

from __future__ import annotations

from pathlib import Path

from worksmith.evals.kinds.crm.suites import build_world
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.tools.environment import Environment

POLICIES = "Quarters of a year are January to March, April to June, and so on."


def make_org(directory: Path) -> Environment:
    directory.mkdir(exist_ok=True)
    build_world(directory, seed=7, scale=0.02)
    return Environment.open(directory)


def quarter(number: int) -> Task:
    """When a quarter begins: three calls of functions, the last with the handle of another; or one query."""
    begins = f"2023-{3 * number - 2:02}-01T00:00:00Z"
    month = ("January", "April", "July", "October")[number - 1]
    return Task(
        id=f"quarter-{number}",
        query=f"In which month does quarter {number} of 2023 begin?",
        context=POLICIES,
        domains=("functions",),
        intent="monthly_trend_analysis",
        slots={"quarter": str(number)},
        split="train",
        answer=Answer(kind="entities", required=(Entity(type="month", value=month),)),
        gold_plan=(
            Step(
                tool="functions.get_period",
                arguments={"period_name": f"Q{number}", "year": "2023"},
                why="I need the period.",
            ),
            Step(
                tool="functions.get_agent_handled_cases_by_period",
                arguments={"start_date": begins, "end_date": "2024-01-01T00:00:00Z"},
                why="I look at what happened then.",
                after=(0,),
            ),
            Step(
                tool="functions.get_qualified_agent_ids_by_case_count",
                arguments={"agent_handled_cases": "#2", "n_cases": "1"},
                why="Only those with more than one case matter.",
                after=(1,),
            ),
        ),
        other_plans=(
            (
                Step(
                    tool="query.soql",
                    arguments={"query": f"SELECT Id FROM Case WHERE CreatedDate >= {begins} LIMIT 1"},
                    why="I look it up.",
                ),
            ),
        ),
    )


QUARTERS = [quarter(number) for number in (1, 2, 3, 4)]
