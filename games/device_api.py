"""REST: how an app gets a token without seeing a password (RFC 8628)."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles, tokens
from games.api import TokenAnswer, api_view, field, write_token
from games.rest import StrictCharField, StrictSerializer, check_title, public, read_fields
from games.scopes import SCOPES


class NewDevice(StrictSerializer):
    """An app that a player is to let in."""

    name = StrictCharField(
        min_length=2, max_length=40, validators=[check_title], help_text="The app's, for the player to read."
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(list(SCOPES)), min_length=1, help_text="What it wants to do: play, races, people."
    )


class DeviceAnswer(serializers.Serializer[Any]):
    device_code = field(help_text="The app's secret, for `device/token/`.")
    user_code = field(help_text="To be shown to the player, with the address.")
    verification_uri = field(help_text="Where the player types the code.")
    verification_uri_complete = field(help_text="The same with the code, for a link or a QR code.")
    expires_in = field(serializers.IntegerField, "Seconds.")
    interval = field(serializers.IntegerField, "Seconds between two calls of `device/token/`.")


class DeviceBody(StrictSerializer):
    device_code = StrictCharField(max_length=100)


@extend_schema(request=NewDevice, responses={201: DeviceAnswer}, summary="Ask for a token")
@api_view(["POST"])
@public
def ask_for_token(request: Request) -> Response:
    """For apps, which so never see a password: show the player the code and the address, then ask `device/token/`.

    The token may do what its scopes say and read; it lasts a year, and the player can end it.
    """
    fields = read_fields(NewDevice, request.data)
    throttles.count("device", throttles.address(request))
    asked = tokens.ask(name=fields["name"], scopes=sorted(set(fields["scopes"])))
    shown = f"{asked.user_code[:4]}-{asked.user_code[4:]}"
    address = request.build_absolute_uri(reverse("account_device"))
    return Response(
        {
            "device_code": asked.device_code,
            "user_code": shown,
            "verification_uri": address,
            "verification_uri_complete": f"{address}?code={shown}",
            "expires_in": tokens.GRANT_SECONDS,
            "interval": tokens.POLL_SECONDS,
        },
        status=201,
    )


@extend_schema(request=DeviceBody, responses={201: TokenAnswer}, summary="The token that was asked for")
@api_view(["POST"])
@public
def take_token(request: Request) -> Response:
    """400 `authorization_pending` or `slow_down` until the player has answered, then the token, once."""
    stored, text = tokens.take(**read_fields(DeviceBody, request.data))
    return write_token(stored, text)
