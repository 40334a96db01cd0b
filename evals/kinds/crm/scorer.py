"""The scores of an episode that answers a CRM question."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from worksmith.evals.kinds.crm.answers import NONE, is_right, months, named, says_none, year_of
from worksmith.evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES, ValueKind
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.answers.words import normalised, token_f1
from worksmith.evals.scoring.checker_scores import CHECKER_SCORES, checker_scores
from worksmith.evals.scoring.episode_scorer import STATE_SCORES, EpisodeScorer
from worksmith.evals.scoring.outcomes import GroundTruth

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Answer, Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode_result import EpisodeResult

REWARD = "reward"
"""The published metric."""

STRICT_MATCH = "exact_strict"
F1 = "f1"
SUPPORTED = "supported"
UNANSWERABLE = "unanswerable"
FALSE_NONE = "false_none"

_ANSWER_SCORES = frozenset({REWARD, STRICT_MATCH, F1, SUPPORTED, UNANSWERABLE, FALSE_NONE})

_YEARS = range(1990, 2100)
"""Figures in a row that are taken for years."""

_SHARED = 0.5
"""Share of a sentence's words that what it rests on has at least."""


class CrmScorer(EpisodeScorer):
    """Scores an episode by its answer. Thread-safe.

    Gives, each 0 or 1 unless said otherwise:
        outcome: the answer names the values asked for and no others of their kind, or says that there is
            nothing where there is nothing, however it is written; and the episode ended by itself.
        reward: the published metric: the answer is the expected text, character by character; for
            `knowledge_qa` the F1 of its words (0 to 1).
        exact_strict: the answer is the expected text; for `knowledge_qa` in words, without articles.
        f1: of `knowledge_qa` only, the same as its reward.
        supported: what it answers, right or wrong, was in something that a call had shown; of an answer
            that there is nothing, any call had succeeded.
        unanswerable: the outcome of questions without an answer.
        false_none: of the others, whether the answer is that there is nothing.
        unwanted_side_effects, no_action: as `EpisodeScorer`. Its `exact_match` of calls is left out: here it
            would pass for the published one of answers.
        The scores of `checker_scores`.

    Args:
        ground_truth: see `OutcomeScorer`.
    """

    score_names = (STATE_SCORES - {"exact_match"}) | CHECKER_SCORES | _ANSWER_SCORES

    def __init__(self, env: Environment, ground_truth: GroundTruth = "published") -> None:
        super().__init__(env, ground_truth)
        self.digest = f"crm/1/{ground_truth}"

    def __call__(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        scores = super().__call__(task, episode) | checker_scores(episode)
        del scores["exact_match"]
        if task.answer is not None and task.answer.kind in ("entities", "none"):
            unchanged = scores[PRIMARY] == 1
            scores |= _answer_scores(task, task.answer, episode, unchanged)
        return scores


def asked_for(task: Task) -> ValueKind:
    task_type = TASK_TYPES.get(task.intent or "")
    return task_type.asks if task_type else "text"


def expected_text(task: Task) -> str:
    answer = task.answer
    if answer is None or answer.kind == "none":
        return NONE
    if task.intent == KNOWLEDGE_QA and answer.reference:
        return answer.reference
    return answer.text


def _answer_scores(task: Task, answer: Answer, episode: EpisodeResult, unchanged: bool) -> dict[str, float]:
    kind, said, finished = asked_for(task), episode.answer, episode.status == "finished"
    none_said = says_none(said, kind, episode.answer_status)
    if answer.kind == "entities":
        named_all = is_right(said, answer.required, kind, task.query)
        none_said = none_said and not named_all
    right = (none_said if answer.kind == "none" else named_all) and finished and unchanged
    scores = {
        PRIMARY: float(right),
        **_published(task, said if finished else None),
        SUPPORTED: float(finished and is_supported(episode, kind)),
    }
    if answer.kind == "none":
        return {**scores, UNANSWERABLE: float(right)}
    return {**scores, FALSE_NONE: float(finished and none_said)}


def _published(task: Task, said: str | None) -> dict[str, float]:
    """The metrics of the original; an episode that did not end by itself has said nothing."""
    wanted = expected_text(task)
    if task.intent != KNOWLEDGE_QA:
        same = float(said is not None and said.strip() == wanted)
        return {REWARD: same, STRICT_MATCH: same}
    f1 = token_f1(said, wanted) if said is not None else 0.0
    return {
        REWARD: f1,
        F1: f1,
        STRICT_MATCH: float(said is not None and normalised(said) == normalised(wanted)),
    }


def is_supported(episode: EpisodeResult, kind: ValueKind) -> bool:
    """Whether what an episode answers was in something that a call had shown.

    Sentences are supported by an observation that has all of their numbers and half of their words.
    """
    calls = [call.observation for call in episode.calls if call.observation.status == "ok"]
    if says_none(episode.answer, kind, episode.answer_status):
        return bool(calls)
    texts = [call.text for call in calls]
    if kind == "text":
        return any(_rests_on(normalised(episode.answer), text) for text in texts)
    values = named(episode.answer, kind)
    if kind == "month":
        return bool(values) and all(_month_shown(month, texts) for month in values)
    there = frozenset(value for text in texts for value in named(text, kind))
    return bool(values) and values <= there


def _rests_on(said: list[str], text: str) -> bool:
    words = set(normalised(text))
    numbers = {word for word in said if word.isdecimal()}
    return bool(said) and numbers <= words and len(set(said) & words) >= _SHARED * len(set(said))


def _month_shown(month: str, texts: Iterable[str]) -> bool:
    """Whether a month was shown: as a month, as a day in it, or as its number in a row of figures."""
    number, year = month[-2:], year_of(month)
    for text in texts:
        shown = months(text, dates=True)
        if month in shown or number in {each[-2:] for each in shown if not (year and year_of(each))}:
            return True
        if any(_counts_month(figures, int(number), year) for figures in _rows_of_figures(text)):
            return True
    return False


def _counts_month(figures: Collection[float], month: int, year: str) -> bool:
    """Whether a row is about a month; where it has a year, that one has to be right."""
    years = {figure for figure in figures if figure in _YEARS}
    return month in figures and (not year or not years or int(year) in years)


def _rows_of_figures(text: str) -> Iterator[list[float]]:
    """The rows of a result that hold nothing but numbers, as counts by month do."""
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        if (
            len(inside) > 1
            and isinstance(value, dict)
            and all(isinstance(each, int | float) for each in inside)
        ):
            yield inside
        waiting.extend(inside)
