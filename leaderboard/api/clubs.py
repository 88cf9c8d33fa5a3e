"""REST: following players, and clubs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field
from games.models import Player
from games.rest import StrictCharField, StrictSerializer, check_fields, check_title, read_caller, read_fields
from games.schema import SIGNED_IN
from leaderboard import clubs
from leaderboard.models import Club, Follow, Membership
from leaderboard.people import find_player
from leaderboard.periods import write_moment


class FollowedAnswer(serializers.Serializer[Any]):
    player = field()
    since = field(serializers.DateTimeField)


class FollowingAnswer(serializers.Serializer[Any]):
    """Whom one follows, and who follows one, by name."""

    following = FollowedAnswer(many=True)
    followers = FollowedAnswer(many=True)


class MemberAnswer(serializers.Serializer[Any]):
    player = field()
    role = field(help_text="owner, manager or member")
    since = field(serializers.DateTimeField)


class ClubAnswer(serializers.Serializer[Any]):
    id = field(serializers.IntegerField)
    name = field()
    role = field(help_text="One's own: owner, manager or member.")
    invite_code = field(allow_null=True, help_text="Who has it may join; for the owner and the managers.")
    members = MemberAnswer(many=True)


class ClubsAnswer(serializers.Serializer[Any]):
    rows = ClubAnswer(many=True)


class NewClub(StrictSerializer):
    name = StrictCharField(min_length=2, max_length=40, validators=[check_title], help_text="2 to 40 characters.")


class JoinBody(StrictSerializer):
    invite_code = StrictCharField(max_length=32, help_text="From one of the club's managers.")


class RoleBody(StrictSerializer):
    role = serializers.ChoiceField(
        [Membership.OWNER, Membership.MANAGER, Membership.MEMBER], help_text="owner: the club is handed over."
    )


# Following


@extend_schema(methods=["PUT"], request=None, responses={204: None}, auth=SIGNED_IN, summary="Follow a player")
@extend_schema(methods=["DELETE"], responses={204: None}, auth=SIGNED_IN, summary="Follow no more")
@api_view(["PUT", "DELETE"])
def follow_player(request: Request, name: str) -> Response:
    """Whom one follows stands on the boards with `among=friends`."""
    player, other = read_caller(request), find_player(name)
    if request.method == "PUT":
        clubs.follow(player=player, other=other)
    else:
        clubs.unfollow(player=player, other=other)
    return Response(status=204)


@extend_schema(responses=FollowingAnswer, summary="Whom I follow")
@api_view(["GET"])
def list_following(request: Request) -> Response:
    """Whom one follows, and who follows one."""
    check_fields(request.query_params, ())
    player = read_caller(request)
    following = Follow.objects.filter(follower=player, followed__is_active=True)
    followers = Follow.objects.filter(followed=player, follower__is_active=True)
    return Response(
        {
            "following": _describe_follows(following.values_list("followed__name", "since")),
            "followers": _describe_follows(followers.values_list("follower__name", "since")),
        }
    )


def _describe_follows(rows: Any) -> list[dict[str, str]]:
    return [{"player": name, "since": write_moment(since)} for name, since in sorted(rows)]


# Clubs


@extend_schema(operation_id="clubs_list", methods=["GET"], responses=ClubsAnswer, summary="My clubs")
@extend_schema(methods=["POST"], request=NewClub, responses={201: ClubAnswer}, summary="Make a club")
@api_view(["GET", "POST"])
def list_clubs(request: Request) -> Response:
    """The clubs that one is in; making one, and so being its owner."""
    player = read_caller(request)
    if request.method == "POST":
        club = clubs.make_club(owner=player, name=read_fields(NewClub, request.data)["name"])
        return Response(_describe_club(club, player), status=201)
    check_fields(request.query_params, ())
    found = Club.objects.filter(memberships__player=player).order_by("name", "id")
    return Response({"rows": [_describe_club(club, player) for club in found]})


@extend_schema(request=JoinBody, responses=ClubAnswer, summary="Join a club")
@api_view(["POST"])
def join_club(request: Request) -> Response:
    """Become a member, with the invite code."""
    player = read_caller(request)
    club = clubs.join(player=player, invite_code=read_fields(JoinBody, request.data)["invite_code"])
    return Response(_describe_club(club, player))


@extend_schema(methods=["GET"], responses=ClubAnswer, summary="A club")
@extend_schema(methods=["DELETE"], responses={204: None}, summary="Dissolve a club")
@api_view(["GET", "DELETE"])
def show_club(request: Request, club: int) -> Response:
    """A club of one's own. Its boards are those of everybody with `among=club:ID`, for its members."""
    player = read_caller(request)
    if request.method == "DELETE":
        clubs.dissolve(by=player, club=club)
        return Response(status=204)
    return Response(_describe_club(clubs.find_membership(player, club).club, player))


@extend_schema(request=None, responses=ClubAnswer, summary="A new invite code")
@api_view(["POST"])
def change_code(request: Request, club: int) -> Response:
    """Another invite code; with the old one nobody joins any more."""
    check_fields(request.data, ())
    player = read_caller(request)
    return Response(_describe_club(clubs.change_code(by=player, club=club), player))


@extend_schema(methods=["PUT"], request=RoleBody, responses=ClubAnswer, summary="Give a member a role")
@extend_schema(methods=["DELETE"], responses={204: None}, summary="Leave a club, or remove a member")
@api_view(["PUT", "DELETE"])
def change_member(request: Request, club: int, name: str) -> Response:
    """The owner makes managers and hands the club over; managers remove members; everybody may leave (`me`)."""
    player = read_caller(request)
    member = player if name == "me" else find_player(name)
    if request.method == "DELETE":
        clubs.remove_member(by=player, club=club, member=member)
        return Response(status=204)
    clubs.set_role(by=player, club=club, member=member, role=read_fields(RoleBody, request.data)["role"])
    return Response(_describe_club(clubs.find_membership(player, club).club, player))


def _describe_club(club: Club, viewer: Player) -> dict[str, Any]:
    members = club.memberships.select_related("player").order_by("player__name")
    own = next((member for member in members if member.player_id == viewer.pk), None)
    if own is None:  # removed a moment ago
        raise clubs.no_such_club()
    return {
        "id": club.pk,
        "name": club.name,
        "role": own.role,
        "invite_code": club.invite_code if own.role in clubs.MANAGERS else None,
        "members": [
            {
                "player": member.player.name,
                "role": member.role,
                "since": write_moment(member.since),
            }
            for member in members
            if member.player.is_active
        ],
    }
