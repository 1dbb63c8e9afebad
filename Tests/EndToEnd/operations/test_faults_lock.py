"""Another program that holds the database lock: what users see during the lock, and that
everything continues afterwards."""

import contextlib
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from instance import free_port, wait_until
from mail_sink import Sink
from people import Visitor
from pictures import png_bytes
from crash_test import healthy
from missed_check_ins import begun, bring_forward, count
from test_api_workouts import BATCH, workout
from test_faults import recipients, register, smtp
from test_wallet import made_codes, token

pytestmark = pytest.mark.sqlite("PostgreSQL has no lock of the whole database")

# A program of the operator's that holds the lock, and prints so.
LOCKER = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
database.execute("ROLLBACK")
"""
PAGES = ["/", "/checkin", "/checkin/history", "/notifications", "/album", "/groups", "/workouts",
         "/wallet", "/settings", "/search?q=tea", "/stories"]
STRANGERS = ["/", "/sign-in", "/register", "/checkin", "/stories"]


@contextlib.contextmanager
def locked(site, seconds):
    locker = subprocess.Popen(
        [sys.executable, "-c", LOCKER, site.data / "pairspot.sqlite", str(seconds)],
        stdout=subprocess.PIPE)
    assert locker.stdout.readline() == b"locked\n"
    yield locker
    assert locker.wait(seconds + 5) == 0
    locker.stdout.close()


class Writes:
    """Requests sent during the lock, and repeated unchanged afterwards. Each is to be refused
    with an error page then, and done once."""

    def __init__(self, site, mei, code, number):
        self.site, self.mei, self.number = site, mei, number
        self.sam = Visitor(site)
        self.access = token(site, "sam")
        self.liked = mei.write(f"liked in lock {number}").made
        self.form = mei.composer()
        self.picture = [("a.png", png_bytes())]
        self.stranger, self.guest = Visitor(site), Visitor(site)
        self.joining = self.stranger.get("/register/alone").form("/register/alone") | {
            "display_name": "Lin", "email": f"lin{number}@example.test",
            "password": "a lamp in the hall", "accept": "1"}
        self.tapping = self.ready_to_tap()
        self.code, self.ride = code, workout(number)
        self.before = self.counts()

    def ready_to_tap(self):
        form = self.guest.get("/checkin").form("/checkin")
        saved = self.guest.post("/checkin", form | {
            "display_name": "Nora", "contact_email": f"lock{self.number}@example.test",
            "button": "save"})
        assert saved.status == 303, saved.text
        return self.guest.get("/checkin").form("/checkin") | {"button": "check-in"}

    def app(self, path, body):
        return self.sam.ask("POST", f"/api/v1{path}", json.dumps(body).encode(), {
            "Content-Type": "application/json", "Authorization": f"Bearer {self.access}",
            "Idempotency-Key": f"{path}-into-lock-{self.number}"})

    def say(self):
        return self.mei.write(
            f"said into lock {self.number}", files=self.picture, fields=self.form)

    def join(self):
        return self.stranger.post("/register/alone", self.joining)

    def tap(self):
        return self.guest.post("/checkin", self.tapping)

    def make_group(self):
        return self.app("/groups", {"name": f"Locked {self.number}"})

    def like(self):
        return self.app(f"{self.liked}/like", {})

    def redeem(self):
        return self.app("/wallet/redeem", {"code": self.code})

    def upload(self):
        return self.app(BATCH, {"sessions": [self.ride]})

    @property
    def pages(self):
        return [self.say, self.join, self.tap]

    @property
    def calls(self):
        return [self.make_group, self.like, self.redeem, self.upload]

    def counts(self):
        return [count(self.site, table) for table in (
            "posts", "registrations", "check_ins", "groups", "likes", "coin_transactions",
            "workouts")]

    def again(self):
        """Sends all of it twice; it is done once."""
        link = self.say().made
        assert self.say().made == link
        assert count(self.site, "posts", f"content = 'said into lock {self.number}'") == 1
        assert self.join().status == 303
        assert [self.tap().status for _ in range(2)] == [303, 303]
        for send in (self.make_group, self.like, self.redeem):
            first, second = send(), send()
            assert first.status == second.status < 300, (first.text, second.text)
            assert json.loads(first.text) == json.loads(second.text)
        uploads = [json.loads(self.upload().text) for _ in range(2)]
        assert [one["failed_sessions"] for one in uploads] == [[], []]
        assert uploads[0]["success_count"] == 1
        assert self.counts() == [number + 1 for number in self.before]


def due_in(site, seconds, kinds):
    """Makes jobs due in this many s; returns the time."""
    moment = int((time.time() + seconds) * 1000)
    site.sql(
        f"UPDATE jobs SET run_at = ? WHERE kind IN ({', '.join('?' * len(kinds))})",
        moment, *kinds)
    return moment / 1000


@contextlib.contextmanager
def due_in_a_lock(site, port, name):
    """Two mails that waited for their server, and a scan, which become due while the database is
    locked; afterwards they are done, once."""
    register(Visitor(site), name)
    wait_until(
        lambda: count(site, "jobs", "kind = 'mail' AND attempts > 0 AND lease IS NULL") == 2, 20,
        "attempts in vain")
    sink = Sink(port)
    try:
        scans = begun(site)
        due = due_in(site, 5, ("mail", "checkin.scan"))
        with locked(site, 15) as locker:
            assert time.time() < due, "the lock came too late"
            yield locker
            wait_until(lambda: time.time() > due + 1, 15, "what is due in the lock")
            assert locker.poll() is None, "it took longer than the lock"
            assert sink.envelopes == [] and begun(site) == scans
        wait_until(lambda: begun(site) != scans, 30, "the scan")
        wait_until(lambda: count(site, "mail_queue", "sent_at IS NULL") == 0, 30, "the mails")
        assert recipients(sink) == [f"{name}.a@example.test", f"{name}.b@example.test"]
    finally:
        sink.stop()


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.long)])
def test_while_another_program_holds_the_database_for_fifteen_seconds(own_site, rounds):
    port = free_port()
    # A thread for each waiting request, and some for readers.
    site = own_site(
        PAIRSPOT_DEMO="1", PAIRSPOT_THREADS="16", PAIRSPOT_VOUCHERS_IN_APPS="on", **smtp(port))
    mei = Visitor(site).sign_in("mei@example.test")
    before = {kind: site.processes(kind) for kind in (" handlers", " worker")}
    for number, code in enumerate(made_codes(site, rounds)):
        writes = Writes(site, mei, code, number)
        settle_mails(site, port)
        media = site.media()
        with due_in_a_lock(site, port, f"due{number}") as locker:
            # Registrations in between do not depend on the lock.
            writes.before = writes.counts()
            with ThreadPoolExecutor(8) as pool:
                sent = [pool.submit(send) for send in writes.pages + writes.calls]
                read_on(site, mei)
                answers = [refused(write.result()) for write in sent]
            assert all("<html" in answer.text for answer in answers[:len(writes.pages)])
            assert {json.loads(answer.text)["error"]["code"]
                    for answer in answers[len(writes.pages):]} == {"unavailable"}
            assert locker.poll() is None, "it took longer than the lock"
            assert writes.counts() == writes.before and site.media() == media
        writes.again()
    settle_mails(site, port)
    assert {kind: site.processes(kind) for kind in before} == before
    assert site.is_healthy()
    healthy(site)


def settle_mails(site, port):
    """Sends mails that wait for a server, so that only those queued by a test remain."""
    sink = Sink(port)
    try:
        def sent():
            bring_forward(site, "jobs", "kind = 'mail' AND lease IS NULL")
            return count(site, "mail_queue", "sent_at IS NULL") == 0
        wait_until(lambda: count(site, "jobs", "kind = 'checkin.introduce'") == 0, 20, "letters")
        wait_until(sent, 30, "the mails of before")
    finally:
        sink.stop()


def read_on(site, mei):
    """Everybody reads as ever: who waited for the lock would be refused before it ends."""
    for visitor, paths in [(mei, PAGES), (None, STRANGERS)]:
        for path in paths:
            answer = (visitor or Visitor(site)).get(path)
            assert answer.status == 200, (path, answer.status)


def refused(answer):
    assert answer.status == 503, (answer.status, answer.text)
    assert int(answer.headers["Retry-After"]) > 0
    return answer
