"""The order of the tests. `pytest -n 3 --dist worksteal` makes thirds of it; who is done takes from another's end."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser first in the first third, real servers first in the second: each is then started by one worker.

    What anybody can take over comes behind them.
    """

    def within(*folders: str) -> list[pytest.Item]:
        return [item for item in items if item.nodeid.startswith(folders)]

    pages, servers = within("tests/browser/"), within("tests/site/", "tests/live/")
    dear = {*pages, *servers}
    others = [item for item in items if item not in dear]
    first = max(0, len(items) // 3 - len(pages))
    items[:] = [*pages, *others[:first], *servers, *others[first:]]
