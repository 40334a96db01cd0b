"""Groups of settings that several jobs share."""
