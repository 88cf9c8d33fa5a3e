"""Sprints in the admin: who was in them, the rounds, and who came where. Nothing is changed here."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from games.admin import ReadOnlyAdmin
from leaderboard.describing import describe_sprint
from leaderboard.models import Round, Sprint, SprintPlayer


class ReadOnlyInline(admin.TabularInline):
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MemberInline(ReadOnlyInline):
    model = SprintPlayer
    fields = ("player", "joined_at", "heard_at", "ready", "left_at")
    ordering = ("joined_at", "id")


class RoundInline(ReadOnlyInline):
    """The rounds; a round's race has the cards, once nobody can enter it any more."""

    model = Round
    fields = ("number", "race", "over_at", "settled_at")
    ordering = ("number",)


@admin.register(Sprint)
class SprintAdmin(ReadOnlyAdmin):
    """Sprints. Chosen cards are shown on the pages of their races alone."""

    list_display = ("id", "host", "ruleset", "difficulty", "best_of", "made_at", "starts_at", "ended_at")
    list_filter = ("ruleset", "best_of", ("ended_at", admin.EmptyFieldListFilter))
    list_select_related = ("host",)
    search_fields = ("=id", "members__player__name")
    fields = (
        *("maker", "host", "ruleset", "difficulty", "chosen", "invite_code", "most", "best_of"),
        *("made_at", "starts_at", "ended_at", "rematch", "results"),
    )
    inlines = (MemberInline, RoundInline)

    @admin.display(boolean=True, description=gettext_lazy("chosen cards"))
    def chosen(self, sprint: Sprint) -> bool:
        return bool(sprint.deal)

    @admin.display(description=gettext_lazy("results"))
    def results(self, sprint: Sprint) -> SafeString:
        """Who is where in each round: the rank, how it ended, and the attempt."""
        rows = [
            (played["number"], row["rank"] or "-", row["player"], row["state"], row["replay"] or "-")
            for played in describe_sprint(sprint.pk, None)["rounds"]
            for row in sorted(played["players"], key=lambda row: (row["rank"] is None, row["rank"]))
        ]
        return format_html_join("\n", "<div>round {}, rank {}: {}, {}, attempt {}</div>", rows)
