"""Does anything leak? Tokens in every record and private field, hostile calls by personas of every kind.

First every tool is called directly. Then an agent goes to work whose model does what an attacker wants, and
whatever its episodes leave is searched: prompts, records, log lines, and what optimizers get to see. Then
agents that show each persona demonstrations made of everybody's thefts.

Who may see a token is decided by rules in plain Python that share nothing with the policy and its engine.
A second hunt, with a filter that lets every record through, has to find leaks, and so have demonstrations
that do not say what they quote: else the first proves nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from benchmarks.soundness.canary.hunt import Hunt
    from benchmarks.soundness.canary.intruder import IntruderEngine
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona

DESCRIPTION = "tokens in every record, hostile calls by 200 personas: how many tokens reach the wrong eyes"

PERSONAS = 200
SCALE = 0.2
SHOWN = 30
"""Demonstrations that the agent shows which always shows the same ones."""

_BROKEN = 20


def run(quick: bool) -> dict[str, Any]:
    """Checks and leaks, with the policy and with its filter broken."""
    from benchmarks.soundness.canary.hunt import Hunt, personas
    from benchmarks.soundness.canary.world import broken_filter, planted_env
    from worksmith.evals.dspy_programs.demo_format import without_notes

    with tempfile.TemporaryDirectory() as folder:
        env, planted = planted_env(Path(folder), seed=11, scale=0.02 if quick else SCALE)
        people = personas(env, planted, 40 if quick else PERSONAS)
        hunt = Hunt(env, planted)
        for who in people:
            hunt.persona(who, calls_per_tool=3 if quick else 6)
        thefts = _Thefts(hunt, env, people)
        thefts.commit(Path(folder) / "episodes.jsonl")
        thefts.export(Path(folder) / "episodes.jsonl")
        thefts.show()
        unmarked = _Thefts(Hunt(env, planted), env, people[:_BROKEN])
        unmarked.demonstrations = [without_notes(demo) for demo in thefts.demonstrations]
        unmarked.show()
        broken = Hunt(env, planted)
        with broken_filter(env):
            for who in people[:_BROKEN]:
                broken.persona(who, calls_per_tool=3)
    catch = hunt.catch
    return {
        "personas": len(people),
        "departments": len({who.department for who in people}),
        "levels": len({who.level for who in people}),
        "tokens": len(planted.spots),
        "calls": catch.calls,
        "agent_episodes": thefts.episodes,
        "agent_texts": dict(thefts.texts),
        "demonstrations": len(thefts.demonstrations),
        "texts": catch.texts,
        "checks": catch.checks,
        "allowed_tokens_seen": catch.seen,
        "leaks": len(catch.leaks),
        "leaks_by_surface": dict(Counter(surface for _, surface, _ in catch.leaks).most_common(10)),
        "leaks_with_broken_filter": len(broken.catch.leaks),
        "leaks_with_unmarked_demonstrations": len(unmarked.hunt.catch.leaks),
    }


class _Thefts:
    """Episodes of an agent that is out to steal on behalf of everybody.

    Attributes:
        demonstrations: the steps of all thefts, as an optimizer keeps them.
        texts: how many texts of which kind were searched.
    """

    def __init__(self, hunt: Hunt, env: Environment, people: list[Persona]) -> None:
        self.hunt = hunt
        self.episodes = 0
        self.demonstrations: list[dict[str, Any]] = []
        self.texts: Counter[str] = Counter()
        self._env = env
        self._people = people

    def commit(self, log: Path) -> None:
        """A theft each: search prompts, records, log and trace."""
        from benchmarks.soundness.canary.intruder import intruder_task
        from worksmith.evals.records.logs.log import EpisodeLog
        from worksmith.evals.running.runner import evaluate
        from worksmith.evals.running.settings import EvalSettings
        from worksmith.evals.suite import write_suite
        from worksmith.programs.agent import Agent

        engine, agent = self._engine(), Agent("react", env=self._env)
        tasks = [intruder_task(who, number) for number, who in enumerate(self._people)]
        write_suite(self._env.world, tasks)
        with EpisodeLog.open(log) as journal:
            result = evaluate(
                agent,
                tasks,
                EvalSettings(
                    env=self._env,
                    lm=_model(engine),
                    workers=4,
                    scorers=[lambda task, episode: {"outcome": 0.0}],
                ),
                log=journal,
            )
        lines = log.read_text().splitlines()
        for record, who in zip(result.records, self._people, strict=True):
            assert record.status == "finished", record.error
            self._search(who, "record", record.model_dump_json())
            for line in lines:
                if f'"{record.task_id}"' in line:
                    self._search(who, "log", line)
        self.episodes += len(result.records)
        self._search_prompts(engine)
        for number, who in enumerate(self._people):
            self._trace(agent, who, number)

    def export(self, log: Path) -> None:
        """The same thefts as training data: search the chats."""
        from worksmith.exports.training.sources import open_sources
        from worksmith.exports.training.trajectories import run_again
        from worksmith.jobs.opening.programs import new_agent
        from worksmith.jobs.settings.exports import DpoSettings

        settings = DpoSettings(
            source=(str(log),), tasks_of=(self._env.folder,), out=log.parent / "none.jsonl", prompt="text"
        )
        _, sources = open_sources(settings)
        found, left = run_again(
            sources, lambda suite: new_agent(suite, settings, settings.strategy), workers=4, seed=0
        )
        # The scorers of the log call every episode a failure; a theft that changes nothing is none here.
        assert found, left
        assert left.keys() <= {"succeeded here"}, left
        for one in found:
            assert one.task.persona is not None
            self._search(one.task.persona, "training row", json.dumps(one.messages, ensure_ascii=False))
        self.episodes += len(found)

    def show(self) -> None:
        """More thefts, by agents that show some demonstrations: search their prompts."""
        from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest

        for nearest in (False, True):
            agent = self._taught(SHOWN if not nearest else len(self.demonstrations))
            if nearest:
                show_nearest(agent, {"selector.predict": NearestSettings(field="task", count=4)})
            engine = self._engine()
            for number, who in enumerate(self._people):
                self._episode(agent, engine, who, 1000 + number)
            self._search_prompts(engine, "prompt with demonstrations")

    def _trace(self, agent: Any, who: Persona, number: int) -> None:
        """One more theft, with what DSPy's optimizers get to see of it."""
        import dspy

        engine = self._engine()
        with dspy.context(trace=[]):
            self._episode(agent, engine, who, number)
            entries = list(dspy.settings.trace)
        for _, inputs, outputs in entries:
            shown = {**inputs, **outputs.toDict()}
            self._search(who, "trace", repr(shown))
            self.demonstrations.append({"augmented": True, **shown})

    def _taught(self, count: int) -> Any:
        import dspy

        from worksmith.programs.agent import Agent

        chosen = rng(0, "demonstrations").sample(self.demonstrations, min(count, len(self.demonstrations)))
        agent = Agent("react", env=self._env)
        agent.selector.predict.demos = [dspy.Example(**demo) for demo in chosen]
        return agent

    def _episode(self, agent: Any, engine: IntruderEngine, who: Persona, number: int) -> None:
        import dspy

        from benchmarks.soundness.canary.intruder import intruder_task

        with dspy.context(lm=_model(engine)):
            agent(task=intruder_task(who, number))
        self.episodes += 1

    def _engine(self) -> IntruderEngine:
        from benchmarks.soundness.canary.intruder import IntruderEngine

        return IntruderEngine(self.hunt, {who.id: who for who in self._people})

    def _search_prompts(self, engine: IntruderEngine, surface: str = "prompt") -> None:
        for who in self._people:
            for prompt in engine.prompts.get(who.id, ()):
                self._search(who, surface, prompt)

    def _search(self, who: Persona, surface: str, text: str) -> None:
        self.texts[surface] += 1
        search = self.hunt.record if surface in ("record", "log") else self.hunt.text
        search(who, surface, text)


def _model(engine: IntruderEngine) -> Any:
    import dspy

    return dspy.LM("local/intruder", engine=engine, cache=False, num_retries=0)
