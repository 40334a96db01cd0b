"""Asking a model. What goes wrong is told apart in `evals.lm.failures`, not here."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from evals.lm.failures import failure_status
from evals.lm.metering import metered
from programs.demo_filter import Reader
from programs.prompting.adapter import IN_FORMAT, UnreadableReplyError
from programs.prompting.exchange import current, kept_in, listening
from programs.prompting.finishing import STOPPED
from tools.errors import InputError

_LONGEST_PROBLEM = 200
"""Characters of what a client says of a reply."""


def ask(predict: dspy.Predict, *, reader: Reader | None = None, **inputs: Any) -> dspy.Prediction:
    """One model call.

    Args:
        reader: on whose behalf; the prompt shows no demonstration that they may not read.

    Raises:
        UnreadableReplyError: the model replied, but not in the format asked for.
        InputError: there is no model to ask, or the program was given something wrong.
        Exception: there is no reply, see `evals.lm.failures`.
    """
    lm = predict.lm or dspy.settings.lm
    if lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    demos = reader.demos(predict, inputs) if reader is not None else None
    if demos is not None:
        inputs["demos"] = demos
    inputs["lm"] = metered(lm)
    with kept_in(current()):
        try:
            return predict(**inputs)
        except Exception as error:
            unreadable = _unreadable(error, predict.signature)
            if unreadable is None:
                raise
            raise unreadable from error


def _unreadable(error: Exception, signature: type[dspy.Signature]) -> UnreadableReplyError | None:
    """What was wrong with the reply, with what would help; None where there was no reply."""
    if isinstance(error, UnreadableReplyError):
        reply, problem, remedy = error.reply, error.problem, error.remedy
    elif isinstance(error, AdapterParseError):
        reply, problem, remedy = "", "the reply is empty", IN_FORMAT
    elif failure_status(error) in ("invalid_reply", "truncated"):
        said = getattr(error, "message", "") or str(error)
        reply, problem, remedy = "", said.partition("\n")[0][:_LONGEST_PROBLEM], IN_FORMAT
    else:
        return None
    stopped = STOPPED.get(current().finish_reason)
    if stopped is None:
        return UnreadableReplyError(signature, reply, problem, remedy)
    remedy = f"{remedy} {stopped.remedy}"
    return UnreadableReplyError(signature, reply or current().reply, stopped.problem, remedy, stopped.status)


def ask_plainly(lm: Any, prompt: str) -> str:
    """What a model says to a text, without any format.

    Args:
        lm: None for the one that DSPy's settings hold.

    Raises:
        InputError: there is no model to ask.
        Exception: there is no reply, see `evals.lm.failures`.
    """
    lm = lm or dspy.settings.lm
    if lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    with listening(metered(lm)) as heard:
        found = heard(messages=[{"role": "user", "content": prompt}])[0]
    return str(found["text"] if isinstance(found, dict) else found)
