"""Races, results and boards in the admin.

Races are made here and withdrawn, results are released and voided; what was played is not edited. Cards of a race to
come are hidden here, too: staff play as well.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from games.admin import AttemptAdmin, DealAdmin, ReadOnlyAdmin
from games.engine.errors import CodeError
from games.engine.rulesets import RULESETS
from games.errors import Problem
from games.models import Attempt, Deal, read_deal
from games.rest import translate
from leaderboard import moderating, races, racing
from leaderboard.actions import read_clock
from leaderboard.models import Board, Entry, Race, Standing


def in_play(order: str) -> Exists:
    """Whether cards in the order of a field are in a race that is to come or can be entered: no staff is shown them."""
    live = Race.objects.filter(closes_at__gt=read_clock(), withdrawn_at=None)
    return Exists(live.filter(deal__order=OuterRef(order)))


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin):
    """Boards; not those of cards in play."""

    list_display = ("id", "kind", "ruleset", "deal", "race", "period", "clock", "order")
    list_filter = ("kind", "ruleset", "clock", "order")
    list_select_related = ("deal", "race")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        return super().get_queryset(request).exclude(in_play("deal__order"))


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    """Standings; not on the boards of cards in play."""

    list_display = ("board", "player", "attempt", "key1", "key2", "key3", "ended_at")
    list_select_related = ("board__deal", "board__race", "player", "attempt__player", "attempt__deal")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Standing]:
        return super().get_queryset(request).exclude(in_play("board__deal__order"))


# Deals and results

admin.site.unregister((Deal, Attempt))


@admin.register(Deal)
class ShownDealAdmin(DealAdmin):
    """Deals; not those of cards in play."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Deal]:
        return super().get_queryset(request).exclude(in_play("order"))


@admin.register(Attempt)
class ModeratedAttemptAdmin(AttemptAdmin):
    """Attempts; those that stand outside the ranks are looked at here, and released or voided.

    Of cards in play neither deal nor moves are shown.
    """

    list_display = ("id", "player", "ruleset", *AttemptAdmin.list_display[3:], "held", "voided_at")  # type: ignore[assignment]
    list_filter = (*AttemptAdmin.list_filter, "held", ("voided_at", admin.EmptyFieldListFilter))  # type: ignore[assignment]
    actions = ("release", "void", "restore")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        fields = list(super().get_fields(request, obj))
        if obj is not None and Attempt.objects.filter(in_play("deal__order"), pk=obj.pk).exists():
            fields = [name for name in fields if name not in ("deal", "moves", "times", "digest")]
        return fields

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("games.change_attempt")

    @admin.action(permissions=["moderate"], description=gettext_lazy("Release held results: they stand in the ranks"))
    def release(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._moderate(request, chosen, moderating.release, "Released.")

    @admin.action(permissions=["moderate"], description=gettext_lazy("Void results: they count for nothing"))
    def void(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._moderate(request, chosen, moderating.void, "Voided.")

    @admin.action(permissions=["moderate"], description=gettext_lazy("Let void results count again"))
    def restore(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._moderate(request, chosen, moderating.restore, "Restored.")

    def _moderate(
        self, request: HttpRequest, chosen: QuerySet[Attempt], change: Callable[..., bool], record: str
    ) -> None:
        changed = [attempt for attempt in chosen if change(attempt=attempt)]
        for attempt in changed:
            self.log_change(request, attempt, record)
        self.message_user(request, gettext("%(count)s results changed.") % {"count": len(changed)}, messages.SUCCESS)


# Races


class RaceForm(forms.ModelForm):
    """A new race, with cards that the server deals or, by a code, with chosen ones."""

    ruleset = forms.ChoiceField(choices=[(letter, f"{letter} {rules.slug}") for letter, rules in RULESETS.items()])
    code = forms.CharField(required=False, help_text="A deal code; without one the server deals unknown cards.")

    class Meta:
        model = Race
        fields = ("name", "invite_code", "opens_at", "closes_at")

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        try:
            if "opens_at" in fields and "closes_at" in fields:
                racing.check_window(read_clock(), fields["opens_at"], fields["closes_at"])
            fields["cards"] = read_deal(fields["code"]) if fields.get("code") else None
        except Problem as problem:
            raise ValidationError({problem.where or "__all__": translate(problem)}) from None
        except CodeError as error:
            raise ValidationError({"code": translate(error)}) from None
        if fields["cards"] and fields["cards"].ruleset.letter != fields.get("ruleset"):
            raise ValidationError({"code": gettext("This is a deal of another ruleset.")})
        return fields


@admin.register(Race)
class RaceAdmin(admin.ModelAdmin):
    """Races. Their cards are shown here once nobody can enter any more."""

    list_display = (
        "id",
        "kind",
        "ruleset",
        "day",
        "name",
        "phase",
        "opens_at",
        "closes_at",
        "committed",
        "withdrawn_at",
    )
    list_filter = ("kind", "ruleset", "committed", ("withdrawn_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "=day")
    readonly = (
        *("id", "kind", "ruleset", "day", "host", "opens_at", "closes_at", "phase", "code", "commitment", "minted_at"),
        *("committed", "withdrawn_at", "withdrawn_because"),
    )
    actions = ("withdraw",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("name", "ruleset", "code", "opens_at", "closes_at", "invite_code")
        return ("name", "invite_code", *self.readonly)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.readonly if obj else ()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **more: Any) -> Any:
        return super().get_form(request, obj, change, **more | ({} if obj else {"form": RaceForm}))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leaderboard.change_race")

    @admin.display()
    def phase(self, race: Race) -> str:
        return races.phase(read_clock(), race.opens_at, race.closes_at)

    @admin.display()
    def code(self, race: Race) -> str:
        return race.code if race.closes_at <= read_clock() else "-"

    @admin.action(
        permissions=["withdraw"],
        description=gettext_lazy("Withdraw races whose cards are known: nobody enters, a daily is minted again"),
    )
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Race]) -> None:
        for race in chosen.filter(withdrawn_at=None):
            racing.withdraw_race(race=race, because="The cards were known.")
            self.log_change(request, race, "Withdrawn.")

    def save_model(self, request: HttpRequest, obj: Race, form: Any, change: bool) -> None:
        if change:
            Race.objects.filter(pk=obj.pk).update(name=obj.name, invite_code=obj.invite_code)
            return
        fields = form.cleaned_data
        made = racing.create_race(
            host=request.user,  # type: ignore[arg-type]
            name=fields["name"],
            deal=fields["cards"] or RULESETS[fields["ruleset"]],
            opens_at=fields["opens_at"],
            closes_at=fields["closes_at"],
            invite_code=fields["invite_code"],
        )
        obj.pk, obj.kind = made.pk, made.kind


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("race", "player", "ranked", "unranked_because", "attempt_id")
    list_filter = ("ranked", "race__kind")
    list_select_related = ("race", "player")
    search_fields = ("=race__id", "player__name")
    fields = ("race", "player", "ranked", "unranked_because", "attempt_id")
