"""The account pages: allauth's views, with our forms and headings, for players and guests as there are here."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account import views as account
from allauth.account.adapter import get_adapter
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView
from knox.models import AuthToken

from games import log_ins, throttles, tokens
from games.accounts import forms
from games.errors import Problem
from games.models import Player
from games.rest import translate
from games.scopes import SCOPES

View = Callable[..., HttpResponseBase]


def for_players(view: View) -> View:
    """For who has signed up: others are sent to where they can log in or sign up, and come back."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if request.user.guest:
            return redirect(f"{reverse('account_signup')}?{urlencode({'next': request.get_full_path()})}")
        return view(request, *args, **kwargs)

    return guarded


class AccountView(TemplateView):
    """Who plays, and the way to all that can be changed of it."""

    heading = _("Account")
    template_name = "account/account.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        back = get_next_redirect_url(self.request)  # None for an address elsewhere
        return super().get_context_data(**more) | {
            "two_factor": is_mfa_enabled(self.request.user),
            "back": back,
            "passed_on": f"?{urlencode({'next': back})}" if back else "",
        }


class Counted:
    """What is posted to a form counts against a limit, by the client's address."""

    limit: str

    def count(self, request: HttpRequest) -> None:
        throttles.count(self.limit, throttles.address(request))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            self.count(request)
            return super().post(request, *args, **kwargs)  # type: ignore[misc]
        except Problem as problem:
            return self._give_back(problem)

    def _give_back(self: Any, problem: Problem) -> HttpResponse:
        """The form with what was typed, but for passwords, which their fields never show. Nothing of it is checked."""
        fields = self.get_form_kwargs()
        typed, _files = fields.pop("data"), fields.pop("files")
        form = self.get_form_class()(**fields | {"initial": fields["initial"] | typed.dict()})
        context = self.get_context_data(form=form, refused=translate(problem))
        return _tell_wait(self.render_to_response(context), problem)


def _tell_wait(answer: HttpResponse, problem: Problem) -> HttpResponse:
    answer.status_code, answer["Retry-After"] = problem.status, str(problem.params["seconds"])
    return answer


class SendOn:
    """Guests may log in and sign up; who has is sent on."""

    request: HttpRequest
    get_authenticated_redirect_url: Callable[[], str]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and not request.user.guest:
            return redirect(self.get_authenticated_redirect_url())
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc]


class LogInView(Counted, SendOn, account.LoginView):
    heading = button = _("Log in")
    form_class = forms.LogInForm

    def count(self, request: HttpRequest) -> None:
        log_ins.count_try(request, request.POST.get("login", ""))

    def form_valid(self, form: Any) -> HttpResponse:
        logout(self.request)  # the guest that this browser played as: a second factor is asked of nobody else
        return super().form_valid(form)


class SignUpView(Counted, SendOn, account.SignupView):
    limit = "sign_up"
    heading = button = _("Sign up")
    form_class = forms.SignUpForm

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except Problem as problem:
            form.add_error("name", translate(problem))
            return self.form_invalid(form)


class LogOutView(account.LogoutView):
    heading = button = _("Log out")


# Passwords


class PasswordView(Counted, account.PasswordChangeView):
    heading = button = _("Change the password")
    limit = "log_in"  # it asks for the password, too
    form_class = forms.PasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)  # other sessions end by themselves
        keep_apps = form.cleaned_data.get("keep_apps", False)
        tokens.end_all(player=form.user, but_apps=keep_apps)
        if keep_apps:
            messages.info(self.request, gettext("Apps keep their tokens."))
        return response


class ForgottenView(Counted, account.PasswordResetView):
    heading = _("Password forgotten?")
    button = _("Send the mail")
    limit = "mail"
    form_class = forms.ForgottenForm

    def form_valid(self, form: Any) -> HttpResponse:
        throttles.count("mail", form.cleaned_data["email"])  # nor does one address get many, whoever asks
        return super().form_valid(form)


class ForgottenSentView(account.PasswordResetDoneView):
    heading = _("The mail is on its way")


class NewPasswordView(account.PasswordResetFromKeyView):
    heading = button = _("Set a new password")
    form_class = forms.NewPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)  # sessions end by themselves
        tokens.end_all(player=self.reset_user)
        return response


class NewPasswordDoneView(account.PasswordResetFromKeyDoneView):
    heading = _("The new password is set")


# Two-factor


class ConfirmView(Counted, account.ReauthenticateView):
    heading = _("Your password, please")
    button = _("Continue")
    limit = "log_in"
    form_class = forms.ConfirmForm


class ConfirmByCodeView(mfa.ReauthenticateView):
    heading = _("A code, please")
    button = _("Continue")
    form_class = forms.ConfirmByCodeForm


class CodeView(mfa.AuthenticateView):
    heading = _("A code, please")
    button = _("Log in")
    form_class = forms.CodeForm


class TwoFactorView(mfa.IndexView):
    heading = _("Two-factor log-in")


class TwoFactorOnView(totp.ActivateTOTPView):
    heading = _("Two-factor log-in")
    button = _("Turn on")
    form_class = forms.AuthenticatorForm


class TwoFactorOffView(totp.DeactivateTOTPView):
    heading = _("Turn two-factor log-in off")
    button = _("Turn off")


class RecoveryCodesView(codes.ViewRecoveryCodesView):
    heading = _("Recovery codes")


class NewRecoveryCodesView(codes.GenerateRecoveryCodesView):
    heading = button = _("New recovery codes")


# Addresses and sessions


class EmailView(Counted, account.EmailView):
    heading = _("E-mail address")
    button = _("Send a link to confirm it")
    limit = "mail"
    form_class = forms.EmailForm


class ConfirmEmailView(account.ConfirmEmailView):
    heading = _("Confirm the e-mail address")
    button = _("Confirm")


class SessionsView(ListUserSessionsView):
    """Where this player is logged in. A POST ends the session of that number, or all others and all API tokens."""

    heading = _("Where you are logged in")

    def form_valid(self, form: Any) -> HttpResponse:
        number = self.request.POST.get("session", "")
        if not number:
            tokens.end_all(player=self.request.user)
            form.save(self.request)
        elif number.isascii() and number.isdigit():
            for session in UserSession.objects.filter(user=self.request.user, pk=number[:18]):
                session.end()
        return redirect("usersessions_list")

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        UserSession.objects.create_from_request(self.request)  # this one may have begun as a guest's
        context = super().get_context_data(**more)
        for session in context["sessions"]:
            session.browser = tell_browser(session.user_agent)
        tokens = AuthToken.objects.filter(user=self.request.user, expiry__gt=timezone.now())
        return context | {"tokens": tokens.count()}


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac": "macOS",
    "Linux": "Linux",
}


def tell_browser(agent: str) -> str:
    """What a browser says of itself, for a person: Firefox, Windows. The first word of what is not known."""
    names = [next((name for mark, name in of.items() if mark in agent), "") for of in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, names)) or agent.partition("/")[0] or "–"


# Apps


def tell_of_token(player: Player, app: str) -> None:
    get_adapter().send_notification_mail("account/email/token_given", player, {"app": app})


@for_players
def show_tokens(request: HttpRequest) -> HttpResponse:
    """The tokens that the player has given to apps; giving one, whose text is shown this once, and taking one back."""
    player: Any = request.user
    form, text = forms.TokenForm(request.POST or None), ""
    if request.method == "POST" and "end" in request.POST:
        tokens.end_token(player=player, digest=request.POST["end"].replace("\0", ""))
        return redirect("account_tokens")
    if request.method == "POST" and form.is_valid():
        try:
            _token, text = tokens.give_token(player=player, **form.cleaned_data)
            tell_of_token(player, form.cleaned_data["name"])
            form = forms.TokenForm()
        except Problem as problem:
            form.add_error(None, translate(problem))
    given = AuthToken.objects.filter(user=player, given__isnull=False).select_related("given").order_by("-created")
    rows = [(row, [gettext(SCOPES[scope]) for scope in row.given.scopes]) for row in given]
    context = {"form": form, "rows": rows, "text": text, "view": {"heading": gettext("Tokens for apps")}}
    return render(request, "account/tokens.html", context)


@for_players
def answer_device(request: HttpRequest) -> HttpResponse:
    """An app shows a code: who types it is told what the app wants, and lets it in or not."""
    code = request.POST.get("code") or request.GET.get("code", "")
    player: Any = request.user
    context: dict[str, Any] = {"code": code, "view": {"heading": gettext("Let an app in")}}
    refused: Problem | None = None
    try:
        if request.method == "POST":
            throttles.count("code", player.pk)
            grant = tokens.find_grant(code)
            if request.POST.get("answer") in ("allow", "refuse"):
                allow = request.POST["answer"] == "allow"
                tokens.answer(player=player, user_code=code, allow=allow)
                if allow:
                    tell_of_token(player, grant.name)
                context["done"] = "allowed" if allow else "refused"
            context |= {"grant": grant, "wants": [gettext(SCOPES[scope]) for scope in grant.scopes]}
    except Problem as problem:
        refused, context["error"] = problem, translate(problem)
    answer = render(request, "account/device.html", context, status=400 if refused else 200)
    return _tell_wait(answer, refused) if refused and refused.status == 429 else answer
