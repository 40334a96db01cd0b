"""A suite as an environment of verifiers, for its runners and for trainers."""

from tools.errors import InputError

try:
    import verifiers.v1  # noqa: F401
except ImportError as error:
    hint = "pip install 'worksmith[verifiers]'"
    raise InputError("verifiers is not installed", hint=hint) from error
