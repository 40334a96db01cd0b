"""Settings that all episodes of an evaluation share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worksmith.evals.running.outage import Unscored
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.running.admission import Admission
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.tools.environment import Environment


@dataclass(frozen=True, kw_only=True)
class EvalSettings:
    """The settings of an evaluation.

    Attributes:
        env: over the world that the tasks belong to; the default scorers execute expectations in it.
        lm: a `dspy.LM`; None leaves the one that DSPy's settings or the program hold.
        seed: of everything that draws at random.
        scorers: None takes those of the world's kind.
        judges: asked about each graded episode after its scorers, in the same worker.
        time_limit: seconds after which an episode counts as `timeout` and is no longer waited for.
        strategy: the name under which the records go; None takes the one that the program declares.
        admission: decides before each episode whether it may start; None admits all.
        engine: runs the programs in other processes; None runs them in threads of this one.
        unscored: counts the answers at which a metric raised, over all evaluations that share it.

    Raises:
        InputError: a number makes no sense.
    """

    env: Environment
    lm: Any = None
    workers: int = 8
    seed: int = 0
    trials: int = 1
    scorers: Sequence[Scorer] | None = None
    judges: Sequence[Judge] = ()
    time_limit: float | None = None
    strategy: str | None = None
    admission: Admission | None = None
    engine: EpisodeEngine | None = None
    unscored: Unscored = field(default_factory=Unscored)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise InputError("at least one worker is needed", where="--workers")
        if self.trials < 1:
            raise InputError("at least one trial is needed", where="--trials")
        if self.time_limit is not None and self.time_limit <= 0:
            raise InputError("a time limit must be positive", where="--time-limit")
