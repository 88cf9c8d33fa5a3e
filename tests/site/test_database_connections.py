"""Is a connection that has died noticed before it is used, without asking the server each time?"""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_living_connection_is_usable_without_a_statement(django_assert_num_queries) -> None:
    connection.ensure_connection()
    with django_assert_num_queries(0):
        assert connection.is_usable()


def test_a_connection_that_the_server_ended_is_not_usable_and_is_replaced() -> None:
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (first,) = cursor.fetchone()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    other.close()
    assert not connection.is_usable()
    connection.close_if_unusable_or_obsolete()
    connection.health_check_done = False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (first,)


def test_no_connection_is_not_usable() -> None:
    assert not connection.copy().is_usable()
