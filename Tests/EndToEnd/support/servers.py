"""Servers of Debian's packages that nodes share, each in a folder and on a port of its own."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg

from instance import free_port, wait_until

POSTGRESQL = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Server:
    """A program that runs until it is killed."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.port = free_port()
        self.process = None

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        wait_until(self.answers, 20, f"{type(self).__name__}", self.check_running)
        return self

    def check_running(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        """Kills it, like a power failure."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait()


class Redis(Server):
    PASSWORD = "lantern-river"

    @property
    def url(self):
        return f"redis://:{self.PASSWORD}@127.0.0.1:{self.port}/0"

    def command(self):
        return ["/usr/bin/redis-server", "--bind", "127.0.0.1", "--port", str(self.port),
                "--dir", str(self.folder), "--save", "", "--appendonly", "no",
                "--requirepass", self.PASSWORD]

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.PASSWORD}\r\nPING\r\n".encode())
                answer = b""
                while part := connection.recv(100):
                    answer += part
                    if b"PONG" in answer:
                        return True
        except OSError:
            pass
        return False


class PostgreSQL(Server):
    """A primary, or the standby of one, which has its data. Its folder is one that `nobody`, as
    whom it runs for root, can enter; one that is given may have the data of an earlier run."""

    def __init__(self, primary=None, fsync="on", folder=None):
        self.folder = Path(folder or tempfile.mkdtemp(prefix="pairspot-postgresql-", dir="/tmp"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.process = None
        self.numbers = itertools.count(1)
        self.user = []
        if os.geteuid() == 0:
            self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(self.folder, "nobody", "nogroup")
        self.data = self.folder / "data"
        self.settings = {
            "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
            "max_connections": 300, "fsync": fsync}
        if primary:
            self.run(
                "pg_basebackup", "-D", self.data, "-d",
                f"{primary.url('postgres')}?application_name=standby", "--write-recovery-conf",
                "--create-slot", "--slot=standby", "--checkpoint=fast")
        elif not self.data.exists():
            self.run("initdb", "-D", self.data, "-U", "tests", "-A", "trust", "-E", "UTF8",
                     "--locale=C.UTF-8", "--no-sync")

    def remove(self):
        """Ends it at once, and removes its folder."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program, *arguments):
        """Runs one of PostgreSQL's programs as the server's superuser; returns its output."""
        environment = {"PATH": "/usr/bin:/bin", "PGHOST": "127.0.0.1", "PGPORT": str(self.port),
                       "PGUSER": "tests"}
        done = subprocess.run(
            [*self.user, str(POSTGRESQL[-1] / program), *map(str, arguments)], env=environment,
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def command(self):
        settings = [f"--{name}={value}" for name, value in self.settings.items()]
        return [*self.user, str(POSTGRESQL[-1] / "postgres"), "-D", str(self.data), *settings]

    def answers(self):
        try:
            return self.sql("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False

    def url(self, database, user="tests"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def new_database(self, template):
        """The name of a new database: a copy of another one, which has no connections."""
        name = f"test{next(self.numbers)}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def sql(self, statement, *values, database="postgres"):
        """The rows of a statement, in which each `?` stands for a value."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(
                statement.replace("%", "%%").replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    def wait_for_standby(self):
        """From now on each commit waits for the standby."""
        self.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.sql("SELECT pg_reload_conf()")
        wait_until(
            lambda: self.sql("SELECT sync_state FROM pg_stat_replication") == [("sync",)],
            20, "the standby")

    def promote(self):
        self.sql("SELECT pg_promote()")


class Balancer(Server):
    """haproxy in front of nodes. A node whose handlers answer counts as well, even if a check of
    its `/healthz` fails: that may concern all nodes."""

    def __init__(self, folder):
        super().__init__(folder)
        self.nodes = []

    def command(self):
        servers = "\n".join(
            f"  server node{number} 127.0.0.1:{node.port} check inter 500ms fall 2 rise 1"
            for number, node in enumerate(self.nodes))
        (self.folder / "haproxy.cfg").write_text(f"""
global
  maxconn 2000
defaults
  mode http
  option forwardfor
  option redispatch
  timeout connect 2s
  timeout client 70s
  timeout server 70s
frontend web
  bind 127.0.0.1:{self.port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /healthz hdr Host 127.0.0.1:{self.port}
  http-check expect rstring '^[{{]"ok":'
{servers}
""")
        return ["/usr/sbin/haproxy", "-db", "-f", str(self.folder / "haproxy.cfg")]
