"""The ASGI application: HTTP in threads, websockets through Channels. Any ASGI server runs it."""

import gc
import os
from importlib import import_module
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import re_path

from pyramid_site.bridge import ThreadedDjango

Headers = list[tuple[bytes, bytes]]

# A web transaction that takes longer is broken, and would keep others waiting.
WEB_LIMITS = "-c transaction_timeout=2s -c idle_in_transaction_session_timeout=2s -c lock_timeout=2s"


async def refuse_socket(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """A websocket to an address that has none: 403 before it opens."""
    await receive()
    await send({"type": "websocket.close"})


async def answer_lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Nothing to do at either end: work at the start is done by whoever needs it first (daphne tells no start)."""
    for event in ("lifespan.startup", "lifespan.shutdown"):
        await receive()
        await send({"type": f"{event}.complete"})


def limit_transactions() -> None:
    """Gives every later connection of this process the web's limits; only web processes import this module."""
    for database in connections.settings.values():
        options = database["OPTIONS"]
        options["options"] = f"{options.get('options', '')} {WEB_LIMITS}".strip()


def make_application() -> ProtocolTypeRouter:
    django = get_wsgi_application()
    limit_transactions()
    http = ThreadedDjango(
        django,
        threads=settings.HTTP_THREADS,
        queue=settings.HTTP_QUEUE,
        limit=settings.BODY_LIMIT,
        slow="/hint/",
        slow_threads=settings.SOLVERS + 1,  # one is free for those that get no solver
    )
    patterns = getattr(import_module(settings.ROOT_URLCONF), "websocket_urlpatterns", [])
    sockets = URLRouter([*patterns, re_path("", refuse_socket)])  # type: ignore[arg-type]

    async def answer_socket(scope: dict[str, Any], receive: Any, send: Any) -> None:
        """A websocket, which may make calls as over HTTP: in the same threads, with the same answers."""

        async def call(path: str, headers: Headers, body: bytes) -> tuple[int, bytes]:
            return await http.post(scope, path, headers, body)

        await sockets(scope | {"call": call}, receive, send)

    return ProtocolTypeRouter({"http": http, "websocket": answer_socket, "lifespan": answer_lifespan})


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
application = make_application()

# What is loaded by now stays: the collector need not look at it again (p99 of a fan-out: 100 ms with, 19 ms without)
gc.collect()
gc.freeze()
gc.set_threshold(20000, 50, 1000)
