"""The part of an agent that outlives it: its settings, its digest, and its state in files."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import dspy

from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.dspy_programs.own_models import own_models
from worksmith.evals.dspy_programs.program_state import temperatures
from worksmith.evals.dspy_programs.states import MADE, check_made, fit, read_state
from worksmith.programs.demo_filter import DemoFilter
from worksmith.programs.dspy_trace import portable
from worksmith.programs.parts.tool_retrieval import ALL, REQUIRED, RETRIEVED, default_toolset
from worksmith.programs.prompting.forms import AUTO, COMPACT, JSON, NATIVE, TEXT
from worksmith.programs.strategies import STRATEGIES, Strategy
from worksmith.tools.code import functions_digest
from worksmith.tools.environment import Environment
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.programs.parts.checker import Access


class SavedAgent(dspy.Module):  # type: ignore[misc]
    """What `Agent` needs to be saved, loaded, copied and told apart.

    Attributes:
        components: the classes of modules of the user's own, by part.
    """

    strategy: Strategy
    max_steps: int
    access: Access
    prompt: str
    without: tuple[str, ...]
    descriptions: Mapping[str, Any]
    components: Mapping[str, str]
    env: Environment | None
    _env: Environment | None
    _toolset: str | None

    @property
    def toolset(self) -> str:
        """The name of the tools that prompts list; by default the environment's."""
        if self._toolset is not None:
            return self._toolset
        return default_toolset(self._env, self.strategy.name, otherwise=REQUIRED)

    @property
    def config(self) -> dict[str, Any]:
        """The settings to build the agent again, as JSON-able data; own components by class."""
        told = {name: text.model_dump(exclude_defaults=True) for name, text in self.descriptions.items()}
        return {
            "strategy": self.strategy.to_json(),
            "toolset": self.toolset,
            "max_steps": self.max_steps,
            "access": self.access,
            "prompt": self.prompt,
            "without": list(self.without),
            **({"descriptions": told} if told else {}),
            **({"components": self.components} if self.components else {}),
        }

    @property
    def alternatives(self) -> dict[str, list[str]]:
        """Alternative settings of the agent, for a search."""
        return {
            "prompt": [AUTO, TEXT, JSON, NATIVE, COMPACT],
            "strategy": [name for name, each in STRATEGIES.items() if "gold" not in each.planner],
            "toolset": [ALL, REQUIRED, f"{RETRIEVED}:8"],
        }

    @property
    def digest(self) -> str:
        """The content address of the settings, the state, and the own models of parts."""
        own = [model_digest(model) for _, _, model in own_models(self)]
        own += [functions_digest([self.strategy.loop])] if self.strategy.loop else []
        return digest([self._made(), self.portable_state(), *own])

    def _made(self) -> dict[str, Any]:
        """The settings of the agent, and those of its predictors that DSPy does not save."""
        found = temperatures(self)
        return {**self.config, **({"temperatures": found} if found else {})}

    def portable_state(self) -> dict[str, Any]:
        """DSPy's state of the parts without models and without examples that lack an output."""
        return {name: portable(part).dump_state() for name, part in self.named_parameters()}

    def load(self, path: str | Path, **options: Any) -> None:
        """Take over a state that `save` wrote, see `dspy.Module.load`.

        Raises:
            InputError: the file holds something else, the state is of another agent, or it names a model or a
                setting and `allow_unsafe_lm_state` is not given.
        """
        if Path(path).suffix == ".json":
            read_state(path)
        super().load(path, **options)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        return {**super().dump_state(json_mode=json_mode), MADE: self._made()}

    def load_state(self, state: dict[str, Any], **options: Any) -> None:
        """Take over a saved state, with the settings by which demonstrations are chosen.

        Raises:
            InputError: the state is of another agent, or names a model or a setting.
        """
        # Without an environment the default tools are unknown: take those that the state was saved with.
        undecided = self._toolset is None and self._env is None and MADE in state
        check_made(state, self._made(), but="toolset" if undecided else "")
        fit(self, state, trusted=bool(options.get("allow_unsafe_lm_state")))
        super().load_state(state, **options)
        if undecided:
            self._toolset = state[MADE].get("toolset")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        copied.env = self.env
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_env": None, "_filter": DemoFilter()}
