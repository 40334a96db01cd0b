"""Compiling programs, checking what a compile left, and its cost beforehand."""
