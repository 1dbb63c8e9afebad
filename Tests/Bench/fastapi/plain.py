"""The feed page, the check-in and the upload in plain SQL with psycopg, for PostgreSQL: pools of
connections that stay open, statements prepared at their first use, binary results, and PairSpot's
isolation levels. A single statement is a transaction of its own.

The feed page and the check-in exist three times: as a coroutine that waits for the server, below
`/pool` in FastAPI's thread pool, and below `/async` with the driver's coroutines, where statements
share round trips. The bench compares with the fastest one."""

import asyncio
import contextlib
import random
import re
import time
from datetime import datetime
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import HTMLResponse, RedirectResponse
from psycopg.errors import DeadlockDetected, SerializationFailure
from psycopg.rows import namedtuple_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from checkin import DAY, MINUTE, check_token, sent
from feed import SIZE, feed_core, groups_core, moments_core, unread_core
from page import EPOCH, feed_page
from people import DATABASE, READS, VIEWER, WRITES, cookie_of, known, viewer

router = APIRouter()


def named(statement):
    """A statement in psycopg's notation of parameters."""
    return re.sub(r":(\w+)", r"%(\1)s", str(statement))


WHO, FEED, UNREAD = named(VIEWER), named(feed_core), named(unread_core)
MOMENTS, GROUPS = named(moments_core), named(groups_core)
PICTURES = """
  SELECT id, post_id, extension, width, height, has_webp, description FROM post_images
  WHERE post_id = ANY(%(posts)s) ORDER BY post_id, position"""
HAS_CONTACT = """
  SELECT EXISTS (SELECT 1 FROM emergency_contacts WHERE user_id = %(me)s AND removed_at IS NULL
    AND state IN ('pending', 'introduced'))"""
CHECK_IN = """
  INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
  VALUES (%(me)s, %(day)s, %(now)s, %(zone)s, 0) ON CONFLICT DO NOTHING"""
SETTINGS = f"""
  INSERT INTO checkin_settings (user_id, contact_language, last_day, last_tap, next_at)
  VALUES (%(me)s, 'en', %(day)s, %(now)s, %(midnight)s + 2 * {DAY} + 540 * {MINUTE})
  ON CONFLICT (user_id) DO UPDATE SET last_day = excluded.last_day, last_tap = excluded.last_tap,
    next_at = %(midnight)s + checkin_settings.threshold_days * {DAY}
      + checkin_settings.alert_minute * {MINUTE}"""


def pool(kind, options):
    """Opened in each worker, since connections must not be used in another process."""
    return kind(
        DATABASE, open=False, min_size=2, max_size=20,
        kwargs={"autocommit": True, "options": options, "prepare_threshold": 0,
                "row_factory": namedtuple_row})


reads, writes = pool(ConnectionPool, READS), pool(ConnectionPool, WRITES)
async_reads, async_writes = pool(AsyncConnectionPool, READS), pool(AsyncConnectionPool, WRITES)


@contextlib.asynccontextmanager
async def opened(_):
    reads.open(wait=True)
    writes.open(wait=True)
    await async_reads.open(wait=True)
    await async_writes.open(wait=True)
    yield
    await async_writes.close()
    await async_reads.close()
    writes.close()
    reads.close()


def seen(row):
    if row is None:
        raise HTTPException(401)
    return viewer(row._asdict())


def wanted(rows):
    return {"posts": [post.id for post in rows[:SIZE] if post.image_count]}


def page_of(me, cookie, unread, rows, images, moments, groups):
    pictures = {}
    for one in images:
        pictures.setdefault(one.post_id, []).append(one)
    return HTMLResponse(feed_page(
        me, cookie, unread[0], rows[:SIZE], pictures, len(rows) > SIZE, moments, groups))


@router.get("/pool/plain")
def feed(cookie: bytes = Depends(cookie_of)):
    with reads.connection() as connection, connection.transaction():
        me = seen(connection.execute(WHO, known(cookie), binary=True).fetchone())
        whose = {"me": me.id, "couple": me.couple_id, "now": int(time.time() * 1000)}
        rows = connection.execute(FEED, whose, binary=True).fetchall()
        unread = connection.execute(UNREAD, whose, binary=True).fetchone()
        moments = connection.execute(MOMENTS, whose, binary=True).fetchall()
        groups = connection.execute(GROUPS, whose, binary=True).fetchall()
        images = connection.execute(PICTURES, wanted(rows), binary=True).fetchall()
    return page_of(me, cookie, unread, rows, images, moments, groups)


@router.get("/plain")
async def feed_at_once(cookie: bytes = Depends(cookie_of)):
    return feed(cookie)


@router.get("/async/plain")
async def feed_async(cookie: bytes = Depends(cookie_of)):
    async with async_reads.connection() as connection:
        async with connection.pipeline(), connection.transaction():
            found = await connection.execute(WHO, known(cookie), binary=True)
            me = seen(await found.fetchone())
            whose = {"me": me.id, "couple": me.couple_id, "now": int(time.time() * 1000)}
            posts = await connection.execute(FEED, whose, binary=True)
            count = await connection.execute(UNREAD, whose, binary=True)
            moments = await connection.execute(MOMENTS, whose, binary=True)
            groups = await connection.execute(GROUPS, whose, binary=True)
            rows = await posts.fetchall()
            images = await connection.execute(PICTURES, wanted(rows), binary=True)
        unread, images = await count.fetchone(), await images.fetchall()
        moments, groups = await moments.fetchall(), await groups.fetchall()
    return page_of(me, cookie, unread, rows, images, moments, groups)


def tapped(me, now):
    zone = ZoneInfo(me.time_zone)
    day = datetime.fromtimestamp(now / 1000, zone).date()
    midnight = datetime.combine(day, datetime.min.time(), zone)
    return {"me": me.id, "now": now, "zone": me.time_zone, "day": (day - EPOCH).days,
            "midnight": int(midnight.timestamp() * 1000)}


def pauses():
    """Before each of at most nine repetitions after a conflict, in s, as PairSpot's."""
    return [random.uniform(0, 0.002 * 2 ** number) for number in range(9)] + [None]


def repeated(write):
    for pause in pauses():
        try:
            return write()
        except (SerializationFailure, DeadlockDetected):
            if pause is None:
                raise
            time.sleep(pause)


@router.post("/pool/plain/checkin")
def check_in(form: dict = Depends(sent), cookie: bytes = Depends(cookie_of)):
    check_token(form, cookie)
    with reads.connection() as connection:
        me = seen(connection.execute(WHO, known(cookie), binary=True).fetchone())
    values = tapped(me, int(time.time() * 1000))

    def write():
        with writes.connection() as connection, connection.transaction():
            if not connection.execute(HAS_CONTACT, values, binary=True).fetchone()[0]:
                raise HTTPException(422)
            connection.execute(CHECK_IN, values)
            connection.execute(SETTINGS, values)

    repeated(write)
    return RedirectResponse("/checkin", 303)


@router.post("/plain/checkin")
async def check_in_at_once(form: dict = Depends(sent), cookie: bytes = Depends(cookie_of)):
    return check_in(form, cookie)


@router.post("/async/plain/checkin")
async def check_in_async(form: dict = Depends(sent), cookie: bytes = Depends(cookie_of)):
    check_token(form, cookie)
    async with async_reads.connection() as connection:
        found = await connection.execute(WHO, known(cookie), binary=True)
        me = seen(await found.fetchone())
    values = tapped(me, int(time.time() * 1000))
    for pause in pauses():
        try:
            async with async_writes.connection() as connection:
                async with connection.pipeline(), connection.transaction():
                    found = await connection.execute(HAS_CONTACT, values, binary=True)
                    if not (await found.fetchone())[0]:
                        raise HTTPException(422)
                    await connection.execute(CHECK_IN, values)
                    await connection.execute(SETTINGS, values)
            return RedirectResponse("/checkin", 303)
        except (SerializationFailure, DeadlockDetected):
            if pause is None:
                raise
            await asyncio.sleep(pause)
