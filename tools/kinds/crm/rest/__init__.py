"""The subset of Salesforce's REST API that its Python client uses, over a CRM world.

`Api` answers requests and knows no network; `face` reads them from HTTP, `server` runs that on a socket.
"""
