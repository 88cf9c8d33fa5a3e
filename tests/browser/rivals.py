"""Players to compare, for the pages that do: on the boards of a ruleset that no other test plays."""

from datetime import timedelta

from games.engine.deal import Deal
from leaderboard import clubs
from leaderboard.actions import read_clock
from tests.dailies import mint_seed, today
from tests.players import make_player, make_players, place
from tests.sprints import give_ratings

RULESET = "D"
ADA, WIDE = "Rival Ada", "W" * 24
PASSWORD = "correct horse battery"
CLUB = "Die Pyramidenfreunde von Gizeh"


def fill() -> None:
    """Seventy-two players have won; two have a password, are in a club, and met on twelve deals and in sprints."""
    ada, wide = make_player(ADA), make_player(WIDE)
    for number, player in enumerate(make_players(70)):
        place(player, 20_000 + 1700 * number, 20 + number % 7, deal=Deal.from_seed(RULESET, number))
    for number in range(12):
        for player in (ada, wide):
            ended_at = read_clock() - timedelta(days=number)
            deal = Deal.from_seed(RULESET, number)
            place(player, 130_000 + 5000 * number + player.pk, 30 + number, deal=deal, ended_at=ended_at)
    for back in (1, 2):
        mint_seed(back, day=today() - timedelta(days=back))
    for player in (ada, wide):
        player.set_password(PASSWORD)
        player.save()
    give_ratings(RULESET, *[(ada, wide), (wide, ada)] * 6)
    give_ratings("A", *[(wide, ada)] * 2)
    club = clubs.make_club(owner=ada, name=CLUB)
    clubs.join(player=wide, invite_code=club.invite_code)
    clubs.follow(player=ada, other=wide)
