"""What can be wrong, as one exception tree.

Every error has a stable reason `code`, an English sentence template `message` with %(name)s places (the msgid
of the site's catalogue) and the `params` for those places; str(error) is the finished English sentence.
"""

from collections.abc import Mapping

Params = Mapping[str, str | int]


def gettext_noop(message: str) -> str:
    """Return `message` unchanged; marks it for the extraction of translatable sentences."""
    return message


class EngineError(ValueError):
    """Any mistake the engine finds in what it was given."""

    def __init__(self, code: str, message: str, params: Params | None = None) -> None:
        self.code = code
        self.message = message
        self.params: dict[str, str | int] = dict(params or {})

    def __str__(self) -> str:
        return self.message % self.params


class CardError(EngineError):
    """A text is no card."""


class CodeError(EngineError):
    """A deal code or a list of cards is wrong; `part` says where."""

    @property
    def part(self) -> str:
        """One of "prefix", "ruleset", "letters", "cards", "length" (the same word as `code`)."""
        return self.code


class PositionError(EngineError):
    """A text is no position of its ruleset."""


class MoveError(EngineError):
    """A token is refused; `token` is the token as sent."""

    def __init__(self, code: str, message: str, params: Params | None = None, token: str = "") -> None:
        super().__init__(code, message, params)
        self.token = token


class ReplayError(EngineError):
    """A replay document is no replay (reasons json, shape, format)."""
