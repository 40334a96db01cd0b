"""Servers over environments and programs."""
