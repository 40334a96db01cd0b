"""Goals about IT tickets."""
