"""The site's settings with the test's own URLs: what a view sees, and views that do what a server finds hard."""

from pyramid_site.settings import *  # noqa: F403

ROOT_URLCONF = "tests.site.echo_urls"
ALLOWED_HOSTS = ["*"]
