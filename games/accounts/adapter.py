"""What allauth asks of a site: its sentences, its mail, its QR code."""

import logging
from typing import Any

import qrcode
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from qrcode.image.svg import SvgPathImage

logger = logging.getLogger(__name__)

NOT_SENT = gettext_noop("The mail could not be sent. Please try again later.")
# what is said on the next page; of all else the page itself says enough
MESSAGES = {
    "account/messages/password_changed.txt": gettext_noop("The password has been changed."),
    "account/messages/email_confirmation_sent.txt": gettext_noop("A link to confirm the address is on its way to it."),
    "account/messages/email_confirmed.txt": gettext_noop("The e-mail address is confirmed."),
    "account/messages/email_deleted.txt": gettext_noop("The e-mail address has been removed."),
    "mfa/messages/totp_activated.txt": gettext_noop("Two-factor log-in is on."),
    "mfa/messages/totp_deactivated.txt": gettext_noop("Two-factor log-in is off."),
}


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("There is no player with this name and password."),
        "enter_current_password": _("This is not your password."),
        "incorrect_password": _("This is not your password."),
        "incorrect_code": _("This code is not right, or was used before."),
    }

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        if message_template in MESSAGES:
            message = gettext(MESSAGES[message_template])
        if message:
            messages.add_message(request, level, message, extra_tags)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A mail server that is away must not keep anybody from signing up."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError as error:  # smtplib's errors are some
            logger.warning("No mail was sent: %s", error)
            messages.error(self.request, gettext(NOT_SENT))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"]
    }

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user)

    def build_totp_svg(self, url: str) -> str:
        """The drawing alone, to stand in the page: from a data: address the pages' security policy would refuse it."""
        return qrcode.make(url, image_factory=SvgPathImage, border=2).to_string(encoding="unicode")
