"""How much of their prompts programs repeat, and what the prompts cost with a provider's cache.

Programs do the test tasks of a generated office by gold plans, one after the other. The caches are simulated
by the rules that providers document: Claude keeps what ends with a marker and looks for it at up to 20 blocks
before each marker; reading costs 0.1, writing 1.25 of the price. Others keep 128 tokens at a time. No entry
expires. A token is four characters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.evals.building import build_suite
from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample
from worksmith.evals.lm.prompt_cache import compatible_mark, native_mark

if TYPE_CHECKING:
    from dspy import lm15

    from worksmith.evals.suite import Suite
    from worksmith.optimizers.demos.trace_bank import TraceBank

DESCRIPTION = "share of prompts that programs repeat, and their price with a provider's cache"

_READ, _WRITE = 0.1, 1.25
_BACK = 20
_CHUNK = 128
_LEAST = (1024, 4096)
"""The fewest tokens that a model caches; it depends on the model."""

_ROWS: dict[str, dict[str, Any]] = {
    "react": {},
    "react, 6 demonstrations": {"selection": "covering"},
    "react, 6 nearest demonstrations": {"selection": "nearest"},
    "react, retrieved:6": {"toolset": "retrieved:6"},
    "plan, 6 demonstrations": {"strategy": "plan", "selection": "covering"},
    "direct, 6 demonstrations": {"strategy": "direct", "selection": "covering"},
}


class Prompt(NamedTuple):
    """The blocks of a prompt, the system message first, and the numbers of those with a marker."""

    blocks: tuple[str, ...]
    marked: tuple[int, ...] = ()


Placed = Callable[["lm15.Request"], Prompt]


def run(quick: bool) -> dict[str, Any]:
    """Collect the prompts of each program and price them by each cache."""
    with tempfile.TemporaryDirectory() as folder:
        suite = build_suite("office", Path(folder) / "office", scale=0.3, per_intent=2 if quick else 10)
        bank = _gold_bank(suite, Path(folder) / "teacher")
        return {name: _row(suite, bank, **row) for name, row in _ROWS.items()}


def _gold_bank(suite: Suite, folder: Path) -> TraceBank:
    """The bank of gold plans of the training tasks."""
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.demos.collection import collect
    from worksmith.optimizers.rollouts import Rollouts

    teacher = Rollouts(suite.env, resolve("gold", tasks=suite.tasks), folder, workers=4)
    held_back = [*suite.select(split="dev"), *suite.select(split="test")]
    agent = new_agent(suite, AgentSettings(toolset="all"), "react")
    return collect(agent, suite.select(split="train"), teacher).usable(held_back)


class _Collecting(ProxyEngine):
    """Passes requests on, and keeps them."""

    def __init__(self, original: dspy.LM) -> None:
        super().__init__(original)
        self.requests: list[lm15.Request] = []

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        self.requests.append(request)
        return self.ask(request, sample)


def _row(
    suite: Suite, bank: TraceBank, *, strategy: str = "react", toolset: str = "all", selection: str = ""
) -> dict[str, Any]:
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.demos.selection import Selector, selection_called
    from worksmith.optimizers.demos.showing import show
    from worksmith.optimizers.settings import Settings

    agent: Any = new_agent(suite, AgentSettings(toolset=toolset), strategy)
    if selection:
        told = Settings(demos=6, selection=selection)
        display = selection_called(selection).choose(Selector.of(bank, told.demo_unit), 6, seed=0)
        agent = show(agent, display, told).program
    engine = _Collecting(resolve("gold", tasks=suite.tasks))
    with dspy.context(lm=engine.installed()):
        for task in suite.select(split="test"):
            agent(task=task)
    prompts = [Prompt(_blocks(request)) for request in engine.requests]
    tokens = sum(_tokens(block) for prompt in prompts for block in prompt.blocks)
    return {
        "prompts": len(prompts),
        "tokens_a_prompt": round(tokens / len(prompts)),
        "others_read": round(_in_chunks(prompts) / tokens, 3),
        **{
            name: {
                f"from {least} tokens": _with_markers(list(map(placed, engine.requests)), least)
                for least in _LEAST
            }
            for name, placed in _markers().items()
        },
    }


def _markers() -> dict[str, Placed]:
    """The prompts with markers, as they go out to Anthropic, to another address and through LiteLLM."""
    own, other = dspy.LM("anthropic/claude-x"), dspy.LM("anthropic/claude-x", api_base="http://other")
    amazon = compatible_mark(dspy.LM("vertex_ai/claude-x"))

    def native(lm: dspy.LM) -> Placed:
        mark = native_mark(lm, "anthropic")

        def placed(request: lm15.Request) -> Prompt:
            config = (request := mark(request)).config
            if config.cache is None:
                return Prompt(_blocks(request))
            within, whole = config.cache.prefix_until_index, "cache_control" in (config.extensions or {})
            more = [within + 1] if within is not None else []
            return Prompt(_blocks(request), (0, *more, *([len(request.messages)] if whole else [])))

        return placed

    def compatible(request: lm15.Request) -> Prompt:
        request = amazon(request)
        points = (request.config.extensions or {}).get("cache_control_injection_points", ())
        size = len(request.messages) + 1
        return Prompt(_blocks(request), tuple(0 if "role" in p else size + p["index"] for p in points))

    return {"anthropic": native(own), "other address": native(other), "litellm": compatible}


def _with_markers(prompts: Sequence[Prompt], least: int) -> dict[str, float]:
    kept: set[tuple[str, ...]] = set()
    read = write = total = 0
    for blocks, marked in prompts:
        sizes = list(map(_tokens, blocks))
        ends = [end for end in marked if sum(sizes[: end + 1]) >= least]
        looked = {place for end in ends for place in range(max(0, end - _BACK), end + 1)}
        found = max((place + 1 for place in looked if blocks[: place + 1] in kept), default=0)
        written = max([found, *(end + 1 for end in ends)])
        kept.update(blocks[: end + 1] for end in ends)
        read, write, total = (
            read + sum(sizes[:found]),
            write + sum(sizes[found:written]),
            total + sum(sizes),
        )
    cost = (total - read - write + _READ * read + _WRITE * write) / total
    return {"read": round(read / total, 3), "written": round(write / total, 3), "price": round(cost, 3)}


def _in_chunks(prompts: Sequence[Prompt]) -> int:
    """The tokens that a cache without markers reads."""
    kept: set[str] = set()
    read = 0
    for blocks, _ in prompts:
        text = "".join(blocks)
        begins = [text[: 4 * _CHUNK * n] for n in range(1, len(text) // (4 * _CHUNK) + 1)]
        found = max((len(each) // 4 for each in begins if each in kept), default=0)
        read += found if found >= _LEAST[0] else 0
        kept.update(begins)
    return read


def _blocks(request: lm15.Request) -> tuple[str, ...]:
    first = f"{request.tools or ''}{request.system or ''}"
    return (first, *(str(message.text or message.parts) for message in request.messages))


def _tokens(text: str) -> int:
    return len(text) // 4
