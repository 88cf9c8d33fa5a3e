"""Does HTTP reach Django whole and in bounds, and its answers the client, under both servers?"""

import asyncio
import gzip
import hashlib
import http.client
import json
import os
import re
import select
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from typing import Any

import psutil
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from pyramid_site.bridge import ThreadedDjango, app, incoming
from tests.site import echo_urls
from tests.site.servers import KINDS, ROOT, RunningServer, serve

LIMIT = 512 * 1024
PAYLOAD = os.urandom(1000) * 300
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "tests.site.echo_settings",
    "HTTP_THREADS": "3",
    "HTTP_QUEUE": "2",
    "SOLVERS": "1",
    "PGAPPNAME": f"test-bridge-{os.getpid()}",  # others use the same database server
}
ARGUMENTS = {"daphne": (), "uvicorn": ("--workers", "1")}


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with serve(ARGUMENTS[request.param], ENVIRONMENT) as server:
        yield server
        log = server.log.read_text()
    expected = ("SystemExit: 3", "RuntimeError: in the middle")
    mistakes = [
        end for end in re.findall(r"^Traceback.*\n(?:[ +|].*\n|\n)*(.*)", log, re.MULTILINE) if end not in expected
    ]
    assert not mistakes, log


@pytest.fixture
def client(server: RunningServer) -> Iterator[http.client.HTTPConnection]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
        yield connection


def ask(client: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The answer, with its body as .body and what that says as .json()."""
    client.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer: Any = client.getresponse()
    answer.body = answer.read()
    answer.json = lambda: json.loads(answer.body)
    return answer


def talk(server: RunningServer, request: bytes) -> bytes:
    """All that the server sends back until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "It did not happen."
        time.sleep(0.05)


# Requests


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("/echo/M%C3%BCller/", "/echo/Müller/"),
        ("/echo/%00/", "/echo/\0/"),
        ("/echo/%FF%20/", "/echo/%FF /"),
        ("/echo/a%2Fb//c;d=1/", "/echo/a/b//c;d=1/"),
        ("/echo/%zz/%/", "/echo/%zz/%/"),
    ],
)
def test_a_view_sees_the_path_as_the_client_wrote_it(client: http.client.HTTPConnection, sent: str, path: str) -> None:
    answer = ask(client, "GET", f"{sent}?a=1&a=%C3%BC&b=")
    assert answer.json()["path"] == path
    assert answer.json()["query"] == {"a": ["1", "ü"], "b": [""]}
    assert answer.json()["meta"]["QUERY_STRING"] == "a=1&a=%C3%BC&b="


def test_a_view_sees_the_headers_as_wsgi_wants_them(server: RunningServer) -> None:
    head = b"GET /echo/ HTTP/1.1\r\nHost: a.example:81\r\nX-Two: 1\r\nX-Two: 2\r\nCookie: a=1\r\nCookie: b=2\r\n"
    said = talk(server, head + b"X-Latin: M\xfcller\r\nX_Two: 3\r\nConnection: close\r\n\r\n")
    seen = json.loads(said.partition(b"\r\n\r\n")[2])
    assert seen["host"] == "a.example:81"
    assert seen["scheme"] == "http"
    meta = seen["meta"]
    assert meta["HTTP_X_TWO"] == "1,2"  # and not the 3 that came under another name
    assert meta["HTTP_COOKIE"] == "a=1; b=2"
    assert meta["HTTP_X_LATIN"] == "Müller"
    assert meta["REMOTE_ADDR"] == "127.0.0.1"
    assert meta["SERVER_PORT"] == str(server.port)
    assert meta["SERVER_PROTOCOL"] == "HTTP/1.1"


@pytest.mark.parametrize("root", [b"/api/v1/tokens/current", b"//elsewhere.example", b"\xff"])
def test_no_client_says_below_which_path_we_are(server: RunningServer, root: bytes) -> None:
    head = b"GET /echo/ HTTP/1.1\r\nHost: localhost\r\nDaphne-Root-Path: " + root + b"\r\nConnection: close\r\n\r\n"
    seen = json.loads(talk(server, head).partition(b"\r\n\r\n")[2])
    assert (seen["path"], seen["meta"]["SCRIPT_NAME"]) == ("/echo/", "")


def test_an_old_client_without_a_host_is_served_and_left(server: RunningServer) -> None:
    said = talk(server, b"GET /echo/ HTTP/1.0\r\n\r\n")
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.split(b" ")[1] == b"200"
    assert json.loads(body)["host"] == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize("form", ["plain", "chunked", "gzip", "x-gzip", "deflate", "identity", "chunked gzip"])
def test_a_body_reaches_the_view_whole_with_its_true_length(client: http.client.HTTPConnection, form: str) -> None:
    packed = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress}
    name = form.removeprefix("chunked").strip()
    body = packed.get(name, bytes)(PAYLOAD)
    headers = {"Content_Encoding": name} if name not in ("", "plain") else {}
    chunks = (body[at : at + 10_000] for at in range(0, len(body), 10_000))
    answer = ask(client, "POST", "/echo/", chunks if "chunked" in form else body, **headers)
    seen = answer.json()
    assert seen["sha256"] == hashlib.sha256(PAYLOAD).hexdigest()
    assert seen["meta"]["CONTENT_LENGTH"] == str(len(PAYLOAD))
    assert "HTTP_CONTENT_ENCODING" not in seen["meta"]
    assert "HTTP_TRANSFER_ENCODING" not in seen["meta"]


def test_a_form_reaches_the_view(client: http.client.HTTPConnection) -> None:
    answer = ask(client, "POST", "/echo/", "name=M%C3%BCller", Content_Type="application/x-www-form-urlencoded")
    assert answer.json()["form"] == {"name": "Müller"}


def test_a_client_that_asks_first_is_told_to_go_on(server: RunningServer) -> None:
    head = b"POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(head)
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"ok")
        assert connection.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("part", [b"", b"half of "])
def test_a_request_whose_client_goes_before_its_end_reaches_no_view(
    server: RunningServer, client: http.client.HTTPConnection, part: bytes
) -> None:
    before = ask(client, "GET", "/state/").json()["finished"]
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + part)
        time.sleep(0.1)
    time.sleep(0.2)
    assert ask(client, "GET", "/state/").json()["finished"] == before + 1  # the question before, alone


# Refusals


@pytest.mark.parametrize("line", [b"GET /echo/\xfc/ HTTP/1.1", b"GET /echo/?\xfc HTTP/1.1", b"GET"])
def test_a_request_that_is_no_http_is_400(server: RunningServer, line: bytes) -> None:
    assert talk(server, line + b"\r\nHost: a\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_body_of_just_the_limit_is_taken(client: http.client.HTTPConnection) -> None:
    assert ask(client, "POST", "/echo/", bytes(LIMIT)).json()["length"] == LIMIT
    assert ask(client, "POST", "/echo/", iter([bytes(LIMIT)])).json()["length"] == LIMIT
    assert ask(client, "POST", "/echo/", gzip.compress(bytes(LIMIT)), Content_Encoding="gzip").json()["length"] == LIMIT


@pytest.mark.parametrize("size", [LIMIT + 1, 2 * 1024**2, 100 * 1024**2])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_sends_too_much_gets_413_and_fills_no_memory(
    server: RunningServer, size: int, chunked: bool
) -> None:
    processes = [psutil.Process(server.process.pid), *server.family()]
    before = sum(process.memory_info().rss for process in processes)
    piece = bytes(64 * 1024)
    framing = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % size
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"POST /echo/ HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n" % framing)
        for at in range(0, size, len(piece)):  # as many clients do, it reads no answer before it has sent all
            part = piece[: size - at]
            connection.sendall(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
        connection.sendall(b"0\r\n\r\n" if chunked else b"")
        said = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head.lower()
    detail = "The body may have 524288 bytes at most."
    assert json.loads(body) == {"code": "too_large", "detail": detail, "where": None}
    assert sum(process.memory_info().rss for process in processes) < before + 20 * 1024**2


@pytest.mark.parametrize("extra", [b"", b"Expect: 100-continue\r\n"])
def test_413_comes_before_the_body(server: RunningServer, extra: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(b"POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n%s\r\n" % extra)
        assert connection.recv(12) == b"HTTP/1.1 413"


@pytest.mark.parametrize(
    ("encoding", "body", "status", "code"),
    [
        ("gzip", gzip.compress(bytes(LIMIT + 1)), 413, "too_large"),
        ("deflate", zlib.compress(bytes(100 * 1024**2)), 413, "too_large"),
        ("gzip", b"plain", 400, "compression"),
        ("gzip", gzip.compress(PAYLOAD)[:-1], 400, "compression"),
        ("gzip", gzip.compress(PAYLOAD)[:-8] + bytes(8), 400, "compression"),
        ("gzip", gzip.compress(PAYLOAD) + b"more", 400, "compression"),
        ("gzip", b"", 400, "compression"),
        ("br", PAYLOAD, 415, "content_encoding"),
        ("gzip, gzip", gzip.compress(gzip.compress(PAYLOAD)), 415, "content_encoding"),
    ],
)
def test_a_packed_body_is_unpacked_within_the_limit_or_refused(
    client: http.client.HTTPConnection, encoding: str, body: bytes, status: int, code: str
) -> None:
    answer = ask(client, "POST", "/echo/", body, Content_Encoding=encoding)
    assert (answer.status, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Accept-Encoding"] == ("gzip, deflate" if status == 415 else None)
    assert ask(client, "GET", "/state/").status == 200


@pytest.mark.parametrize(("asked", "start"), [("de-AT,en;q=0.5", "Der Inhalt"), ("fr", "A body")])
def test_refusals_speak_the_language_asked_for(client: http.client.HTTPConnection, asked: str, start: str) -> None:
    answer = ask(client, "POST", "/echo/", b"", Content_Encoding="br", Accept_Language=asked)
    assert answer.json()["detail"].startswith(start)


def test_past_the_queue_a_call_is_refused_at_once(server: RunningServer, client: http.client.HTTPConnection) -> None:
    def sleep(_: int) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
            return ask(connection, "GET", "/sleep/?s=0.8").status

    with ThreadPoolExecutor(5) as pool:
        sleepers = pool.map(sleep, range(5))  # three run, two wait
        time.sleep(0.4)
        start = time.monotonic()
        answer = ask(client, "GET", "/state/")
        assert time.monotonic() - start < 0.3
        assert (answer.status, answer.json()["code"], answer.headers["Retry-After"]) == (503, "busy", "1")
        assert set(sleepers) == {200}
    assert ask(client, "GET", "/state/").status == 200


def test_hints_wait_in_a_line_of_their_own(server: RunningServer, client: http.client.HTTPConnection) -> None:
    def hint(_: int) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
            return ask(connection, "GET", "/sleep/hint/?s=0.3").status

    with ThreadPoolExecutor(10) as pool:
        hints = [pool.submit(hint, number) for number in range(10)]  # two run, and eight wait
        wait(hints, return_when=FIRST_COMPLETED)
        assert ask(client, "GET", "/state/").status == 200
        assert not all(one.done() for one in hints)
    assert {one.result() for one in hints} == {200}, "more wait than have room in the other line"


def test_a_view_that_ends_its_thread_is_a_500_and_the_threads_live_on(client: http.client.HTTPConnection) -> None:
    for _ in range(4):
        answer = ask(client, "GET", "/exit/")
        assert (answer.status, answer.json()["code"]) == (500, "server_error")
    assert ask(client, "GET", "/state/").json()["threads"] < 12


# Answers


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304), ("HEAD", 404)])
def test_an_answer_without_a_body_ends_where_it_ends(
    client: http.client.HTTPConnection, method: str, status: int
) -> None:
    answer = ask(client, method, f"/answer/{status}/")
    assert (answer.status, answer.body) == (status, b"")
    assert answer.headers["Content-Length"] == ("4" if method == "HEAD" else None)
    assert not select.select([client.sock], [], [], 0.05)[0]  # nothing more comes
    assert ask(client, "GET", "/answer/200/").body == b"body"


def test_the_headers_of_an_answer_arrive_as_they_are(client: http.client.HTTPConnection) -> None:
    answer = ask(client, "GET", "/answer/200/")
    assert answer.headers.get_all("Set-Cookie") == ["a=1; Path=/", "b=2; Path=/"]
    assert answer.headers["X-Latin"] == "Müller"
    assert answer.headers.get_all("Content-Length") == ["4"]


def test_a_stream_arrives_in_the_pieces_in_which_it_is_made(client: http.client.HTTPConnection) -> None:
    start = time.monotonic()
    client.request("GET", "/drip/")
    answer = client.getresponse()
    times = []
    for number in range(3):
        assert answer.readline() == b"piece %d\n" % number
        times.append(time.monotonic() - start)
    assert answer.read() == b""
    assert times[0] < 0.25
    assert times[2] > 0.55


def test_a_stream_may_read_the_database(client: http.client.HTTPConnection) -> None:
    assert ask(client, "GET", "/rows/").body == b"1\n2\n3\n"


@pytest.mark.parametrize("size", [0, 10, 256 * 1024, 1_000_001])
def test_a_file_arrives_whole(client: http.client.HTTPConnection, size: int) -> None:
    answer = ask(client, "GET", f"/file/?size={size}")
    assert answer.body == bytes(size)
    assert answer.headers["Content-Length"] == str(size)
    assert ask(client, "HEAD", f"/file/?size={size}").headers["Content-Length"] == str(size)


def test_clients_that_do_not_read_hold_no_thread_and_little_memory(
    server: RunningServer, client: http.client.HTTPConnection
) -> None:
    processes = [psutil.Process(server.process.pid), *server.family()]
    before = sum(process.memory_info().rss for process in processes)
    finished = ask(client, "GET", "/state/").json()["finished"]
    paths = ["/file/?size=60000000"] * 5 + ["/endless/"] * 3
    lazy = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in paths]
    for connection, path in zip(lazy, paths, strict=True):
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
    time.sleep(0.5)
    state = ask(client, "GET", "/state/").json()
    assert 65536 <= state["made"] < 16 * 1024**2
    assert sum(process.memory_info().rss for process in processes) < before + 40 * 1024**2
    refused = ask(client, "GET", "/drip/")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")  # the threads of streams have their own bound
    for connection in lazy:
        connection.close()
    # all of them end: the eight, the refused one, and the three questions
    wait_until(lambda: ask(client, "GET", "/state/").json()["finished"] >= finished + len(lazy) + 3)
    assert ask(client, "GET", "/drip/").body.count(b"\n") == 3


def test_a_stream_that_breaks_does_not_look_whole(client: http.client.HTTPConnection) -> None:
    for _ in range(2):
        client.request("GET", "/broken/?first=1")
        answer = client.getresponse()
        assert answer.readline() == b"first\n"
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            answer.read()
        client.close()
    assert ask(client, "GET", "/broken/").status == 500


# Threads, connections, websockets


def test_threads_and_database_connections_stay_few(server: RunningServer, client: http.client.HTTPConnection) -> None:
    def visit(_: int) -> tuple[int, int]:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
            for _ in range(100):
                answer = ask(connection, "GET", "/database/")
                if answer.status == 200:
                    return answer.json()["pid"], answer.json()["count"]
                time.sleep(0.02)  # 503: this server's queue is short
        raise AssertionError

    threads = ask(client, "GET", "/state/").json()["threads"]
    with ThreadPoolExecutor(5) as pool:
        seen = list(pool.map(visit, range(200)))
    assert len({pid for pid, _ in seen}) <= 3
    assert max(count for _, count in seen) <= 3
    assert ask(client, "GET", "/state/").json()["threads"] <= max(threads, 10)


def test_a_web_connection_has_limits_of_time(client: http.client.HTTPConnection) -> None:
    seen = ask(client, "GET", "/database/").json()
    assert [seen[name] for name in ("transaction", "idle", "lock")] == ["2s", "2s", "2s"]


def test_a_management_command_has_no_limits_of_time() -> None:
    question = "from django.db import connection as c; print(c.cursor().execute('SHOW lock_timeout').fetchone()[0])"
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", question]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "0"


def socket_url(server: RunningServer, path: str) -> str:
    return f"ws://127.0.0.1:{server.port}{path}"


def test_a_websocket_talks_and_an_unknown_one_is_refused(server: RunningServer) -> None:
    with connect(socket_url(server, "/ws/repeat/")) as websocket:
        websocket.send("Müller")
        assert websocket.recv(timeout=5) == "Müller"
        websocket.send("x" * 65537)
        with pytest.raises(ConnectionClosed):
            websocket.recv(timeout=5)
        assert websocket.close_code == 1009
    for path in ("/ws/no/", "/echo/"):
        with pytest.raises(InvalidStatus) as refusal, connect(socket_url(server, path)):
            pass
        assert refusal.value.response.status_code == 403


def test_a_websocket_client_that_does_not_read_is_waited_for(
    server: RunningServer, client: http.client.HTTPConnection
) -> None:
    with connect(socket_url(server, "/ws/flood/"), max_queue=1, compression=None) as websocket:
        time.sleep(0.5)
        sent = ask(client, "GET", "/state/").json()["flooded"]
        assert sent < 16 * 1024**2
        for _ in range(1024):
            websocket.recv(timeout=10)


# Slow clients, with less patience than the site has: the same application without a server


async def call_bridge(monkeypatch: pytest.MonkeyPatch, path: str, parts: list[bytes], send: Any) -> None:
    """One request to a bridge of its own; its body stops after `parts`, the client stays."""
    monkeypatch.setattr(incoming, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(incoming, "LINGER_SECONDS", 0.2)
    monkeypatch.setattr(app, "STALL_SECONDS", 0.2)
    arriving = [{"type": "http.request", "body": part, "more_body": bool(part)} for part in parts]

    async def receive() -> dict[str, Any]:
        if not arriving:
            await asyncio.Event().wait()
        return arriving.pop(0)

    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"http_version": "1.1", "headers": [(b"host", b"localhost")]}
    with override_settings(ROOT_URLCONF="tests.site.echo_urls"):
        bridge = ThreadedDjango(WSGIHandler(), threads=1, queue=1, limit=LIMIT)
        await asyncio.wait_for(bridge(scope, receive, send), 5)


async def test_a_body_that_stops_arriving_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await call_bridge(monkeypatch, "/echo/", [b"half of"], send)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["code"] == "timeout"
    assert sent[-1] == {"type": "http.response.body", "body": b""}


async def test_a_client_that_takes_nothing_for_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    before = echo_urls.finished

    async def send(message: dict[str, Any]) -> None:
        if message.get("body"):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):  # the server then cuts the connection
        await call_bridge(monkeypatch, "/endless/", [b""], send)
    await asyncio.to_thread(wait_until, lambda: echo_urls.finished > before)
