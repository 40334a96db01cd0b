"""Goals: small programs over an enterprise's tools, from which tasks are drawn."""
