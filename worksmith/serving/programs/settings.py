"""Settings of a served program."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import model_validator

from worksmith.jobs.settings.base import JobSettings, setting
from worksmith.jobs.settings.groups.episodes import BudgetSettings
from worksmith.jobs.settings.groups.models import NamedModelSettings
from worksmith.jobs.settings.groups.record import MlflowSettings, traces
from worksmith.tools.errors import InputError


class ListenSettings(JobSettings):
    group = "Server"

    host: str = setting("127.0.0.1", "Address to listen on.", recorded=False)
    port: int = setting(8450, "Port; 0 takes a free one.", min=0, max=65535, recorded=False)
    behind_proxy: bool = setting(
        False,
        "A proxy in front speaks TLS: listen in plain HTTP on any address, and answer to any host name.",
        recorded=False,
    )
    workers: int = setting(1, "Processes; limits of the server are divided among them.", min=1, max=64)
    in_flight: int = setting(64, "Most tasks at a time in a process; others get 503.", min=1, max=4096)
    per_persona: int = setting(
        8, "Most tasks at a time of one persona in a process; others get 429.", min=1, max=4096
    )
    grace: int = setting(
        30, "Seconds that tasks get to end in when the server is stopped.", min=0, max=3600, recorded=False
    )


class TokenSettings(JobSettings):
    """The tokens that clients show."""

    group = "Tokens"

    audience: str = setting(..., "The `aud` that a token must have.", metavar="TEXT")
    issuer: str = setting(..., "The `iss` that a token must have.", metavar="TEXT")
    jwt_secret_env: str | None = setting(
        None, "Environment variable with the secret of tokens signed by HS256.", metavar="VARIABLE"
    )
    jwt_secret_file: Path | None = setting(None, "File with that secret.", path="file")
    jwks: str | None = setting(
        None, "Public keys of tokens signed by RS256, ES256 or EdDSA.", metavar="FILE|HTTPS"
    )
    persona_claim: str = setting("sub", "The claim with the persona's id.", metavar="CLAIM")
    leeway: float = setting(
        10.0, "Seconds by which clocks may differ.", min=0, max=300, metavar="SECONDS", expert=True
    )

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        given = [self.jwt_secret_env, self.jwt_secret_file, self.jwks]
        if sum(each is not None for each in given) != 1:
            raise InputError(
                "one key of tokens is needed",
                where="--jwt-secret-env",
                hint="give --jwt-secret-env, --jwt-secret-file or --jwks",
            )
        return self


class ChangeSettings(JobSettings):
    """The approval of changes."""

    group = "Changes"

    changes: Path = setting(
        Path(".worksmith") / "changes.db",
        "File of proposed changes; all processes share it.",
        path="file",
        recorded=False,
    )
    changes_expire: float = setting(
        3600.0, "Seconds after which changes cannot be approved.", min=1, metavar="SECONDS"
    )
    approver: str | None = setting(
        None,
        "Only tokens with this claim approve changes, e.g. roles=approver.",
        metavar="CLAIM=VALUE",
        unset="the persona whose task it was",
    )
    four_eyes: bool = setting(False, "People cannot approve the changes of their own tasks.")

    @model_validator(mode="after")
    def _somebody_approves(self) -> Self:
        if self.approver is not None and not all(self.approver.partition("=")):
            raise InputError(
                "no claim and value", where=f"--approver {self.approver}", hint="such as roles=approver"
            )
        if self.four_eyes and self.approver is None:
            raise InputError(
                "no person could approve", where="--four-eyes", hint="name others with --approver"
            )
        return self


class LiveSettings(JobSettings):
    """Tools that reach outside."""

    group = "Tools that reach outside"

    live: bool = setting(
        False, "They make their calls at once, without an approval, in place of what stands in for them."
    )
    yes: bool = setting(False, "Confirm --live, which names these tools.", recorded=False)


class TaskLimitSettings(JobSettings):
    """The limits of one task."""

    group = "Limits of one task"

    time_limit: float = setting(300.0, "Most seconds of a task.", metavar="SECONDS", min=0.001)
    task_max_calls: int | None = setting(None, "Most paid requests to models of one task.")
    task_max_tokens: int | None = setting(None, "Most paid tokens of one task.")
    task_max_usd: float | None = setting(None, "Most dollars of one task.")


class ServeProgramSettings(
    NamedModelSettings,
    ListenSettings,
    TokenSettings,
    ChangeSettings,
    LiveSettings,
    TaskLimitSettings,
    BudgetSettings,
    MlflowSettings,
):
    """Serve a compiled program."""

    program: str = setting(
        ...,
        "A compiled program's file, or package.module:factory@FILE.",
        positional=True,
        metavar="PROGRAM",
    )
    suite: Path = setting(..., "The suite, or a project's folder.", positional=True)
    traces: str = traces("all")
