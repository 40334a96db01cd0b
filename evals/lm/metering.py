"""Models with counted requests, which are cached, tried again and budgeted.

    lm = metered(dspy.LM("openai/gpt-4o-mini"))
    with metering() as meter, dspy.context(lm=lm):
        program(task=task)
    meter.usage.used_tokens, meter.usage.paid_tokens

Programs, optimizers and judges ask models only in this way. A cached reply holds its token counts, so used
tokens are the same with a cold cache and a warm one; a cached request is not paid. The cache is DSPy's, in
memory and on disk, under worksmith's keys, which cover the model's address and settings.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Self

import dspy
from dspy import lm15
from dspy._vendor.lm15.serde import request_to_dict, response_from_dict, response_to_dict
from dspy.utils import DummyLM

from worksmith.evals.lm.estimates import estimated, unread
from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample, check_askable
from worksmith.evals.lm.payer import AdmissionError, Payer
from worksmith.evals.lm.prompt_cache import tokens_of
from worksmith.evals.lm.wire.lane import Sent, lane_of
from worksmith.evals.lm.wire.retries import with_retries
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.tools.episode_result import Usage
from worksmith.tools.seeding import digest

_METER = "worksmith_meter"
"""The name of the meter in use among DSPy's settings, which reach the threads that DSPy starts."""

_CACHED = "worksmith.reply"
"""Marks worksmith's entries in DSPy's cache."""

_CHARACTERS = 4
"""Characters a token, about; the limit of tokens a minute is corrected by the reply."""

_ESTIMATED = {"estimated_usage": True}
"""Marks a reply with estimated tokens."""


class Meter:
    """Usage in a block. Thread-safe.

    Attributes:
        answers: the number of answered questions, cached ones included.
        ended: whether nothing more may be asked in this block.
    """

    def __init__(self, outer: Meter | None = None) -> None:
        self._outer = outer
        self._lock = threading.Lock()
        self._usage = Usage()
        self.answers = 0
        self.ended = False

    @classmethod
    def inner(cls) -> Self:
        """A meter inside the one in use, which counts along."""
        return cls(dspy.settings.get(_METER))

    @property
    def usage(self) -> Usage:
        with self._lock:
            return self._usage

    def end(self) -> None:
        """Refuse further requests in this block, which no caller waits for."""
        self.ended = True

    def check(self) -> None:
        """Check that something may be asked here and in the blocks around, or raise `AdmissionError`."""
        if self.ended:
            raise AdmissionError("the episode is over: its time limit has passed")
        if self._outer is not None:
            self._outer.check()

    def add(self, usage: Usage, answers: int = 0) -> None:
        """Count usage and answers, for the blocks around this one as well."""
        with self._lock:
            self._usage += usage
            self.answers += answers
        if self._outer is not None:
            self._outer.add(usage, answers)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@contextmanager
def metering(meter: Meter | None = None) -> Iterator[Meter]:
    """A block whose questions `meter` counts; without one, a new meter."""
    meter = meter or Meter.inner()
    with dspy.context(**{_METER: meter}):
        yield meter


def count_reported(usage: Usage, requests: int) -> None:
    """Count the requests that a program made itself."""
    _count(usage, answers=requests)


def answers_so_far() -> int:
    """The number of answered questions in the block, 0 outside of one."""
    meter: Meter | None = dspy.settings.get(_METER)
    return 0 if meter is None else meter.answers


def requests_so_far() -> int:
    """The number of paid requests in the block, failed ones included; 0 outside of one."""
    meter: Meter | None = dspy.settings.get(_METER)
    return 0 if meter is None else meter.usage.paid_requests


def count_answer(response: lm15.Response, *, paid: bool) -> None:
    """Count an answered question; `paid` if the reply is not from a cache."""
    prompt, completion, cached, written = tokens = tokens_of(response)
    used = Usage(
        prompt,
        completion,
        cached_tokens=cached,
        cache_write_tokens=written,
        estimated=_is_estimated(response),
    )
    _count(used + Usage.all_paid(*tokens, requests=1).paid if paid else used, answers=1)


class MeteredEngine(ProxyEngine):
    """Asks a model, and counts used and paid requests and tokens.

    Args:
        payer: pays for the requests; None without limits.
    """

    counts = True

    def __init__(self, original: dspy.BaseLM, payer: Payer | None = None) -> None:
        super().__init__(original)
        self.payer = payer
        self._tries = 1 + int(getattr(self.innermost, "num_retries", 0) or 0)
        self._lane = None if self._runs_here else lane_of(self.innermost)

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        """The reply from the cache or the model.

        Raises:
            LMError: the model gave no reply.
            AdmissionError: no request is allowed.
        """
        key = None
        if sample.cache and self._cacheable:
            asked_for = [self._own, sample.rollout, sample.number, request_to_dict(request)]
            key = {"_fn_identifier": _CACHED, "key": digest(asked_for, length=64)}
            if (known := dspy.cache.get(key)) is not None:
                response = response_from_dict(known)
                count_answer(response, paid=False)
                return response

        def ask() -> lm15.Response:
            with self._passing(request) as sent, self._paying(request, sent):
                response = self._with_usage(request, self.ask(request, sample))
                sent.tokens = tokens_of(response)
            count_answer(response, paid=True)
            return response

        seconds = WireSettings.retry_time if self._lane is None else self._lane.settings.retry_time
        again = None if self.payer is None else self.payer.check_again
        response = with_retries(ask, tries=self._tries, seconds=seconds, again=again)
        if key is not None:
            dspy.cache.put(key, reply_to_json(response))
        return response

    def _passing(self, request: lm15.Request) -> AbstractContextManager[Sent]:
        """A block in which a request is sent once the limits of its model let it through."""
        if self._lane is None:
            return nullcontext(Sent())
        return self._lane.request(_probable_tokens(request) if self._lane.counts_tokens else 0.0)

    @contextmanager
    def _paying(self, request: lm15.Request, sent: Sent) -> Iterator[None]:
        """A block in which a request is sent and paid; one that fails is counted here."""
        meter: Meter | None = dspy.settings.get(_METER)
        if meter is not None:
            meter.check()
        with nullcontext() if self.payer is None else self.payer.paying():
            try:
                yield
            except Exception as error:
                sent.tokens, guessed = unread(request, error)
                _count(replace(Usage.all_paid(*sent.tokens, requests=1).paid, estimated=guessed))
                raise
            finally:
                if self.payer is not None:
                    self.payer.asked(sent.tokens)

    def _with_usage(self, request: lm15.Request, response: lm15.Response) -> lm15.Response:
        """The reply with an estimate of its tokens where the server does not report them."""
        said = response.usage
        missing = said.input_tokens is None or said.output_tokens is None
        # A server that reports 0 did not count; a model in this process may read 0 tokens.
        if not missing and (said.input_tokens or self._runs_here):
            return response
        usage = estimated(request, response)
        return replace(response, usage=usage, provider_data=_ESTIMATED)

    @property
    def _cacheable(self) -> bool:
        """Whether the same request has the same reply: not of a list of replies, nor of an unknown engine."""
        if isinstance(self.innermost, DummyLM):
            return False
        return not self._runs_here or bool(getattr(getattr(self.innermost, "engine", None), "digest", ""))

    @property
    def _runs_here(self) -> bool:
        return not isinstance(getattr(self.innermost, "engine", ""), str)


def metered(lm: Any, payer: Payer | None = None) -> dspy.LM:
    """The model with counted requests; itself if they are counted already.

    Args:
        payer: of its requests, in place of the model's payer.

    Raises:
        InputError: its requests cannot be counted.
    """
    engine = getattr(lm, "engine", None)
    if not _counts(engine):
        return MeteredEngine(lm, payer).installed()
    check_askable(lm)
    if isinstance(engine, MeteredEngine) and payer not in (None, engine.payer):
        settled = MeteredEngine(engine.original, payer)
        return lm.copy(engine=settled, async_engine=settled.awaited)
    return lm


def unmetered(lm: Any) -> Any:
    """The model behind all proxies."""
    engine = getattr(lm, "engine", None)
    return engine.innermost if isinstance(engine, ProxyEngine) else lm


def reply_to_json(response: lm15.Response) -> dict[str, Any]:
    """A reply as data, without the provider's own data, with a mark for estimated tokens."""
    kept = replace(response, provider_data=_ESTIMATED if _is_estimated(response) else None)
    data: dict[str, Any] = response_to_dict(kept, include_provider_data=True)
    return data


def _counts(engine: Any) -> bool:
    """Whether an engine or one behind it counts requests."""
    return isinstance(engine, ProxyEngine) and (
        engine.counts or _counts(getattr(engine.original, "engine", None))
    )


def _count(usage: Usage, answers: int = 0) -> None:
    meter = dspy.settings.get(_METER)
    if meter is not None:
        meter.add(usage, answers)


def _probable_tokens(request: lm15.Request) -> float:
    """Tokens of a request by its characters, before the reply has the number."""
    texts = [str(request.system or ""), *(message.text or str(message.parts) for message in request.messages)]
    return sum(map(len, texts)) / _CHARACTERS


def _is_estimated(response: lm15.Response) -> bool:
    return dict(response.provider_data or {}) == _ESTIMATED
