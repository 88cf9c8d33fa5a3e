"""Races, results and boards in the admin.

Races are made here and withdrawn, results are released and voided; what was played is not edited. Cards of a race to
come are hidden here, too: staff play as well.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext, gettext_lazy

from games.admin import AttemptAdmin, DealAdmin, PlayerAdmin, ReadOnlyAdmin
from games.engine.errors import CodeError
from games.engine.rulesets import RULESETS
from games.errors import Problem
from games.models import Attempt, Deal, Player, read_deal
from games.rest import translate
from leaderboard import evidence, fair, races, racing, sprint_admin  # noqa: F401 (it registers itself)
from leaderboard.actions import read_clock
from leaderboard.models import Board, Entry, Race, Report, Ruling, Standing


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


class ReasonForm(ActionForm):
    """What goes with a decision."""

    because = forms.CharField(required=False, max_length=300, label=gettext_lazy("Reason"))


class BanForm(ReasonForm):
    days = forms.IntegerField(required=False, min_value=1, max_value=9999, label=gettext_lazy("Days (none: for good)"))


class QueueFilter(admin.SimpleListFilter):
    """Those that wait for a moderator: held, or reported."""

    title = gettext_lazy("queue")
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waiting", gettext("held or reported"))]

    def queryset(self, request: HttpRequest, found: QuerySet[Attempt]) -> QuerySet[Attempt]:
        return found.filter(pk__in=fair.queue().values("pk")) if self.value() else found


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
    list_filter = (QueueFilter, *AttemptAdmin.list_filter, "held", ("voided_at", admin.EmptyFieldListFilter))  # type: ignore[assignment]
    actions = ("hold", "release", "void", "restore")
    action_form = ReasonForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        fields = list(super().get_fields(request, obj))
        if obj is not None and Attempt.objects.filter(in_play("deal__order"), pk=obj.pk).exists():
            fields = [name for name in fields if name not in ("deal", "moves", "times", "digest")]
        return fields

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("games.change_attempt")

    @admin.action(permissions=["moderate"], description=gettext_lazy("Hold wins: they stand outside all ranks"))
    def hold(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._rule(request, chosen, Ruling.HOLD)

    @admin.action(permissions=["moderate"], description=gettext_lazy("Release held results: they stand in the ranks"))
    def release(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._rule(request, chosen, Ruling.RELEASE)

    @admin.action(permissions=["moderate"], description=gettext_lazy("Void results: they count for nothing"))
    def void(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._rule(request, chosen, Ruling.VOID)

    @admin.action(permissions=["moderate"], description=gettext_lazy("Let void results count again"))
    def restore(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        self._rule(request, chosen, Ruling.RESTORE)

    def _rule(self, request: HttpRequest, chosen: QuerySet[Attempt], what: str) -> None:
        because, by = request.POST.get("because", ""), request.user
        try:
            changed = [row for row in chosen if fair.rule(what=what, attempt=row, by=by, because=because)]  # type: ignore[arg-type]
        except Problem as problem:
            self.message_user(request, translate(problem), messages.ERROR)
            return
        for attempt in changed:
            self.log_change(request, attempt, f"{what}: {because}")
        self.message_user(request, gettext("%(count)s results changed.") % {"count": len(changed)}, messages.SUCCESS)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (*super().get_readonly_fields(request, obj), "evidence", "log")

    @admin.display(description=gettext_lazy("Evidence"))
    def evidence(self, attempt: Attempt) -> str:
        if Attempt.objects.filter(in_play("deal__order"), pk=attempt.pk).exists():
            return gettext("The cards are still being played.")
        rows = [(row.what, row.text, self._link(row.attempts)) for row in evidence.collect(attempt)]
        return format_html_join("", "<div><b>{}</b> {} {}</div>", rows) or "-"

    def _link(self, attempts: tuple[int, ...]) -> str:
        rows = [(reverse("admin:games_attempt_change", args=[pk]), pk) for pk in attempts]
        return format_html_join(" ", '<a href="{}">{}</a>', rows)

    @admin.display(description=gettext_lazy("Log"))
    def log(self, attempt: Attempt) -> str:
        rulings = attempt.rulings.select_related("by").order_by("id")
        reports = attempt.reports.select_related("reporter").order_by("id")
        rows = [(f"{row.made_at:%Y-%m-%d %H:%M}", row.what, row.by or "-", row.because) for row in rulings]
        rows += [(f"{row.made_at:%Y-%m-%d %H:%M}", "report", row.reporter, row.because) for row in reports]
        return format_html_join("", "<div>{} <b>{}</b> {}: {}</div>", sorted(rows)) or "-"


# Players and reports

admin.site.unregister(Player)


@admin.register(Player)
class ModeratedPlayerAdmin(PlayerAdmin):
    """Players; banned and let in again here, with a reason."""

    actions = ("ban", "unban")
    action_form = BanForm
    readonly_fields = (*PlayerAdmin.readonly_fields, "is_active", "log")  # type: ignore[assignment]
    fields = (*PlayerAdmin.fields, "log")  # type: ignore[assignment]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Who may ban gives nobody rights, and no address to mail a new password to."""
        rights = () if request.user.is_superuser else ("email", "is_staff", "is_superuser", "groups")
        return (*super().get_readonly_fields(request, obj), *rights)

    def has_ban_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("games.change_player")

    @admin.action(permissions=["ban"], description=gettext_lazy("Ban players: nothing of theirs is shown"))
    def ban(self, request: HttpRequest, chosen: QuerySet[Player]) -> None:
        days = request.POST.get("days", "").strip()
        if days and not re.fullmatch("[1-9][0-9]{0,3}", days):
            self.message_user(request, gettext("Days are a whole number above 0."), messages.ERROR)
            return
        until = read_clock() + timedelta(days=int(days)) if days else None
        self._rule(request, chosen, lambda player, **how: fair.ban(player=player, until=until, **how), "ban")

    @admin.action(permissions=["ban"], description=gettext_lazy("Lift bans: what they played counts again"))
    def unban(self, request: HttpRequest, chosen: QuerySet[Player]) -> None:
        self._rule(request, chosen, lambda player, **how: fair.unban(player=player, **how), "unban")

    def _rule(self, request: HttpRequest, chosen: QuerySet[Player], change: Callable[..., None], what: str) -> None:
        because = request.POST.get("because", "")
        for player in chosen:
            try:
                change(player, by=request.user, because=because)
            except Problem as problem:
                self.message_user(request, f"{player}: {translate(problem)}", messages.ERROR)
                continue
            self.log_change(request, player, f"{what}: {because}")
            self.message_user(request, f"{player}: {what}", messages.SUCCESS)

    @admin.display(description=gettext_lazy("Log"))
    def log(self, player: Player) -> str:
        rulings = player.rulings.select_related("by").order_by("id")
        rows = [
            (f"{row.made_at:%Y-%m-%d %H:%M}", row.what, row.attempt_id or "", row.by or "-", row.because)
            for row in rulings
        ]
        return format_html_join("", "<div>{} <b>{}</b> {} {}: {}</div>", rows) or "-"


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """What players report; answered here, and the reporter reads the answer."""

    list_display = ("made_at", "reporter", "player", "attempt_id", "because", "outcome", "answer")
    list_filter = (("outcome", admin.AllValuesFieldListFilter),)
    list_select_related = ("reporter", "player")
    search_fields = ("player__name", "=attempt__id")
    actions = ("uphold", "dismiss")
    action_form = ReasonForm

    def has_answer_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("games.change_attempt")

    @admin.action(permissions=["answer"], description=gettext_lazy("Uphold, with an answer to the reporter"))
    def uphold(self, request: HttpRequest, chosen: QuerySet[Report]) -> None:
        self._answer(request, chosen, Report.UPHELD)

    @admin.action(permissions=["answer"], description=gettext_lazy("Dismiss, with an answer to the reporter"))
    def dismiss(self, request: HttpRequest, chosen: QuerySet[Report]) -> None:
        self._answer(request, chosen, Report.DISMISSED)

    def _answer(self, request: HttpRequest, chosen: QuerySet[Report], outcome: str) -> None:
        count = fair.answer_reports(reports=chosen, outcome=outcome, answer=request.POST.get("because", "")[:300])
        self.message_user(request, gettext("%(count)s reports answered.") % {"count": count}, messages.SUCCESS)


@admin.register(Ruling)
class RulingAdmin(ReadOnlyAdmin):
    """The log of fair play."""

    list_display = ("made_at", "what", "player", "attempt_id", "because", "by", "until")
    list_filter = ("what",)
    list_select_related = ("player", "by")
    search_fields = ("player__name", "=attempt__id")


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
        return race.phase_at(read_clock())

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
