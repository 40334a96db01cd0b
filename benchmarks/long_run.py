"""A long run: 100,000 episodes of the gold model on a generated office suite, and what its size costs.

The run is a process of its own. `rss_mib` is its resident memory at the 1,000th episode and at the last one,
`peak_mib` with the figures and tables after it. It is then resumed with nothing left to do, and reported.
`opens_ms` is the time until a headless Chromium has loaded the report; without one it is missing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAME = "long_run"
DESCRIPTION = "100,000 episodes in one run: time, memory, log, resume, report"

EPISODES, QUICK = 100_000, 400
MARK = 1_000
"""The episode at which memory is first looked at; of a shorter run, the middle one."""

_LIMIT = 7200
"""Seconds until a step is given up."""


def run(quick: bool, work: Path | None = None) -> dict[str, Any]:
    """Time, memory and sizes of a run, its resume and its report.

    Args:
        work: folder for suite, log and report, which stay there.
    """
    episodes = QUICK if quick else EPISODES
    with tempfile.TemporaryDirectory() as temporary:
        folder = work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        suite = folder / "office"
        if not suite.exists():
            size = ("--per-intent", "1") if quick else ()
            _python("-m", "worksmith.cli", "suite", "build", "office", *size, "--out", str(suite))
        first = json.loads(_python("-m", "benchmarks.long_run", str(folder), str(episodes), "new"))
        again = json.loads(_python("-m", "benchmarks.long_run", str(folder), str(episodes), "resume"))
        started = time.perf_counter()
        log, page = folder / "log.jsonl", folder / "report.html"
        _python("-m", "worksmith.cli", "report", str(log), "--out", str(page), "--force")
        return {
            **first,
            "grown_percent": round(100 * (first["rss_mib"]["last"] / first["rss_mib"]["first"] - 1), 1),
            "log_mib": _mib(log.stat().st_size),
            "log_bytes_an_episode": log.stat().st_size // first["episodes"],
            "index_mib": _mib(_size(folder / "log.jsonl.index")),
            "resume_seconds": again["before_seconds"],
            "report_seconds": round(time.perf_counter() - started, 1),
            "report_mib": _mib(page.stat().st_size),
            "pages_mib": _mib(sum(map(_size, folder.glob("report.episodes/*")))),
            "opens_ms": _opens(page),
        }


def _drive(folder: Path, episodes: int, *, resume: bool) -> dict[str, Any]:
    """One evaluation in this process."""
    from worksmith.evals.suite import Suite
    from worksmith.jobs.evaluation import evaluate
    from worksmith.jobs.parts.progress import Progress
    from worksmith.jobs.settings.programs import EvalSettings

    rss: dict[str, float] = {}
    started = time.perf_counter()

    class Watch(Progress):
        began = 0.0

        def say(self, message: str) -> None:
            if message.startswith("--resume"):
                self.began = time.perf_counter()

        @contextmanager
        def bar(self, label: str) -> Iterator[Any]:
            def tick(done: int, total: int, *_: Any, **__: Any) -> None:
                if done == min(MARK, total // 2):
                    rss["first"] = _rss()
                if done == total:
                    rss["last"] = _rss()

            yield tick

    watch = Watch()
    suite = folder / "office"
    trials = max(1, round(episodes / len(Suite.open(suite).tasks)))
    settings = EvalSettings(
        suite=suite,
        split="all",
        strategy="gold",
        lm="gold",
        trials=trials,
        workers=4,
        track=False,
        log=folder / "log.jsonl",
        resume=resume,
    )
    result = evaluate(settings, progress=watch)
    ended = time.perf_counter()
    return {
        "episodes": result.summary.episodes,
        "outcome": result.summary.scores["outcome"].value,
        "seconds": round(ended - started, 1),
        "before_seconds": round(watch.began - started, 1) if resume else 0.0,
        "rss_mib": rss,
        "peak_mib": _peak(),
    }


def _opens(page: Path) -> int | None:
    """Milliseconds from the call until the page has loaded in a browser that is already running."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        return None
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    chrome = Chrome(options=options, service=Service(driver))
    try:
        chrome.get("about:blank")
        started = time.perf_counter()
        chrome.get(page.resolve().as_uri())
        return round(1000 * (time.perf_counter() - started))
    finally:
        chrome.quit()


def _python(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=_LIMIT
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout


def _rss() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return _mib(pages * 4096)


def _peak() -> float:
    import resource

    return _mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _mib(count: float) -> float:
    return round(count / 2**20, 1)


if __name__ == "__main__":
    print(json.dumps(_drive(Path(sys.argv[1]), int(sys.argv[2]), resume=sys.argv[3] == "resume")))
