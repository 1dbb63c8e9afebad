"""The upload of `uploads.py` with rows written in plain SQL by psycopg, for PostgreSQL."""

import time
from zoneinfo import ZoneInfo

from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool

import plain
from uploads import BATCH, DETAILS, WHO, answer, app, judged, session_of

COLUMNS = (
    "id", "user_id", "client_session_id", "started_at", "ended_at", "day", "duration_ms", "paused_ms",
    "energy_cal", "distance_mm", "device_type", "source", "claim_round", "received_at", "has_bests",
    *DETAILS)
WORKOUT = (f"INSERT INTO workouts ({', '.join(COLUMNS)})"
           f" VALUES ({', '.join(f'%({name})s' for name in COLUMNS)})")
SAMPLES = "INSERT INTO workout_samples (workout_id, samples) VALUES (%s, %s)"
KNOWN = ("SELECT client_session_id FROM workouts WHERE user_id = %s AND client_session_id = ANY(%s)")
STATS = """
  INSERT INTO user_stats (user_id, time_zone, count, energy_cal, distance_mm, duration_ms, last_day,
    run_days, claim_round, later_count, later_energy_cal, later_distance_mm, later_duration_ms)
  VALUES (%(me)s, %(zone)s, %(count)s, %(energy_cal)s, %(distance_mm)s, %(duration_ms)s, %(last_day)s,
    0, 0, %(count)s, %(energy_cal)s, %(distance_mm)s, %(duration_ms)s)
  ON CONFLICT (user_id) DO UPDATE SET
    count = user_stats.count + excluded.count,
    energy_cal = user_stats.energy_cal + excluded.energy_cal,
    distance_mm = user_stats.distance_mm + excluded.distance_mm,
    duration_ms = user_stats.duration_ms + excluded.duration_ms,
    last_day = greatest(user_stats.last_day, excluded.last_day),
    later_count = user_stats.later_count + excluded.count,
    later_energy_cal = user_stats.later_energy_cal + excluded.energy_cal,
    later_distance_mm = user_stats.later_distance_mm + excluded.distance_mm,
    later_duration_ms = user_stats.later_duration_ms + excluded.duration_ms
  RETURNING count, energy_cal, distance_mm, duration_ms"""
SUMS = ("energy_cal", "distance_mm", "duration_ms")


def upload(body, authorization):
    now = int(time.time() * 1000)
    with plain.reads.connection() as connection:
        me = connection.execute(
            plain.named(WHO), session_of(authorization, now), binary=True).fetchone()
    if me is None:
        raise HTTPException(401)
    zone = me.time_zone or "Asia/Taipei"
    rows, failed = judged(body, me.id, ZoneInfo(zone), now)
    new, stats = plain.repeated(lambda: store(me.id, zone, rows))
    return answer(rows, new, failed, {
        "workout_total_count": stats.count, "workout_total_energy": stats.energy_cal / 1000,
        "workout_total_distance": stats.distance_mm / 1000,
        "workout_total_duration": stats.duration_ms / 1000})


def store(me, zone, rows):
    names = [workout["client_session_id"] for workout, _ in rows]
    with plain.writes.connection() as connection, connection.transaction():
        cursor = connection.cursor(binary=True)
        known = {row.client_session_id for row in cursor.execute(KNOWN, (me, names))}
        new = {}
        for workout, samples in rows:
            if workout["client_session_id"] not in known:
                new.setdefault(workout["client_session_id"], (workout, samples))
        workouts = [workout for workout, _ in new.values()]
        # Each is one round trip.
        cursor.executemany(WORKOUT, workouts)
        cursor.executemany(SAMPLES, [
            (workout["id"], samples) for workout, samples in new.values() if samples is not None])
        values = {name: sum(workout[name] for workout in workouts) for name in SUMS}
        last = max((workout["day"] for workout in workouts), default=None)
        stats = cursor.execute(STATS, values | {
            "me": me, "zone": zone, "count": len(new), "last_day": last}).fetchone()
    return new, stats


@app.post(f"/plain{BATCH}")
async def upload_at_once(request: Request):
    return upload(await request.body(), request.headers.get("authorization", ""))


@app.post(f"/pool/plain{BATCH}")
async def upload_in_pool(request: Request):
    return await run_in_threadpool(
        upload, await request.body(), request.headers.get("authorization", ""))


app.router.lifespan_context = plain.opened
