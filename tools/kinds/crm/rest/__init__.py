"""The subset of Salesforce's REST API that its Python client uses, over a CRM world.

`app` answers requests, `server` runs it on a socket. A request that is refused raises `ApiError` everywhere.
"""
