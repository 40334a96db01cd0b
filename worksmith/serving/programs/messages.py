"""What clients send and get, as the API's description shows it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic_core import to_jsonable_python

LONGEST_TASK = 20_000
"""Characters."""

_ID = "3f0c9a5e7d1b4c2f8a6e0d9b7c5a3e1f"
_DIGEST = "9b1d7c4e2a60f583"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("the task is empty")
    return text


class TaskRequest(BaseModel):
    """A task. Only the token decides on whose behalf it is done."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"task": "Close T-1036, note 'It works again after a restart'"}]},
    )

    task: Annotated[str, AfterValidator(_not_blank)] = Field(
        min_length=1, max_length=LONGEST_TASK, pattern=r"\S"
    )
    toolkits: list[str] = Field(
        default=[], max_length=100, description="The toolkits on offer; empty for all."
    )
    stream: bool = Field(default=False, description="Send each step as an event when it is made.")


class Decision(BaseModel):
    """Approval or rejection of changes, bound to the view of the person."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"digest": _DIGEST}]}
    )

    digest: str = Field(min_length=1, max_length=128, description="`digest` of the changes.")


class Settlement(Decision):
    """What became of a commit that broke off."""

    committed: bool = Field(description="Whether it was made.")


class Step(BaseModel):
    """One call of a tool, with the reply that the agent got."""

    number: int
    tool: str
    arguments: Any
    status: str
    observation: str
    rule: str | None = Field(description="The access rule that decided.")


class ShownChange(BaseModel):
    """A change of one row. Cells that the reader may not read are left out.

    Attributes:
        before, after: the cells that were set, also to the value that they had; of a new or deleted row all.
    """

    table: str
    operation: Literal["insert", "update", "delete"]
    key: Any
    before: dict[str, Any] | None
    after: dict[str, Any] | None


ProposalStatus = Literal[
    "pending", "approved", "rejected", "expired", "committing", "committed", "failed", "unsettled"
]


class ShownProposal(BaseModel):
    """Proposed changes. Nothing is changed before they are approved."""

    id: str = Field(examples=[_ID])
    digest: str = Field(examples=[_DIGEST], description="Of the content; an approval repeats it.")
    status: ProposalStatus
    persona: str = Field(description="The id of the person on whose behalf the task was done.")
    task: str
    changes: list[ShownChange]
    complete: bool = Field(description="Whether the reader may read all of the changes.")
    created: float = Field(description="Seconds since 1970.")
    expires: float = Field(description="Seconds since 1970, after which they cannot be approved.")
    decided_by: str | None = None
    result: Any = Field(default=None, description="What the commit function returned.")
    error: str | None = None


class ShownUsage(BaseModel):
    """The usage of a task.

    Attributes:
        calls: paid requests to models.
        tokens: paid prompt and completion tokens.
        usd: dollars, if prices are known.
    """

    calls: float
    tokens: float
    usd: float


_RESULT: JsonDict = {
    "id": _ID,
    "status": "finished",
    "answer": "T-1036 is closed.",
    "answer_status": "answered",
    "steps": [
        {
            "number": 1,
            "tool": "tools.close_ticket",
            "arguments": {"ticket_id": "T-1036", "resolution": "It works again after a restart"},
            "status": "ok",
            "observation": "T-1036 is closed.",
            "rule": "own-department",
        }
    ],
    "changes": None,
    "usage": {"calls": 2, "tokens": 900, "usd": 0.0004},
    "seconds": 1.8,
}


class TaskResult(BaseModel):
    """The end of a task.

    Attributes:
        status: `finished`, or why the agent did not finish; then it has no changes.
        answer_status: `answered`, `partial`, `denied` or `not_found`, where the world asks for it.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_RESULT]})

    id: str
    status: str
    answer: str
    answer_status: str
    steps: list[Step]
    changes: ShownProposal | None = Field(description="To be approved; null if nothing would change.")
    usage: ShownUsage
    seconds: float


class Fault(BaseModel):
    code: str = Field(examples=["busy"])
    message: str


class ErrorBody(BaseModel):
    """The reason for a missing result."""

    error: Fault


class Health(BaseModel):
    status: Literal["ok", "not_ready"]


class ListedProposal(BaseModel):
    """Proposed changes that can be decided on, without the changes."""

    id: str
    digest: str
    persona: str
    task: str
    created: float
    expires: float


class ListedProposals(BaseModel):
    """The newest hundred."""

    changes: list[ListedProposal]


def wire(data: Any) -> bytes:
    """Data as JSON that any client can read: no half surrogate pairs, no NaN."""
    plain = to_jsonable_python(data, inf_nan_mode="null", fallback=str)
    return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")


def event(name: str, data: Any) -> bytes:
    """A server-sent event."""
    return b"event: " + name.encode() + b"\ndata: " + wire(data) + b"\n\n"
