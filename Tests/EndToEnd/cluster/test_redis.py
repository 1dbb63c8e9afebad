"""Nodes whose live streams go through one Redis: what is said on one is heard on the other."""

import subprocess
import time
import urllib.error
import urllib.request

import pytest

from instance import PROGRAM, Instance, wait_until
from missed_check_ins import count
from people import Visitor
from servers import Redis
from test_faults_services import Listener
from test_wallet import call


@pytest.fixture
def redis(tmp_path):
    server = Redis(tmp_path / "redis").start()
    yield server
    server.kill()


@pytest.fixture
def nodes(tmp_path, redis):
    """Two instances with data of their own: the channel of public posts has the same name on
    both."""
    started = []
    for name in "ab":
        (tmp_path / name).mkdir()
        started.append(Instance(
            tmp_path / name, PAIRSPOT_DEMO="1", PAIRSPOT_REDIS_URL=redis.url))
    try:
        for node in started:
            node.start()
        yield started
    finally:
        for node in started:
            if node.process and node.process.poll() is None:
                node.stop()


def newcomer(site):
    return call(site, "/auth/guest", {"display_name": "Joren"})[1]["access_token"]


def opened(node, token):
    """A stream, as soon as the process of nginx that is asked has found Redis again: each looks for
    it by itself."""
    end = time.monotonic() + 20
    while True:
        try:
            return Listener(node, "/posts", token)
        except AssertionError:
            if time.monotonic() > end:
                raise
        time.sleep(0.5)


def test_a_change_on_one_node_reaches_the_listeners_of_another(nodes):
    first, second = nodes
    listener = Listener(second, "/posts", newcomer(second))
    mei = Visitor(first).sign_in("mei@example.test")
    assert mei.write("Heard on both nodes").status == 303
    wait_until(listener.newest, 5, "word of the post")
    wait_until(lambda: count(first, "live_news") == 0, 5, "an empty outbox")


def test_while_redis_is_away_pages_ask_and_afterwards_they_hear_again(nodes, redis):
    first, second = nodes
    token = newcomer(second)
    early = Listener(second, "/posts", token)
    mei = Visitor(first).sign_in("mei@example.test")
    redis.kill()
    wait_until(lambda: "redis" in second.problems(), 20, "the health check")
    # A page that gets no stream asks now and then.
    asked = urllib.request.Request(
        f"{second.url}/api/v1/posts/events",
        headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=10)
    assert refused.value.code == 503
    found = subprocess.run(
        [PROGRAM, "doctor"], env=second.environment, capture_output=True, text=True, timeout=120)
    assert found.returncode != 0 and "nginx reaches Redis: " in found.stdout
    # Writing waits for nothing, and what is to be told is kept.
    assert mei.write("Said while Redis is away").status == 303
    wait_until(lambda: count(first, "live_news") > 0, 5, "a row in the outbox")

    redis.start()
    wait_until(lambda: count(first, "live_news") == 0, 20, "an empty outbox")
    wait_until(lambda: second.problems() == {}, 20, "a well node")
    # A stream that survived hears of it; one that ended asks when it opens again.
    late = opened(second, token)
    assert mei.write("Said after Redis came back").status == 303
    wait_until(late.newest, 5, "word of the last post")
    wait_until(lambda: early.newest() >= late.newest() or early.ended, 10, "the early stream")


def test_nothing_that_others_may_read_has_the_password(nodes, redis):
    node = nodes[0]
    redis.kill()
    wait_until(lambda: "redis" in node.problems(), 20, "the health check")
    assert (node.data / "run/nginx.conf").stat().st_mode & 0o077 == 0
    assert redis.PASSWORD in (node.data / "run/nginx.conf").read_text()
    logs = [node.log, *(node.data / "logs").glob("*")]
    assert len(logs) > 3
    for log in logs:
        assert redis.PASSWORD not in log.read_text(), log
