"""From a question to rows: a model writes one SELECT over what the persona may read.

    program = TextToSql(environment)
    with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        found = program(question="Which products sold most in March?", persona="emp_0726")
    found.sql, found.rows, found.error

The statement runs through the world's own query tool, so on views that the policy has already filtered: what
the model writes can be wrong, but it cannot show more than the persona may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dspy

from programs.lm_calls import ask
from programs.prompting.adapters import adapter_in_use
from programs.prompting.prompt import context_text
from tools.errors import InputError

if TYPE_CHECKING:
    from tools.dispatch import Observation
    from tools.environment import Environment
    from tools.episode import Episode

QUERY_TOOL = "tables.query"
"""The tool that runs one SELECT; its only argument is the statement."""

_INSTRUCTIONS = (
    "Write one SQLite SELECT that answers the question from these tables. All cells are text: CAST what is "
    "to be compared or summed as a number. Dates are ISO texts, which compare as they are. Select only what "
    "is asked for. If an earlier statement failed, write one that does not."
)


class TextToSql(dspy.Module):  # type: ignore[misc]
    """Asks a model for a SELECT and runs it; one that fails goes back to the model once.

    Args:
        env: where questions that come without an episode are asked; never saved with the program.
        repairs: how often a statement that failed may be written anew.
    """

    def __init__(self, env: Environment | None = None, *, repairs: int = 1) -> None:
        super().__init__()
        self.env = env
        self.repairs = repairs
        fields: dict[str, Any] = {
            "context": (str, dspy.InputField(desc="the clock and the person who asks")),
            "tables": (str, dspy.InputField(desc="the tables and their columns")),
            "question": (str, dspy.InputField(desc="what the person wants to know")),
            "failure": (str, dspy.InputField(desc="an earlier statement and its error, if any", default="")),
            "sql": (str, dspy.OutputField(desc="one SELECT statement")),
        }
        self.predict = dspy.Predict(dspy.Signature(fields, _INSTRUCTIONS))

    def forward(
        self, question: str, *, episode: Episode | None = None, persona: str | None = None
    ) -> dspy.Prediction:
        """The rows that answer `question`.

        Args:
            episode: in whose state, and on behalf of whose persona, the statement runs; the calls are
                recorded there. None for a fresh one.
            persona: id of who asks, where there is no episode; None for the world's own persona.

        Returns:
            A prediction with `sql`, `rows`, and `error`: None, or why there are no rows.

        Raises:
            InputError: there is neither an episode nor an environment, or the world has no query tool.
            UnreadableReplyError: as `programs.lm_calls.ask`.
        """
        episode = episode or self._open(persona)
        if QUERY_TOOL not in episode.toolset:
            raise InputError(f"worlds of the kind {episode.kind.name} have no tool {QUERY_TOOL}")
        inputs: dict[str, Any] = {
            "context": context_text(episode.now, episode.persona, episode.kind.departments),
            "tables": schema_text(episode),
            "question": question,
        }
        failure = ""
        with dspy.context(adapter=adapter_in_use(self.predict.lm or dspy.settings.lm)):
            for _ in range(self.repairs + 1):
                sql = _statement(ask(self.predict, failure=failure, **inputs).sql)
                seen = _run(episode, sql)
                if seen.status == "ok":
                    return dspy.Prediction(sql=sql, rows=seen.value["records"], error=None)
                failure = f"{sql}\n{seen.text}"
        return dspy.Prediction(sql=sql, rows=[], error=seen.text)

    def _open(self, persona: str | None) -> Episode:
        if self.env is None:
            raise InputError("there is nothing to ask", hint="give an episode or an environment")
        who = None if persona is None else self.env.persona(persona)
        return self.env.episode(persona=who)

    def __deepcopy__(self, memo: dict[int, Any]) -> TextToSql:
        copied = TextToSql(self.env, repairs=self.repairs)
        copied.predict = self.predict.deepcopy()
        memo[id(self)] = copied
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "environment": None}


def schema_text(episode: Episode) -> str:
    """The tables of which the persona may read some record, one a line, and what is to be known of them."""
    policy, lines = episode.policy, []
    document = getattr(policy, "document", None)
    for table in episode.kind.tables:
        possible = getattr(policy, "possible", None)
        if possible is not None and not possible(episode.persona, table.name, "read").allow:
            continue
        line = f"{table.name}({', '.join(table.columns)})"
        private = document.sources[table.name].private if document is not None else None
        if private is not None:
            line += f"; NULL where private: {', '.join(private.fields)}"
        lines.append(line)
    return "\n".join(lines)


def _run(episode: Episode, sql: str) -> Observation:
    (argument,) = episode.toolset[QUERY_TOOL].arguments
    return episode.call(QUERY_TOOL, {argument: sql})


def _statement(text: str) -> str:
    """The statement without a code fence around it or a semicolon behind it."""
    text = text.strip()
    if text.startswith("```"):
        text = text.strip("`").removeprefix("sqlite").removeprefix("sql")
    return text.strip().removesuffix(";").strip()
