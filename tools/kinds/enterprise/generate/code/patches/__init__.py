"""Small functions with tests, faults planted in them, and the judge of whether a patch mends one."""

from tools.kinds.enterprise.generate.code.patches.checking import (
    DiffError,
    apply_diff,
    make_diff,
    patch_passes,
)
from tools.kinds.enterprise.generate.code.patches.modules import Module, Planted, draw_module, plant

__all__ = [
    "DiffError",
    "Module",
    "Planted",
    "apply_diff",
    "draw_module",
    "make_diff",
    "patch_passes",
    "plant",
]
