"""The arms of the study as stages: which model is trained on what, and measured on which tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks._stages import Stage
from benchmarks.gain import REAL
from benchmarks.weights import jobs, worlds
from benchmarks.weights.forms import (
    BASE,
    EPISODE_STEPS,
    HELD_OUT,
    OFFICE,
    UNSEEN,
    WORKBENCH,
    Form,
    has_real_tasks,
)

_STANDARD, _WHOLE_INTENTS = "standard", "held_out_intents"

_WORLDS = "worlds/office"

_SUITE_OF = {UNSEEN: OFFICE}


def stages(form: Form) -> list[Stage]:
    """The stages of a form; those that tell most come first."""
    return [*_Study(form).stages()]


class _Study:
    def __init__(self, form: Form) -> None:
        self.form = form
        self.tests = [OFFICE, *([WORKBENCH] if has_real_tasks(form) else [])]

    def stages(self) -> Iterator[Stage]:
        form = self.form
        yield Stage("base", jobs.base, {"model": form.model})
        yield self._worlds(max(form.largest, form.held_out) + form.sampled)
        yield from map(self._test, self.tests)
        yield from (self._floors(test) for test in self.tests)
        yield from self._size(form.largest)
        yield from self._dpo(f"office-{form.largest}")
        if form.held_out:
            yield self._floors(UNSEEN)
            name = HELD_OUT.partition("/")[2]
            yield from self._sft(name, form.held_out, None, tests=[UNSEEN], scheme=_WHOLE_INTENTS)
        yield from self._base()
        for size in sorted(set(form.sizes) - {form.largest}, reverse=True):
            yield from self._size(size)

    def _worlds(self, count: int) -> Stage:
        settings = {"kind": OFFICE, "seeds": list(range(101, 101 + count)), "options": self.form.worlds}
        return Stage(_WORLDS, worlds.suites, settings, amount=count, pace=_WORLDS, each=1)

    def _test(self, test: str) -> Stage:
        if test == WORKBENCH:
            return Stage(f"test/{test}", jobs.published, {"source": str(REAL.resolve())}, each=20)
        settings = {"kind": test, "seeds": [7], "options": self.form.test}
        return Stage(f"test/{test}", worlds.suites, settings, each=60)

    def _floors(self, test: str) -> Stage:
        suite = _SUITE_OF.get(test, test)
        learns = OFFICE if test == WORKBENCH else suite
        compare = {
            "optimizers": self.form.optimizers,
            "scheme": _scheme(test),
            "limit": self.form.tasks["floors"],
            "toolset": "all" if suite in (OFFICE, WORKBENCH) else None,
            "split": None if test == WORKBENCH else "test",
        }
        needs = dict.fromkeys((f"test/{suite}", f"test/{learns}"))
        settings = {"test": f"test/{suite}", "learns": f"test/{learns}", "compare": compare}
        return Stage(f"floors/{test}", jobs.floors, settings, [*needs], each=240)

    def _size(self, size: int) -> Iterator[Stage]:
        most = self.form.sizes[size]
        yield from self._sft(f"office-{size}", size, most, tests=self.tests)

    def _sft(
        self,
        name: str,
        offices: int,
        most: int | None,
        *,
        tests: list[str],
        scheme: str = _STANDARD,
    ) -> Iterator[Stage]:
        excluded = sorted({f"test/{_SUITE_OF.get(test, test)}" for test in (*self.tests, *tests)})
        settings = {
            "suites": {_WORLDS: offices},
            "scheme": scheme,
            "exclude": excluded,
            "per_intent": self._per_intent(offices),
        }
        yield Stage(f"data/{name}", jobs.sft_data, settings, [_WORLDS, *excluded], offices, "data", 1)
        yield self._trained(f"sft/{name}", f"data/{name}", offices, most)
        yield from (self._cell(f"sft/{name}", test, "SFT") for test in tests)

    def _per_intent(self, offices: int) -> int | None:
        """The most trajectories of an intent; None for all. An office has one train task of most intents."""
        share = self.form.share
        return max(1, offices // share) if share > 1 else None

    def _trained(self, name: str, data: str, offices: int, most: int | None) -> Stage:
        train = {"tune": "full", **self.form.sft, **({"max_steps": most} if most else {})}
        settings = {"method": "sft", "data": data, "model": "base", "train": train}
        tokens = (
            most * self.form.sft["batch_tokens"]
            if most
            else offices * self.form.tokens_an_office // self.form.share
        )
        return Stage(name, jobs.trained, settings, [data, "base"], tokens, "train/sft", 1 / 225)

    def _dpo(self, name: str) -> Iterator[Stage]:
        form = self.form
        start, own = f"sft/{name}", form.sampler is None
        suites = {_WORLDS: form.sampled}
        excluded = [f"test/{test}" for test in self.tests]
        sampled: dict[str, Any] = {
            "suites": suites,
            "from": max(form.largest, form.held_out),
            "scheme": _STANDARD,
            "model": start if own else form.sampler,
            "eval": {
                "limit": form.sampled_tasks,
                "max_steps": form.steps if own else EPISODE_STEPS,
                "time_limit": form.time_limit,
            },
        }
        needs = [_WORLDS, *([start] if own else [])]
        episodes = form.sampled * (form.sampled_tasks or 69)
        yield Stage(f"samples/{name}", jobs.samples, sampled, needs, episodes, "eval/trained", 6)
        data = {key: sampled[key] for key in ("suites", "from", "scheme")} | {
            "samples": f"samples/{name}",
            "exclude": excluded,
        }
        needs = [_WORLDS, f"samples/{name}", *excluded]
        yield Stage(f"data/{name}-pairs", jobs.dpo_data, data, needs, form.sampled, "data", 6)
        train = {"tune": "full", **form.dpo}
        pairs = f"data/{name}-pairs"
        settings = {"method": "dpo", "data": pairs, "model": start, "train": train}
        tokens = form.dpo.get("max_steps", 60) * form.dpo.get("batch_tokens", 2_600)
        yield Stage(f"dpo/{name}", jobs.trained, settings, [pairs, start], tokens, "train/dpo", 1 / 160)
        yield from (self._cell(f"dpo/{name}", test, "SFT+DPO") for test in self.tests)

    def _base(self) -> Iterator[Stage]:
        form = self.form
        few = {
            "suites": {"test/office": 1},
            "model": "base",
            "options": form.options,
            "scheme": _STANDARD,
            "program": {"demos": form.demos, "prompt": "compact", "max_steps": EPISODE_STEPS},
        }
        yield Stage("compiled/base", jobs.compiled, few, ["test/office", "base"], each=300)
        yield from (self._cell("base", test, BASE, sort="base", prompt="compact") for test in self.tests)
        yield self._cell("base", OFFICE, "base, few-shot", sort="few-shot", program="compiled/base")

    def _cell(
        self,
        model: str,
        test: str,
        arm: str,
        *,
        sort: str = "trained",
        prompt: str = "auto",
        program: str = "",
    ) -> Stage:
        form, suite = self.form, _SUITE_OF.get(test, test)
        if model == f"sft/office-{form.largest}":
            sort = "largest"
        pace, each = _PACES[arm if sort in ("base", "few-shot") else "trained"]
        steps = form.base_steps if model == "base" else form.steps
        settings = {
            "arm": arm,
            "test": f"test/{suite}",
            "model": model,
            "options": form.options,
            "compiled": program,
            "scheme": _scheme(test),
            "eval": {
                "limit": form.tasks[sort],
                "max_steps": steps,
                "time_limit": form.time_limit,
                **({} if program else {"prompt": prompt}),
            },
        }
        needs = [f"test/{suite}", model, *([program] if program else [])]
        name = f"cell/{test}/{model}" if model != "base" else f"cell/{test}/{arm}"
        return Stage(name, jobs.cell, settings, needs, form.tasks[sort] or 0, pace, each)


_PACES = {
    "trained": ("eval/trained", 6.0),
    BASE: ("eval/compact", 20.0),
    "base, few-shot": ("eval/few-shot", 60.0),
}
"""Names of speeds, and seconds for a task on two cores, until one was measured."""


def _scheme(test: str) -> str:
    return _WHOLE_INTENTS if test == UNSEEN else _STANDARD
