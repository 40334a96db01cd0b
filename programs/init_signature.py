"""Signatures of programs as `help` and editors show them."""

from __future__ import annotations

import inspect


class InitSignature:
    """The `__signature__` of a program's class: arguments of its `__init__`, which DSPy's metaclass hides."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("a program is called with the inputs of its forward")
        _, *parameters = inspect.signature(owner.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)
