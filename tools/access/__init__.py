"""Access control: policies as data, one engine, three compiled forms, and the guard that tools work through."""
