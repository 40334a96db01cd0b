"""The CRM world: an org of sixteen objects, its query languages, its functions."""
