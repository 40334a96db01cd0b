"""Replies to the episodes of one log, so that an episode that was lost or killed goes on where it was.

A request is identified by its episode (program, task, world, model, scorers, seed, trial), by its content
(see `worksmith.evals.lm.replies.keeping_engine`), and by its number among the equal requests of the
attempt. So no two episodes share a reply, in trials of one task or in programs of one comparison, and a run
makes the same requests as without the file. Models that run here are left out.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import dspy

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.lm_proxy import Sample
from worksmith.evals.lm.prices import free
from worksmith.evals.lm.replies.keeping_engine import KeepingEngine
from worksmith.evals.lm.replies.store import Asker, ReplyStore
from worksmith.tools.episode_result import Usage

if TYPE_CHECKING:
    from dspy import lm15

_ASKING = "worksmith_asking"
"""The name of the asker in use among DSPy's settings, which reach the threads that DSPy starts."""

_PART = "/"
"""Between an episode and a part of it, in the name of an asker's work."""


class EpisodeReplies:
    """The replies to the episodes of a log, whose lock covers the file; the first paid model opens it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._store: ReplyStore | None = None
        self._earlier: dict[str, list[_Paid]] = defaultdict(list)

    def keeping(self, lm: Any) -> Any:
        """A model that answers as `lm` does, and whose replies to episodes are kept; `lm` if it runs here.

        Raises:
            InputError: the file holds something else or cannot be written.
        """
        if lm is None or free(model_name(lm)):
            return lm
        if self._store is None:
            self._store = ReplyStore(self.path)
            for (asker, model), usage in self._store.paid_by_asker.items():
                self._earlier[_episode(asker)].append(_Paid(asker, model, usage))
        return _EpisodeEngine(lm, self._store).installed()

    @property
    def any_begun(self) -> bool:
        """Whether an earlier process asked for any episode."""
        return bool(self._earlier)

    def begun(self, episode: str) -> bool:
        return episode in self._earlier

    def unrecorded(self, episode: str, attempts: int) -> dict[str, Usage]:
        """The paid usage of an episode that its record lacks, by model: that of killed attempts.

        Args:
            attempts: the number of recorded attempts.
        """
        found: dict[str, Usage] = defaultdict(Usage)
        for paid in self._earlier.get(episode, ()):
            if paid.asker.attempt > attempts:
                found[paid.model] += paid.usage
        return found

    @contextmanager
    def asking(self, episode: str, attempt: int) -> Iterator[Usage]:
        """A block that attempts an episode, given the paid usage of the same attempt in killed processes.

        Args:
            attempt: the number of the attempt, from 1.
        """
        asking = _Asking(Asker(episode, attempt), self._earlier.get(episode, ()))
        with dspy.context(**{_ASKING: asking}):
            yield asking.owed

    def close(self, ended: Callable[[str], bool]) -> None:
        """Close the file, and remove it if all episodes in it have ended."""
        if self._store is not None:
            self._store.close()
            if all(ended(_episode(asker)) for asker, _ in self._store.paid_by_asker):
                self.path.unlink(missing_ok=True)


@contextmanager
def asking_for(part: str) -> Iterator[Usage]:
    """A block in which a part of the episode in use asks, e.g. a judge; see `EpisodeReplies.asking`.

    Without an episode in use, nothing is kept.
    """
    whole: _Asking | None = dspy.settings.get(_ASKING)
    if whole is None:
        yield Usage()
        return
    asking = whole.part(part)
    with dspy.context(**{_ASKING: asking}):
        yield asking.owed


@contextmanager
def asking_again() -> Iterator[None]:
    """A block in which the attempt in use starts again and gets its paid replies.

    Without an episode in use, nothing is kept.
    """
    whole: _Asking | None = dspy.settings.get(_ASKING)
    if whole is None:
        yield
        return
    with dspy.context(**{_ASKING: whole.again()}):
        yield


class _Paid(NamedTuple):
    asker: Asker
    model: str
    usage: Usage


class _Asking:
    """An attempt with its replies.

    Attributes:
        scope: the part of its requests' keys that identifies the attempt.
        owed: the paid usage of the same attempt in killed processes.
    """

    def __init__(self, asker: Asker, earlier: Sequence[_Paid], *, anew: bool = False) -> None:
        self.asker = asker
        self.scope = tuple(asker) if anew else (asker.work,)
        self._earlier = earlier
        own = [paid for paid in earlier if paid.asker.work == asker.work]
        self.owed = sum((paid.usage for paid in own if paid.asker.attempt >= asker.attempt), start=Usage())
        self._lock = threading.Lock()
        self._taken: dict[str, set[int]] = defaultdict(set)

    def part(self, name: str) -> _Asking:
        """The same attempt of a part. It gets no replies of recorded attempts, which it could not read."""
        return _Asking(self.asker._replace(work=f"{self.asker.work}{_PART}{name}"), self._earlier, anew=True)

    def again(self) -> _Asking:
        return _Asking(self.asker, self._earlier)

    @contextmanager
    def numbered(self, key: str) -> Iterator[str]:
        """The key of a request, by its number among equal ones; a failed request leaves its number free."""
        with self._lock:
            taken = self._taken[key]
            number = next(each for each in count() if each not in taken)
            taken.add(number)
        try:
            yield f"{key}.{number}"
        except BaseException:
            with self._lock:
                taken.discard(number)
            raise

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class _EpisodeEngine(KeepingEngine):
    def __init__(self, lm: dspy.LM, store: ReplyStore) -> None:
        super().__init__(lm)
        self._store = store

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        asking: _Asking | None = dspy.settings.get(_ASKING)
        if asking is None:
            return self.ask(request, sample)
        with asking.numbered(self.key(request, sample, *asking.scope)) as key:
            return self.kept(self._store, key, request, sample, asking.asker)


def _episode(asker: Asker) -> str:
    return asker.work.partition(_PART)[0]
