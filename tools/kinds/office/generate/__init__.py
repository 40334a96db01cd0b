"""Makes an office world from a seed."""

from worksmith.tools.kinds.office.generate.build import DEFAULT_MAIL_DOMAIN, DEFAULT_NOW, build

__all__ = ["DEFAULT_MAIL_DOMAIN", "DEFAULT_NOW", "build"]
