"""Who may look at the page of a race by invitation or of a club; to others it says what one needs to enter."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard import entries, privacy
from leaderboard.actions import read_clock
from leaderboard.models import Race
from leaderboard.views.races import head_race

STAMP_LIFE = 62 * 86_400  # longer than a race can last

View = Callable[[HttpRequest, int], HttpResponse]


def for_insiders(view: View) -> View:
    """The page of a race for those whose its results are. Who comes with the code is known by a cookie from then on,
    which the calls and the socket of the page bring along."""

    @wraps(view)
    def guarded(request: HttpRequest, race: int) -> HttpResponse:
        found = Race.objects.filter(pk=race).first()
        if found is None or not (found.invite_code or found.club_id):
            return view(request, race)
        code = request.GET.get("invite", "")
        invitation = privacy.read_invitation(race, code, request.COOKIES)
        if not privacy.is_inside(found, request.user.pk, invitation):
            return _show_outside(request, race, code)
        response = view(request, race)
        if privacy.is_inside(found, None, privacy.Invitation(code)):
            response.set_cookie(
                privacy.name_cookie(race),
                privacy.stamp(found),
                max_age=STAMP_LIFE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return guarded


def _show_outside(request: HttpRequest, race: int, code: str) -> HttpResponse:
    seen = entries.find_race(race, request.user, now=read_clock())
    assert seen is not None, "races are not deleted"
    page = {"head": head_race(seen), "code": code}
    return render(request, "leaderboard/race_outside.html", page, status=403 if code else 200)
