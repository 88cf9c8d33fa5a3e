"""Static files under names that hold a hash of their content, so that a browser keeps them for good."""

from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = ("games", "leaderboard", "site")
IMPORT = (
    r"""(?P<matched>\b(?P<how>(?:from|import)\s*\(?)\s*["'](?P<url>\.{1,2}/[^"']+)["'])""",
    """%(how)s "%(url)s\"""",
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
        yield from super().compress_files([path for path in paths if path in named and not self.exists(f"{path}.gz")])
