"""The forms of the account pages: allauth's, with our words, and our own for signing up."""

from typing import Any

from allauth.account import forms as account
from allauth.account.utils import setup_user_email
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.http import HttpRequest
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from games import actions, tokens
from games.errors import Problem
from games.models import Player
from games.names import MAX_LENGTH, clean_name
from games.rest import translate
from games.scopes import SCOPES
from games.second_factor import find_authenticator

LABELS = {
    "login": _("Name"),
    "email": _("E-mail address"),
    "oldpassword": _("Present password"),
    "password": _("Password"),
    "password1": _("New password"),
    "password2": _("New password, again"),
    "code": _("Code"),
    "keep_apps": _("Let apps keep their tokens"),
}
PASSWORD_HELP = lazy(lambda: " ".join(password_validators_help_texts()), str)()
LONGEST_WRITING = 200  # of a name: it need not be written as it is stored


class Worded:
    """Our labels, and no placeholder that says the same once more."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS[name]
            field.widget.attrs.pop("placeholder", None)
            field.help_text = PASSWORD_HELP if name == "password1" else ""


class LogInForm(Worded, account.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name: Any = self.fields["login"]
        name.max_length = name.widget.attrs["maxlength"] = LONGEST_WRITING
        name.validators = [check for check in name.validators if not hasattr(check, "limit_value")]


class SignUpForm(forms.Form):
    """A new player, or a guest that becomes one and keeps its games."""

    name = forms.CharField(
        label=_("Name"), max_length=LONGEST_WRITING, widget=forms.TextInput({"autocomplete": "username"}), strip=False
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=PASSWORD_HELP,
        validators=[validate_password],
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        required=False,
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "email"}),
        help_text=_(
            "May be left empty. It is for a forgotten password and for news of changes to your account. Nobody sees it."
        ),
    )
    by_passkey = False  # allauth asks

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].widget.attrs["maxlength"] = MAX_LENGTH

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"])
        except Problem as problem:
            raise forms.ValidationError(translate(problem)) from None

    def try_save(self, request: HttpRequest) -> tuple[Player, None]:
        """The player. Raises Problem (409) where the name is taken."""
        fields = {name: self.cleaned_data[name] for name in ("name", "password", "email")}
        if request.user.is_authenticated:
            player = actions.claim_guest(player=request.user, **fields)
        else:
            player = actions.sign_up(**fields)
        player.refresh_from_db()
        setup_user_email(request, player, [])
        return player, None


class PasswordForm(Worded, account.ChangePasswordForm):
    keep_apps = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["keep_apps"].help_text = _("Otherwise all of them end, and every app has to ask you anew.")
        if not tokens.has_apps(player=self.user):
            del self.fields["keep_apps"]


class ForgottenForm(Worded, account.ResetPasswordForm):
    pass


class NewPasswordForm(Worded, account.ResetPasswordKeyForm):
    pass


class EmailForm(Worded, account.AddEmailForm):
    pass


class ConfirmForm(Worded, account.ReauthenticateForm):
    pass


class Exact:
    """A code counts as `second_factor` has it: tries are counted, and no code is good twice, in any process."""

    user: Player
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        code = self.cleaned_data["code"]
        try:
            self.authenticator = find_authenticator(self.user, code)
        except Problem as problem:
            raise forms.ValidationError(translate(problem)) from None
        return code


class CodeForm(Exact, Worded, mfa.AuthenticateForm):
    pass


class ConfirmByCodeForm(Exact, Worded, mfa.ReauthenticateForm):
    pass


class AuthenticatorForm(Worded, ActivateTOTPForm):
    pass


class TokenForm(forms.Form):
    """A token for an app: what the app is called, and what it may do."""

    name = forms.CharField(label=_("What it is for"), min_length=2, max_length=40)
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=[(scope, _(text)) for scope, text in SCOPES.items()],
        initial=["play"],
        widget=forms.CheckboxSelectMultiple,
    )
