"""What optimizers have in common that try candidates on the dev tasks."""

from __future__ import annotations

from optimizers.job import Job


class Searching:
    """An optimizer whose candidates meet on the dev tasks, the program as it is among them."""

    def plan(self, job: Job) -> dict[str, int]:
        """At most a teacher episode a training task; every dev task for each candidate and the program."""
        return {"teacher": len(job.train), "dev": len(job.dev) * (1 + job.settings.candidates)}
