"""The engine that `dspy.LM` calls: a request in, the model's reply out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from dspy import lm15

from worksmith.evals.lm.lm_proxy import current_sample
from worksmith.models.transformer.chat import SETTINGS, TAGGED, CallForm, chat, offered, read_reply
from worksmith.programs.prompting.forms import JSON, NATIVE, TEXT
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.models.transformer.batches import Batches
    from worksmith.models.transformer.weights import Weights

MOST = 256
"""Tokens of a reply if the request names no limit."""


class TransformerEngine:
    """A language model in this process. The weights are read at the first request.

    In single precision the same request has the same reply, in any batch.

    Args:
        weights: gives the files.
        digest: of the weights and the device; replies are cached by it.
        window: tokens of prompt and reply together.
        device: `cpu` or `cuda`.
        compact_prompts: the characters of an observation in compact prompts; None for full prompts. See
            `worksmith.programs.prompting.forms`.
        calls: how it writes calls of tools; None if it has no native ones.
        precision: of the computation.
    """

    supported_params = SETTINGS

    def __init__(
        self,
        weights: Callable[[], Weights],
        digest: str,
        *,
        window: int,
        device: str,
        compact_prompts: int | None = None,
        calls: CallForm | None = None,
        precision: str = "float32",
    ) -> None:
        self.digest = digest
        self.context_window = window
        self.compact_prompts = compact_prompts
        self.precision = precision
        self.supports_function_calling = calls is not None
        self.constrained_forms = (TEXT, JSON, *((NATIVE,) if calls is TAGGED else ()))
        self._calls = calls
        self._weights = weights
        self._device = device
        self._lock = threading.Lock()
        self._batches: Batches | None = None

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply to a request. Without a temperature it is greedy.

        Raises:
            lm15.ContextLengthError: the prompt does not fit the window.
            lm15.UnsupportedFeatureError: the request has tools, pictures or settings that the model lacks.
            lm15.ServerError: the batch failed.
        """
        turns = chat(request, self._calls)
        tools = offered(request)
        batches = self._opened()
        prompt = _prompt(batches, turns, tools)
        room = self.context_window - len(prompt)
        if room < 1:
            words = f"the prompt has {len(prompt):,} tokens, and the model's window {self.context_window:,}"
            raise lm15.ContextLengthError(words)
        from worksmith.models.transformer.constraint import grammar_of
        from worksmith.models.transformer.sampling import Sampling, stopped

        config = request.config
        most = min(room, config.max_tokens or MOST)
        grammar = grammar_of(request, self._calls, batches.grammars.tag)
        constraint = batches.grammars.constraint(grammar, most) if grammar else None
        sampling = Sampling(
            config.temperature or 0.0,
            1.0 if config.top_p is None else config.top_p,
            _seed(config, prompt),
            config.stop,
            constraint,
        )
        tokens = batches.generate(prompt, sampling, most=most)
        text = batches.text(tokens)
        cut = stopped(text, config.stop)
        complete = cut is not None or (tokens[-1] in batches.ends and not (constraint and constraint.closed))
        message = read_reply(text[:cut], self._calls if tools else None)
        called = bool(message.parts_of(lm15.ToolCallPart))
        return lm15.Response(
            id=None,
            model=request.model,
            message=message,
            finish_reason="tool_call" if called else "stop" if complete else "length",
            usage=lm15.Usage(
                input_tokens=len(prompt), output_tokens=len(tokens), total_tokens=len(prompt) + len(tokens)
            ),
        )

    def dump_state(self) -> dict[str, Any]:
        """The state of a saved program's model: the version."""
        return {"engine": "transformer", "digest": self.digest}

    def load_state(self, state: dict[str, Any]) -> None:
        """Accept the value of `dump_state`; an engine has no state."""

    def _opened(self) -> Batches:
        with self._lock:
            if self._batches is None:
                from worksmith.models.transformer.batches import Batches, finished

                self._batches = finished(lambda: Batches(self._weights(), self._device))
            return self._batches

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the weights, which are read again where it arrives.
        again = partial(
            TransformerEngine,
            window=self.context_window,
            device=self._device,
            compact_prompts=self.compact_prompts,
            calls=self._calls,
            precision=self.precision,
        )
        return again, (self._weights, self.digest)


def _prompt(batches: Batches, turns: list[dict[str, Any]], tools: list[dict[str, Any]] | None) -> list[int]:
    from jinja2 import TemplateError

    try:
        return batches.tokens(turns, tools=tools, enable_thinking=False)
    except (TemplateError, RecursionError) as error:
        words = f"the model's chat template refuses the request: {error}"
        raise lm15.UnsupportedFeatureError(words, feature="messages") from error


def _seed(config: lm15.Config, prompt: list[int]) -> int:
    """The seed of a reply: the same for the same request, another one for each of its samples."""
    sample = current_sample()
    asked = [config.seed, prompt, config.temperature, config.top_p, str(sample.rollout), sample.number]
    return int(digest(asked, length=15), 16)
