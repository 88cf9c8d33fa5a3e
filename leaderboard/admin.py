"""Boards and standings in the admin: looked at, never edited."""

from django.contrib import admin

from games.admin import ReadOnlyAdmin
from leaderboard.models import Board, Standing


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "ruleset", "deal", "clock", "order")
    list_filter = ("kind", "ruleset", "clock", "order")
    list_select_related = ("deal",)


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = ("board", "player", "attempt", "key1", "key2", "key3", "ended_at")
    list_select_related = ("board__deal", "player", "attempt__player", "attempt__deal")
    show_full_result_count = False
