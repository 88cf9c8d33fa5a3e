"""Every HTTP and websocket path of the site, flat."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from django.views.i18n import set_language
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from games import api as games
from games import device_api as devices
from games import installing
from games import views as tables
from games.accounts import views as accounts
from games.accounts.views import for_players
from games.rest import JSONRenderer
from leaderboard import consumers
from leaderboard.api import boards, clubs, dailies, fair, ghosts, live, people, races, racing, ratings, seasons, sprints
from leaderboard.views import account as account_pages
from leaderboard.views import boards as board_pages
from leaderboard.views import clubs as club_pages
from leaderboard.views import days as day_pages
from leaderboard.views import home as home_pages
from leaderboard.views import players as player_pages
from leaderboard.views import races as race_pages
from leaderboard.views import ratings as rating_pages
from leaderboard.views import replays as replay_pages
from leaderboard.views import results as result_pages
from leaderboard.views import sprints as sprint_pages
from leaderboard.views.invited import for_insiders, for_sprinters

V1 = "api/v1/"
OPEN: dict[str, Any] = {"authentication_classes": (), "permission_classes": ()}


def ping(request: HttpRequest) -> HttpResponse:
    """Says that the server answers; asks nothing of the database."""
    return HttpResponse("pong", content_type="text/plain")


handler400 = "pyramid_site.pages.answer_bad_request"
handler403 = "pyramid_site.pages.answer_forbidden"
handler404 = "pyramid_site.pages.answer_not_found"
handler500 = "pyramid_site.pages.answer_server_error"

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # by the log-in page, with its limits and second factor

urlpatterns = [
    # paths are tried from the top: the busiest come first
    path(V1 + "attempts/<int:attempt>/moves/", races.play_moves),
    path(V1 + "attempts/", races.start_attempt),
    path(V1 + "attempts/<int:attempt>/", races.show_attempt),
    path(V1 + "attempts/<int:attempt>/resign/", races.resign_attempt),
    path(V1 + "attempts/<int:attempt>/pause/", races.pause_attempt),
    path(V1 + "attempts/<int:attempt>/resume/", races.resume_attempt),
    path(V1 + "attempts/<int:attempt>/hint/", games.take_hint),
    path(V1 + "attempts/<int:attempt>/opponent/", ghosts.show_opponent),
    path(V1 + "attempts/<int:attempt>/rival/", ghosts.show_rival),
    path("", home_pages.show_home, name="home"),
    path("play/", tables.show_play, name="play"),
    path("play/<str:code>", tables.show_play, name="play-deal"),
    path("offline/", installing.show_offline, name="offline"),
    path("sw.js", installing.show_worker, name="worker"),
    path("manifest.webmanifest", installing.show_manifest, name="manifest"),
    path("rules/", tables.list_rules, name="rules"),
    path("rules/<slug:slug>/", tables.show_rules, name="ruleset-rules"),
    path("races/", race_pages.list_races, name="races"),
    path("sprints/", sprint_pages.list_sprints, name="sprints"),
    path("sprints/<int:sprint>/", for_sprinters(sprint_pages.show_sprint), name="sprint"),
    path("races/<int:race>/", for_insiders(race_pages.show_race), name="race"),
    path("replays/<int:attempt>/", replay_pages.show_replay, name="replay"),
    path("results/<int:attempt>/", result_pages.show_result, name="result"),
    path("results/<int:attempt>/<slug:name>.png", result_pages.show_picture, name="result-picture"),
    path("daily/<str:letter>/", race_pages.show_daily, name="todays-race"),
    path("boards/", board_pages.list_boards, name="boards"),
    path("boards/<str:letter>/", board_pages.show_board, name="board"),
    path("boards/deals/<str:code>/", board_pages.show_deal_board, name="deal-board"),
    path("ratings/<str:letter>/", rating_pages.show_board, name="rating-board"),
    path("seasons/", day_pages.show_this_season, name="seasons"),
    path("seasons/<str:month>/", day_pages.show_season, name="season"),
    path("calendar/", day_pages.show_calendar, name="calendar"),
    path("players/me/", player_pages.show_me, name="my-page"),
    path("players/<str:name>/", player_pages.show_player, name="player"),
    path("clubs/", club_pages.list_clubs, name="clubs"),
    path("clubs/<int:club>/", club_pages.show_club, name="club"),
    path("clubs/join/<str:code>", club_pages.show_invitation, name="club-join"),
    path("account/", accounts.AccountView.as_view(), name="account"),
    path("account/log-in/", accounts.LogInView.as_view(), name="account_login"),
    path("account/sign-up/", accounts.SignUpView.as_view(), name="account_signup"),
    path("account/log-in/code/", accounts.CodeView.as_view(), name="mfa_authenticate"),
    path("account/log-out/", accounts.LogOutView.as_view(), name="account_logout"),
    path("account/confirm/", for_players(accounts.ConfirmView.as_view()), name="account_reauthenticate"),
    path("account/confirm/code/", for_players(accounts.ConfirmByCodeView.as_view()), name="mfa_reauthenticate"),
    path("account/password/", for_players(accounts.PasswordView.as_view()), name="account_change_password"),
    path("account/password/forgotten/", accounts.ForgottenView.as_view(), name="account_reset_password"),
    path("account/password/sent/", accounts.ForgottenSentView.as_view(), name="account_reset_password_done"),
    path("account/password/set/", accounts.NewPasswordDoneView.as_view(), name="account_reset_password_from_key_done"),
    re_path(
        "^account/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        accounts.NewPasswordView.as_view(),
        name="account_reset_password_from_key",
    ),
    path("account/e-mail/", for_players(accounts.EmailView.as_view()), name="account_email"),
    path("account/e-mail/<str:key>/", accounts.ConfirmEmailView.as_view(), name="account_confirm_email"),
    path("account/tokens/", accounts.show_tokens, name="account_tokens"),
    path("account/device/", accounts.answer_device, name="account_device"),
    path("account/sessions/", for_players(accounts.SessionsView.as_view()), name="usersessions_list"),
    path("account/name/", for_players(account_pages.NameView.as_view()), name="account-name"),
    path("account/reports/", for_players(account_pages.ReportsView.as_view()), name="account-reports"),
    path("account/delete/", for_players(account_pages.DeleteView.as_view()), name="account-delete"),
    path("account/two-factor/", for_players(accounts.TwoFactorView.as_view()), name="mfa_index"),
    path("account/two-factor/on/", for_players(accounts.TwoFactorOnView.as_view()), name="mfa_activate_totp"),
    path("account/two-factor/off/", for_players(accounts.TwoFactorOffView.as_view()), name="mfa_deactivate_totp"),
    path("account/codes/", for_players(accounts.RecoveryCodesView.as_view()), name="mfa_view_recovery_codes"),
    path(
        "account/codes/new/", for_players(accounts.NewRecoveryCodesView.as_view()), name="mfa_generate_recovery_codes"
    ),
    path("language/", set_language, name="language"),
    path("ping/", ping),
    path("admin/", admin.site.urls),
    path("api/", SpectacularSwaggerView.as_view(url_name="schema", **OPEN), name="api"),
    path(V1 + "schema/", SpectacularAPIView.as_view(renderer_classes=[JSONRenderer], **OPEN), name="schema"),
    path(V1 + "players/", games.sign_up),
    path(V1 + "guests/", games.start_guest),
    path(V1 + "guests/me/", games.claim_guest),
    path(V1 + "players/me/", people.show_me),
    path(V1 + "players/me/name/", people.rename_me),
    path(V1 + "players/me/data/", people.export_me),
    path(V1 + "players/me/following/", clubs.list_following),
    path(V1 + "players/<str:name>/", people.show_player),
    path(V1 + "players/<str:name>/follow/", clubs.follow_player),
    path(V1 + "players/<str:name>/attempts/", people.list_attempts),
    path(V1 + "players/<str:name>/ratings/", ratings.show_curves),
    path(V1 + "tokens/", games.log_in),
    path(V1 + "tokens/current/", games.log_out),
    path(V1 + "device/", devices.ask_for_token),
    path(V1 + "device/token/", devices.take_token),
    path(V1 + "rulesets/", games.list_rulesets),
    path(V1 + "rulesets/<str:letter>/", games.show_ruleset),
    path(V1 + "rulesets/<str:letter>/board/", boards.show_ruleset_board, name="ruleset-board"),
    path(V1 + "rulesets/<str:letter>/ratings/", ratings.show_ratings),
    path(V1 + "deals/", games.name_deal),
    path(V1 + "deals/<str:code>/", games.show_deal),
    path(V1 + "deals/<str:code>/board/", boards.show_deal_board),
    path(V1 + "races/", racing.list_races),
    path(V1 + "races/<int:race>/", racing.show_race),
    path(V1 + "races/<int:race>/attempts/", racing.enter_race),
    path(V1 + "races/<int:race>/changes/", live.show_changes),
    path(V1 + "races/<int:race>/export/", racing.export_race),
    path(V1 + "races/<int:race>/board/", boards.show_race_board),
    path(V1 + "races/<int:race>/board/below/", boards.show_below),
    path(V1 + "races/<int:race>/board/guests/", boards.show_guests),
    path(V1 + "sprints/", sprints.list_sprints),
    path(V1 + "sprints/<int:sprint>/", sprints.show_sprint),
    path(V1 + "sprints/<int:sprint>/join/", sprints.join_sprint),
    path(V1 + "sprints/<int:sprint>/leave/", sprints.leave_sprint),
    path(V1 + "sprints/<int:sprint>/ready/", sprints.set_ready),
    path(V1 + "sprints/<int:sprint>/start/", sprints.start_sprint),
    path(V1 + "sprints/<int:sprint>/rematch/", sprints.rematch_sprint),
    path(V1 + "sprints/<int:sprint>/attempts/", sprints.enter_sprint),
    path(V1 + "clubs/", clubs.list_clubs),
    path(V1 + "clubs/join/", clubs.join_club),
    path(V1 + "clubs/<int:club>/", clubs.show_club),
    path(V1 + "clubs/<int:club>/invite/", clubs.change_code),
    path(V1 + "clubs/<int:club>/members/<str:name>/", clubs.change_member),
    path(V1 + "reports/", fair.list_reports),
    path(V1 + "rulings/", fair.list_rulings),
    path(V1 + "sandbox/", racing.show_sandbox),
    path(V1 + "seasons/<str:month>/", seasons.show_season),
    path(V1 + "compare/", people.compare_players),
    path(V1 + "daily/", dailies.show_today),
    path(V1 + "daily/calendar/", dailies.show_calendar),
    path(V1 + "daily/<str:day>/<str:letter>/", dailies.show_daily, name="daily"),
    path(V1 + "dailies/commitments/", dailies.list_commitments),
    path(V1 + "players/<str:name>/streak/", dailies.show_streaks),
    path(V1 + "replays/", races.submit_replay),
    path(V1 + "replays/validate/", games.validate_replays),
    path(V1 + "replays/<int:attempt>/", races.show_replay),
    path(V1 + "replays/<int:attempt>/ghost/", ghosts.show_ghost),
]

websocket_urlpatterns = [
    path("ws/races/<int:race>/", consumers.RaceFeed.as_asgi()),
    path("ws/daily/<str:letter>/", consumers.DailyFeed.as_asgi()),
    path("ws/races/<int:race>/watch/<str:player>/", consumers.TableFeed.as_asgi()),
    path("ws/sprints/<int:sprint>/", consumers.SprintFeed.as_asgi()),
    path("ws/attempts/<int:attempt>/", consumers.Play.as_asgi()),
]
