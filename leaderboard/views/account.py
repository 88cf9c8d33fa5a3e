"""The pages of an account that know of rivals: another name, reports and decisions, the end of the account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.generic import FormView, TemplateView

from games.accounts.views import Counted
from games.errors import Problem
from games.models import Player
from games.rest import translate
from leaderboard import people
from leaderboard.models import Report, Ruling

LISTED = 200
OUTCOMES = {
    "": gettext_noop("Nobody has looked yet."),
    Report.UPHELD: gettext_noop("You were right."),
    Report.DISMISSED: gettext_noop("Nothing was wrong."),
}
RULINGS = {
    Ruling.HOLD: gettext_noop("A result stands outside the ranks until it has been looked at."),
    Ruling.RELEASE: gettext_noop("A result stands in the ranks again."),
    Ruling.VOID: gettext_noop("A result counts for nothing."),
    Ruling.RESTORE: gettext_noop("A result counts again."),
    Ruling.BAN: gettext_noop("You were shut out."),
    Ruling.UNBAN: gettext_noop("You may play again."),
}


class NameForm(forms.Form):
    name = forms.CharField(
        label=_("New name"),
        max_length=200,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )


class PasswordForm(forms.Form):
    password = forms.CharField(
        label=_("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )


class _Changing(FormView):
    """A form that changes the player who sends it; what is refused is said beside its field."""

    request: HttpRequest
    success_url = reverse_lazy("account")

    @property
    def player(self) -> Player:
        assert isinstance(self.request.user, Player)
        return self.request.user

    def change(self, fields: dict[str, Any]) -> None:
        raise NotImplementedError

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            self.change(form.cleaned_data)
        except Problem as problem:
            form.add_error(problem.where if problem.where in form.fields else None, translate(problem))
            return self.form_invalid(form)
        return redirect(self.get_success_url())


class NameView(_Changing):
    heading = button = _("Change the name")
    template_name = "leaderboard/account_name.html"
    form_class = NameForm

    def change(self, fields: dict[str, Any]) -> None:
        renamed = people.rename(player=self.player, name=fields["name"])
        messages.success(self.request, gettext("You are %(name)s now.") % {"name": renamed.name})


class DeleteView(Counted, _Changing):
    heading = _("Delete the account")
    button = _("Delete the account for ever")
    limit = "log_in"  # it asks for the password, too
    template_name = "leaderboard/account_delete.html"
    form_class = PasswordForm

    def change(self, fields: dict[str, Any]) -> None:
        people.delete_account(player=self.player, password=fields["password"])
        logout(self.request)
        messages.success(self.request, gettext("Your account is deleted. Your games stay, without your name."))


class ReportsView(TemplateView):
    """What one has reported and what came of it; what moderators decided about one's own results."""

    heading = _("Reports and decisions")
    template_name = "leaderboard/account_reports.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        player = self.request.user
        assert isinstance(player, Player)
        reports = player.reports.select_related("player").order_by("-id")[:LISTED]
        rulings = player.rulings.order_by("-id")[:LISTED]
        return super().get_context_data(**more) | {
            "reports": [
                {"report": row, "outcome": gettext(OUTCOMES[row.outcome]), "is_hidden": not row.player.is_active}
                for row in reports
            ],
            "rulings": [{"ruling": row, "what": gettext(RULINGS[row.what])} for row in rulings],
        }
