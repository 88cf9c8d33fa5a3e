"""Does a person see a page where something is wrong, and a program JSON?"""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from psycopg.errors import LockNotAvailable

from pyramid_site import urls

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


def break_down(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


def forbid(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def be_busy(request: HttpRequest) -> HttpResponse:
    raise OperationalError from LockNotAvailable()


urlpatterns = [
    *urls.urlpatterns,
    path("broken/", break_down),
    path("api/v1/broken/", break_down),
    path("forbidden/", forbid),
    path("busy/", be_busy),
]
handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500


@pytest.fixture(autouse=True)
def _broken_views() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def ask(address: str, accept: str, *, language: str = "en", **headers: str) -> Any:
    client = Client(raise_request_exception=False)
    return client.get(address, headers={"accept": accept, "accept-language": language} | headers)


ERRORS = [
    ("/nothing/", 404, "not_found", "There is nothing at this address."),
    ("/rules/nothing/", 404, "not_found", "There is nothing at this address."),
    ("/forbidden/", 403, "forbidden", "This is not for you to see."),
    ("/broken/", 500, "server_error", "Something is wrong on the server."),
    ("/busy/", 503, "busy", "The database is busy. Please try again."),
]


@pytest.mark.parametrize(("address", "status", "code", "sentence"), ERRORS)
def test_a_person_gets_a_page_and_a_program_json(address: str, status: int, code: str, sentence: str) -> None:
    page = ask(address, BROWSER)
    assert page.status_code == status
    assert page["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert sentence in page.content.decode()
    assert 'href="/">To the first page</a>' in page.content.decode()
    for accept in ("application/json", "*/*"):
        answer = ask(address, accept)
        assert answer.status_code == status
        assert answer.json() == {"code": code, "detail": sentence, "where": None}
    assert page.headers.get("Retry-After") == answer.headers.get("Retry-After") == ("1" if status == 503 else None)


def test_the_page_of_an_error_speaks_the_readers_language() -> None:
    page = ask("/nothing/", BROWSER, language="de").content.decode()
    assert '<html lang="de">' in page
    assert "Unter dieser Adresse gibt es nichts." in page
    assert "Zur Startseite" in page


@pytest.mark.parametrize(("address", "status"), [("/broken/", 500), ("/busy/", 503)])
def test_the_page_of_a_broken_server_asks_no_database_who_is_there(address: str, status: int) -> None:
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6"
    page = client.get(address, headers={"accept": BROWSER})  # a test that is not marked may not ask it
    assert page.status_code == status
    assert page["Content-Type"].startswith("text/html")


def test_the_api_answers_a_browser_in_json_too() -> None:
    for address, status in (("/api/v1/nothing/", 404), ("/api/v1/broken/", 500)):
        answer = ask(address, BROWSER)
        assert answer.status_code == status
        assert answer["Content-Type"] == "application/json"


def test_a_request_for_another_host_is_refused_on_a_page() -> None:
    page = ask("/", BROWSER, host="elsewhere.example")
    assert page.status_code == 400
    assert "The request cannot be read." in page.content.decode()
    assert ask("/", "*/*", host="elsewhere.example").json()["code"] == "bad_request"


def test_a_form_without_its_token_is_refused_on_a_page() -> None:
    client = Client(enforce_csrf_checks=True)
    page = client.post("/language/", {"language": "de"}, headers={"accept": BROWSER})
    assert page.status_code == 403
    assert "The form is too old." in page.content.decode()
    assert client.post("/language/", {"language": "de"}).json()["code"] == "csrf"
