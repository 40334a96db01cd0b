"""Any suite in verifiers' runners.

They find environments by the name of a package of this level.
`vf-eval worksmith-suite --env.taskset.task.suite FOLDER` runs the tasks of a suite. A package that
`worksmith export verifiers` wrote is made of the same classes.
"""

from worksmith.exports.verifiers.environment import SuiteEnv, SuiteTaskset, SuiteTasksetConfig
from worksmith.exports.verifiers.harness import SuiteHarness
from worksmith.exports.verifiers.task import SuiteTask, SuiteTaskConfig

__all__ = ["SuiteEnv", "SuiteHarness", "SuiteTask", "SuiteTaskConfig", "SuiteTaskset", "SuiteTasksetConfig"]
