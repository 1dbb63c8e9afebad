"""The viewer, found by the session cookie; and the two shared engines, for SQLite or PostgreSQL."""

import base64
import hashlib
import os
import random
import time
from types import SimpleNamespace

from fastapi import HTTPException, Request
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import OperationalError

DATABASE = os.environ["DATABASE"]
ON_SERVER = DATABASE.startswith("postgresql:")
# Serialization failure and deadlock.
CONFLICTS = ("40001", "40P01")
PRAGMAS = """
  PRAGMA cache_size = -16000; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000
"""
# Settings of connections to PostgreSQL that read and that write: PairSpot's own, which it sends with
# each transaction.
READS = r"-c default_transaction_isolation=repeatable\ read -c default_transaction_read_only=on"
WRITES = "-c default_transaction_isolation=serializable -c synchronous_commit=on -c lock_timeout=5000ms"


def server_engine(options):
    """Prepares each statement at its first use. Keeps connections without checking them at checkout."""
    return create_engine(
        DATABASE.replace("postgresql:", "postgresql+psycopg:", 1),
        connect_args={"options": options, "prepare_threshold": 0},
        # One for each thread of the pool.
        pool_size=40, max_overflow=0, query_cache_size=1200)


def engine(autocommit):
    """Keeps connections without checking them at checkout. A read-only connection opens no
    transactions, which saves a statement per query."""
    made = create_engine(
        f"sqlite:///{DATABASE}", connect_args={"timeout": 5, "cached_statements": 512, "check_same_thread": False},
        # One for each thread of the pool.
        pool_size=40, max_overflow=0,
        isolation_level="AUTOCOMMIT" if autocommit else None, pool_reset_on_return=None
        if autocommit else "rollback", query_cache_size=1200)

    @event.listens_for(made, "connect")
    def prepare(connection, _):
        # The driver leaves transactions to this code.
        connection.isolation_level = None
        for pragma in PRAGMAS.split(";"):
            connection.execute(pragma)
        # The same as PairSpot's writer: commits are synced.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    if not autocommit:
        @event.listens_for(made, "begin")
        def begin(connection):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    return made


if ON_SERVER:
    reading, writing = server_engine(READS), server_engine(WRITES)
else:
    reading, writing = engine(True), engine(False)


def repeated(write):
    """Runs it again after a conflict, ten times at most like PairSpot, with random pauses that
    double. SQLite has none: its writes wait for each other."""
    pause = 0.002
    for attempt in range(10):
        try:
            return write()
        except OperationalError as error:
            if attempt == 9 or getattr(error.orig, "sqlstate", None) not in CONFLICTS:
                raise
        time.sleep(random.uniform(0, pause))
        pause *= 2


VIEWER = text("""
  SELECT u.id, u.role, u.display_name, u.avatar, u.language, u.theme, u.time_zone, u.couple_id,
    c.name AS couple_name, c.status AS couple_status, c.anniversary, u.couple_side,
    p.display_name AS partner_name, p.avatar AS partner_avatar
  FROM sessions s JOIN users u ON u.id = s.user_id
  LEFT JOIN couples c ON c.id = u.couple_id
  LEFT JOIN users p ON p.couple_id = u.couple_id AND p.couple_side = 3 - u.couple_side
    AND p.deleted_at IS NULL
  WHERE s.token_hash = :hash AND s.expires_at > :now AND u.deleted_at IS NULL""")


def viewer(row):
    """The viewer with the columns that pages need."""
    me = SimpleNamespace(**row)
    me.may_post = me.role >= 2 and me.couple_status in ("active", "single")
    mine, other = (me.display_name, me.avatar), (me.partner_name, me.partner_avatar)
    first, second = (mine, other) if me.couple_side == 1 else (other, mine)
    (me.first_name, me.first_avatar), (me.second_name, me.second_avatar) = first, second
    return me


async def cookie_of(request: Request):
    """The secret of a session."""
    sent = request.cookies.get("__Host-session", "")
    if len(sent) != 43:
        raise HTTPException(401)
    return base64.urlsafe_b64decode(sent + "=")


def known(cookie):
    return {"hash": hashlib.sha256(cookie).digest(), "now": int(time.time() * 1000)}


def found(row):
    if row is None:
        raise HTTPException(401)
    return viewer(row._mapping)
