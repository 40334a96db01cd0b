"""Tasks that users write: drafting, checking, and running one."""
