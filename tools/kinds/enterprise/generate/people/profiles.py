"""The facts about a person beyond their position, for biographies and resumes."""

from __future__ import annotations

from dataclasses import dataclass

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.wording import texts


@dataclass(frozen=True)
class Profile:
    """A person's background.

    Attributes:
        certificates: none to two.
        duty: what they are responsible for beside their job.
        programme: the HR programme they take part in; empty for most.
        years: of experience before joining; 0 for who joined as a graduate.
    """

    location: str
    certificates: tuple[str, ...]
    duty: str
    programme: str
    degree: str
    college: str
    employer: str
    years: int
    languages: tuple[str, ...]
    interest: str

    def spoken(self) -> str:
        """The languages as one phrase, e.g. `English, Hindi and Odia`."""
        return f"{', '.join(self.languages[:-1])} and {self.languages[-1]}"


def profile(draft: Draft, employee: Employee) -> Profile:
    """The background of `employee`: the same at each call."""
    numbers = draft.rng("profiles", employee.emp_id)
    department = texts("employees")["departments"][employee.department]
    backgrounds = texts("employees")["backgrounds"]
    some = min(len(department["certificates"]), numbers.choices((0, 1, 2), (3, 5, 2))[0])
    joined_at = employee.age - (draft.today.year - employee.doj.year)
    years = joined_at - numbers.randint(22, 24)
    return Profile(
        location=numbers.choice(texts("names")["cities"]),
        certificates=tuple(numbers.sample(department["certificates"], some)),
        duty=numbers.choice(department["duties"]),
        programme=numbers.choice(backgrounds["programmes"]) if numbers.random() < 0.4 else "",
        degree=numbers.choice(department["degrees"]),
        college=numbers.choice(backgrounds["colleges"]),
        employer=numbers.choice(backgrounds["employers"]),
        years=years if years > 1 else 0,
        languages=("English", *numbers.sample(backgrounds["languages"], numbers.randint(1, 2))),
        interest=numbers.choice(backgrounds["interests"]),
    )
