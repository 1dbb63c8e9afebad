"""A PostgreSQL server for a single test, which may stop it."""

import pytest
from servers import PostgreSQL


@pytest.fixture
def server():
    server = PostgreSQL(fsync="off")
    try:
        yield server.start()
    finally:
        server.remove()
