"""`manage.py tidy`: what is over is put away."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone
from knox.models import AuthToken

from leaderboard import addresses, fair, people, settling


class Command(BaseCommand):
    help = (
        "Lifts the bans whose time is over, anonymises guests who have not played for 30 days, settles sprints that "
        "everybody has left, and clears expired sessions, tokens and hashed addresses. The server runs it once a day "
        "by itself."
    )

    def handle(self, **options: Any) -> None:
        lifted, guests, starts = fair.lift_over(), people.forget_guests(), addresses.forget_old()
        settling.settle_all()
        tokens, _each = AuthToken.objects.filter(expiry__lt=timezone.now()).delete()
        call_command("clearsessions", verbosity=0)
        self.stdout.write(
            f"{lifted} bans lifted, {guests} guests anonymised, {tokens} tokens and {starts} starts cleared."
        )
