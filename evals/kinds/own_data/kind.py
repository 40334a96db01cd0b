"""The task kind of a user's own data. Its parts are imported when they are used."""

from __future__ import annotations

from evals.task_kind import TaskKind

OWN_DATA = TaskKind(name="own_data")
