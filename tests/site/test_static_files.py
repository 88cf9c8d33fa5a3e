"""Does a browser get every file under a name that it may keep for good, and every module once?"""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from pyramid_site.static_files import HashedStaticFiles

FOREVER = "max-age=315360000, public, immutable"
IMPORTED = re.compile(r"""^(?:import|export)\b[^;]*?["'](\./|\.\./)([^"']+)["'];""", re.MULTILINE)
HASHED = re.compile(r"\.[0-9a-f]{12}\.(js|css|svg)$")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All static files, collected as for `make run`."""
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=str(folder)):
        call_command("collectstatic", interactive=False, verbosity=0)
        yield folder


@pytest.fixture(scope="module")
def manifest(collected: Path) -> dict[str, str]:
    return json.loads((collected / "staticfiles.json").read_text())["paths"]


@pytest.fixture(scope="module")
def files(collected: Path) -> WhiteNoiseMiddleware:
    return WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))


def fetch(files: WhiteNoiseMiddleware, name: str, **headers: str) -> Any:
    request = HttpRequest()
    request.method, request.path_info = "GET", f"/static/{name}"
    request.META = headers
    return files(request)


def modules(manifest: dict[str, str]) -> list[str]:
    return [name for name in manifest if name.endswith(".js") and name.split("/")[0] in ("games", "leaderboard")]


def test_every_import_of_a_module_names_a_hashed_file_that_is_there(collected: Path, manifest: dict[str, str]) -> None:
    count = 0
    for name in modules(manifest):
        plain = (collected / name).read_text()
        place = collected / manifest[name]
        found = IMPORTED.findall(place.read_text())
        assert len(found) == len(IMPORTED.findall(plain)), name
        for dots, target in found:
            assert HASHED.search(target), f"{name} imports {target}"
            assert (place.parent / dots / target).is_file(), f"{name} imports {target}"
        count += len(found)
    assert count > 12


def test_a_page_and_its_modules_name_one_copy_of_each(collected: Path, manifest: dict[str, str]) -> None:
    """Two copies of a module would be two states: nobody may import an older text of it."""
    named = set(manifest.values())
    for name in modules(manifest):
        place = collected / manifest[name]
        for dots, target in IMPORTED.findall(place.read_text()):
            assert (place.parent / dots / target).resolve().relative_to(collected).as_posix() in named


def test_the_page_of_the_table_names_all_that_its_script_imports(collected: Path) -> None:
    """One it does not name would be fetched only after the one that imports it: a round trip more."""
    page = Client().get("/play/").content.decode()
    named = set(re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page))
    waiting = re.findall(r'<script type="module" src="/static/([^"]+)"', page)
    imported: set[str] = set()
    while waiting:
        place = collected / waiting.pop()
        for dots, target in IMPORTED.findall(place.read_text()):
            name = (place.parent / dots / target).resolve().relative_to(collected).as_posix()
            if name not in imported:
                imported.add(name)
                waiting.append(name)
    assert len(imported) > 6
    assert named == imported


def test_hashed_files_are_kept_for_good_and_travel_compressed(
    files: WhiteNoiseMiddleware, manifest: dict[str, str]
) -> None:
    for name in (*modules(manifest), "site/site.css", "site/icon.svg"):
        answer = fetch(files, manifest[name], HTTP_ACCEPT_ENCODING="gzip")
        assert HASHED.search(manifest[name])
        assert answer["Cache-Control"] == FOREVER
        plain = fetch(files, name)
        assert plain.status_code == 200, "tests and tools find it by its plain name"
        assert plain["Cache-Control"] == "max-age=60, public"
        if len(b"".join(plain)) > 500:
            assert answer["Content-Encoding"] == "gzip"


def collect(folder: Path, **texts: str) -> dict[str, Path]:
    """Collects modules of these texts; where each lies under its hashed name."""
    source = folder / "source/games"
    source.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (source / f"{name}.js").write_text(text)
    with override_settings(
        STATIC_ROOT=str(folder / "target"),
        STATICFILES_DIRS=[folder / "source"],
        STATICFILES_FINDERS=["django.contrib.staticfiles.finders.FileSystemFinder"],
    ):
        call_command("collectstatic", interactive=False, verbosity=0)
    paths = json.loads((folder / "target/staticfiles.json").read_text())["paths"]
    return {name: folder / "target" / paths[f"games/{name}.js"] for name in texts}


TOP = """import {
  a,
  b,
} from "./base.js"
// import it from elsewhere: import "bare" is nobody's
export * from "./base.js";
import "./base.js";
const later = () => import("./base.js");
"""


def test_a_new_text_gets_a_new_name_and_so_does_what_imports_it(tmp_path: Path) -> None:
    before = collect(tmp_path, base="export const a = 1, b = 2;\n", top=TOP)
    after = collect(tmp_path, base="export const a = 1, b = 3;\n", top=TOP)
    assert before["base"] != after["base"]
    assert before["top"] != after["top"]
    text = after["top"].read_text()
    assert text.count(f'"./{after["base"].name}"') == 4
    assert text.replace(after["base"].name, "base.js") == TOP
    assert before["top"].exists(), "pages that are open still find their files"


def test_half_of_a_compressed_copy_is_made_whole(tmp_path: Path) -> None:
    text = "".join(f"export const a{number} = {number};\n" for number in range(1000))
    copy = collect(tmp_path, base=text)["base"]
    packed = copy.with_name(f"{copy.name}.gz")
    whole = packed.read_bytes()
    assert gzip.decompress(whole).decode() == text
    packed.write_bytes(whole[: len(whole) // 2])
    collect(tmp_path, base=text)
    assert gzip.decompress(packed.read_bytes()).decode() == text


def test_pages_are_pages_before_anything_was_collected(tmp_path: Path) -> None:
    with override_settings(STATIC_ROOT=str(tmp_path)):
        storage = HashedStaticFiles()
        assert storage.hashed_files == {}
        assert storage.url("site/site.css") == "/static/site/site.css"


def test_while_developing_files_have_their_plain_names(collected: Path) -> None:
    with override_settings(DEBUG=True):
        assert staticfiles_storage.url("games/play.js") == "/static/games/play.js"
    assert HASHED.search(staticfiles_storage.url("games/play.js"))


def test_pages_are_asked_for_anew_and_travel_compressed() -> None:
    answer = Client().get("/rules/tower/", headers={"accept-encoding": "gzip"})
    assert answer["Cache-Control"] == "private, no-cache"
    assert answer["Content-Encoding"] == "gzip"
    api = Client().get("/api/v1/rulesets/", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in api.headers


def test_the_first_visit_of_the_table_stays_small(files: WhiteNoiseMiddleware) -> None:
    page = Client().get("/play/", headers={"accept-encoding": "gzip"})
    text = gzip.decompress(page.content).decode()
    named = set(re.findall(r'(?:href|src)="/static/([^"]+)"', text))
    sizes = [len(b"".join(fetch(files, name, HTTP_ACCEPT_ENCODING="gzip"))) for name in named]
    assert len(named) <= 24, "four rounds of six, as many as a browser fetches at a time"
    assert len(page.content) + sum(sizes) < 64_000, "fast 3G carries that in a third of a second"
