"""Static files under names that hold a hash of their content, so that a browser keeps them for good."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = ("games", "leaderboard", "site")
IMPORT = (
    r"""(?P<matched>\b(?P<how>(?:from|import)\s*\(?\s*)["'](?P<url>\.{1,2}/[^"']+)["'])""",
    """%(how)s"%(url)s\"""",
)


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites the addresses in stylesheets and the imports of our modules to the hashed names, too.

    What was not collected keeps its plain name: a page without its style is better than none, and `manage.py serve`
    says what is missing.
    """

    # only ours: in the bundles of others what looks like an import may be text
    patterns = (*HashedFilesMixin.patterns, *((f"{folder}/*.js", (IMPORT,)) for folder in OURS))

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if name in self.hashed_files else name

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress what pages name and is new: the content of a hashed name never changes."""
        named = set(self.hashed_files.values())
        yield from super().compress_files([path for path in paths if path in named and not self._is_compressed(path)])

    def _is_compressed(self, name: str) -> bool:
        """Whether a whole copy lies beside a file; a run that was killed may have left half of one."""
        try:
            return gzip.decompress(Path(self.path(f"{name}.gz")).read_bytes()) == Path(self.path(name)).read_bytes()
        except (OSError, EOFError, zlib.error):
            return False
