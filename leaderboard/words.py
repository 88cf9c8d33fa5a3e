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
SPRINT_WORDS = {
    # the lobbies
    "present": _("Players: %(present)s of %(most)s"),
    "best_of": _("best of %(rounds)s"),
    "unrated": _("unrated"),
    "host_says": _("The host starts it"),
    # how it stands
    "waiting_for_players": _("Waiting for players"),
    "waiting_for_start": _("Waiting for the start"),
    "host_waits": _("%(host)s waits for players. Here: %(present)s"),
    "is_full": _("This sprint is full."),
    "takes_two": _("It takes two: send the link to whom you want to race."),
    "host_starts": _("%(host)s starts it. Say when you are ready."),
    "all_ready": _("Everybody is ready: you start it."),
    "some_ready": _("Ready: %(ready)s of %(others)s. You start it, whenever you like."),
    "starts_at": _("It starts %(time)s"),
    "by_itself": _("It starts by itself, if two are here by then."),
    "join_in_time": _("Join before it starts, and you are in."),
    "get_ready": _("Get ready"),
    "cards_come": _("The cards come by themselves."),
    "starts_in": _("It starts in"),
    "round_starts_in": _("Round %(round)s of %(rounds)s starts in"),
    "ends_in": _("The round ends in"),
    "round_runs": _("The sprint is on"),
    "round_of_runs": _("Round %(round)s of %(rounds)s is on"),
    "clock_runs": _("Your clock is running."),
    "you_are_done": _("You are done. The others are still playing."),
    "next_round_yours": _("You are in from the next round on. Until then you can watch."),
    "join_next": _("Join, and you are in from the next round on. Until then you can watch."),
    "watch_only": _("You can watch; nobody joins this round any more."),
    "round_over": _("Round %(round)s is over"),
    "next_comes": _("The next one comes by itself, on other cards."),
    "sprint_over": _("The sprint is over"),
    "nobody_came": _("Fewer than two were here, so there was none."),
    "you_are_first": _("You have won!"),
    "winner_is": _("First: %(player)s."),
    "you_left": _("You have left this sprint."),
    "you_were_silent": _("Nothing was heard of you for two minutes, so you are out."),
    "first_win": _("%(player)s has won in %(time)s. The round ends in %(left)s."),
    # the players
    "host": _("Host"),
    "you": _("You"),
    "ready": _("ready"),
    "say_ready": _("I am ready"),
    "is_ready": _("Ready"),
    "progress_title": _("How far they are"),
    "round_title": _("Round %(round)s"),
    "removed_of": _("%(removed)s/28"),
    "is_waiting": _("0/28"),
    "gave_up": _("gave up, %(removed)s/28"),
    "ran_out": _("not done, %(removed)s/28"),
    "is_out": _("left, or silent"),
    "is_held": _("%(time)s, held until it has been looked at"),
    "is_void": _("void"),
    # and after it
    "rating_is": _("Your rating: %(before)s → %(after)s (%(change)s)."),
    "rating_provisional": _("It is provisional until ten rounds."),
    "rematch": _("Rematch"),
    "to_rematch": _("To the rematch"),
    "rematch_waits": _("A rematch waits for you."),
    "invitation": _("Race me at pyramid solitaire: the same cards, the same start."),
    # told aloud
    "news_count": _("%(seconds)s seconds to the start."),
}


def write_words() -> dict[str, str]:
    """All of them and those of the table, in the language of the request."""
    return words.write_words() | {name: gettext(sentence) for name, sentence in WORDS.items()}


def write_sprint_words() -> dict[str, str]:
    """The same, and those of sprints."""
    return write_words() | {name: gettext(sentence) for name, sentence in SPRINT_WORDS.items()}


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
