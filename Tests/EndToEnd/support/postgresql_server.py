"""A PostgreSQL server of Debian's package, with a folder and a socket of its own."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class PostgreSQLServer:
    def __init__(self):
        # A folder that the user of the server can reach: it refuses root.
        self.folder = Path(tempfile.mkdtemp(prefix="pairspot-postgresql-", dir="/tmp"))
        self.data = self.folder / "data"
        self.programs = max(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        self.as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
            self.as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

    def start(self):
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                 "--locale=C.UTF-8", "-N")
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start")
        return self

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)

    def run(self, program, *words):
        """Runs one of PostgreSQL's programs as the user of the server, and its superuser."""
        environment = {"PATH": "/usr/bin:/bin", "PGHOST": str(self.folder), "PGUSER": "postgres"}
        subprocess.run(
            [*self.as_user, str(self.programs / program), *map(str, words)], env=environment,
            cwd=self.folder, check=True, timeout=120, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)

    def address(self, database):
        return f"postgresql://pairspot@/{database}?host={self.folder}"
