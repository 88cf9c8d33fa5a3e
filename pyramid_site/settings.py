"""Settings: everything comes from the environment (one table in the README), the defaults are safe."""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from games.engine.rulesets import RULESETS
from games.throttles import Limit, Rate
from leaderboard.races import Floor

BASE_DIR = Path(__file__).resolve().parent.parent


def read_flag(name: str) -> bool:
    """Whether the environment variable `name` says yes; anything but yes or no is an error."""
    text = os.environ.get(name, "").strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("", "0", "false", "no", "off"):
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text!r}.")


def read_number(name: str, default: int) -> int:
    """The environment variable `name` as a whole number above zero."""
    text = os.environ.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ImproperlyConfigured(f"{name} must be a whole number above 0, not {text!r}.")
    return int(text)


def read_list(name: str, default: str = "") -> list[str]:
    """The environment variable `name`, cut at commas."""
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def read_pairs(name: str) -> dict[str, str]:
    """The environment variable `name`, name=value,name=value."""
    pairs = [part.partition("=") for part in read_list(name)]
    if not all(key and mark for key, mark, _value in pairs):
        raise ImproperlyConfigured(f"{name} must look like name=value,name=value.")
    return {key: value for key, _mark, value in pairs}


def read_floors(name: str, default: str) -> dict[str, Floor]:
    """The environment variable `name`, floors by the letters of rulesets, * for all others: *=250/10,F=400/20."""
    try:
        pairs = {letter: Floor.read(text) for letter, text in read_pairs(name).items()}
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None
    if unknown := pairs.keys() - {"*", *RULESETS}:
        raise ImproperlyConfigured(f"{name}: there is no ruleset {min(unknown)}.")
    return {"*": Floor.read(default)} | pairs


def read_limits(name: str, defaults: str) -> dict[str, Limit]:
    """The environment variable `name`, what may be done so many times in so many seconds: log_in=60/300,hint=60/60."""
    limits = {what: Limit.read(text) for what, _mark, text in (part.partition("=") for part in defaults.split(","))}
    try:
        given = {what: Limit.read(text) for what, text in read_pairs(name).items()}
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None
    if unknown := given.keys() - limits.keys():
        raise ImproperlyConfigured(f"{name}: there is no limit {min(unknown)}, only {', '.join(limits)}.")
    return limits | given


def read_rate(name: str, default: str) -> Rate:
    """The environment variable `name`, 1000/100: so many calls at once, and so many a second after that."""
    try:
        return Rate.read(os.environ.get(name, "").strip() or default)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None


def read_email_url(name: str, default: str) -> dict[str, Any]:
    """The environment variable `name` as Django's settings of mail.

    console: and file:///folder are for trying out; smtp://user:password@host:25 is without encryption, submission://
    (587) begins TLS after a greeting, smtps:// (465) speaks nothing else.
    """
    parts = urlsplit(os.environ.get(name) or default)
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if parts.scheme == "file":
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": unquote(parts.path),
        }
    ports = {"smtp": 25, "submission": 587, "smtps": 465}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured(f"{name} must look like submission://user:password@host:587.")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "submission",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }


def read_rulesets(name: str, default: str) -> list[str]:
    """The environment variable `name`, the letters of rulesets cut at commas; "none" for none."""
    letters = list(dict.fromkeys(read_list(name) or default.split(",")))
    if letters == ["none"]:
        return []
    if unknown := set(letters) - {*RULESETS}:
        raise ImproperlyConfigured(f"{name}: there is no ruleset {min(unknown)}.")
    return letters


def read_database_url(url: str) -> dict[str, Any]:
    """postgresql://user:password@host:port/name?option=value as an entry of DATABASES."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise ImproperlyConfigured("DATABASE_URL must look like postgresql://user:password@host:5432/name.")
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "pyramid_site.database",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }


def keep_secret_key(path: Path) -> str:
    """The key in `path`, made on the first call; readable by its owner alone."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)  # a link fails where the file exists: of two first starts one key stays
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


DEBUG = read_flag("DEBUG")
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / ".data")
DATABASE_URL = os.environ.get("DATABASE_URL", "")

SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY:
    if DATABASE_URL:
        raise ImproperlyConfigured("SECRET_KEY must be set where DATABASE_URL is.")
    try:
        SECRET_KEY = keep_secret_key(DATA_DIR / "secret-key")
    except OSError:
        # what signs with a lasting key needs the database, which lives in the same folder; judging replays does not
        SECRET_KEY = secrets.token_urlsafe(50)

ALLOWED_HOSTS = read_list("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = read_list("CSRF_TRUSTED_ORIGINS")
if read_flag("BEHIND_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
# a guest has nothing but its session; no script reads that cookie (the CSRF token's they must), no other site sends it
SESSION_COOKIE_AGE = 365 * 24 * 3600
SESSION_ENGINE = "pyramid_site.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "csp",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "games",
    "leaderboard",
    # after ours, whose templates come first
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "pyramid_site.pages.PageMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

# our pages hold no code and no style of their own; those of the API and the admin are made by others
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ["/api/", "/admin/"],
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

CSRF_FAILURE_VIEW = "pyramid_site.pages.answer_csrf_failure"

ROOT_URLCONF = "pyramid_site.urls"
ASGI_APPLICATION = "pyramid_site.asgi.application"
APPEND_SLASH = False  # an address is written exactly; a redirect would turn a POST into a GET

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "pyramid_site" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES: dict[str, dict[str, Any]]
if DATABASE_URL:
    DATABASES = {"default": read_database_url(DATABASE_URL)}
else:
    DATABASES = {
        "default": {
            "ENGINE": "pyramid_site.database",
            "NAME": "pyramidion",
            "DATA_DIR": DATA_DIR / "postgres",
            "SERVER_OPTIONS": read_pairs("POSTGRES_SERVER_OPTIONS"),
            "OPTIONS": {},
        }
    }
# where the site reaches PostgreSQL through a pooler of transactions: the way past it, since LISTEN needs a session
LISTEN_DATABASE_URL = os.environ.get("LISTEN_DATABASE_URL", "")
DATABASES["default"]["CONN_MAX_AGE"] = 600
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["OPTIONS"] |= {"prepare_threshold": 3, "server_side_binding": True}
# compiling a plan takes longer than any of ours runs
DATABASES["default"]["OPTIONS"]["options"] = f"{DATABASES['default']['OPTIONS'].get('options', '')} -c jit=off".strip()

# boards that many look at: the threads of a process share what was read, for a second
LOCAL_CACHE = "django.core.cache.backends.locmem.LocMemCache"
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": LOCAL_CACHE},
    "boards": {"BACKEND": LOCAL_CACHE, "LOCATION": "boards", "TIMEOUT": 1, "OPTIONS": {"MAX_ENTRIES": 1000}},
}

HTTP_THREADS = read_number("HTTP_THREADS", 4)
HTTP_QUEUE = read_number("HTTP_QUEUE", 64)
SOLVERS = read_number("SOLVERS", max(1, (os.cpu_count() or 1) // 2))
BODY_LIMIT = 512 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMIT

DAILY_RULESETS = read_rulesets("DAILY_RULESETS", "T,N,M,F,B")
NO_MINTING = read_flag("NO_MINTING")
HUMAN_FLOORS = read_floors("HUMAN_FLOORS", "250/10")
LIMITS = read_limits(
    "LIMITS",
    "sign_up=60/3600,log_in=60/300,account=100/3600,guest=120/3600,hint=60/60,code=10/300,mail=10/3600,report=20/86400,device=30/3600",
)

AUTH_USER_MODEL = "games.Player"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator")
]
RATE = read_rate("RATE", "1000/100")
MOST_SOCKETS = read_number("MOST_SOCKETS", 100)
globals().update(read_email_url("EMAIL_URL", "console:"))  # Django has a setting for each part of it
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM") or "pyramidion@localhost"

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"

# allauth: names as games.names has them, an address for mail only where one wants one
ACCOUNT_ADAPTER = "games.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "name"
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_UNIQUE_EMAIL = False  # nobody learns by signing up whether an address is known
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = bool(os.environ.get("EMAIL_URL"))
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False  # guests may log in; games.accounts.views sends on who has
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_RATE_LIMITS = False
MFA_ADAPTER = "games.accounts.adapter.SecondFactorAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = "Pyramidion"
MFA_TOTP_TOLERANCE = 1  # half minutes that a phone's clock may be off

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "pyramid_site" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "pyramid_site.static_files.HashedStaticFiles"},
}
STATICFILES_DIRS = [BASE_DIR / "pyramid_site" / "static"]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["games.rest.TokenAuthentication", "games.rest.SessionAuthentication"],
    "DEFAULT_THROTTLE_CLASSES": ["games.rates.RateThrottle"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["games.rest.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["games.rest.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "games.rest.JSONNegotiation",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "games.rest.answer_error",
}
KNOX_TOKEN_MODEL = "knox.AuthToken"
REST_KNOX = {"TOKEN_TTL": timedelta(days=90), "AUTH_HEADER_PREFIX": "Token"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pyramidion",
    "VERSION": "1",
    "DESCRIPTION": (BASE_DIR / "docs" / "api.md").read_text(),
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "games.schema.describe_errors",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    # refusals are answers, not events: Django would log each 4xx
    "loggers": {"django.request": {"level": "ERROR"}},
}
