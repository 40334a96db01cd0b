"""Checks of a model: its key, its server, and its known properties. One short request, if it may be asked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from dspy import lm15

from worksmith.evals.lm.prices import Prices, free, listed
from worksmith.jobs.health.check import Check
from worksmith.models.named import parted, settings_of
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import without_secrets

if TYPE_CHECKING:
    import dspy

_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"

_QUESTION = "Reply with the word OK and nothing else."


@dataclass(frozen=True)
class Examined:
    """A model that could be opened.

    Attributes:
        name: by which it was named.
        keyless: whether it lacks a key that it needs, so that no request can succeed.
    """

    name: str
    lm: dspy.LM
    settings: NamedModel | None
    keyless: bool = False

    @property
    def has_weights(self) -> bool:
        """Whether it is a language model in this process."""
        return hasattr(getattr(self.lm, "engine", None), "precision")

    @property
    def asks(self) -> bool:
        """Whether a request would leave this process."""
        return self.settings is not None and not self.keyless


def opened(name: str) -> tuple[Examined | None, Check]:
    """A model, if it can be opened, and the check of its key."""
    from worksmith.models.resolve import resolve

    try:
        lm = resolve(name)
    except InputError as error:
        return None, Check(name, "settings", "failure", error.message, error.hint or "correct its settings")
    if free(lm.model):
        return Examined(name, lm, None), Check(name, "key", "ok", "runs on this machine and needs no key")
    settings = settings_of(*parted(name))
    check = _key(name, lm, settings)
    return Examined(name, lm, settings, keyless=check.status == "failure"), check


def _key(name: str, lm: dspy.LM, settings: NamedModel) -> Check:
    if settings.api_key_env is not None:
        return Check(name, "key", "ok", f"from {settings.api_key_env}")
    variables = _key_variables(lm)
    if variables is None:
        return Check(name, "key", "ok", "the provider's own client looks for it")
    if not variables:
        return Check(name, "key", "ok", "needs none")
    given = [variable for variable in variables if os.environ.get(variable)]
    if given:
        return Check(name, "key", "ok", f"from {given[0]}")
    remedy = f"export {variables[0]}=..., or set api_key_env in worksmith.toml"
    return Check(name, "key", "failure", f"{' or '.join(variables)} is not set", remedy)


def _key_variables(lm: dspy.LM) -> tuple[str, ...] | None:
    """The variables that may hold the key; None if there are further ways to give one."""
    from dspy._vendor.lm15.registry import lookup
    from dspy.clients.backend_selection import select_backend

    resolution = select_backend(lm.copy(extra_headers=None)).resolution
    definition = None if resolution is None else lookup(resolution.provider)
    if definition is None:
        return _keys_for_litellm(lm.model)
    if definition.credential_policy != "key":
        return None
    return tuple(definition.env_keys) if definition.placeholder_key is None else ()


def _keys_for_litellm(model: str) -> tuple[str, ...] | None:
    """The variable that must hold the key; None if there are further ways to give one."""
    import litellm

    missing = litellm.validate_environment(model)["missing_keys"]
    return tuple(missing) if len(missing) == 1 and missing[0].endswith("_API_KEY") else None


@dataclass
class _Answer:
    seconds: float = 0.0
    estimated: bool = False
    error: Exception | None = None
    done: bool = False


def asked(model: Examined, wait: float) -> Iterator[Check]:
    """Ask a model once and check the answer.

    Args:
        wait: the most seconds to wait for it.
    """
    answer = _Answer()
    thread = threading.Thread(target=_ask, args=(model.lm, wait, answer), daemon=True)
    started = time.perf_counter()
    thread.start()
    thread.join(wait)
    if not answer.done:
        answer = _Answer(error=TimeoutError(f"no answer within {wait:g} s"))
    answer.seconds = time.perf_counter() - started
    if answer.error is not None:
        yield _failure(model, answer.error)
        return
    yield Check(model.name, "connection", "ok", f"answered after {answer.seconds:.2f} s{_by_proxy(model)}")
    if answer.estimated:
        message = "the server reports no tokens, so tokens and dollars are estimates"
        yield Check(model.name, "usage", "warning", message, "let the server report usage, if it can")
    else:
        yield Check(model.name, "usage", "ok", "the server reports tokens")


def measured(model: Examined) -> Iterator[Check]:
    """Ask a model in this process for two short replies. At the first its weights are read."""
    engine = model.lm.engine
    question = (lm15.Message.user(_QUESTION),)
    try:
        started = time.perf_counter()
        engine.complete(lm15.Request(model.name, question, config=lm15.Config(max_tokens=1)))
        ready = time.perf_counter()
        reply = engine.complete(
            lm15.Request(model.name, question, "Be brief.", config=lm15.Config(max_tokens=16))
        )
    except (InputError, lm15.LM15Error) as error:
        remedy = getattr(error, "hint", None) or "take another model"
        yield Check(model.name, "weights", "failure", str(error).partition("\n")[0], remedy)
        return
    took, tokens = time.perf_counter() - ready, reply.usage.total_tokens or 0
    yield Check(model.name, "weights", "ok", f"{engine.precision}, read after {ready - started:.1f} s")
    message = f"{tokens} tokens of prompt and reply in {took:.1f} s, {tokens / took:.0f} a second"
    yield Check(model.name, "reply", "ok", message)


def _ask(lm: dspy.LM, wait: float, answer: _Answer) -> None:
    from worksmith.evals.lm.metering import metered, metering

    try:
        once = lm.copy(num_retries=0, cache=False, timeout=wait)
        with metering() as meter:
            metered(once)(_QUESTION)
        answer.estimated = meter.usage.estimated
    except Exception as error:
        answer.error = error
    answer.done = True


def known(model: Examined, prices: Prices) -> Iterator[Check]:
    """The known properties of a model, without a request: context window, native tool calls, price."""
    name, entry = model.name, listed(model.lm.model)
    settings = model.settings or getattr(model.lm, "engine", None)
    window = getattr(settings, "context_window", None) or entry.get("max_input_tokens")
    if window:
        yield Check(name, "context window", "ok", f"{window:,} tokens")
    elif model.settings is not None:
        yield Check(name, "context window", "warning", "not known", "set context_window in worksmith.toml")
    if getattr(model.lm, "supports_function_calling", False):
        yield Check(name, "tool calls", "ok", "native")
    elif entry or model.settings is None or model.settings.tool_calls is False:
        yield Check(name, "tool calls", "ok", "none; calls are written as text")
    else:
        yield Check(name, "tool calls", "ok", "not known; --prompt native tries them")
    if (length := getattr(settings, "compact_prompts", None)) is not None:
        yield Check(name, "prompts", "ok", f"compact, with {length:,} characters of an observation")
    price = prices.price(model.lm.model)
    if price is None:
        remedy = "set input_price and output_price in worksmith.toml; --max-usd needs them"
        yield Check(name, "price", "warning", "not known", remedy)
    else:
        dollars = f"{price.prompt * 1e6:g} and {price.completion * 1e6:g} dollars"
        cached = "" if price.cached is None else f", {price.cached * 1e6:g} of prompts in its cache"
        yield Check(name, "price", "ok", f"{dollars} per million tokens of prompts and replies{cached}")


def _failure(model: Examined, error: Exception) -> Check:
    from dspy.utils.exceptions import LMBillingError, LMNotConfiguredError

    from worksmith.evals.lm.failures import chain, failure_status
    from worksmith.evals.lm.refusals import refused_access, refused_setting
    from worksmith.evals.lm.sdk_errors import http_status

    said = without_secrets(str(error)).strip().partition("\n")[0] or type(error).__name__
    code = next(filter(None, map(http_status, chain(error))), None)
    access = refused_access(said)
    below = _below(error)
    if below not in said:
        said = f"{said} {below}"
    unpaid = any(isinstance(each, LMBillingError) for each in chain(error))

    def failed(name: str, remedy: str) -> Check:
        return Check(model.name, name, "failure", said, remedy)

    if access == "no key":
        return failed("key", "export the provider's key or credentials, or set api_key_env in worksmith.toml")
    if any(isinstance(each, LMNotConfiguredError) for each in chain(error)):
        return failed("settings", "set one of the variables that it names")
    if code in (401, 403) or access == "key":
        return failed("key", "the server refuses the key; put a right one in its place")
    if code == 402 or unpaid or access == "credit":
        return failed("key", "pay the provider, or use another key")
    if code == 404 or access == "model":
        return failed("connection", f"check the model's name and its address{_address(model)}")
    if code == 429:
        return failed("connection", "the quota is used up or requests come too fast; wait, or raise it")
    if _UNTRUSTED in below:
        return failed("connection", "set SSL_CERT_FILE to a file with your company's certificates")
    if code is not None and code >= 500 and not below:
        return failed("connection", "the server fails; try again later, or look at its log")
    if failure_status(error) == "invalid_request":
        setting = refused_setting(said, str(getattr(error, "body", None) or ""))
        which = f"the setting {setting}" if setting else "a setting"
        return failed("settings", f"change {which} of the model, or leave it out")
    if proxy := _proxy_of(model):
        return failed("connection", f"check the proxy {proxy}, which the environment or worksmith.toml sets")
    return failed("connection", f"check the network and the address{_address(model)}; --wait N waits longer")


def _below(error: BaseException) -> str:
    """The error of the network that a client may report as one of the server; empty without one."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) or type(seen).__name__ in (
            "ConnectError",
            "ConnectTimeout",
            "ProxyError",
        ):
            return str(seen) or type(seen).__name__
        seen = seen.__cause__ or seen.__context__
    return ""


def _base(model: Examined) -> str:
    return str(model.lm.kwargs.get("api_base") or "")


def _address(model: Examined) -> str:
    parts = urlsplit(_base(model))
    return f" {parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else ""


def _proxy_of(model: Examined) -> str:
    """The proxy between here and the model, without a log-in; empty without one."""
    parts = urlsplit(_base(model) or "https://provider.invalid")
    proxies = getproxies()
    address = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not address or proxy_bypass(parts.hostname or ""):
        return ""
    return urlsplit(address if "://" in address else f"http://{address}").netloc.rpartition("@")[2]


def _by_proxy(model: Examined) -> str:
    proxy = _proxy_of(model)
    return f" through the proxy {proxy}" if proxy else ""
