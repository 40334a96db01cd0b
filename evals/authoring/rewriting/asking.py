"""A model asked in stages, with its replies kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import InputError, WorksmithError
from tools.files.atomic import write_atomically
from tools.files.json_files import read_json
from tools.seeding import digest

WORKERS = 8
"""So many tasks or texts are rewritten at once."""

Ask = Callable[[str, Mapping[str, str]], dict[str, str]]
"""Asks the model for one stage: its name and inputs; gives the outputs by name."""


class UnreadableReplyError(WorksmithError):
    """A reply of the model has not the form that was asked for."""


@dataclass(frozen=True)
class _Replies:
    """The model's replies on disk, by what was asked."""

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


def asking(lm: Any, folder: Path | None, stages: Mapping[str, Mapping[str, Any]]) -> Ask:
    """Ask a model in stages.

    Args:
        lm: a `dspy.LM`.
        folder: where its replies are kept, so that none is paid for twice; None keeps none.
        stages: by name the `instructions` of a stage, its inputs `in` and its outputs `out`, each by name.

    Returns:
        A function that raises `UnreadableReplyError` where a reply has not the form that was asked for, and
        `WorksmithError` where there is none.
    """
    import dspy
    from dspy.utils.exceptions import AdapterParseError, LMError

    signatures = {name: _signature(stage) for name, stage in stages.items()}
    replies, model = _Replies(folder), str(getattr(lm, "model", ""))

    def ask(stage: str, inputs: Mapping[str, str]) -> dict[str, str]:
        key = digest([model, stages[stage], dict(inputs)], 32)
        found = replies.get(key)
        if found is None:
            signature = signatures[stage]
            with dspy.context(lm=lm):
                try:
                    prediction = dspy.Predict(signature)(**inputs)
                except AdapterParseError as error:
                    raise UnreadableReplyError(f"the reply to {stage} is unreadable") from error
                except LMError as error:
                    raise WorksmithError(f"the writer gave no reply: {error}") from error
            found = {name: str(prediction[name] or "") for name in signature.output_fields}
            replies.put(key, found)
        return found

    return ask


def _signature(stage: Mapping[str, Any]) -> Any:
    import dspy

    fields: dict[str, Any] = {name: (str, dspy.InputField(desc=text)) for name, text in stage["in"].items()}
    fields |= {name: (str, dspy.OutputField(desc=text)) for name, text in stage["out"].items()}
    return dspy.Signature(fields, stage["instructions"])
