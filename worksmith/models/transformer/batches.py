"""Replies to many requests at once.

Requests join and leave the batch at each step. Keys and values of earlier prompts and replies are kept, so
that a prompt costs only what comes after the longest beginning that it shares with one of them. Replies
resemble parts of their prompts, so each step also reads guessed tokens, and keeps those that the model
chooses itself.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import torch
from dspy import lm15
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from worksmith.models.transformer.attention import NAME, RequestShare, Step
from worksmith.models.transformer.constraint import Grammars
from worksmith.models.transformer.difference import add
from worksmith.models.transformer.guesses import Guesses
from worksmith.models.transformer.lora import merge
from worksmith.models.transformer.prefixes import Prefixes, Segment
from worksmith.models.transformer.sampling import Sampling, next_token, stopped
from worksmith.models.transformer.tables import Table
from worksmith.models.transformer.weights import TRUSTED, Weights
from worksmith.tools.errors import InputError

R = TypeVar("R")


class _Sizes(NamedTuple):
    """Bytes of kept beginnings, and the most tokens and requests of a step.

    Attributes:
        guessed: tokens that the replies of a step guess together; so few cost hardly more than one.
    """

    kept: int
    tokens: int
    requests: int
    guessed: int


_CPU = _Sizes(1_500_000_000, 256, 8, 24)

_CUDA = _Sizes(12_000_000_000, 1_024, 64, 256)

_LONG = 256
"""Tokens of a segment that is looked up by itself; shorter ones at the end are copied to a table."""

_SHORT = 64
"""The most unread tokens of prompts that are read beside others."""

_TABLED = 1_024
"""The most tokens that are copied to a row of the table."""


@dataclass(eq=False)
class _Request:
    """A request and its reply so far.

    Attributes:
        path: the segments of the beginning that is kept for others.
        table: where its last tokens are: its own while its prompt is read, later the one of all that reply.
        start: the position of the first token of its row there.
        read: the number of tokens that are read.
        guesses: of the reply's tokens; it knows the prompt from the reply's beginning on.
    """

    prompt: list[int]
    sampling: Sampling
    most: int
    future: Future[list[int]]
    said: list[int] = field(default_factory=list)
    path: list[Segment] = field(default_factory=list)
    table: Table = field(default_factory=lambda: Table(1, 0))
    row: int = 0
    start: int = 0
    read: int = 0
    guesses: Guesses = field(default_factory=lambda: Guesses(()))

    @property
    def apart(self) -> list[Segment]:
        """The segments before its row."""
        return [segment for segment in self.path if segment.end <= self.start]


class Batches:
    """A model with a thread that generates for all threads that wait for replies. It runs while any waits.

    In single precision the same request has the same reply, alone or in a batch; in bfloat16, which is twice
    as fast, a reply changes with the batch that it is part of.

    Args:
        weights: the files, safetensors and JSON. No code of a model is run.
        device: `cpu` or `cuda`.

    Raises:
        InputError: the files are not a model.
    """

    def __init__(self, weights: Weights, device: str) -> None:
        transformers_logging.disable_progress_bar()
        self._tokenizer, model = _read(weights)
        self._model = model.to(device).eval()
        self._sizes = _CUDA if device == "cuda" else _CPU
        self._prefixes = Prefixes(self._sizes.kept)
        self._table = Table(self._sizes.requests, _LONG)
        self._reading = threading.Lock()
        self._lock = threading.Lock()
        self._waiting: deque[_Request] = deque()
        self._working = False

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
        request = _Request(prompt, sampling, most, Future())
        with self._lock:
            self._waiting.append(request)
            if not self._working:
                self._working = True
                # The interpreter waits for it: a thread that it stops inside torch aborts the process.
                threading.Thread(target=self._work, daemon=False).start()
        try:
            return request.future.result()
        finally:
            request.future.cancel()

    @cached_property
    def grammars(self) -> Grammars:
        """The grammars that replies can be held to."""
        return Grammars(self._tokenizer, self.ends)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The tokens that end a reply: the end of a turn, and of a text."""
        known = self._model.generation_config.eos_token_id
        others = known if isinstance(known, list) else [known]
        found = (self._tokenizer.eos_token_id, self._tokenizer.unk_token_id, *others)
        return tuple(dict.fromkeys(token for token in found if token is not None))

    def _work(self) -> None:
        running: list[_Request] = []
        while True:
            with self._lock:
                while self._waiting and len(running) < self._sizes.requests:
                    running.append(self._waiting.popleft())
                running = [each for each in running if not each.future.done()]
                self._working = bool(running or self._waiting)
                if not self._working:
                    return
            try:
                if not threading.main_thread().is_alive():
                    raise RuntimeError("the program is ending")
                with torch.inference_mode():
                    self._step(running)
            except Exception as error:
                for request in running:
                    _settle(request.future, lm15.ServerError(f"the batch failed: {error}"))

    def _step(self, running: Sequence[_Request]) -> None:
        """More of each reply, and of prompts that are not read yet."""
        shares = [*self._shares(running)]
        tokens: list[int] = []
        asked: list[range] = []
        parts: list[RequestShare] = []
        for request, new in shares:
            end = len(tokens) + len(new)
            asked.append(range(len(tokens) if request.said else end - 1, end))
            tokens += new
            places = range(request.read, request.read + len(new))
            parts.append(RequestShare(places, request.apart, request.table, request.row, request.start))
        step = Step(parts, self._model.device)
        as_tensor = partial(torch.tensor, device=self._model.device)
        scores = self._model(
            input_ids=as_tensor([tokens]),
            position_ids=step.places[None],
            logits_to_keep=as_tensor([row for rows in asked for row in rows]),
            use_cache=False,
            step=step,
        ).logits[0]
        for (request, new), rows in zip(shares, scores.split([*map(len, asked)]), strict=True):
            if request.said:
                self._go_on(request, new[1:], rows)
            else:
                request.read += len(new)
                if request.read == len(request.prompt):
                    taken = {each.row for each in running if each.said}
                    self._begin(request, min({*range(self._sizes.requests)} - taken))
                    self._say(request, rows[0])

    def _shares(self, running: Sequence[_Request]) -> Iterator[tuple[_Request, list[int]]]:
        """The requests of a step with their new tokens; those that share segments are neighbours."""
        room = self._sizes.tokens
        replying = sorted((each for each in running if each.said), key=lambda each: [*map(id, each.apart)])
        for request in replying:
            new = request.said[-1:] + request.guesses.next(self._sizes.guessed // len(replying))
            room -= len(new)
            yield request, new
        for number, reading in enumerate(each for each in running if not each.said):
            if reading.read == reading.start:
                reading.path = self._prefixes.find(reading.prompt[:-1])
                reading.start = reading.read = reading.path[-1].end if reading.path else 0
                reading.table = Table(1, len(reading.prompt) - reading.start)
            rest = reading.prompt[reading.read :]
            # A long prompt is read alone, for others may go on where it ends.
            if number and len(rest) > min(room, _SHORT):
                break
            new = rest[: max(1, room)]
            room -= len(new)
            yield reading, new

    def _begin(self, request: _Request, row: int) -> None:
        """Let a request whose prompt is read go on in a row of the table."""
        self._keep(request)
        *_, last = request.path
        request.start = last.end
        for segment in reversed(request.path):
            if len(segment.tokens) >= _LONG or last.end - segment.start > _TABLED:
                break
            request.start = segment.start
        request.table, request.row = self._table, row
        self._table.begin(row, request.path[len(request.apart) :])
        request.guesses = Guesses(request.prompt)

    def _go_on(self, request: _Request, guessed: list[int], scores: torch.Tensor) -> None:
        """Say tokens as long as they are those that the model was shown.

        Args:
            scores: after the last token of the reply, and after each of the guessed ones.
        """
        for following, row in zip([*guessed, None], scores, strict=True):
            request.read += 1
            if self._say(request, row) != following or request.future.done():
                break

    def _say(self, request: _Request, scores: torch.Tensor) -> int:
        """The next token of a reply, which ends where it is complete."""
        token = next_token(scores, request.sampling, request.said)
        request.said.append(token)
        request.guesses.add(token)
        stop = request.sampling.stop
        if (
            token in self.ends
            or len(request.said) == request.most
            or (stop and stopped(self.text(request.said), stop) is not None)
        ):
            self._keep(request)
            _settle(request.future, request.said)
        return token

    def _keep(self, request: _Request) -> None:
        """Keep the tokens that were read last for other requests too."""
        known = request.path[-1].end if request.path else 0
        if tokens := (request.prompt + request.said)[known : request.read]:
            layers = request.table.part(request.row, known - request.start, request.read - request.start)
            request.path = self._prefixes.keep(request.path, tokens, layers)


def _settle(future: Future[list[int]], result: list[int] | Exception) -> None:
    """Hand a reply over, unless its caller has gone."""
    with suppress(InvalidStateError):
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)


def _read(weights: Weights) -> tuple[Any, Any]:
    """The tokenizer and the model."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(weights.tokenizer or weights.folder, **TRUSTED)
        model = AutoModelForCausalLM.from_pretrained(
            weights.folder,
            dtype=getattr(torch, weights.dtype),
            attn_implementation=NAME,
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
