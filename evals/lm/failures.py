"""The status of an episode that an exception ended: the one place that decides whose failure it was."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.lm.refusals import refused_access, refused_setting
from worksmith.evals.lm.sdk_errors import (
    framework_status,
    http_status,
    is_lasting,
    is_sdk_error,
    request_status,
    says_too_many,
    says_unreadable,
    sdk_status,
    status_of_code,
)
from worksmith.evals.lm.users_code import UserCodeError, place, raised_by_user
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.secrets import described, without_secrets
from worksmith.tools.files.unicode import writable
from worksmith.tools.statuses import INFRASTRUCTURE, PROGRAM_ERROR, STATUSES, EpisodeStatus

LONGEST_ERROR = 2_000
"""Characters of an exception's message that a record keeps."""

LONGEST_TRACEBACK = 4_000
"""Characters of a traceback that a record keeps: its first quarter and its end."""

_BEGIN = 200
"""Characters at the beginning of a message in which a client reports a missing key."""

_OF_NETWORK = frozenset(
    {
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.ENETRESET,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.EADDRNOTAVAIL,
        errno.ETIMEDOUT,
    }
)

_OF_MACHINE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM, errno.EROFS}
)

_SOCKETS = frozenset({"socket", "ssl"})


@dataclass(frozen=True)
class Ended:
    """The end of an episode.

    Attributes:
        error: without credentials; None for no failure.
        traceback: of a mistake in the program; else empty.
    """

    status: EpisodeStatus
    error: str | None = None
    traceback: str = ""


def failure_of(error: BaseException) -> Ended:
    """The end of an episode by an exception.

    Raises:
        InputError: a model has no key, so that every other episode would fail too.
    """
    from dspy.utils.exceptions import LMError, LMNotConfiguredError

    said_by, status = _decide(error, outside=True)
    # Only the client reports it, in its first words; later words may quote a prompt.
    keyless = isinstance(said_by, LMError) and refused_access(str(said_by)[:_BEGIN]) == "no key"
    if keyless or isinstance(said_by, LMNotConfiguredError):
        raise InputError(without_secrets(str(said_by))) from error
    if status != PROGRAM_ERROR:
        return Ended(status, _quoted(said_by, status))
    found = "" if isinstance(said_by, UserCodeError) else place(said_by)
    where = f" ({found})" if found else ""
    return Ended(status, _quoted(said_by, status)[: LONGEST_ERROR - len(where)] + where, _traceback(error))


def remembered(error: BaseException) -> tuple[EpisodeStatus, str]:
    """The status and message of an exception.

    An exception with these as its attributes `episode_status` and `episode_error` ends an episode alike.
    """
    said_by, status = _decide(error)
    return status, _quoted(said_by, status)


def failure_status(error: BaseException) -> EpisodeStatus:
    """The status of an exception; of one that was raised from others, the first one that has a status."""
    return _decide(error, outside=True)[1]


def may_be_over_soon(error: BaseException) -> bool:
    """Whether another try may get a reply from the model.

    True for connections, time-outs, rate limits and failing servers, of any client; false for missing keys,
    unknown models, engines with a mistake, and remembered failures.
    """
    said_by, status = _decide(error)
    if status != "model_error" or _declared(said_by) or _status(said_by) is None:
        return False
    return not any(is_lasting(each) for each in chain(error))


@contextmanager
def calling(part: str) -> Iterator[None]:
    """A block that calls a part of the user's.

    Raises:
        UserCodeError: an exception left it, whatever its class, but for those of a model that it asked.
        InputError, AdmissionError: they concern all episodes.
    """
    try:
        yield
    except (KeyboardInterrupt, InputError, AdmissionError, UserCodeError):
        raise
    except BaseException as error:
        if _of_a_model(error):
            raise
        raise UserCodeError.of(part, error) from error


def _of_a_model(error: BaseException) -> bool:
    """Whether an exception is of DSPy's clients or adapters: a model gave no reply, or an unreadable one."""
    from dspy.lm15 import LM15Error
    from dspy.utils.exceptions import AdapterParseError, LMError

    return any(isinstance(each, AdapterParseError | LMError | LM15Error) for each in chain(error))


def is_rate_limit(error: BaseException) -> bool:
    """Whether a server refused a request because it gets too many."""
    from dspy import lm15
    from dspy.utils.exceptions import LMRateLimitError

    return any(
        isinstance(each, LMRateLimitError | lm15.RateLimitError) or says_too_many(each)
        for each in chain(error)
    )


def _decide(error: BaseException, *, outside: bool = False) -> tuple[BaseException, EpisodeStatus]:
    """The exception that decides, and its status.

    Args:
        outside: whether it left the program; exceptions of the user's own code then do not count.
    """
    from dspy.lm15 import LM15Error
    from dspy.utils.exceptions import LMError

    # The cause of a client's error came from the connection, and an engine that failed in its own way
    # gave no reply.
    unanswered = False
    for each in chain(error):
        unanswered = unanswered or isinstance(each, LMError | LM15Error)
        status = _status(each)
        by_user = outside and not unanswered and not _declared(each) and raised_by_user(each)
        if status is not None and not (by_user and status in INFRASTRUCTURE):
            return each, status
    return error, "model_error" if unanswered else PROGRAM_ERROR


def chain(error: BaseException) -> Iterator[Any]:
    """An exception, its causes, and all members of groups."""
    seen: set[int] = set()
    ahead = [error]
    while ahead:
        each = ahead.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        ahead += each.exceptions if isinstance(each, BaseExceptionGroup) else []
        ahead += [each.__cause__] if each.__cause__ is not None else []


def _status(error: BaseException) -> EpisodeStatus | None:
    """The status of one exception; None without one."""
    import apsw
    from dspy.utils.exceptions import AdapterParseError

    from worksmith.retrievers.errors import RetrievalError

    declared = _declared(error) or framework_status(error)
    if declared is not None:
        return declared
    if isinstance(error, AdapterParseError):
        return "invalid_reply"
    if is_sdk_error(error):
        return sdk_status(error)
    if isinstance(error, apsw.Error | RetrievalError):
        return "harness_error"
    return _of_model(error) or (_of_system(error) if isinstance(error, OSError) else None)


def _of_system(error: OSError) -> EpisodeStatus | None:
    """The status of an error of the network or the machine; None for another one."""
    if isinstance(error, ConnectionError) or error.errno in _OF_NETWORK or _by_socket(error):
        return "model_error"
    return "harness_error" if error.errno in _OF_MACHINE else None


def _by_socket(error: OSError) -> bool:
    """Whether a socket timed out, which has no errno. A program's own time-out is its mistake."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return (
        isinstance(error, TimeoutError)
        and bool(frames)
        and frames[-1][0].f_globals.get("__name__") in _SOCKETS
    )


def _declared(error: BaseException) -> EpisodeStatus | None:
    """The exception's attribute `episode_status`, if it is a status."""
    declared = getattr(error, "episode_status", None)
    known = isinstance(declared, str) and declared in STATUSES and declared != "finished"
    return declared if known else None


def _quoted(error: BaseException, status: EpisodeStatus) -> str:
    """An exception's text for a record; worksmith's exceptions without the class."""
    from dspy.utils.exceptions import AdapterParseError

    if isinstance(error, WorksmithError | AdapterParseError):
        said = without_secrets(str(error))
    else:
        said = getattr(error, "episode_error", None) or _with_setting(error, status)
    return writable(said)[:LONGEST_ERROR]


def _with_setting(error: BaseException, status: EpisodeStatus) -> str:
    message = described(error)
    body = str(getattr(error, "body", None) or "")
    setting = refused_setting(message, body) if status == "invalid_request" else None
    if setting is None:
        return message
    return f"the model refuses its setting {setting}, which can be changed or left out: {message}"


def _of_model(error: BaseException) -> EpisodeStatus | None:
    """The status of an error of DSPy's clients; None for an unexpected one."""
    from dspy import lm15
    from dspy.utils import exceptions

    if not isinstance(error, exceptions.LMError | lm15.LM15Error):
        return None
    if says_unreadable(str(error)):
        return "invalid_reply"
    code = http_status(error)
    if code in (403, 429):
        # DSPy's client takes a limit of tokens a minute for a full context window.
        return status_of_code(code, error)
    if isinstance(error, exceptions.ContextWindowExceededError | lm15.ContextLengthError):
        return "context_limit"
    if isinstance(error, exceptions.LMUnsupportedFeatureError | lm15.CapabilityError):
        return "invalid_request"
    if isinstance(error, exceptions.LMUnsupportedModelError | lm15.UnsupportedModelError):
        return "model_error"
    if isinstance(error, exceptions.LMUnexpectedError):
        return None
    if code is not None:
        return status_of_code(code, error)
    refused = isinstance(error, exceptions.LMInvalidRequestError | lm15.InvalidRequestError)
    return request_status(error) if refused else "model_error"


def _traceback(error: BaseException) -> str:
    text = writable(without_secrets("".join(traceback.format_exception(error)).rstrip()))
    if len(text) <= LONGEST_TRACEBACK:
        return text
    head = LONGEST_TRACEBACK // 4
    return f"{text[:head]}\n[...]\n{text[head - LONGEST_TRACEBACK :]}"
