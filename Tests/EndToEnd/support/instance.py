"""A running instance, started like an operator starts it."""

import contextlib
import email
import email.policy
import fcntl
import itertools
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("TEST_PROGRAM", CHECKOUT / ".build/release/pairspot"))
# The program that processes pictures.
PICTURES = PROGRAM.with_name("pairspot-pictures")


def ports():
    """The ports of this process of a run, repeated. They are below the ephemeral ports of the
    kernel (from 32768), so no connection can take one between check and use, nor while an
    instance is stopped."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 8
    own = range(20_000 + 1_500 * worker, 21_500 + 1_500 * worker)
    begin = random.randrange(len(own))
    return itertools.cycle([*own[begin:], *own[:begin]])


PORTS = ports()


def free_port():
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Demonstration:
    """The demo data as created by an instance's first start. That takes seconds, so the first
    process that needs them creates them for all, other processes included: the others get copies
    of the folder, and on PostgreSQL of the database. Each is an instance of its own from then
    on."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.database = None

    def lay(self, instance):
        """Copies the existing demo data to an instance that would create them now."""
        wanted = instance.environment
        data = Path(wanted["PAIRSPOT_DATA"])
        # At another time the demo data would differ.
        if wanted.get("PAIRSPOT_DEMO") != "1" or "PAIRSPOT_NOW" in wanted or data.exists():
            return
        # Nor is it copied into a database that the test has chosen.
        if "PAIRSPOT_DATABASE_URL" in wanted and not instance.database:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (self.folder / "whole").exists():
                self.make()
        shutil.copytree(
            self.folder / "var", data, symlinks=True,
            # State of a running instance, and its own output.
            ignore=lambda path, names: {"run", "logs", "lock"} if Path(path).name == "var" else ())
        if self.database:
            instance.renew_database(self.database)

    def make(self):
        maker = Instance(self.folder, PAIRSPOT_DEMO="1")
        maker.demonstration = None
        maker.start()
        maker.stop()
        self.database = maker.database
        (self.folder / "whole").touch()


class Instance:
    """`pairspot serve` with a data directory and a port of its own."""

    # Source of the demo data; None if each instance creates its own.
    demonstration = None
    # The PostgreSQL server of all instances' databases; None for SQLite.
    server = None

    def __init__(self, folder, **variables):
        self.data = Path(folder) / "var"
        self.port = int(variables.get("PAIRSPOT_PORT") or free_port())
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environment = kept | {
            "PAIRSPOT_ENV": "development",
            "PAIRSPOT_SHARE": str(CHECKOUT),
            "PAIRSPOT_DATA": str(self.data),
            "PAIRSPOT_PORT": str(self.port),
            "PAIRSPOT_RATE_LIMITS": "off",
        } | variables
        # The name of its own database on the server.
        self.database = None
        if "PAIRSPOT_DATABASE_URL" not in variables:
            self.renew_database()
        self.log = Path(folder) / "serve.log"
        self.program = PROGRAM
        self.process = None

    def renew_database(self, template="template1"):
        """On PostgreSQL, gives it another database: an empty one, or a copy."""
        if self.server:
            self.drop_database()
            self.database = self.server.new_database(template)
            self.environment["PAIRSPOT_DATABASE_URL"] = self.server.url(self.database)

    def drop_database(self):
        if self.database:
            self.server.sql(f"DROP DATABASE {self.database} WITH (FORCE)")
            self.database = None

    @property
    def database_setting(self):
        """The setting of its database, for programs with few other settings."""
        return {name: value for name, value in self.environment.items()
                if name == "PAIRSPOT_DATABASE_URL"}

    def sql(self, statement, *values):
        """The rows of a statement on its database, in which each `?` stands for a value."""
        if self.database:
            return self.server.sql(statement, *values, database=self.database)
        with self.sqlite() as database, database:
            return database.execute(statement, values).fetchall()

    def sqlite(self):
        return contextlib.closing(sqlite3.connect(self.data / "pairspot.sqlite", timeout=30))

    def dump(self):
        """All that its database has, as text."""
        if self.database:
            return self.server.run("pg_dump", self.database)
        with self.sqlite() as database:
            return "\n".join(database.iterdump())

    def start(self):
        if self.demonstration:
            self.demonstration.lay(self)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(self.program), "serve"], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)
        wait_until(self.is_healthy, 60, f"/healthz of {self.url}", self.check_running)
        return self

    def check_running(self):
        assert self.process.poll() is None, self.log.read_text()

    def is_healthy(self):
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def problems(self):
        """Failed checks of `/healthz`, by name. A worker with a later clock leaves a scan in the
        future, which is reported until the next one."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return json.load(answer)["problems"]
        except urllib.error.HTTPError as red:
            return json.load(red)["problems"]

    def stop(self):
        """Stops it like Ctrl-C and systemd, and checks that nothing is left."""
        started = self.processes()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        assert status == 0, f"serve ended with {status}:\n{self.log.read_text()}"
        wait_until(lambda: not self.processes(), 5, f"the end of {started}")
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", self.port)) != 0, "somebody still answers"

    def processes(self, word=""):
        """The ids of this instance's processes whose command line contains a word."""
        mark = f"PAIRSPOT_DATA={self.data}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark not in (folder / "environ").read_bytes().split(b"\0"):
                    if str(self.data).encode() not in (folder / "cmdline").read_bytes():
                        continue
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if words and word in words:
                found.append(int(folder.name))
        return sorted(found)

    def resident_bytes(self, word):
        """Memory of processes whose command line contains a word, and of their children (the
        owner of nginx's workers is in neither their environment nor their command line); shared
        pages count once."""
        found = set(self.processes(word))
        size = 0
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                status = (folder / "status").read_text()
                parent = int(re.search(r"PPid:\s+(\d+)", status)[1])
                if int(folder.name) in found or parent in found:
                    rollup = (folder / "smaps_rollup").read_text()
                    size += int(re.search(r"\nPss:\s+(\d+)", rollup)[1]) * 1024
            except (OSError, ProcessLookupError):
                continue
        return size

    def demo_password(self):
        return (self.data / "secrets/demo").read_text().strip()

    def media(self):
        return {path for path in (self.data / "media").rglob("*") if path.is_file()}

    def mails(self):
        return [
            email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            for path in sorted((self.data / "mail").glob("*.eml"))
        ]

    def mail_to(self, address, subject="", least=1):
        """Waits for the newest mail to a user, at least the given number."""
        def newest():
            found = [
                mail for mail in self.mails()
                if mail["To"].addresses[0].addr_spec == address and subject in mail["Subject"]]
            return found[-1] if len(found) >= least else None
        return wait_until(newest, 20, f"a mail to {address}")


def link_in(mail):
    """The link in a mail."""
    text = mail.get_body(("plain",)).get_content()
    return re.search(r"https?://\S+?(?:\?token=|/c/|/tap/)[\w-]+", text)[0]


def wait_until(condition, seconds, what, meanwhile=lambda: None):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        meanwhile()
        assert time.monotonic() < end, f"waited {seconds} s in vain for {what}"
        time.sleep(0.05)
