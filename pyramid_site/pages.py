"""What all pages share: how they travel, and what a person sees where something is wrong."""

import sys

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext

from games.rest import busy_body, error_body, is_busy


class PageMiddleware(GZipMiddleware):
    """Pages travel compressed and are asked for anew each time. Answers of the API are small and many: neither."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:  # type: ignore[override]
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return super().process_response(request, response)  # type: ignore[return-value]


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 400, error_body("bad_request", gettext("The request cannot be read.")))


def answer_forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403, error_body("forbidden", gettext("This is not for you to see.")))


def answer_csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Settings name it: a form without the token that its page was given."""
    return _answer(request, 403, error_body("csrf", gettext("The form is too old. Go back, reload and try again.")))


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, error_body("not_found", gettext("There is nothing at this address.")))


def answer_server_error(request: HttpRequest) -> HttpResponse:
    request.user = AnonymousUser()  # the page must not ask a database that may be away who plays
    if is_busy(sys.exc_info()[1]):
        answer = _answer(request, 503, busy_body())
        answer["Retry-After"] = "1"
        return answer
    return _answer(request, 500, error_body("server_error", gettext("Something is wrong on the server.")))


def _answer(request: HttpRequest, status: int, body: dict[str, object]) -> HttpResponse:
    """A page for a person's browser, JSON for a program; under /api/ always JSON."""
    if request.path.startswith("/api/") or "text/html" not in request.headers.get("Accept", ""):
        return JsonResponse(body, status=status)
    context = {"status": status, "sentence": body["detail"]}
    if status >= 500:
        context["user"] = AnonymousUser()  # whoever it is: the database that knows it may be what is broken
    return render(request, "error.html", context, status=status)
