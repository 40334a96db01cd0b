"""The toolkits of the enterprise: one module a source."""
