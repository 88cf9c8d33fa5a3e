"""From where attempts are started, without keeping an address: see `models.ShownTo`."""

import hmac
import secrets
from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from games.models import Attempt
from leaderboard.models import AddressKey, ShownTo

PERIOD_DAYS = 30


def note(attempt: Attempt, address: str) -> None:
    """Remember where the cards of an attempt were shown; the first time counts."""
    period = _period_of(attempt.started_at.timestamp())
    now, before = _hash(period, address), _hash(period - 1, address)
    ShownTo.objects.get_or_create(attempt=attempt, defaults={"now": now, "before": before})


def find_shared(attempt: Attempt) -> QuerySet[ShownTo]:
    """The starts from the address of an attempt, itself among them, as far as they are remembered."""
    own = ShownTo.objects.filter(attempt=attempt).first()
    if own is None:
        return ShownTo.objects.none()
    return ShownTo.objects.filter(Q(now__in=(own.now, own.before)) | Q(before=own.now))


def forget_old() -> int:
    """Drop what is older than a period, and the keys that nothing is hashed with any more; how many starts."""
    now = timezone.now()
    gone, _each = ShownTo.objects.filter(shown_at__lt=now - timedelta(days=PERIOD_DAYS)).delete()
    AddressKey.objects.filter(period__lt=_period_of(now.timestamp()) - 2).delete()
    return gone


def _period_of(seconds: float) -> int:
    return int(seconds // (PERIOD_DAYS * 86_400))


def _hash(period: int, address: str) -> UUID:
    key, _created = AddressKey.objects.get_or_create(period=period, defaults={"secret": secrets.token_bytes(32)})
    return UUID(bytes=hmac.digest(bytes(key.secret), address.encode(), "sha256")[:16])
