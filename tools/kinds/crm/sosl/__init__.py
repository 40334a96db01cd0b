"""SOSL over a CRM world: full-text search with the conditions of SOQL."""
