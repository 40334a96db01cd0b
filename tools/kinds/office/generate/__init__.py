"""Makes an office world from a seed."""

from tools.kinds.office.generate.build import DEFAULT_MAIL_DOMAIN, DEFAULT_NOW, build

__all__ = ["DEFAULT_MAIL_DOMAIN", "DEFAULT_NOW", "build"]
