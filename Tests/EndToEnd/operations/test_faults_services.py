"""Services that fail and recover: the mail server, a push service, nginx's live streams. Nothing
is lost, nothing else is delayed, and waiting messages are sent."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time
import urllib.request

import pytest

from instance import free_port, wait_until
from fake_live_server import Door, no_door
from mail_sink import Sink
from people import Visitor
from fake_push_service import PushService, Subscriber
from missed_check_ins import bring_forward, count
from test_faults import recipients, register, smtp
from test_push import call as called
from test_wallet import call


def quickly(ask, seconds=5):
    """Waiting for a mail server would take a minute, for a push service 10 s."""
    started = time.monotonic()
    answer = ask()
    assert time.monotonic() - started < seconds
    return answer


# Mail

@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.long)])
def test_a_mail_server_that_was_down_gets_each_mail_once(own_site, rounds):
    port = free_port()
    site = own_site(**smtp(port))
    worker, taken = site.processes(" worker"), []
    for number in range(rounds):
        quickly(lambda number=number: register(Visitor(site), f"early{number}"))
        wait_until(
            lambda: count(site, "jobs", "kind = 'mail' AND attempts > 0 AND lease IS NULL") == 2,
            20, "attempts in vain")
        assert site.is_healthy()
        sink = Sink(port)
        with contextlib.closing(Closing(sink)):
            # The next attempt, a minute later, by the same worker.
            assert bring_forward(site, "jobs", "kind = 'mail'") == 2
            wait_until(
                lambda: count(site, "mail_queue", "sent_at IS NULL") == 0, 30, "two mails")
        taken += recipients(sink)
    assert sorted(taken) == sorted(
        f"early{number}.{who}@example.test" for number in range(rounds) for who in "ab")
    assert site.processes(" worker") == worker


class Closing:
    def __init__(self, server):
        self.close = server.stop


@pytest.fixture
def silent():
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield server.getsockname()[1]


def test_a_mail_server_that_never_answers_keeps_no_other_job_waiting(own_site, silent):
    site = own_site(PAIRSPOT_DEMO="1", **smtp(silent))
    for number in range(3):
        quickly(lambda number=number: register(Visitor(site), f"pair{number}"))
    jun = Visitor(site).sign_in("jun@example.test")
    wait_until(
        lambda: count(site, "jobs", "kind = 'mail' AND lease IS NOT NULL") > 0, 20, "a try")
    begun = called(jun, "POST", "/account/export", {})
    assert begun.status in (200, 201, 202), begun.text
    export = json.loads(begun.text)["id"]
    wait_until(
        lambda: json.loads(jun.get(f"/api/v1/account/export/{export}").text)["state"] == "ready",
        15, "an export")
    assert count(site, "mail_queue", "sent_at IS NULL") >= 6
    assert site.is_healthy()


# Push

def put_off():
    """Delayed for half a minute; a lease during sending is for a whole one."""
    return f"attempts > 0 AND run_at < {int(time.time() + 45) * 1000}"


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.long)])
def test_a_push_service_that_was_down_gets_each_push_once(own_site, rounds):
    port = free_port()
    service = PushService(port)
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PUSH_HOSTS=service.origin)
    worker = site.processes(" worker")
    mei, jun = (Visitor(site).sign_in(f"{name}@example.test") for name in ("mei", "jun"))
    browser = Subscriber(f"{service.origin}/mei")
    assert called(mei, "POST", "/push/subscriptions", browser.json()).status == 204
    posts, told = [], []
    for number in range(rounds):
        service.stop()
        posts.append(quickly(
            lambda number=number: jun.write(f"Said {number} while nobody listens").made))
        wait_until(lambda: count(site, "push_outbox", put_off()) == 1, 20, "a try in vain")
        assert mei.get("/notifications").status == 200
        service = PushService(port)
        # The next attempt is by the same worker.
        assert bring_forward(site, "push_outbox", put_off()) == 1
        wait_until(lambda: count(site, "push_outbox") == 0, 20, "the push")
        told += [browser.read(body)["url"] for _, body in service.to("/mei")]
    service.stop()
    assert told == posts
    assert site.processes(" worker") == worker


# Live streams

class Listener:
    """An app that listens to a stream."""

    def __init__(self, site, path, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        self.connection.request("GET", f"/api/v1{path}/events", headers={
            "Host": site.host, "Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        self.heard = b""
        self.ended = False
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            while part := self.answer.read1():
                self.heard += part
        self.ended = True

    def versions(self):
        """The received versions, in order."""
        return list(map(int, re.findall(rb'\{"version":(\d+)\}', self.heard)))

    def newest(self):
        return max(self.versions(), default=0)


class Walk:
    """Two group members; one of them listens."""

    def __init__(self, site):
        self.site = site
        self.leader, self.follower = (
            call(site, "/auth/guest", {"display_name": name})[1]["access_token"]
            for name in ("Mei", "Joren"))
        self.group = call(site, "/groups", {"name": "Harvest Walk"}, self.leader)[1]
        self.path = f"/groups/{self.group['id']}"
        joined = call(site, "/groups/join", {"code": self.group["invite_code"]}, self.follower)
        assert joined[0] == 200
        self.listener = Listener(site, self.path, self.follower)
        self.hears(self.calls_out("move"))

    def calls_out(self, kind):
        """The version of the group with the leader's call."""
        status, said = quickly(
            lambda: call(self.site, f"{self.path}/commands", {"kind": kind}, self.leader))
        assert status == 201
        return said["version"]

    def hears(self, version):
        """It is received once; earlier versions are not received after it."""
        wait_until(lambda: self.listener.newest() == version, 15, f"word of version {version}")
        wait_until(lambda: count(self.site, "live_news") == 0, 10, "an empty outbox")
        assert self.listener.versions().count(version) == 1
        assert self.listener.versions() == sorted(self.listener.versions())

    def asks(self, since):
        """The answer to polling."""
        asked = urllib.request.Request(
            f"{self.site.url}/api/v1{self.path}?since={since}",
            headers={"Authorization": f"Bearer {self.follower}"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return json.load(answer)


DOORS = {
    "nobody": no_door, "one who never answers": Door,
    "one who answers 500": lambda site: Door(site, 500),
    "one who answers 503": lambda site: Door(site, 503)}


@pytest.mark.parametrize("door, rounds", [
    *((door, 1) for door in DOORS),
    *(pytest.param(door, 6, marks=pytest.mark.long) for door in DOORS)])
def test_while_streams_are_down_nobody_waits_and_afterwards_all_hear_the_newest(
        own_site, door, rounds):
    service = PushService()
    with contextlib.closing(Closing(service)):
        site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PUSH_HOSTS=service.origin)
        walk = Walk(site)
        mei, jun = (Visitor(site).sign_in(f"{name}@example.test") for name in ("mei", "jun"))
        browser = Subscriber(f"{service.origin}/mei")
        assert called(mei, "POST", "/push/subscriptions", browser.json()).status == 204
        before = {kind: site.processes(kind) for kind in (" handlers", " worker", "nginx: master")}
        for number in range(rounds):
            heard = walk.listener.newest()
            with DOORS[door](site) as stand_in:
                # Each of them would wait for 2 s.
                versions = quickly(lambda: [walk.calls_out("gather") for _ in range(5)], 8)
                # Polling misses nothing.
                known = walk.asks(since=heard)
                assert known["version"] == versions[-1]
                assert [one["kind"] for one in known["events"]].count("gather") == 5
                if stand_in:
                    wait_until(lambda: stand_in.asked, 10, "a call")
                # Nor does it delay anything else: pages, mail, pushes.
                register(Visitor(site), f"walk{number}")
                for who in "ab":
                    site.mail_to(f"walk{number}.{who}@example.test")
                post = quickly(lambda number=number: jun.write(f"On the way {number}").made)
                wait_until(
                    lambda post=post: post in [
                        browser.read(body)["url"] for _, body in service.to("/mei")],
                    10, "a push")
                assert quickly(lambda: mei.get("/notifications")).status == 200
                assert walk.listener.newest() == heard
                # One row a channel, however many updates there were: the group's, and its members'.
                assert 0 < count(site, "live_news") <= 4
                assert site.is_healthy()
            walk.hears(versions[-1])
        assert {kind: site.processes(kind) for kind in before} == before
