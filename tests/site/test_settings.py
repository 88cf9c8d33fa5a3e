"""Do the settings keep to safe defaults, and the tests to a database of their own?"""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

from tests.site.servers import ROOT

BARE = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DATA_DIR", "POSTGRES_SERVER_OPTIONS", "HUMAN_FLOORS", "LIMITS")
}


def ask(expression: str, folder, **environment: str) -> subprocess.CompletedProcess[str]:
    """What an expression over the settings prints in a process of its own."""
    code = f"from django.conf import settings; print(({expression}))"
    env = BARE | {"DATA_DIR": str(folder)} | environment
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True)


@pytest.mark.django_db
def test_the_tests_have_a_database_of_their_own_without_fsync() -> None:
    assert str(settings.DATA_DIR).endswith("test") or "TEST_DATA_DIR" in os.environ
    with connection.cursor() as cursor:
        cursor.execute("SHOW fsync")
        assert cursor.fetchone() == ("off",)


def test_debug_is_off_unless_asked_for(tmp_path) -> None:
    assert ask("settings.DEBUG", tmp_path).stdout == "False\n"
    assert ask("settings.DEBUG", tmp_path, DEBUG="1").stdout == "True\n"


def test_a_flag_that_says_neither_yes_nor_no_is_named(tmp_path) -> None:
    assert "DEBUG must be 1 or 0, not 'maybe'" in ask("settings.DEBUG", tmp_path, DEBUG="maybe").stderr


def test_the_secret_key_is_made_once_and_only_its_owner_can_read_it(tmp_path) -> None:
    first, second = (ask("settings.SECRET_KEY", tmp_path).stdout for _ in range(2))
    assert len(first) > 50
    assert first == second
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_a_real_database_needs_a_secret_key(tmp_path) -> None:
    ran = ask("settings.SECRET_KEY", tmp_path, DATABASE_URL="postgresql://u@localhost/site")
    assert "SECRET_KEY must be set where DATABASE_URL is" in ran.stderr
    assert not (tmp_path / "secret-key").exists()


def test_a_database_url_is_read_whole(tmp_path) -> None:
    url = "postgresql://ann%40x:p%2Fw@db.example:6543/site?sslmode=require"
    ran = ask("settings.DATABASES['default']", tmp_path, DATABASE_URL=url, SECRET_KEY="x")
    for part in ("'USER': 'ann@x'", "'PASSWORD': 'p/w'", "'HOST': 'db.example'", "'PORT': '6543'", "'NAME': 'site'"):
        assert part in ran.stdout
    assert "'sslmode': 'require'" in ran.stdout
    assert "-c jit=off" in ran.stdout
    assert "DATA_DIR" not in ran.stdout


@pytest.mark.parametrize("url", ["mysql://u@h/n", "postgresql://u@h", "nonsense"])
def test_a_wrong_database_url_is_refused(url: str, tmp_path) -> None:
    ran = ask("settings.DATABASES", tmp_path, DATABASE_URL=url, SECRET_KEY="x")
    assert "DATABASE_URL must look like" in ran.stderr


@pytest.mark.parametrize("number", ["0", "-1", "many", "²"])
def test_a_number_of_threads_that_is_none_is_refused(number: str, tmp_path) -> None:
    ran = ask("settings.HTTP_THREADS", tmp_path, HTTP_THREADS=number)
    assert "HTTP_THREADS must be a whole number above 0" in ran.stderr


def test_dailies_and_floors_are_read_by_ruleset(tmp_path) -> None:
    assert ask("settings.DAILY_RULESETS", tmp_path).stdout == "['T', 'N', 'M', 'F', 'B']\n"
    assert ask("settings.DAILY_RULESETS", tmp_path, DAILY_RULESETS="G, A,G").stdout == "['G', 'A']\n"
    assert ask("settings.DAILY_RULESETS", tmp_path, DAILY_RULESETS="none").stdout == "[]\n"
    floors = ask("{k: str(v) for k, v in settings.HUMAN_FLOORS.items()}", tmp_path, HUMAN_FLOORS="F=400/20")
    assert floors.stdout == "{'*': '250/10', 'F': '400/20'}\n"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DAILY_RULESETS", "T,Q", "DAILY_RULESETS: there is no ruleset Q"),
        ("HUMAN_FLOORS", "Q=1/1", "HUMAN_FLOORS: there is no ruleset Q"),
        ("HUMAN_FLOORS", "*=250", "HUMAN_FLOORS: A floor is written 300/10"),
        ("HUMAN_FLOORS", "250/10", "HUMAN_FLOORS must look like name=value"),
    ],
)
def test_a_wrong_ruleset_or_floor_is_named(name: str, value: str, said: str, tmp_path) -> None:
    assert said in ask("settings.DEBUG", tmp_path, **{name: value}).stderr


def test_limits_are_read_and_the_rest_keep_their_defaults(tmp_path) -> None:
    ran = ask("settings.LIMITS['log_in'], settings.LIMITS['hint']", tmp_path, LIMITS="log_in=5/60")
    assert ran.stdout == "(Limit(times=5, seconds=60), Limit(times=60, seconds=60))\n"
    assert "there is no limit login, only sign_up" in ask("settings.LIMITS", tmp_path, LIMITS="login=5/60").stderr
    assert "must look like 60/300" in ask("settings.LIMITS", tmp_path, LIMITS="log_in=5").stderr


def test_where_mail_goes_is_read_from_one_address(tmp_path) -> None:
    expression = "settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_HOST_PASSWORD, settings.EMAIL_USE_TLS"
    ran = ask(expression, tmp_path, EMAIL_URL="submission://ann%40x:p%2Fw@mail.example")
    assert ran.stdout == "('mail.example', 587, 'p/w', True)\n"
    assert ask("settings.EMAIL_USE_SSL, settings.EMAIL_PORT", tmp_path, EMAIL_URL="smtps://m").stdout == "(True, 465)\n"
    assert ask("settings.EMAIL_BACKEND", tmp_path).stdout == "django.core.mail.backends.console.EmailBackend\n"
    assert "EMAIL_URL must look like" in ask("settings.EMAIL_HOST", tmp_path, EMAIL_URL="http://m").stderr


def test_cookies_travel_over_https_alone_where_a_proxy_ends_tls(tmp_path) -> None:
    expression = "settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY"
    assert ask(expression, tmp_path, BEHIND_HTTPS="1").stdout == "(True, True, True)\n"
    assert ask(expression, tmp_path).stdout == "(False, False, True)\n"
