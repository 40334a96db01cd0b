"""The doctor: checks of the machine and of models, each with what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.characters import harmless
from worksmith.jobs.health.check import Check
from worksmith.jobs.health.machine import MACHINE, machine_checks
from worksmith.jobs.health.models import asked, known, measured, opened
from worksmith.jobs.opening.budgets import prices_of
from worksmith.jobs.showing.printing import Printable
from worksmith.models.named import model_names

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.health import DoctorSettings


@dataclass(frozen=True)
class Diagnosis(Printable):
    """The result of all checks."""

    checks: Sequence[Check]

    @property
    def failed(self) -> bool:
        return any(check.status == "failure" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        return {"failed": self.failed, "checks": [check.to_json() for check in self.checks]}

    def print(self, console: Console) -> None:
        subject = ""
        for check in self.checks:
            if check.subject != subject:
                subject = check.subject
                console.out(harmless(subject), highlight=False)
            console.out(harmless(f"  {check.status:<8} {check.name}: {check.said}"), highlight=False)
            if check.remedy:
                console.out(harmless(f"           {check.remedy}"), highlight=False)


def diagnose(settings: DoctorSettings, *, may_ask: Callable[[Sequence[str]], bool]) -> Diagnosis:
    """Check this machine, the models of the project file and those that the settings name.

    Args:
        may_ask: gets the models that would be asked, and returns whether they may be; asked once, and only if
            there are any and the settings do not decide it.
    """
    checks = list(machine_checks(settings.tracking_uri))
    names = dict.fromkeys([*model_names(), *settings.models])
    if not names:
        remedy = "name one, such as worksmith doctor openai/gpt-4o-mini"
        checks.append(Check(MACHINE, "models", "warning", "none is named", remedy))
    found = {name: opened(name) for name in names}
    asking = [name for name, (model, _) in found.items() if model is not None and model.asks]
    allowed = bool(asking) and (settings.yes or may_ask(asking))
    prices = prices_of(settings.prices)
    for name, (model, key) in found.items():
        checks.append(key)
        if model is None:
            continue
        if name in asking and allowed:
            checks += asked(model, settings.wait)
        elif name in asking:
            remedy = "--yes sends one short request, which costs a fraction of a cent"
            checks.append(Check(name, "connection", "warning", "not asked", remedy))
        elif model.has_weights and (settings.yes or name in settings.models):
            checks += measured(model)
        checks += known(model, prices)
    return Diagnosis(checks)
