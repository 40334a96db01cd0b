"""Whose fault it is when an episode ends in an exception."""

from __future__ import annotations

from evals.record import PROGRAM_ERROR
from tools.errors import InfrastructureError


def failure_status(error: BaseException) -> str:
    """Whose fault an exception is: `model_error`, `harness_error`, or the program's own."""
    import apsw
    from dspy.utils.exceptions import ContextWindowExceededError, LMError

    from retrievers.errors import RetrievalError

    if isinstance(error, ContextWindowExceededError):
        return PROGRAM_ERROR  # the program let its prompt grow too long
    if isinstance(error, LMError | ConnectionError | TimeoutError):
        return "model_error"
    if isinstance(error, apsw.Error | OSError | MemoryError | RetrievalError | InfrastructureError):
        return "harness_error"
    return PROGRAM_ERROR
