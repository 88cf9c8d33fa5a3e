"""Sessions in the database, by keys as Django makes them."""

from typing import Any

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Any other key is nobody's, and never looked up: a cookie may hold a NUL, which PostgreSQL refuses."""

    def _validate_session_key(self, key: Any) -> bool:
        valid: bool = super()._validate_session_key(key)  # type: ignore[misc]
        return valid and key.isascii() and key.isalnum()
