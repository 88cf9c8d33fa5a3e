"""Views for the tests of the servers."""

import hashlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

from django.core.signals import request_finished
from django.db import connection, transaction
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt

finished = 0  # how many responses were closed


def count_finished(**_: object) -> None:
    global finished
    finished += 1


request_finished.connect(count_finished)


@csrf_exempt
def echo(request: HttpRequest) -> HttpResponse:
    """What the view sees of a request."""
    meta = {name: value for name, value in request.META.items() if isinstance(value, str) and name not in os.environ}
    body = request.body
    return JsonResponse(
        {
            "method": request.method,
            "path": request.path,
            "path_info_bytes": request.environ["PATH_INFO"].encode("latin-1").hex(),
            "query": {name: request.GET.getlist(name) for name in request.GET},
            "host": request.get_host(),
            "scheme": request.scheme,
            "meta": meta,
            "length": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "form": request.POST.dict(),
        }
    )


def answer(request: HttpRequest, status: int) -> HttpResponse:
    """A response with that status, a body, and two cookies."""
    response = HttpResponse(b"body", status=status, content_type="text/plain; charset=utf-8")
    response["X-Latin"] = "M\xfcller"
    response.set_cookie("a", "1")
    response.set_cookie("b", "2")
    return response


def sleep(request: HttpRequest) -> HttpResponse:
    time.sleep(float(request.GET["s"]))
    return HttpResponse("slept")


def drip(request: HttpRequest) -> StreamingHttpResponse:
    """Three pieces, 0.3 s apart."""

    def pieces() -> Iterator[str]:
        for number in range(3):
            yield f"piece {number}\n"
            time.sleep(0.3)

    return StreamingHttpResponse(pieces())


made = 0  # bytes that endless() has made


def endless(request: HttpRequest) -> StreamingHttpResponse:
    """64 MB in pieces of 64 kB."""

    def pieces() -> Iterator[bytes]:
        global made
        made = 0
        for _ in range(1024):
            made += 65536
            yield bytes(65536)

    return StreamingHttpResponse(pieces())


def rows(request: HttpRequest) -> StreamingHttpResponse:
    """Rows that come from the database while they are sent."""

    def pieces() -> Iterator[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT n FROM generate_series(1, 3) AS n")
            for (n,) in cursor:
                yield f"{n}\n"

    return StreamingHttpResponse(pieces())


def broken_stream(request: HttpRequest) -> StreamingHttpResponse:
    def pieces() -> Iterator[str]:
        if request.GET.get("first"):
            yield "first\n"
            time.sleep(0.1)
        raise RuntimeError("in the middle")

    return StreamingHttpResponse(pieces())


def file(request: HttpRequest) -> FileResponse:
    """A file of as many zero bytes as asked for."""
    content = tempfile.TemporaryFile()  # noqa: SIM115
    content.truncate(int(request.GET["size"]))
    return FileResponse(content, content_type="application/octet-stream")


def leave(request: HttpRequest) -> HttpResponse:
    sys.exit(3)


def state(request: HttpRequest) -> HttpResponse:
    """The process, its threads, the responses closed so far, the bytes made by endless(), those sent by flood()."""
    return JsonResponse(
        {
            "pid": os.getpid(),
            "threads": threading.active_count(),
            "finished": finished,
            "made": made,
            "flooded": flooded,
        }
    )


def database(request: HttpRequest) -> HttpResponse:
    """This thread's connection: its server process, its database, its limits, and how many there are."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_backend_pid(), current_database(), current_setting('transaction_timeout'),"
            " current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout'),"
            " (SELECT count(*) FROM pg_stat_activity WHERE application_name = current_setting('application_name'))"
        )
        return JsonResponse(
            dict(zip(("pid", "name", "transaction", "idle", "lock", "count"), cursor.fetchone(), strict=True))
        )


async def repeat(scope: Any, receive: Any, send: Any) -> None:
    """A websocket that says what it hears."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


flooded = 0  # bytes that flood() has sent


async def flood(scope: Any, receive: Any, send: Any) -> None:
    """A websocket that sends 64 MB, as fast as it may."""
    global flooded
    flooded = 0
    await receive()
    await send({"type": "websocket.accept"})
    for _ in range(1024):
        await send({"type": "websocket.send", "text": "x" * 65536})
        flooded += 65536


websocket_urlpatterns = [path("ws/repeat/", repeat), path("ws/flood/", flood)]

urlpatterns = [
    path("answer/<int:status>/", answer),
    path("sleep/", sleep),
    path("sleep/hint/", sleep),
    path("drip/", drip),
    path("endless/", endless),
    path("rows/", rows),
    path("broken/", broken_stream),
    path("file/", file),
    path("exit/", leave),
    path("state/", state),
    path("database/", database),
    re_path("^echo/", echo),
]
