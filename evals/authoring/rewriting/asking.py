"""A model asked in stages, with its replies kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worksmith.evals.dspy_programs.digests import model_digest, model_name
from worksmith.evals.lm.failures import failure_status
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_json
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.seeding import digest

WORKERS = 8
"""So many tasks or texts are rewritten at once."""

Ask = Callable[[str, Mapping[str, str]], dict[str, str]]
"""Asks the model for one stage: its name and inputs; gives the outputs by name."""


_NO_TEXT = {
    "invalid_reply": "is unreadable",
    "truncated": "is cut off",
    "refused": "is a refusal",
    "filtered": "was held back by the provider's filter",
    "context_limit": "needs a model that takes longer prompts",
}
"""What ends one text and not the whole build, by status."""


class UnreadableRewordingError(WorksmithError):
    """A reply of the model has not the form that was asked for, or the model does not take the text."""


@dataclass(frozen=True)
class _Replies:
    """The model's replies on disk, by request."""

    folder: Path | None

    def get(self, key: str) -> dict[str, str] | None:
        if self.folder is None or not (file := self.folder / f"{key}.json").exists():
            return None
        try:
            found: dict[str, str] = read_json(file, "a reply")
        except InputError:
            return None  # cut off or damaged: ask again
        return found

    def put(self, key: str, reply: Mapping[str, str]) -> None:
        if self.folder is not None:
            write_atomically(
                self.folder / f"{key}.json", json.dumps(dict(reply), ensure_ascii=False).encode()
            )


def signature_of(lm: Any) -> str:
    """The name of a writer with the digest of its settings and its address."""
    return f"{model_name(lm)}@{model_digest(lm)[:12]}"


def asking(lm: Any, folder: Path | None, stages: Mapping[str, Mapping[str, Any]]) -> Ask:
    """Ask a model in stages.

    Args:
        lm: a `dspy.LM`. Its settings and its address decide with its name which replies are its own.
        folder: where its replies are kept, so that each is paid for once; None to keep no reply.
        stages: by name the `instructions` of a stage, its inputs `in` and its outputs `out`, each by name.

    Returns:
        A function that raises `UnreadableRewordingError` where a reply lacks the form that was asked for or
        the model does not take a text, and `WorksmithError` where there is no reply.
    """
    import dspy
    from dspy.utils.exceptions import AdapterParseError, LMError

    # A second request for each unreadable reply would cost more than the forecast has.
    adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
    signatures = {name: _signature(stage) for name, stage in stages.items()}
    replies, model = _Replies(folder), model_digest(lm)

    def ask(stage: str, inputs: Mapping[str, str]) -> dict[str, str]:
        key = digest([model, stages[stage], dict(inputs)], 32)
        found = replies.get(key)
        if found is None:
            signature = signatures[stage]
            with dspy.context(lm=lm, adapter=adapter):
                try:
                    prediction = dspy.Predict(signature)(**inputs)
                except AdapterParseError as error:
                    raise UnreadableRewordingError(f"the reply to {stage} is unreadable") from error
                except LMError as error:
                    if why := _NO_TEXT.get(failure_status(error)):
                        raise UnreadableRewordingError(f"the reply to {stage} {why}") from error
                    again = "; the replies so far are kept for another run" if folder else ""
                    message = without_secrets(str(error))
                    raise WorksmithError(f"the writer gave no reply: {message}{again}") from error
            found = {name: str(prediction[name] or "") for name in signature.output_fields}
            replies.put(key, found)
        return found

    return ask


def _signature(stage: Mapping[str, Any]) -> Any:
    import dspy

    fields: dict[str, Any] = {name: (str, dspy.InputField(desc=text)) for name, text in stage["in"].items()}
    fields |= {name: (str, dspy.OutputField(desc=text)) for name, text in stage["out"].items()}
    return dspy.Signature(fields, stage["instructions"])
