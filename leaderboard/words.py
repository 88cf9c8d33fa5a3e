"""What the pages of rivals say: the scripts' sentences by short names, beside those of the table; times as text."""

from typing import Any

from django.utils.translation import get_language, gettext, gettext_noop

from games import words

_ = gettext_noop
WORDS = {
    # how a race stands
    "opens_in": _("Opens in %(time)s"),
    "closes_in": _("Closes in %(time)s"),
    "ends_in": _("Nobody enters any more; who did plays on for %(time)s"),
    "over": _("The race is over."),
    "withdrawn": _("This race was withdrawn."),
    "days": _("%(days)s d %(time)s"),
    # the button
    "enter": _("Play"),
    "go_on": _("Go on"),
    "my_result": _("See my result"),
    # who plays
    "progress": _("%(removed)s/28, moves: %(moves)s"),
    "progress_pass": _("%(removed)s/28, moves: %(moves)s, pass %(pass)s"),
    "show_all": _("Show all: %(count)s"),
    "show_fewer": _("Show fewer"),
    "watch_player": _("Watch %(player)s"),
    "watched": _("%(player)s: %(removed)s of 28 removed, moves: %(moves)s"),
    "watched_won": _("%(player)s has won, moves: %(moves)s"),
    "watched_over": _("%(player)s has ended, %(removed)s of 28 removed"),
    "watch_refused": _("You may not watch this table now."),
    # how it ended
    "won_in": _("Won in %(time)s"),
    "won_practice": _("Won for practice"),
    "won_guest": _("Won in %(time)s as a guest, for practice"),
    "held": _("Won in %(time)s, but outside the ranks until it has been looked at"),
    "resigned": _("Gave up, cards left: %(left)s"),
    "expired": _("Time ran out, cards left: %(left)s"),
    # told aloud
    "news_open": _("The race is open."),
    "news_won": _("%(player)s has won in %(time)s: rank %(rank)s."),
    "news_many": _("%(count)s have ended."),
    # a replay
    "ply_of": _("Move %(ply)s of %(plies)s"),
    "at_start": _("The start: no card has been played."),
    "start_replay": _("Play (Space)"),
    "stop_replay": _("Stop (Space)"),
    # the connection
    "away": _("Not connected. Trying again."),
    "slow": _("Only a slow connection can be had: news come every few seconds."),
    "back": _("Connected again. Nobody ended meanwhile."),
    "back_one": _("You were away: one ended meanwhile."),
    "back_many": _("You were away: %(count)s ended meanwhile."),
    "link_copied": _("Link copied."),
    "text_copied": _("Text and link copied."),
    "failed": _("The server could not be reached. Please try again."),
}


def write_words() -> dict[str, str]:
    """All of them and those of the table, in the language of the request."""
    return words.write_words() | {name: gettext(sentence) for name, sentence in WORDS.items()}


def write_form_data() -> dict[str, Any]:
    """What the script of pages with forms alone knows from the start."""
    return {"language": get_language(), "words": {name: gettext(WORDS[name]) for name in ("failed", "link_copied")}}


def write_time(milliseconds: int) -> str:
    """3 minutes, 2.05 seconds: 3:02.05; from an hour on 1:03:02.05."""
    minutes, rest = divmod(milliseconds, 60_000)
    head = f"{minutes // 60}:{minutes % 60:02}" if minutes >= 60 else f"{minutes}"
    return f"{head}:{rest // 1000:02}.{rest % 1000 // 10:02}"


def write_seconds(milliseconds: int) -> str:
    """The same without the hundredths."""
    return write_time(milliseconds).rpartition(".")[0]
