"""Asking a model. What goes wrong is told apart in `evals.failures`, not here."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from programs.adapter import UnreadableReplyError
from programs.exchange import listening
from programs.readers import Reader
from tools.errors import InputError


def ask(predict: dspy.Predict, *, reader: Reader | None = None, **inputs: Any) -> dspy.Prediction:
    """One model call.

    Args:
        reader: on whose behalf; the prompt shows no demonstration that they may not read.

    Raises:
        UnreadableReplyError: the model replied, but not in the format asked for.
        InputError: there is no model to ask, or the program was given something wrong.
        Exception: there is no reply, see `evals.failures`.
    """
    if predict.lm is None and dspy.settings.lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    demos = reader.demos(predict, inputs) if reader is not None else None
    if demos is not None:
        inputs["demos"] = demos
    try:
        return predict(**inputs)
    except UnreadableReplyError:
        raise
    except AdapterParseError as error:
        raise UnreadableReplyError(error.signature, "", "the reply is empty") from error


def ask_plainly(lm: Any, prompt: str) -> str:
    """What a model says to a text, without any format.

    Args:
        lm: None for the one that DSPy's settings hold.

    Raises:
        InputError: there is no model to ask.
        Exception: there is no reply, see `evals.failures`.
    """
    lm = lm or dspy.settings.lm
    if lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    with listening():
        found = lm(messages=[{"role": "user", "content": prompt}])[0]
    return str(found["text"] if isinstance(found, dict) else found)
