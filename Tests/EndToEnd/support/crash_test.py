"""A crash test: clients write as fast as they are answered while processes are killed at random; then
every acknowledged write is verified. The writers and their conditions are in `state_ledgers.py`.

A call has one of three results: done (a 2xx answer), refused (another answer below 500), or
perhaps (no answer, or a 5xx). A perhaps is repeated, with the same nonce or key if there is one,
until the result is known.
"""

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

from instance import PROGRAM, wait_until
from people import multipart

SEED = int(os.environ.get("PAIRSPOT_SEED", "20261122"))
# Number of kills: each process of a running instance, all of them at once ("serve" alone takes the
# others with it, by a kernel setting; "everything" is a power failure).
VICTIMS = {
    "handlers": 35, "worker": 25, "nginx: worker": 15, "nginx: master": 12, "serve": 8,
    "everything": 5}
# Answers of a proxy without handlers, and ours without the database or the disk.
NOBODY = (502, 503, 504, 507)
# Longer than any lease: jobs of a killed process are free again.
LATER = timedelta(minutes=6)


class Unanswered(Exception):
    """The result of a call is unknown: it may be done or not."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class CrashTest:
    """Writers and a killer on one instance."""

    def __init__(self, site, seed=SEED):
        self.site, self.seed = site, seed
        self.chance = random.Random(seed)
        self.writers = []
        self.kills = []
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.acknowledged = 0
        self.strange = []

    # MARK: Calls

    def ask(self, method, path, body=None, headers=None):
        """One call. Raises `Unanswered` if the result is unknown."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)
        try:
            connection.request(method, path, body, {"Host": self.site.host} | (headers or {}))
            found = connection.getresponse()
            answer = Answer(found.status, found.headers, found.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unanswered(f"{method} {path}: {error!r}") from error
        finally:
            connection.close()
        if answer.status in NOBODY:
            raise Unanswered(f"{method} {path}: {answer.status}")
        if answer.status >= 500:
            self.strange.append(f"{method} {path}: {answer.status} {answer.body[:300]}")
            raise Unanswered(f"{method} {path}: {answer.status}")
        return answer

    def api(self, method, path, body=None, token=None, key=None, form=None):
        """One API call, with JSON or with the fields and files of a form."""
        headers, content = {}, None
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if key:
            headers["Idempotency-Key"] = key
        if form:
            content, headers["Content-Type"] = multipart(*form)
        elif body is not None:
            content, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        return self.ask(method, f"/api/v1{path}", content, headers)

    def until_known(self, call, forever=False):
        """Repeats a call until it is answered; None if the crash test has ended before."""
        end = time.monotonic() + 60
        while forever or not self.done.is_set() or time.monotonic() < end:
            try:
                return call()
            except Unanswered:
                assert time.monotonic() < end, "a minute without any answer"
                # Leaves time for restarting processes.
                time.sleep(0.05)
        return None

    def acknowledge(self):
        with self.lock:
            self.acknowledged += 1

    # MARK: Killing

    def children(self, parent):
        """The children of a process, with their command lines."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == parent:
                    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found[int(folder.name)] = words.strip()
        return found

    def alive(self, kind):
        """Processes of a kind that could be killed now."""
        serve = self.site.process.pid
        if kind == "serve":
            return [serve]
        first = self.children(serve)
        masters = [id for id, words in first.items() if "nginx: master" in words]
        if kind == "nginx: master":
            return masters
        if kind == "nginx: worker":
            return [id for master in masters for id in self.children(master)]
        return [id for id, words in first.items() if f"pairspot {kind}" in words]

    def everybody(self):
        found = [self.site.process.pid]
        for id in found:
            found += self.children(id)
        return found

    def kill(self, kind):
        """Kills one of a kind; False if there is none at the moment."""
        if kind in ("serve", "everything"):
            self.kill_whole(kind)
            return True
        victims = sorted(self.alive(kind))
        if not victims:
            return False
        try:
            os.kill(self.chance.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def kill_whole(self, kind):
        """Kills the supervisor, or it and all the others; restarts it after its port is free,
        like systemd."""
        victims = self.everybody() if kind == "everything" else [self.site.process.pid]
        for id in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(id, signal.SIGKILL)
        self.site.process.wait()
        wait_until(lambda: self.is_free() and not self.site.processes(), 15, "the end of all")
        self.site.start()

    def is_free(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.site.port)) != 0

    def kill_at_random(self, rounds):
        """This number of kills, each during writes: at least one answer came since the one
        before."""
        kinds, weights = zip(*VICTIMS.items(), strict=True)
        # Each kind once, and then at random.
        turns = self.chance.sample(kinds, len(kinds)) + self.chance.choices(
            kinds, weights, k=rounds)
        while len(self.kills) < rounds:
            wanted = self.acknowledged + self.chance.randint(1, 30)
            wait_until(
                lambda wanted=wanted: self.acknowledged >= wanted or self.failed(), 60,
                f"an answer after {self.kills[-5:]}")
            if self.failed():
                return
            # Not only right after an answer.
            self.done.wait(self.chance.uniform(0, 0.2))
            if self.kill(turns[0]):
                self.kills.append(turns.pop(0))

    # MARK: The whole

    def failed(self):
        return [writer for writer in self.writers if writer.failure]

    def run(self, writers, kills):
        """Lets the writers write during this number of kills, then resolves unknown results."""
        print(f"{kills} kills")
        with self.at_work(writers):
            self.kill_at_random(kills)
            wait_until(self.site.is_healthy, 60, "pages after the last kill")
        print({kind: self.kills.count(kind) for kind in VICTIMS})
        self.settle()

    @contextlib.contextmanager
    def at_work(self, writers):
        """Writers write while this context is entered."""
        print(f"PAIRSPOT_SEED={self.seed}")
        self.writers = writers
        for writer in writers:
            writer.prepare()
        threads = [threading.Thread(target=writer.run, daemon=True) for writer in writers]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.done.set()
            for thread in threads:
                thread.join(90)
            print("by name:", {type(writer).__name__: writer.count for writer in writers})
        for writer in self.failed():
            raise writer.failure

    def settle(self):
        """Continues after every lease of the killed processes has expired: repeats unanswered
        calls, and sends the mail."""
        self.site.stop()
        later = datetime.now(timezone.utc) + LATER
        self.site.environment["PAIRSPOT_NOW"] = later.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.site.start()
        for writer in self.writers:
            writer.settle()
        # Later decisions send mail, too.
        wait_until(
            lambda: self.sql("SELECT count(*) FROM jobs WHERE kind = 'checkin.introduce'") == [0],
            60, "the last introduction")
        wait_until(
            lambda: self.sql("SELECT count(*) FROM mail_queue WHERE sent_at IS NULL") == [0], 60,
            "the last mail")

    def check(self):
        """Verifies everything, also with the doctor."""
        for writer in self.writers:
            writer.check()
        assert self.strange == []
        if not self.site.server:
            assert self.sql("PRAGMA integrity_check") == ["ok"]
            assert self.sql("PRAGMA foreign_key_check") == []
        # The worker's clock has moved since: for a doctor at the time of the move, recurring jobs
        # would be delayed for too long.
        now = datetime.now(timezone.utc) + LATER + timedelta(minutes=1)
        healthy(self.site, now.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def sql(self, question, *values):
        """The first column of a query's rows, or whole rows of several columns."""
        return [row[0] if len(row) == 1 else row for row in self.site.sql(question, *values)]


def healthy(site, moment=None):
    """The doctor has no findings; at a given time, if a worker had a later clock."""
    check = subprocess.run(
        [PROGRAM, "doctor"],
        env=site.environment | ({"PAIRSPOT_NOW": moment} if moment else {}),
        capture_output=True, text=True, timeout=120)
    assert check.returncode == 0, check.stdout + check.stderr
