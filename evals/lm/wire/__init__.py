"""Requests to providers' servers: limits, adaptive concurrency, pauses of a model that fails, and the client.

All requests of a process to one model pass through one `Lane`. `traffic()` counts their requests.
"""
