"""A server that is away or refuses: one clear sentence, 503 where people wait, and recovery by
itself, with nothing lost."""

import time

import pytest
from instance import free_port, wait_until
from people import Visitor
from test_backup import pairspot

SETTING = "PAIRSPOT_DATABASE_URL"


@pytest.fixture
def database(postgresql):
    return postgresql.new_database("template1")


@pytest.fixture
def site(own_site, postgresql, database):
    return own_site(PAIRSPOT_DEMO="1", **{SETTING: postgresql.url(database)})


def test_while_the_server_is_away_pages_answer_503_and_afterwards_all_is_there(
        site, postgresql, database):
    mei = Visitor(site).sign_in("mei@example.test")
    before = mei.write("Before the fault").made
    fields = mei.composer()
    postgresql.kill()
    page = mei.get("/")
    assert page.status == 503 and page.all("Retry-After"), page.text
    assert mei.write("During the fault", fields=fields).status == 503
    assert mei.get("/api/v1/posts").status == 503
    assert "database" in site.problems()
    postgresql.start()
    wait_until(lambda: mei.get("/").status == 200, 30, "recovery")
    # The same form again.
    assert mei.write("During the fault", fields=fields).status == 303
    assert mei.get(before).status == 200
    assert postgresql.sql(
        "SELECT count(*) FROM posts WHERE content = ?", "During the fault", database=database
    ) == [(1,)]
    wait_until(site.is_healthy, 90, "health")


def test_a_restart_of_the_server_costs_no_request(site, postgresql):
    mei = Visitor(site).sign_in("mei@example.test")
    postgresql.run("pg_ctl", "-D", postgresql.data, "-m", "fast", "-w", "stop")
    postgresql.start()
    assert mei.get("/").status == 200
    assert mei.write("After the restart").status == 303


@pytest.mark.parametrize("address, sentence", [
    ("postgresql://pairspot:lantern-river@127.0.0.1:{port}/pairspot",
     "the database server is not available"),
    ("mysql://pairspot@127.0.0.1/pairspot", "PAIRSPOT_DATABASE_URL: must start with postgresql://"),
])
def test_a_wrong_address_is_named_in_one_sentence_without_its_password(site, address, sentence):
    began = time.monotonic()
    run = pairspot(site, "doctor", **{SETTING: address.format(port=free_port())})
    said = run.stdout + run.stderr
    assert run.returncode != 0 and sentence in said and "lantern-river" not in said, said
    assert len(said.strip().splitlines()) == 1 and time.monotonic() - began < 20, said


def test_a_database_of_something_else_is_left_alone(own_site, postgresql, database):
    postgresql.sql("CREATE TABLE users (id integer)", database=database)
    with pytest.raises(AssertionError):
        own_site(**{SETTING: postgresql.url(database)})
    assert postgresql.sql("SELECT count(*) FROM users", database=database) == [(0,)]
