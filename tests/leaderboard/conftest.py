"""Players that many of these tests are about."""

import pytest

from games.models import Player
from tests.players import make_player


@pytest.fixture
def ada() -> Player:
    return make_player("Ada")


@pytest.fixture
def bob() -> Player:
    return make_player("Bob")
