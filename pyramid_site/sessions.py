"""Sessions in the database, by keys as Django makes them."""

from typing import Any

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Any other key is nobody's, and never looked up: a cookie may hold a NUL, which PostgreSQL refuses."""

    def _validate_session_key(self, key: Any) -> bool:
        return super()._validate_session_key(key) and key.isascii() and key.isalnum()
