"""An instance of its own on loopback, with helpers for callers."""

import base64
import hmac
import http.client
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.parse

from . import knobs
from .databases import connect
from .processes import APART, family

HOST = "pairspot.example"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(port, method, path, body=None, headers=(), host=HOST):
    """One request on a connection of its own: status, headers, body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        given = {"Host": host} | dict(header.split(": ", 1) for header in headers)
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def fetch(port, path, headers=(), host=HOST):
    """The body of a page; a status other than 200 ends the run."""
    status, _, body = call(port, "GET", path, headers=headers, host=host)
    if status != 200:
        sys.exit(f"{path}: {status} {body[:300]}")
    return body


def wait_for(port, path="/about", host=HOST, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if call(port, "GET", path, host=host)[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    sys.exit(f"nobody answers at port {port}")


class Site:
    """`pairspot serve` with a data directory and a port of its own."""

    def __init__(self, data, program=None, share=None, url=None):
        self.data, self.port = data, free_port()
        # Address of its database on a PostgreSQL server; None for SQLite.
        self.url = url
        self.share = share or knobs.SHARE
        data.parent.mkdir(parents=True, exist_ok=True)
        self.program = program or knobs.PROGRAM
        self.process = None

    @property
    def database(self):
        return self.url or self.data / "pairspot.sqlite"

    def connect(self):
        return connect(self.database)

    def environment(self, **more):
        return dict(
            PATH=os.environ["PATH"], PAIRSPOT_SHARE=str(self.share), PAIRSPOT_DATA=str(self.data),
            PAIRSPOT_PORT=str(self.port), PAIRSPOT_THREADS=str(knobs.THREADS), **more,
            **{"PAIRSPOT_DATABASE_URL": self.url} if self.url else {})

    def for_filling(self):
        """With demo data, in development mode."""
        self.host = f"127.0.0.1:{self.port}"
        return self._start([], self.environment(
            PAIRSPOT_ENV="development", PAIRSPOT_DEMO="1", PAIRSPOT_RATE_LIMITS="off"))

    @property
    def in_production(self):
        return self.environment(
            PAIRSPOT_ENV="production", PAIRSPOT_BASE_URL=f"https://{HOST}",
            SMTP_HOST="127.0.0.1", FROM_EMAIL="pairspot@pairspot.example")

    def as_nobody(self):
        """Prefix of a command in production, which refuses to be root."""
        if os.geteuid() != 0:
            return []
        subprocess.run(["chown", "-R", "nobody", self.data.parent], check=True)
        # Folders between it and the root of the file system must be accessible.
        for folder in [self.data.parent, *self.data.parents[1:3]]:
            if folder.name.startswith(("pairspot-bench", "world")):
                folder.chmod(0o755)
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

    def for_measuring(self):
        """As in production: without anything specific to development."""
        self.host = HOST
        return self._start(self.as_nobody(), self.in_production)

    def _start(self, before, environment):
        with open(self.data.parent / "serve.log", "ab") as log:
            self.process = subprocess.Popen(
                [*before, str(self.program), "serve"], env=environment,
                **APART | dict(stdout=log, stderr=log))
        try:
            wait_for(self.port, host=self.host)
        except SystemExit:
            self.stop()
            sys.exit((self.data.parent / "serve.log").read_text()[-2000:])
        return self

    def migrate(self):
        """Migrates a database of an older program to this one's version."""
        subprocess.run([*self.as_nobody(), str(self.program), "migrate"], env=self.in_production,
                       check=True, **APART)

    def move_database(self, target):
        """`pairspot move-database`: its output, with the rows and the hash of each table. It still
        uses the database of before."""
        done = subprocess.run(
            [*self.as_nobody(), str(self.program), "move-database", str(target)],
            env=self.in_production, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"move-database: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def processes(self):
        return family(self.process.pid)

    def call(self, method, path, body=None, headers=()):
        return call(self.port, method, path, body, headers, self.host)

    def fetch(self, path, headers=()):
        return fetch(self.port, path, headers, self.host)

    def sign_in(self, email="mei@example.test"):
        """The secret of a session, from the sign-in form; while filling."""
        jar = {}

        def ask(path, fields=None):
            body = urllib.parse.urlencode(fields) if fields else None
            cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
            headers = [f"Cookie: {cookies}"] if jar else []
            if fields:
                headers.append("Content-Type: application/x-www-form-urlencoded")
            _, given, page = self.call("POST" if fields else "GET", path, body, headers)
            for line in given.get_all("Set-Cookie") or []:
                name, value = line.split(";")[0].split("=", 1)
                jar[name] = value
            return page

        token = re.search(rb'name="csrf_token" value="([^"]+)"', ask("/sign-in"))[1].decode()
        password = (self.data / "secrets/demo").read_text().strip()
        ask("/sign-in", dict(csrf_token=token, email=email, password=password))
        ask("/")
        return jar[f"session_{self.port}"]


def signed(session):
    """The headers of a signed-in user, in production."""
    return [f"Host: {HOST}", f"Cookie: __Host-session={session}"]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Keys:
    """The server's keys for forms: with them thousands of users needn't request a page before
    each form."""

    def __init__(self, data):
        stored = json.loads((data / "secrets/keys.json").read_text())
        derivation = base64.b64decode(stored["derivation"])
        # HKDF (RFC 5869) with an empty salt; one block is enough.
        extracted = hmac.digest(bytes(32), derivation, "sha256")
        self.csrf = hmac.digest(extracted, b"csrf\x01", "sha256")
        self.browser_user = hmac.digest(extracted, b"browser-user\x01", "sha256")

    def csrf_token(self, secret):
        mask = secrets.token_bytes(32)
        own = hmac.digest(self.csrf, secret, "sha256")
        return base64url(mask + bytes(a ^ b for a, b in zip(mask, own)))
