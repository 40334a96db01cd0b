"""Model replies that are kept on disk, so that no process pays for one twice."""
