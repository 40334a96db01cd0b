"""Replies to many requests at once, by transformers' continuous batching.

Requests join and leave the batch at each token. Keys and values of earlier prompts are kept in pages, so
that a prompt costs only what comes after the longest beginning that it shares with one of them.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

import torch
from dspy import lm15
from safetensors import SafetensorError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    ContinuousBatchingConfig,
    GenerationConfig,
    LogitsProcessorList,
)
from transformers.generation.continuous_batching.cb_logits_processors import (
    ContinuousBatchingLogitsProcessorList,
)
from transformers.utils import logging as transformers_logging

from worksmith.models.transformer.attention import attend_by_request
from worksmith.models.transformer.difference import add
from worksmith.models.transformer.lora import merge
from worksmith.models.transformer.sampling import Sampler, Sampling
from worksmith.models.transformer.weights import TRUSTED, Weights
from worksmith.tools.errors import InputError

R = TypeVar("R")

_PAGE = 32
"""Tokens of a page; beginnings are shared in whole pages."""


class _Sizes(NamedTuple):
    """Pages in memory, and the most tokens and requests of a step."""

    pages: int
    tokens: int
    requests: int


_CPU = _Sizes(1_024, 256, 8)
"""1.5 GB of pages. With 16 requests at once a step takes four times as long as with 8."""

_CUDA = _Sizes(8_192, 4_096, 64)

_POLL = 0.5
"""Seconds between looks at whether the batches still run."""


class Batches:
    """A model with one thread that generates for all threads that wait for replies.

    Single precision: in bfloat16, which is twice as fast, a reply changes with the batch that it is part of.

    Args:
        weights: the files, safetensors and JSON. No code of a model is run.
        device: `cpu` or `cuda`.

    Raises:
        InputError: they are no model.
    """

    def __init__(self, weights: Weights, device: str) -> None:
        # Its loop reports each failure to the request as well.
        logging.getLogger("ContinuousBatchingLogger").setLevel(logging.CRITICAL + 1)
        transformers_logging.disable_progress_bar()
        self._tokenizer, model = _read(weights)
        self._model = model.to(device).eval()
        self._sizes = _CUDA if device == "cuda" else _CPU
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._manager: Any = None
        self._waiting: dict[str, Future[Any]] = {}
        self._numbers = itertools.count()

    def tokens(self, messages: Sequence[dict[str, Any]], **values: Any) -> list[int]:
        """The prompt of messages, in the model's own form; its chat template gets the values."""
        with self._reading:
            found: list[int] = self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_dict=False, **values
            )
        return found

    def text(self, tokens: Sequence[int]) -> str:
        with self._reading:
            said: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return said

    def generate(self, prompt: list[int], sampling: Sampling, *, most: int) -> list[int]:
        """The tokens of a reply, at most `most`; it is complete if it ends with the model's end token.

        Raises:
            lm15.ServerError: the batch failed.
        """
        name, future = str(next(self._numbers)), Future[Any]()
        with self._lock:
            manager = self._running()
            self._waiting[name] = future
        accepted = manager.add_request(prompt, request_id=name, max_new_tokens=most, sampling=sampling)
        try:
            if accepted is None:
                raise lm15.ServerError("the model is stopping")
            output = future.result()
        except BaseException:
            self._waiting.pop(name, None)
            manager.cancel_request(name)
            raise
        if output.error is not None:
            raise lm15.ServerError(f"the batch failed: {output.error}")
        tokens: list[int] = output.generated_tokens
        return tokens

    @property
    def ends(self) -> tuple[int, ...]:
        """The tokens that end a reply: the end of a turn, and of a text."""
        known = self._model.generation_config.eos_token_id
        others = known if isinstance(known, list) else [known]
        found = (self._tokenizer.eos_token_id, self._tokenizer.unk_token_id, *others)
        return tuple(dict.fromkeys(token for token in found if token is not None))

    def _running(self) -> Any:
        if not threading.main_thread().is_alive():
            raise lm15.ServerError("the program is ending")
        if self._manager is None or not self._manager.is_running():
            self._manager = finished(self._started)
        return self._manager

    def _started(self) -> Any:
        chosen = GenerationConfig(do_sample=False, eos_token_id=list(self.ends))
        config = ContinuousBatchingConfig(
            page_size=_PAGE,
            auto_switch_to_flash=False,
            use_cuda_graph=False,
            use_async_batching=False,
            num_blocks=self._sizes.pages,
            max_batch_tokens=self._sizes.tokens,
            max_requests_per_batch=self._sizes.requests,
        )
        manager = self._model.init_continuous_batching(chosen, config)
        if self._sizes is _CPU:
            attend_by_request(self._model)
        sampler = LogitsProcessorList([Sampler(self._tokenizer, self.ends[0])])
        manager.logit_processor = ContinuousBatchingLogitsProcessorList(sampler)
        manager.logit_processor.tensors_required = 1
        manager.start()
        for work in (self._deliver, _stop_at_exit):
            threading.Thread(target=work, args=(manager,)).start()
        return manager

    def _deliver(self, manager: Any) -> None:
        """Hand each reply to the thread that waits for it."""
        while True:
            output = manager.get_result(timeout=_POLL)
            if output is None and not manager.is_running():
                break
            if output is not None and output.is_finished():
                future = self._waiting.pop(output.request_id, None)
                if future is not None:
                    future.set_result(output)
        with self._lock:
            lost, self._waiting = self._waiting, {}
            self._manager = None
        for future in lost.values():
            future.set_exception(lm15.ServerError("the model stopped"))


def _read(weights: Weights) -> tuple[Any, Any]:
    """The tokenizer and the model."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(weights.tokenizer or weights.folder, **TRUSTED)
        model = AutoModelForCausalLM.from_pretrained(
            weights.folder,
            dtype=getattr(torch, weights.dtype),
            attn_implementation="sdpa",
            use_safetensors=True,
            **TRUSTED,
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(
            f"the model cannot be read: {said}",
            where=str(weights.folder),
            hint="name a folder that worksmith train wrote",
        ) from error
    if weights.adapter is not None:
        merge(model, weights.adapter)
    if weights.difference is not None:
        add(model, weights.difference)
    return tokenizer, model


def finished(work: Callable[[], R]) -> R:
    """Do work in a thread that the interpreter waits for when it ends, as for all threads begun there.

    It stops others where they are, and a thread that it stops inside torch aborts the process.
    """
    future = Future[R]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=False).start()
    return future.result()


def _stop_at_exit(manager: Any) -> None:
    """Stop the loop when the program ends, before the interpreter waits for its thread."""
    threading.main_thread().join()
    manager.stop(hard_stop=True)
