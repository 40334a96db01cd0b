"""SOQL over a CRM world: parsed by hand, resolved against the schema, run as parameterised SQL."""
