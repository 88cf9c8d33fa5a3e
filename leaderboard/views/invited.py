"""Who may look at the page of a race by invitation or of a club, or of a sprint by invitation; to others it says what
one needs to enter."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard import entries, privacy
from leaderboard.actions import read_clock
from leaderboard.models import Race, Sprint
from leaderboard.views.races import head_race
from leaderboard.views.sprints import head_sprint

STAMP_LIFE = 62 * 86_400  # longer than a race can last

View = Callable[[HttpRequest, int], HttpResponse]


def for_insiders(view: View) -> View:
    """The page of a race for those whose its results are. Who comes with the code is known by a cookie from then on,
    which the calls and the socket of the page bring along."""

    @wraps(view)
    def guarded(request: HttpRequest, race: int) -> HttpResponse:
        found = Race.objects.filter(pk=race).first()
        return _guard(view, request, race, found and privacy.find_guarded(found), _show_race_outside)

    return guarded


def for_sprinters(view: View) -> View:
    """The same of a sprint's page."""

    @wraps(view)
    def guarded(request: HttpRequest, sprint: int) -> HttpResponse:
        return _guard(view, request, sprint, Sprint.objects.filter(pk=sprint).first(), _show_sprint_outside)

    return guarded


def _guard(
    view: View,
    request: HttpRequest,
    pk: int,
    guarded: privacy.Guarded | None,
    show_outside: Callable[[HttpRequest, int, str], HttpResponse],
) -> HttpResponse:
    if guarded is None or privacy.is_open(guarded):
        return view(request, pk)
    code = request.GET.get("invite", "")
    invitation = privacy.read_invitation(guarded, code, request.COOKIES)
    if not privacy.is_inside(guarded, request.user.pk, invitation):
        return show_outside(request, pk, code)
    response = view(request, pk)
    if privacy.is_inside(guarded, None, privacy.Invitation(code)):
        response.set_cookie(
            privacy.name_cookie(guarded),
            privacy.stamp(guarded),
            max_age=STAMP_LIFE,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response


def _show_race_outside(request: HttpRequest, race: int, code: str) -> HttpResponse:
    seen = entries.find_race(race, request.user, now=read_clock())
    if seen is None:  # a sprint's round that was called off in this moment
        raise Http404
    page = {"head": head_race(seen), "code": code}
    return render(request, "leaderboard/race_outside.html", page, status=403 if code else 200)


def _show_sprint_outside(request: HttpRequest, sprint: int, code: str) -> HttpResponse:
    head = head_sprint(Sprint.objects.select_related("host").get(pk=sprint))
    page = {"head": head, "code": code}
    return render(request, "leaderboard/sprint_outside.html", page, status=403 if code else 200)
