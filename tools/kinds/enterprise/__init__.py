"""The enterprise world: ten sources and their neighbours, a hierarchy of employees, access that denies."""
