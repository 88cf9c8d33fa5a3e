"""The translatable sentences: `make messages` collects them from the code and compiles the German catalogue.

Works without GNU gettext. A new sentence appears in django.po with an empty translation; write it and run again.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "pyramid_site/locale/de/LC_MESSAGES/django.po"
COMPILED = CATALOGUE.with_suffix(".mo")
KEYWORDS = {"_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None}
IN_TEMPLATE = re.compile(r"""{%\s*translate\s+(?P<quote>["'])(?P<text>.*?)(?P=quote)""")


def find_sentences() -> Iterator[tuple[str, tuple[str, int]]]:
    """Every translatable sentence of the product and where it stands (path, line)."""
    for app in ("games", "leaderboard", "pyramid_site"):
        for path in sorted((ROOT / app).rglob("*")):
            place = str(path.relative_to(ROOT))
            if path.suffix == ".py" and "migrations" not in path.parts:
                for line, message, _comments, _context in extract_from_file("python", path, KEYWORDS):
                    yield str(message), (place, line)
            elif path.suffix == ".html" or (path.suffix == ".txt" and "templates" in path.parts):
                for number, text in enumerate(path.read_text().splitlines(), 1):
                    for match in IN_TEMPLATE.finditer(text):
                        yield match["text"], (place, number)


def collect() -> Catalog:
    """The sentences of the code as a catalogue without translations."""
    template = Catalog(project="Pyramidion")
    for sentence, place in find_sentences():
        template.add(sentence, locations=[place], flags=["python-format"] if "%(" in sentence else [])
    return template


def read_catalogue() -> Catalog:
    """The German catalogue as it is stored."""
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="de")


def compile_catalogue(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    return compiled.getvalue()


def main() -> None:
    catalogue = read_catalogue() if CATALOGUE.exists() else Catalog(locale="de", project="Pyramidion")
    catalogue.update(collect(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.header_comment = "# The German sentences of Pyramidion."
    catalogue.mime_headers = [("Language", "de"), ("Content-Type", "text/plain; charset=utf-8")]
    catalogue.fuzzy = False
    with CATALOGUE.open("wb") as file:
        write_po(file, catalogue, width=120, omit_header=False, include_lineno=False, sort_output=True)
    COMPILED.write_bytes(compile_catalogue(catalogue))
    missing = [message.id for message in catalogue if message.id and not message.string]
    print(f"{len(catalogue)} sentences, {len(missing)} without a translation")
    for sentence in missing:
        print(f"  {sentence}")


if __name__ == "__main__":
    main()
