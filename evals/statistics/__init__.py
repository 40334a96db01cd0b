"""Statistics of agents that are measured on the same tasks: intervals, paired comparisons, power."""

from worksmith.evals.statistics.intervals import (
    NOTHING,
    Interval,
    macro_mean,
    mean,
    pass_at,
    pass_at_k,
    pass_hat,
    pass_hat_k,
    quantile,
    wilson,
)
from worksmith.evals.statistics.paired import (
    McNemar,
    differences,
    exchange_test,
    holm,
    mcnemar,
    paired_difference,
)

__all__ = [
    "NOTHING",
    "Interval",
    "McNemar",
    "differences",
    "exchange_test",
    "holm",
    "macro_mean",
    "mcnemar",
    "mean",
    "paired_difference",
    "pass_at",
    "pass_at_k",
    "pass_hat",
    "pass_hat_k",
    "quantile",
    "wilson",
]
