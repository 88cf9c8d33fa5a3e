"""HTTP in threads that live on: Django's WSGI handler behind any ASGI server.

Django's own ASGI handler makes a thread, and so a database connection, for every request. Here a fixed pool runs
the requests, and nothing but a whole request reaches it: what a client sends is read, bounded and unpacked first
(`incoming`), and what it has not yet taken waits outside the pool (`outgoing`), so that no client can hold a thread.
"""

from pyramid_site.bridge.app import ThreadedDjango

__all__ = ["ThreadedDjango"]
