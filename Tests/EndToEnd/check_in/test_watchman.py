"""A server and its watchman as real processes: the server dies, the watchman sends, the server
returns."""

import contextlib
import email.policy
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from datetime import datetime, timedelta, timezone
from email import message_from_bytes
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from instance import PROGRAM, free_port, wait_until
from mail_sink import Sink
from missed_check_ins import address, ask, check_in, many
from test_faults import smtp


class OtherClock:
    """A web server whose clock is a number of days ahead."""

    def __init__(self):
        self.days = 0
        clock = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self):
                moment = datetime.now(timezone.utc) + timedelta(days=clock.days)
                self.send_response_only(200)
                self.send_header("Date", format_datetime(moment, usegmt=True))
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Watchman:
    """`pairspot watchman` with a data folder of its own."""

    def __init__(self, folder, site, port, clock):
        self.data, self.log = folder / "var", folder / "watchman.log"
        (self.data / "secrets").mkdir(parents=True, mode=0o700)
        shutil.copy2(site.data / "secrets/watchman.key", self.data / "secrets/watchman.key")
        self.environment = site.environment | smtp(port) | {
            "PAIRSPOT_DATA": str(self.data), "PAIRSPOT_BASE_URL": site.url,
            "PAIRSPOT_WATCHMAN_AFTER": "1", "PAIRSPOT_WATCHMAN_GRACE": "0",
            "PAIRSPOT_WATCHMAN_OPERATORS": "operator@example.test",
            "PAIRSPOT_WATCHMAN_CLOCKS": clock.url}
        self.process = None

    def start(self, moment=None):
        if moment:
            self.environment["PAIRSPOT_NOW"] = moment
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "watchman"], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def count(self, table, where="1"):
        with contextlib.closing(
                sqlite3.connect(self.data / "watchman.sqlite", timeout=30)) as database:
            return database.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]

    def has(self, number):
        with contextlib.suppress(sqlite3.OperationalError):
            return self.count("watched_alerts") == number


def make_key(site):
    made = subprocess.run(
        [PROGRAM, "watchman", "key"], env=site.environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == str(site.data / "secrets/watchman.key")
    assert os.stat(made.stdout.strip()).st_mode & 0o777 == 0o600


def destroy(site):
    """The machine loses its power."""
    subprocess.run(["pkill", "-KILL", "--session", str(site.process.pid)], check=True)
    site.process.wait()
    wait_until(lambda: not site.processes(), 10, "the end of all processes")


def now(days):
    return (datetime.now(timezone.utc) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def told(sink, name):
    """The mails to an address, each counted once however often a killed program sent it."""
    mails = [
        message_from_bytes(one.content, policy=email.policy.default)
        for one in sink.envelopes if name in one.rcpt_tos]
    return {mail["Message-ID"]: mail["Subject"] for mail in mails}


@pytest.fixture
def clock():
    one = OtherClock()
    yield one
    one.stop()


def test_a_watchman_says_what_it_lacks(own_site, tmp_path, clock):
    site = own_site()
    environment = site.environment | {"PAIRSPOT_DATA": str(tmp_path / "empty")}

    def refusal(**variables):
        done = subprocess.run(
            [PROGRAM, "watchman"], env=environment | variables, capture_output=True, text=True,
            timeout=30)
        assert done.returncode != 0
        return done.stderr

    assert "watchman.key is missing" in refusal()
    assert "has the data of a server" in refusal(PAIRSPOT_DATA=str(site.data))
    assert "PAIRSPOT_WATCHMAN_OPERATORS" in refusal(PAIRSPOT_WATCHMAN_OPERATORS="nonsense")
    make_key(site)
    watchman = Watchman(tmp_path / "second", site, 9, clock)
    environment = watchman.environment
    assert "PAIRSPOT_WATCHMAN_OPERATORS: missing" in refusal(PAIRSPOT_WATCHMAN_OPERATORS="")


@pytest.mark.long
@pytest.mark.parametrize("people", [1000])
def test_the_server_dies_and_each_contact_is_told_once(own_site, tmp_path, clock, people):
    sink, port = Sink(), free_port()
    site = own_site(PAIRSPOT_OUTAGE_GRACE="0", **smtp(sink.port))
    make_key(site)
    site.stop()
    site.start()
    many(site, people)
    ann = check_in(site, "Ann", "ann.kin@example.test")
    watchman = Watchman(tmp_path / "second", site, port, clock).start()
    wait_until(lambda: watchman.has(people + 1), 120, "the list")
    wait_until(
        lambda: ask(site, "SELECT count(*) FROM contact_mails WHERE state = 'waiting'") == [0], 120,
        "the introductions")
    first = Sink(port)
    destroy(site)
    sink.envelopes.clear()
    wait_until(lambda: told(first, "operator@example.test"), 150, "the operator's mail")
    watchman.kill()
    first.stop()

    # Three days and more later; the mail server of the watchman is dead, and it is killed.
    clock.days = 4
    watchman.start(now(4))
    wait_until(lambda: watchman.count("told_alerts") == people + 1, 180, "the alerts")
    assert sink.envelopes == [] and len(first.envelopes) == 1
    second = Sink(port)
    for _ in range(5):
        watchman.kill()
        watchman.start(now(4))
        time.sleep(4)

    # The server returns while the watchman sends, and is killed in between. Its clock is some
    # seconds behind afterwards.
    site.environment["PAIRSPOT_NOW"] = now(4)
    site.start()
    time.sleep(3)
    destroy(site)
    site.start()
    check_in(site, "Ann", "ann.kin@example.test", visitor=ann)
    wait_until(
        lambda: watchman.count("messages", "state = 'waiting'") == 0, 400, "all messages")
    wait_until(
        lambda: watchman.count("told_alerts", "is_settled = 0") == 0, 120, "the settlement")
    time.sleep(130)
    for number in range(people):
        name = address(number)
        mails = [*told(second, name).values(), *told(sink, name).values()]
        assert len(mails) == 1 and "from the watchman" in mails[0], (name, mails)
    # Ann has checked in: her contact got the all-clear, or no alert at all.
    mails = [*told(second, "ann.kin@example.test").values(),
             *told(sink, "ann.kin@example.test").values()]
    assert len(mails) in (0, 2), mails
    operator = [*told(first, "operator@example.test").values(),
                *told(second, "operator@example.test").values()]
    assert operator == [f"{site.url} doesn’t answer", f"{site.url} answers again"]
    assert ask(site, "SELECT count(*) FROM contact_mails WHERE by_watchman = 1 AND state = 'sent'")[
        0] in (people, people + 1)
    watchman.kill()
    second.stop()
    sink.stop()
