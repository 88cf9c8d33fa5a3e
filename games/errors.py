"""What an action refuses: one exception that carries all that an answer needs."""

from typing import Any


class Problem(Exception):
    """A refusal: nothing was changed.

    status: the HTTP status. code: stable, for programs. message: the English sentence, also the key of its
    translation, with %(name)s places for params. where: the place of the mistake in the request ("moves",
    "times[3]", "ruleset"), or None. extra: further fields of the answer.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        where: str | None = None,
        *,
        params: dict[str, str | int] | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.where = where
        self.params = params or {}
        self.extra = extra or {}
