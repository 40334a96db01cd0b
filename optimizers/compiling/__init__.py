"""One compile from start to artifact: its journal, its manifest, its verification."""
