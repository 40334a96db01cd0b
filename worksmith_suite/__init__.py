"""Any suite in verifiers' runners, which find environments by the name of a package of this level.

`vf-eval worksmith-suite --env.taskset.task.suite FOLDER` runs the tasks of a suite.
"""

from worksmith.exports.verifiers.environment import SuiteEnv, SuiteTaskset
from worksmith.exports.verifiers.harness import SuiteHarness

__all__ = ["SuiteEnv", "SuiteHarness", "SuiteTaskset"]
