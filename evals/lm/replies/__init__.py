"""Model replies that are kept on disk, so that a killed process pays for none twice."""
