"""What allauth asks of a site: its sentences, its mail, its QR code."""

import logging
from threading import Thread
from typing import Any

import qrcode
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from qrcode.image.svg import SvgPathImage

from games import log_ins, throttles

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
# what is mailed to the player whose account it is
NOTICES = {
    "account/email/password_changed": gettext_noop("The password has been changed."),
    "account/email/password_reset": gettext_noop("A new password has been set with a link that was sent by mail."),
    "account/email/email_changed": gettext_noop(
        "The e-mail address has been changed; nothing more is sent to this one."
    ),
    "account/email/email_deleted": gettext_noop("The e-mail address has been removed."),
    "account/email/token_given": gettext_noop("An app has been given a token: %(app)s"),
    "mfa/email/totp_activated": gettext_noop("Two-factor log-in is on."),
    "mfa/email/totp_deactivated": gettext_noop("Two-factor log-in is off."),
    "mfa/email/recovery_codes_generated": gettext_noop(
        "There are new recovery codes; the old ones do nothing any more."
    ),
}
SENDING = "sending a notice"
NOTICE_SECONDS = 3.0  # so long a page waits for a notice to be sent; it goes on without it


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

    def send_notification_mail(
        self,
        template_prefix: str,
        user: Any,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Mail of what has happened to an account, where the organiser has set up mail and the player an address.

        What has happened stays so, whether the mail can be sent or not.
        """
        email = email or EmailAddress.objects.get_primary_email(user)
        sentence = NOTICES.get(template_prefix)
        if not (settings.ACCOUNT_EMAIL_NOTIFICATIONS and email and sentence):
            return
        if throttles.take("mail", email, settings.LIMITS["mail"]) is not None:  # nobody's address is flooded
            return
        said = {"sentence": gettext(sentence) % (context or {}), "player": user, "now": timezone.now()}
        link = self.request.build_absolute_uri(reverse("account_reset_password"))
        mail = self.render_mail("account/email/notice", email, said | {"link": link})
        sending = Thread(target=_send, args=[mail], name=SENDING, daemon=True)
        sending.start()
        sending.join(NOTICE_SECONDS)

    def post_login(self, request: HttpRequest, user: Any, **more: Any) -> HttpResponse:
        log_ins.remember(request, user)
        return super().post_login(request, user, **more)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")


def _send(mail: EmailMessage) -> None:
    try:
        mail.send()
    except OSError as error:
        logger.warning("No mail was sent: %s", error)


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"]
    }

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user)

    def build_totp_svg(self, url: str) -> str:
        """The drawing alone, to stand in the page: from a data: address the pages' security policy would refuse it."""
        return qrcode.make(url, image_factory=SvgPathImage, border=2).to_string(encoding="unicode")
