"""Roles of a CRM world."""
