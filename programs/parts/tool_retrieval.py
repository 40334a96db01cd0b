"""The tools that a step is offered: all, those of named or required toolkits, or the nearest to the step.

With `retrieved:K` the descriptions of all tools are indexed, and each step is offered the K nearest, and
those that were already called or asked for in vain. No other tool can be called: a model behind a native
tool interface could not call one either, and if demonstrations could name tools past the retrieval, the
retrieval would look better than it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from worksmith.programs.prompting.steps import observed
from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    from worksmith.programs.rollout import Rollout
    from worksmith.retrievers.ranking.lexical import LexicalIndex
    from worksmith.tools.environment import Environment
    from worksmith.tools.tool import Tool, Toolset

ALL, REQUIRED, RETRIEVED = "all", "required", "retrieved"
_AND = "+"
"""Between the names of toolkits."""

_DAMPING = 5
"""Small: of a handful of tools the first counts much more than the tenth."""
_READING = 2 / 3

_LONGEST = 300
"""Characters of an observation that count; later ones predict the next step less."""


def tools_a_step(toolset: str) -> int | None:
    """The number of tools that a step is offered by retrieval; None for a fixed offer.

    Raises:
        InputError: no world has the toolset.
    """
    name, _, number = toolset.partition(":")
    if name != RETRIEVED and all(kit.isidentifier() for kit in toolset.split(_AND)):
        return None
    if name != RETRIEVED or not number.isdigit() or int(number) < 1:
        raise _no_toolset(toolset)
    return int(number)


def toolkits_on_offer(toolset: str, domains: tuple[str, ...]) -> tuple[str, ...] | None:
    """The toolkits from which a task of these domains is offered tools; None for all there are."""
    if toolset == REQUIRED:
        return domains
    return None if toolset == ALL or tools_a_step(toolset) else tuple(toolset.split(_AND))


def default_toolset(env: Environment | None, strategy: str, *, otherwise: str) -> str:
    """The toolset that the kind of the environment's world offers a strategy by default.

    Args:
        otherwise: the toolset if the kind has none, or before there is an environment.
    """
    offers = env.kind.toolset_for if env is not None else {}
    return offers.get(strategy, offers.get("", otherwise))


def check_toolset(toolset: str, without: Iterable[str], env: Environment | None) -> None:
    """Check that an environment, if there is one yet, has the toolkits that a toolset names.

    Args:
        without: categories of tools that are left out.

    Raises:
        InputError: it lacks one.
    """
    named = () if tools_a_step(toolset) else toolkits_on_offer(toolset, ()) or ()
    if env is None:
        return
    there = [toolkit.name for toolkit in env.kind.toolkits]
    if not set(named) <= set(there):
        raise _no_toolset(toolset, there)
    env.kind.toolset(None, without)


def _no_toolset(toolset: str, toolkits: Sequence[str] = ()) -> InputError:
    known = names_instead(toolset, (ALL, REQUIRED, *toolkits))
    hint = f"{known}; {RETRIEVED}:K with K of at least 1; toolkits by name, joined by {_AND}"
    return InputError(f"no toolset {toolset!r}", where="--toolset", hint=hint)


def offered(rollout: Rollout, k: int) -> Toolset:
    """The tools that the next step of a rollout is offered, in the order of the catalogue."""
    used = {call.tool for call in rollout.episode.calls}
    return nearest_tools(rollout.catalogue, _about(rollout), k, used)


def nearest_tools(catalogue: Toolset, texts: Sequence[str], k: int, used: Collection[str] = ()) -> Toolset:
    """The `k` tools whose descriptions are nearest to the texts together, and those in `used`.

    Each text ranks all tools and all toolkits, and the ranks are fused: a long observation does not drown a
    short task, and a tool that is described in few words is found by its neighbours. Most of the places go to
    tools that only read: the record of a question or a change must be found first.
    """
    tools, kits = _indexes(tuple(catalogue.values()))
    scores = dict.fromkeys(catalogue, 0.0)
    for text in filter(None, texts):
        words = _words(text)
        by_tool, by_kit = _ranks(tools, words, len(catalogue)), _ranks(kits, words, len(catalogue))
        for name in catalogue:
            scores[name] += by_tool.get(name, 0.0) + by_kit.get(_kit(name), 0.0)
    ranked = sorted(catalogue, key=lambda name: (-round(scores[name], 9), name))
    readers = [name for name in ranked if not catalogue[name].writes][: round(_READING * k)]
    best = dict.fromkeys([*readers, *ranked])
    chosen = {*list(best)[:k], *used}
    return {name: tool for name, tool in catalogue.items() if name in chosen}


def _about(rollout: Rollout) -> tuple[str, ...]:
    """The texts to which tools are compared: the task, its line of the plan, and the last step."""
    steps = rollout.trajectory.readable()
    plan = [line for line in (rollout.plan or "").splitlines() if line.strip()]
    texts = [rollout.task.query, plan[len(steps)] if len(steps) < len(plan) else ""]
    if steps:
        last = steps[-1]
        texts.append(f"{last.get('thought') or ''} {last.get('tool') or ''}")
        texts.append(observed(last)[:_LONGEST])
    return tuple(texts)


@lru_cache(maxsize=16)
def _indexes(tools: tuple[Tool, ...]) -> tuple[LexicalIndex, LexicalIndex]:
    """The indexes of tools and of whole toolkits, by their descriptions."""
    from worksmith.retrievers.ranking.lexical import LexicalIndex

    texts = {tool.name: f"{_words(tool.name)}. {_words(tool.text)}" for tool in tools}
    kits: dict[str, str] = {}
    for name, text in texts.items():
        kits[_kit(name)] = f"{kits.get(_kit(name), '')} {text}"
    return LexicalIndex(texts), LexicalIndex(kits)


def _ranks(index: LexicalIndex, words: str, size: int) -> dict[str, float]:
    """The weight of each text's rank; texts with nothing in common have no weight."""
    hits = enumerate(index.search(words, size), start=1)
    return {hit.key: 1 / (_DAMPING + rank) for rank, hit in hits if hit.score > 0}


def _kit(name: str) -> str:
    return name.partition(".")[0]


def _words(text: str) -> str:
    """Names as their words."""
    return re.sub(r"(?<=\w)[._](?=\w)", " ", text)
