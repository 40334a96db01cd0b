"""Asking a model, with every way it can go wrong named."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from programs.adapter import UnreadableReplyError
from programs.exchange import listening
from programs.readers import Reader
from tools.errors import InputError, WorksmithError
from tools.secrets import described


class ModelFailedError(WorksmithError):
    """The model gave no reply: a failure of the infrastructure, never a wrong answer."""


def ask(predict: dspy.Predict, *, reader: Reader | None = None, **inputs: Any) -> dspy.Prediction:
    """One model call.

    Args:
        reader: on whose behalf; the prompt shows no demonstration that they may not read.

    Raises:
        UnreadableReplyError: the model replied, but not in the format asked for.
        ModelFailedError: it did not reply. Says why.
        InputError: there is no model to ask, or the program was given something wrong.
    """
    if predict.lm is None and dspy.settings.lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    demos = reader.demos(predict, inputs) if reader is not None else None
    if demos is not None:
        inputs["demos"] = demos
    try:
        return predict(**inputs)
    except (UnreadableReplyError, InputError):
        raise
    except AdapterParseError as error:
        raise UnreadableReplyError(error.signature, "", "the reply is empty") from error
    except Exception as error:
        raise ModelFailedError(described(error)) from error


def ask_plainly(lm: Any, prompt: str) -> str:
    """What a model says to a text, without any format.

    Args:
        lm: None for the one that DSPy's settings hold.

    Raises:
        ModelFailedError: it did not reply. Says why.
        InputError: there is no model to ask.
    """
    lm = lm or dspy.settings.lm
    if lm is None:
        raise InputError("there is no model to ask", hint="set one with dspy.configure(lm=...)")
    try:
        with listening():
            found = lm(messages=[{"role": "user", "content": prompt}])[0]
    except Exception as error:
        raise ModelFailedError(described(error)) from error
    return str(found["text"] if isinstance(found, dict) else found)
