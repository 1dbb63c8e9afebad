"""Batches of twenty workouts with an hour of samples each, compared with FastAPI.

Starts an instance in production, and `Tests/Bench/fastapi/uploads.py` with WORKERS workers on a
copy of its database: as many users as in the other rows, each with earlier workouts. CLIENTS
clients upload to both in interleaved rounds, each batch of new workouts, and check every answer;
the rows in the database are counted afterwards. The peer has the same nginx in front as for the
feed page.
"""

import base64
import concurrent.futures
import contextlib
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import statistics
import sys
import threading
import time
import uuid

from shared import knobs, machine, world
from shared.databases import ask, change
from shared.figures import Row, ratio, short, spread, summary
from shared.peer import Peer
from shared.processes import processor_seconds, still
from shared.rounds import in_turn
from shared.site import HOST, Site

from .history import fill
from .riding import BATCH, Caller, batches, sign_in

CLIENTS = knobs.number("CLIENTS", 4)
# Length of each workout, and number of earlier workouts of each user.
RIDE = knobs.number("RIDE", 3600)
EARLIER = knobs.number("EARLIER", 20)
# The peer's two ways: directly, or in its thread pool; number and length of trials of both.
WAYS = (BATCH, f"/pool{BATCH}")
TRIES, SHORT = 3, min(2, knobs.SECONDS)
# Length of a round in s: all batches are of one person, who may send 300 an hour.
SPAN = min(2, knobs.SECONDS)
NAME = re.compile(rb'"client_session_id":"')


class Body:
    """A batch whose workouts get new ids each time; the rest of it stays the same."""

    def __init__(self, like, chance):
        self.bytes, self.chance = bytearray(like), chance
        self.places = [found.end() for found in NAME.finditer(like)]

    def renewed(self):
        for place in self.places:
            name = uuid.UUID(int=self.chance.getrandbits(128), version=4)
            self.bytes[place:place + 36] = str(name).encode()
        return self.bytes


class Subject:
    """A server for uploads: its processes, a caller for each client, its database, and the users of
    the callers."""

    def __init__(self, name, processes, callers, database, people):
        self.name, self.processes, self.callers = name, processes, callers
        self.database, self.people = database, people

    def asked(self, question):
        return [ask(self.database, question, person) for person in self.people]

    def stored(self):
        return sum(self.asked("SELECT count(*) FROM workouts WHERE user_id = ?"))

    def forget_limits(self):
        """A new hour for the users."""
        change(self.database, "DELETE FROM rate_limits")

    def round(self, bodies, path=BATCH, seconds=SPAN):
        """Batches per second, ms of each, and CPU time per batch in ms: the server's, and the
        client's own."""
        self.forget_limits()
        pids, before = self.processes(), self.stored()
        used, own = processor_seconds(pids), time.process_time()
        rate, each = load(self.callers, path, bodies, seconds)
        own = time.process_time() - own
        used = processor_seconds(still(pids, self.processes(), self.name)) - used
        more = self.stored() - before
        if more != 20 * len(each):
            sys.exit(f"{self.name}: {len(each)} batches were answered, {more} workouts stored")
        return Round(rate, each, 1000 * used / len(each), 1000 * own / len(each))


class Round:
    def __init__(self, rate, each, used, own):
        self.rate, self.used, self.own = rate, used, own
        self.p50, self.slowest, self.count = statistics.median(each), max(each), len(each)


def load(callers, path, bodies, seconds):
    """Batches per second, and the milliseconds of each; as many clients as there are bodies."""
    begin = threading.Barrier(len(bodies) + 1)

    def client(caller, body):
        each = []
        begin.wait()
        until = time.perf_counter() + seconds
        while (started := time.perf_counter()) < until:
            status, answer = caller.call("POST", path, body.renewed())
            each.append(1000 * (time.perf_counter() - started))
            told = json.loads(answer) if status == 200 else {}
            if told.get("success_count") != 20 or told["failed_sessions"] or told["duplicate_count"]:
                raise RuntimeError(f"{path}: {status} {answer[:500]}")
        return each

    with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
        clients = [pool.submit(client, *one) for one in zip(callers, bodies)]
        begin.wait()
        started = time.perf_counter()
        each = [moment for one in clients for moment in one.result()]
    return len(each) / (time.perf_counter() - started), each


def admit(site, emails):
    """Makes those who are not in the demonstration members with its password."""
    lookup = json.loads((site.data / "secrets/keys.json").read_text())["lookup"]
    [key] = (base64.b64decode(one["secret"]) for one in lookup["keys"] if one["id"] == lookup["current"])
    chance, now = random.Random(17), int(time.time() * 1000)
    with contextlib.closing(site.connect()) as database:
        for email in emails:
            hashed = hmac.digest(key, email.encode(), "sha256")
            if not database.execute("SELECT 1 FROM users WHERE email_hash = ?", (hashed,)).fetchone():
                database.execute(
                    "INSERT INTO users (id, role, display_name, email_hash, password_hash, language,"
                    " terms_version, terms_accepted_at, created_at)"
                    " SELECT ?, role, ?, ?, password_hash, language, terms_version, ?, ? FROM users"
                    " WHERE display_name = 'Sam'",
                    (world.id_at(now, chance), email.split("@")[0], hashed, now, now))
        database.commit()


def prepared(folder, emails=("sam@example.test",)):
    """A stopped instance in which all users have workouts; the sessions and the identifiers of these
    ones."""
    site = Site(folder / "site/var").for_filling()
    try:
        admit(site, emails)
        sessions = [site.sign_in(email) for email in emails]
    finally:
        site.stop()
    world.fill(site.database, knobs.USERS, 1000)
    with contextlib.closing(site.connect()) as database:
        people = [row[0] for row in database.execute(
            "SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM user_stats)")]
    fill(site.database, people, EARLIER)
    return site, sessions, [
        ask(site.database, "SELECT user_id FROM sessions WHERE token_hash = ?",
            hashlib.sha256(base64.urlsafe_b64decode(f"{session}=")).digest())
        for session in sessions]


def faster(subject, bodies, ways=WAYS):
    """The peer's faster way, after warming up both."""
    found = {path: [] for path in ways}
    for number in range(TRIES + 1):
        for path in in_turn(ways, number):
            one = subject.round(bodies, path, SHORT)
            if number:
                found[path].append(one.rate)
    better = max(ways, key=lambda path: statistics.median(found[path]))
    print(", ".join(f"{path}: {spread(rates)} a second" for path, rates in found.items())
          + f"; measured: {better}")
    return better


def made():
    """A batch, and one for each client to change."""
    [like], chance = batches(1, RIDE), random.Random(20261122)
    return like, [Body(like, random.Random(chance.getrandbits(64))) for _ in range(CLIENTS)]


def rows(folder):
    site, [session], people = prepared(folder)
    other = folder / "uploads-peer/pairspot.sqlite"
    other.parent.mkdir()
    shutil.copy(site.database, other)
    site.for_measuring()
    peer = None
    like, bodies = made()
    try:
        peer = Peer(site, other, other.parent, app="uploads:app")
        if os.geteuid() == 0:
            shutil.chown(other, "nobody")
        peer.wait("/there")
        ours = Subject("PairSpot", site.processes, [sign_in(site)] * CLIENTS, site.database, people)
        theirs = Subject(
            "FastAPI", peer.processes, [Caller(peer.port, session, HOST)] * CLIENTS, other, people)
        machine.quiet()
        ways = {ours: BATCH, theirs: faster(theirs, bodies)}
        for _ in WAYS:
            ours.round(bodies, BATCH, SHORT)
        results = {subject: [] for subject in ways}
        for number in range(knobs.ROUNDS):
            for subject, path in in_turn(ways.items(), number):
                results[subject].append(subject.round(bodies, path))
        sizes = {subject.name: expect_samples(subject) for subject in ways}
    finally:
        if peer:
            peer.stop()
        site.stop()
    return table({subject.name: them for subject, them in results.items()}, sizes, like)


def expect_samples(subject):
    """Each uploaded workout has its samples; returns the bytes of one."""
    least = min(subject.asked(
        "SELECT coalesce(min(coalesce(length(s.samples), 0)), 0) FROM workouts w"
        " LEFT JOIN workout_samples s ON s.workout_id = w.id"
        " WHERE w.user_id = ? AND w.energy_cal = 420500 AND w.duration_ms = 1000 * " + str(RIDE)))
    if least < RIDE:
        sys.exit(f"{subject.name}: of {RIDE} s of samples {least} bytes are kept")
    return least


def table(results, sizes, like):
    rates, used, own = ({name: [getattr(one, of) for one in them] for name, them in results.items()}
                        for of in ("rate", "used", "own"))
    print(f"{len(like) / 1e6:.2f} MB a batch of 20, {RIDE} s of samples each, {CLIENTS} clients;"
          f" Python's json.loads of one: {parsing(like):.1f} ms")
    for name, them in results.items():
        print(f"{name}: {spread(rates[name])} batches a second, p50"
              f" {spread([one.p50 for one in them], 'ms')}, slowest"
              f" {max(one.slowest for one in them):.0f} ms, {spread(used[name], 'ms')} of processors"
              f" a batch, the client's {spread(own[name], 'ms')}; {sizes[name]:,} bytes of samples a"
              f" workout kept")
    found = ratio(rates["PairSpot"], rates["FastAPI"])
    work = ratio(used["PairSpot"], used["FastAPI"])
    middle = {name: short(statistics.median(them)) for name, them in rates.items()}
    client = {name: short(statistics.median(them)) for name, them in own.items()}
    return [Row(
        f"batch upload of 20 workouts, {RIDE / 3600:g} h of samples each",
        f"FastAPI, Pydantic, SQLAlchemy ORM, {knobs.WORKERS} workers", found, "≥ 6 times",
        found.middle >= 6,
        f"{middle['PairSpot']} beside {middle['FastAPI']} a second; processors' time {work}; the"
        f" client's own {client['PairSpot']} and {client['FastAPI']} ms a batch; both behind nginx; a"
        f" workout's samples are kept in {sizes['PairSpot'] / 1000:.0f} KB beside"
        f" {sizes['FastAPI'] / 1000:.0f}",
        {name: {"batches_a_second": summary(rates[name]), "processors_ms": summary(used[name]),
                "client_ms": summary(own[name]), "sample_bytes": sizes[name]} for name in results})]


def parsing(body, times=5):
    """CPU time of Python's JSON parser alone, in ms."""
    started = time.process_time()
    for _ in range(times):
        json.loads(body)
    return (time.process_time() - started) / times * 1000
