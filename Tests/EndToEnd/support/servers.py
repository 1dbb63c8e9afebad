"""Servers of Debian's packages that nodes share, each in a folder and on a port of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

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
    whom it runs for root, can enter."""

    def __init__(self, primary=None):
        self.folder = Path(tempfile.mkdtemp(prefix="pairspot-postgresql-", dir="/tmp"))
        self.port = free_port()
        self.process = None
        self.user = []
        if os.geteuid() == 0:
            self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(self.folder, "nobody", "nogroup")
        self.data = self.folder / "data"
        if primary:
            self.run(
                "pg_basebackup", "-D", self.data, "-d",
                f"{primary.address()} application_name=standby", "--write-recovery-conf",
                "--create-slot", "--slot=standby", "--checkpoint=fast")
        else:
            self.run("initdb", "-D", self.data, "-U", "tests", "-A", "trust", "-E", "UTF8",
                     "--locale=C.UTF-8")

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program, *arguments):
        """Runs one of PostgreSQL's programs; returns its output."""
        done = subprocess.run(
            [*self.user, str(POSTGRESQL[-1] / program), *map(str, arguments)],
            cwd=self.folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def command(self):
        return [*self.user, str(POSTGRESQL[-1] / "postgres"), "-D", str(self.data),
                "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
                "-c", f"unix_socket_directories={self.folder}"]

    def answers(self):
        try:
            return self.sql("SELECT 1", "postgres") == ["1"]
        except AssertionError:
            return False

    def address(self, database="postgres"):
        return f"host=127.0.0.1 port={self.port} user=tests dbname={database}"

    def sql(self, statement, database="pairspot"):
        """The lines of the result; columns are separated by a tab."""
        return self.run(
            "psql", "-XAtq", "-F", "\t", "-d", self.address(database), "-c", statement).splitlines()

    def wait_for_standby(self):
        """From now on each commit waits for the standby."""
        self.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "postgres")
        self.sql("SELECT pg_reload_conf()", "postgres")
        wait_until(
            lambda: self.sql("SELECT sync_state FROM pg_stat_replication", "postgres") == ["sync"],
            20, "the standby")

    def promote(self):
        self.sql("SELECT pg_promote()", "postgres")


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
