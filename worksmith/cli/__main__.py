"""`python -m worksmith.cli`."""

from __future__ import annotations

from worksmith.cli import main

main()
