"""What makes the site an app on a phone's first screen, and practice playable without a connection.

The service worker keeps one page, the same for everybody and without a name in it, and the files that this page needs.
Its text names them by their hashes, so another version of any is another worker, which browsers fetch with their next
visit. It keeps no answer of the API.
"""

import json
from functools import cache
from hashlib import sha256

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext

from games.views import MODULES, describe_table

FILES = [*MODULES, "games/play.js", "games/offline.js", "games/dealing.js", "site/site.css", "site/icon.svg"]
ICONS = {"site/icon-192.png": 192, "site/icon-512.png": 512}


def show_offline(request: HttpRequest) -> HttpResponse:
    """The table that plays by itself, for practice."""
    return HttpResponse(_write_page(get_language()))


def show_worker(request: HttpRequest) -> HttpResponse:
    """The service worker. It lies at the root, since it can keep nothing above itself."""
    headers = {"Cache-Control": "no-cache", "Vary": "Cookie, Accept-Language"}
    return HttpResponse(_write_worker(get_language()), content_type="text/javascript", headers=headers)


@cache
def _write_page(language: str) -> str:
    """Without a request: nobody's page, with no form that needs a token."""
    return render_to_string("games/play.html", describe_table(code="", worker=None, offline=True))


@cache
def _write_worker(language: str) -> str:
    files = json.dumps([static(name) for name in FILES])
    version = sha256(f"{_write_page(language)}{files}".encode()).hexdigest()[:16]
    return render_to_string("games/worker.js", {"version": version, "page": reverse("offline"), "files": files})


def show_manifest(request: HttpRequest) -> JsonResponse:
    """The web app manifest, in the language of the request."""
    icons = [
        {"src": static(name), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for name, size in ICONS.items()
        for purpose in ("any", "maskable")
    ]
    manifest = {
        "name": "Pyramidion",
        "short_name": "Pyramidion",
        "description": gettext("The same deal for everybody, one ranked attempt each. Watch the others as they play."),
        "lang": get_language(),
        "id": reverse("play"),
        "start_url": reverse("play"),
        "scope": "/",
        "display": "standalone",
        "background_color": "#f6f1e7",
        "theme_color": "#0f5f66",
        "icons": icons,
        "shortcuts": [{"name": gettext("Races"), "url": reverse("races")}],
    }
    return JsonResponse(manifest, content_type="application/manifest+json", headers={"Cache-Control": "no-cache"})
