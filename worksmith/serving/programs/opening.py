"""From settings to a served program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import dspy

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.budgets import open_budget, prices_of
from worksmith.jobs.opening.programs import OpenedProgram, named_program
from worksmith.jobs.recording.tracking import Tracking
from worksmith.models.resolve import resolve
from worksmith.optimizers.cost.budget import Budget
from worksmith.serving.programs.app import ProgramApp
from worksmith.serving.programs.desk import Desk
from worksmith.serving.programs.keys import key_set, secret_of
from worksmith.serving.programs.metrics import Metrics
from worksmith.serving.programs.proposals import Proposals
from worksmith.serving.programs.rollouts import Done, Rollouts, Running
from worksmith.serving.programs.tokens import Tokens
from worksmith.serving.programs.tracing import Traces
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.seeding import digest
from worksmith.tools.world_kind import LIVE

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.serving.programs.settings import ServeProgramSettings
    from worksmith.tools.environment import Environment


@contextmanager
def opened_app(settings: ServeProgramSettings) -> Iterator[ProgramApp]:
    """The application that settings describe; its traces are written when the block ends."""
    # Kept replies would fill the memory, and hold what people asked for.
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    tokens = tokens_of(settings)  # a wrong key is reported before the suite is opened
    suite = Suite.open(settings.suite)
    suite.env.check()
    if settings.live:
        connect_outside(suite.env, confirmed=settings.yes)
    suite.env.check_records()
    opened = named_program(settings.program, suite.env)
    lm = resolve(settings.lm, tasks=suite.tasks)
    tracking = Tracking.of(settings, track=settings.track and settings.traces != "none")
    described = {**settings.described(), "suite": suite.path.name, **opened.config}
    metrics = Metrics()
    with tracking.start(suite.path, "serve", opened.said, params=described, raises=True) as run:
        traces = Traces(run, model_name(lm), metrics) if run.id is not None else None
        try:
            yield app_of(settings, suite, opened, lm, tokens, metrics, traces)
        finally:
            if traces is not None:
                traces.close()


def app_of(
    settings: ServeProgramSettings,
    suite: Suite,
    opened: OpenedProgram,
    lm: dspy.LM,
    tokens: Tokens,
    metrics: Metrics,
    traces: Traces | None = None,
) -> ProgramApp:
    """The application over the opened objects."""

    def ended(running: Running, done: Done, record: EpisodeRecord | None) -> None:
        spent = running.meter.spent
        metrics.in_flight.dec()
        metrics.tasks.labels(done.error.code if done.error else _status(done)).inc()
        metrics.seconds.observe(done.seconds)
        metrics.tokens.observe(spent.tokens)
        metrics.usd.observe(spent.usd)
        metrics.calls.inc(spent.calls)
        if traces is not None and record is not None:
            traces.add(record, running.task)

    rollouts = Rollouts(
        suite,
        opened.program,
        lm,
        settings,
        budget=server_budget(settings),
        started=metrics.in_flight.inc,
        ended=ended,
        recorded=traces is not None,
    )
    proposals = Proposals(settings.changes, digest(str(suite.path.resolve())))
    desk = Desk(rollouts, proposals, metrics, settings)
    host = "" if settings.behind_proxy else settings.host
    return ProgramApp(desk, metrics, tokens, host=host, title=opened.said)


def connect_outside(env: Environment, *, confirmed: bool) -> None:
    """Let tools reach outside, and list them."""
    tools = [env.kind.tools[name] for name in sorted(env.kind.outside)]
    if not tools:
        raise InputError("no tool of this environment reaches outside", where="--live")
    named = ", ".join(f"{tool.name} ({'writes' if tool.writes else 'reads'})" for tool in tools)
    if not confirmed:
        hint = "--yes confirms it; no approval is asked for what they write"
        raise InputError(f"real calls would be made by {named}", where="--live", hint=hint)
    warnings.warn(Notice(f"real calls are made by {named}"), stacklevel=2)
    env.connect(LIVE)


def _status(done: Done) -> str:
    return done.episode.status if done.episode is not None else "stopped"


def tokens_of(settings: ServeProgramSettings) -> Tokens:
    """What verifies tokens."""
    public = settings.jwks is not None
    keys = (
        key_set(settings.jwks)
        if settings.jwks is not None
        else secret_of(settings.jwt_secret_env, settings.jwt_secret_file)
    )
    name, _, value = (settings.approver or "").partition("=")
    return Tokens(
        keys,
        algorithms=("RS256", "ES256", "EdDSA") if public else ("HS256",),
        audience=settings.audience,
        issuer=settings.issuer,
        persona_claim=settings.persona_claim,
        leeway=settings.leeway,
        approver=(name, value) if name else None,
    )


def server_budget(settings: ServeProgramSettings) -> Budget:
    """The budget of one process: its share of the limits.

    Raises:
        InputError: a limit is smaller than the number of processes, or makes no sense.
    """
    share = settings.workers
    for name, limit in (("--max-calls", settings.max_calls), ("--max-tokens", settings.max_tokens)):
        if limit is not None and limit < share:
            raise InputError(f"{limit} is too little for {share} processes", where=name)
    limits = {
        "max_usd": None if settings.max_usd is None else settings.max_usd / share,
        "max_calls": None if settings.max_calls is None else settings.max_calls // share,
        "max_tokens": None if settings.max_tokens is None else settings.max_tokens // share,
    }
    return open_budget(settings.model_copy(update=limits), ()) or Budget(prices=prices_of(settings.prices))
