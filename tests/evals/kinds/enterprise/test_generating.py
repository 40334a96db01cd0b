"""Generated tasks: what GENERATOR.md section 7 asks of them, over a small world."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import pytest

from tests.evals.kinds.enterprise.small_suite import SCALE, SEED, small_suite
from tests.evals.plan_schemas import misfits
from tests.evals.splits import in_two_splits
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.authoring.value_forms import tells
from worksmith.evals.kinds.enterprise.filling.claims import SHARED
from worksmith.evals.kinds.enterprise.generate import Sizes, generate
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.scoring.answer_scorer import AnswerScorer
from worksmith.evals.tasks.task import Split, Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.world import World

pytestmark = pytest.mark.slow


class Made(NamedTuple):
    """A small suite, and what it was made from."""

    world: World
    built: Built
    tasks: list[Task]
    env: Environment

    def of(self, *splits: Split) -> list[Task]:
        """The tasks of some splits."""
        return [task for task in self.tasks if task.split in splits]


@pytest.fixture(scope="module")
def made() -> Made:
    suite = small_suite()
    return Made(suite.world, small(SEED), list(suite.tasks), Environment(suite.world, sandboxes=1))


def carried_out(made: Made, task: Task) -> Episode:
    """The gold plan, carried out."""
    episode = made.env.episode(persona=task.persona)
    for step in task.gold_plan or ():
        episode.call(step.tool, step.arguments)
    return episode


def test_gold_plans_keep_to_the_schemas_of_the_tools(made: Made) -> None:
    assert misfits(made.env.kind, made.tasks) == []


def test_the_same_seed_gives_the_same_tasks_and_another_gives_others(made: Made) -> None:
    small = Sizes(20, 10, 5)
    once = generate(made.world, made.built, 1, sizes=small)
    again = generate(made.world, made.built, 1, sizes=small)
    other = generate(made.world, made.built, 2, sizes=small)
    assert [task.digest for task in once] == [task.digest for task in again]
    assert {task.query for task in once} != {task.query for task in other}


def test_sizes_follow_the_scale(made: Made) -> None:
    wanted = Sizes.of_scale(SCALE)
    assert (wanted.test, wanted.train, wanted.dev) == (60, 121, 24)
    assert Sizes.of_scale(1) == Sizes.of_scale(3) == Sizes(500, 1000, 200)
    # A cell without goals, or one for which the world is too small, stays empty; most are filled.
    for split, size in wanted.by_split().items():
        assert 0.6 * size <= len(made.of(split)) <= size


def test_ids_and_texts_are_unique(made: Made) -> None:
    assert len({task.id for task in made.tasks}) == len(made.tasks)
    texts = [task.query for task in made.of("test", "train", "dev")]
    assert len(set(texts)) == len(texts)


def test_always_refusing_scores_nothing_but_denials(made: Made) -> None:
    scorer = AnswerScorer(made.env)
    for task in made.tasks:
        nothing = made.env.episode(persona=task.persona)
        refused = EpisodeResult("finished", nothing.outcome(), nothing.calls, answer_status="denied")
        assert scorer(task, refused)["outcome"] == (task.type == "unanswerable")


def test_what_is_denied_is_denied_at_the_last_step_and_not_before(made: Made) -> None:
    denied = [task for task in made.tasks if task.type == "unanswerable"]
    assert denied
    for task in denied:
        assert task.answer is not None
        episode = carried_out(made, task)
        statuses = [call.observation.status for call in episode.calls]
        assert set(statuses[:-1]) <= {"ok"}
        assert (statuses[-1] == "denied") != (task.origin["denial"] == "private_field")
        assert episode.outcome().empty
        assert task.answer.rule
        seen = " ".join(call.observation.text for call in episode.calls)
        assert not [value for value in task.answer.forbidden if tells(seen, value)]


def test_the_allowed_twin_says_the_same_and_may(made: Made) -> None:
    by_id = {task.id: task for task in made.tasks}
    paired = made.of("paired")
    assert paired
    assert {task.twin for task in paired} == {
        task.id for task in made.of("test") if task.type == "unanswerable"
    }
    for task in paired:
        assert task.twin is not None
        denied = by_id[task.twin]
        assert denied.twin == task.id
        # Who is denied for being the one concerned says "my"; the twin names the same person.
        oneself = denied.origin["denial"] == "self_protection"
        assert (denied.query == task.query) != oneself
        assert denied.persona != task.persona
        assert denied.answer is not None
        assert task.answer is not None
        # The test bites: without the policy the denied persona would get what is forbidden, or change it.
        episode = carried_out(made, task)
        seen = " ".join(call.observation.text for call in episode.calls)
        assert task.expected or denied.answer.forbidden
        assert all(tells(seen, value) for value in denied.answer.forbidden)


def test_splits_share_no_persona_no_record_and_no_wording(made: Made) -> None:
    personas, records, wordings = {}, {}, {}
    phrasings = {goal.id: goal.wording.phrasings for goal in goals()}
    for split in ("test", "train", "dev"):
        tasks = made.of(split)
        personas[split] = {task.persona.id for task in tasks if task.persona}
        # Of what is only counted or compared parts may be in several splits.
        records[split] = {
            ref
            for task in tasks
            if len(task.must_read) <= 2
            for ref in task.must_read
            if ref.partition("/")[0] not in SHARED
        }
        wordings[split] = {phrasings[task.intent or ""][split][task.phrasing or 0] for task in tasks}
    for one, other in combinations(("test", "train", "dev"), 2):
        assert not personas[one] & personas[other]
        assert not wordings[one] & wordings[other]
        assert len(records[one] & records[other]) <= 0.05 * len(records[one] | records[other])
    assert not in_two_splits(made.tasks)


def test_answers_are_not_in_the_question(made: Made) -> None:
    for task in made.tasks:
        if task.answer is not None and task.answer.kind == "entities":
            assert not all(tells(task.query, entity.value) for entity in task.answer.required)


def test_plans_depend_on_earlier_steps_only_and_every_step_matters(made: Made) -> None:
    for task in made.tasks:
        for number, step in enumerate(task.gold_plan or ()):
            assert all(0 <= earlier < number for earlier in step.after)
            assert step.why
            assert set(map(type, step.arguments.values())) <= {str, int}


def test_tasks_are_of_many_kinds(made: Made) -> None:
    kinds = Counter(task.answer.kind for task in made.tasks if task.answer)
    assert set(kinds) == {"entities", "denial", "none", "done"}
    assert {task.difficulty for task in made.tasks} == {"easy", "hard"}
    for task in made.of("test", "train", "dev"):
        assert task.difficulty == ("easy" if len(task.gold_plan or ()) <= 2 else "hard")
    assert len({task.intent for task in made.of("test")}) > 0.6 * len(made.of("test"))


def test_more_train_tasks_leave_test_tasks_their_people(made: Made) -> None:
    usual = Sizes.of_scale(SCALE)
    tasks = generate(made.world, made.built, SEED, sizes=Sizes(usual.test, 2 * usual.train, usual.dev))
    counts = Counter(task.split for task in tasks)
    assert counts["train"] > 1.5 * usual.train
    assert counts["test"] >= 0.95 * len(made.of("test"))
    assert counts["dev"] >= 0.95 * len(made.of("dev"))
