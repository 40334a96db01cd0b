"""Access control: policies as data, one engine with three compiled forms, a guard for tools."""
