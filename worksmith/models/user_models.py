"""Models of user code, by the address `package.module:name`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.own_code import own_object
from worksmith.evals.lm.failures import calling
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy


def own_model(address: str) -> dspy.LM:
    """The model at an address: a `dspy.LM`, an engine for one, or the result of a function without arguments.

    An engine runs in this process and costs nothing. DSPy keeps none of its replies.

    Raises:
        InputError: the address has none.
    """
    import dspy

    found: Any = own_object(address, where="--lm")
    if not isinstance(found, dspy.BaseLM) and (isinstance(found, type) or not _is_engine(found)):
        if not callable(found):
            raise _no_model(address, found)
        with calling(address):
            found = found()
    if isinstance(found, dspy.BaseLM):
        return found
    if not _is_engine(found):
        raise _no_model(address, found)
    return dspy.LM(f"local/{address}", engine=found, cache=False, num_retries=0)


def _is_engine(found: Any) -> bool:
    return callable(getattr(found, "complete", None))


def _no_model(address: str, found: Any) -> InputError:
    return InputError(
        f"{address} is a {type(found).__name__}, and no model",
        where="--lm",
        hint="name a dspy.LM, an object with `complete(request)`, or a function that makes one",
    )
