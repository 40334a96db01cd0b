"""Roles of a CRM world: what they may read."""
