"""Models that a project file names, with their settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from tools.errors import InputError
from tools.files.json_files import validated

if TYPE_CHECKING:
    import dspy


class NamedModel(BaseModel):
    """The settings of a model. Those left out are the provider's.

    Attributes:
        model: the name as DSPy takes it, such as `openai/gpt-4o-mini`.
        api_base: the address of a server of your own.
        api_key_env: the environment variable that holds the key; the file never holds it.
        timeout: seconds until a request counts as lost.
        num_retries: how often a lost request is sent again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    timeout: float | None = Field(default=None, gt=0)
    num_retries: int | None = Field(default=None, ge=0, le=100)

    def open(self, name: str) -> dspy.LM:
        """The model.

        Args:
            name: by which the file calls it, for errors.

        Raises:
            InputError: there is no such provider, or the key's variable is not set.
        """
        from worksmith.models.providers import check_provider

        check_provider(self.model)
        given: dict[str, Any] = self.model_dump(exclude={"model", "api_key_env"}, exclude_none=True)
        if self.api_key_env is not None:
            if not os.environ.get(self.api_key_env):
                raise InputError(
                    f"the environment variable {self.api_key_env} is not set",
                    where=f"models.{name}",
                    hint="it holds the key of the model",
                )
            given["api_key"] = os.environ[self.api_key_env]
        import dspy

        return dspy.LM(self.model, **given)


_NAMED: ContextVar[Mapping[str, NamedModel]] = ContextVar("named models", default={})  # noqa: B039 (read only)


def read_models(sections: Mapping[str, Mapping[str, Any]], *, where: str) -> dict[str, NamedModel]:
    """The models of a project file.

    Raises:
        InputError: a setting is unknown or wrong, or a name looks like that of a provider's model.
    """
    found = {}
    for name, values in sections.items():
        place = f"{where}: models.{name}"
        if "/" in name or ":" in name:
            raise InputError(
                f"{name!r} looks like a provider's model", where=place, hint="choose a plain name"
            )
        found[name] = validated(values, NamedModel, "the settings of a model", where=place)
    return found


def use_models(models: Mapping[str, NamedModel]) -> None:
    """Let names of models mean these from now on, in this context."""
    _NAMED.set(models)


def named_model(name: str) -> NamedModel | None:
    """The settings of the model called so; None where no file names it."""
    return _NAMED.get().get(name)


def model_names() -> tuple[str, ...]:
    """The names in use."""
    return tuple(_NAMED.get())
