"""Players, deals and attempts in the admin. What a game was is not edited: only looked at."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from games.models import Attempt, Deal, Player


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the game writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):
    list_display = ("name", "joined_at", "is_active", "is_staff")
    search_fields = ("name", "name_key")
    fields = ("name", "email", "is_active", "is_staff", "is_superuser", "groups", "joined_at", "last_login")
    readonly_fields = ("name", "joined_at", "last_login")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Deal)
class DealAdmin(ReadOnlyAdmin):
    list_display = ("code", "ruleset", "verdict", "par", "par_proven", "difficulty", "pooled")
    list_filter = ("ruleset", "verdict", "difficulty", "pooled")
    search_fields = ("seed", "order")


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "deal", "ranked", "clock", "started_at", "end", "official_ms", "counted_moves")
    list_filter = ("ruleset", "ranked", "clock", "end")
    list_select_related = ("player", "deal")
    search_fields = ("=id", "player__name")
