"""Goals about clients and vendors."""
