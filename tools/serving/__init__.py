"""HTTP servers of this machine: who may reach them, what they take, and how they end."""
