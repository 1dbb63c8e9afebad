"""A PostgreSQL server of its own for the rows about PostgreSQL, with its ordinary durability (fsync,
`synchronous_commit`), more memory than by default, and the copies of instances in it."""

import contextlib
import shutil
import signal

import psycopg
from servers import PostgreSQL

from . import knobs
from .site import Site

# Of the server. Its default of shared memory, 128 MB, is for the smallest machines.
BUFFERS = knobs.asked("BUFFERS", "1GB")


class Server(PostgreSQL):
    def __init__(self, folder):
        super().__init__(folder=folder)
        self.settings |= {
            "shared_buffers": BUFFERS, "max_wal_size": "4GB", "synchronous_commit": "on"}

    def create(self, name, template="template0"):
        """The address of a new database, or of a copy of one without connections."""
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def has(self, name):
        return bool(self.sql("SELECT 1 FROM pg_database WHERE datname = ?", name))

    def settle(self):
        """Does now what autovacuum and checkpoints would do during the measurements."""
        for (name,) in self.sql("SELECT datname FROM pg_database WHERE datallowconn"):
            self.sql("VACUUM (ANALYZE)", database=name)
        self.sql("CHECKPOINT")

    def megabytes(self, name):
        return self.sql("SELECT pg_database_size(?)", name)[0][0] / 1e6

    def described(self):
        [(version,)], [(sync,)], [(commit,)] = (
            self.sql(f"SHOW {name}") for name in ("server_version", "fsync", "synchronous_commit"))
        return (f"PostgreSQL {version.split()[0]} through TCP on this machine, fsync={sync},"
                f" synchronous_commit={commit}, shared_buffers={BUFFERS}")

    def moved(self, site, folder, name):
        """A copy of a stopped instance of SQLite on this server."""
        other = Site(folder / f"{name}-on-server/var")
        shutil.copytree(site.data, other.data)
        url = self.create(name)
        other.move_database(url)
        other.database.unlink()
        other.url = url
        return other

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(120)


@contextlib.contextmanager
def started(folder):
    server = Server(folder)
    try:
        yield server.start()
    finally:
        server.stop()


@contextlib.contextmanager
def without_indexes(address):
    """Meanwhile a database has no indexes but those of constraints: they are made once for all
    rows."""
    with psycopg.connect(address, options="-c maintenance_work_mem=1GB") as connection:
        definitions = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND NOT EXISTS"
            " (SELECT FROM pg_constraint WHERE conname = indexname)").fetchall()
        for name, _ in definitions:
            connection.execute(f'DROP INDEX "{name}"')
        connection.commit()
        yield
        for _, definition in definitions:
            connection.execute(definition)
