"""The published tasks of EnterpriseBench."""
