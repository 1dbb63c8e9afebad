"""Batch upload of workouts with FastAPI, Pydantic and SQLAlchemy, written for speed: the peer of
`Tests/Bench/Workouts/uploads.py`. It works on a copy of PairSpot's database, with its tables, indexes and
pragmas, and has the same rules: sums, times, samples, each workout validated by itself, duplicates
counted, statistics in the same transaction, synced to disk before the answer. PairSpot alone also
finds the best stretches of each workout; they count as found here, which is the least work.

Pydantic parses a batch at once into typed values; only an invalid batch is parsed again, one workout at a
time. Samples are stored as packed numbers (`array`) without compression, which is less work and more
bytes than PairSpot's own format. One query finds the duplicates, and each table gets its rows in one
statement.

    DATABASE=/tmp/x.sqlite gunicorn --chdir Tests/Bench/fastapi \\
      --config Tests/Bench/fastapi/settings.py --workers 2 uploads:app

Below `/pool` the same runs in FastAPI's thread pool: the bench compares with the faster one."""

import base64
import hashlib
import json
import os
import time
from array import array
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import insert, select, text
from sqlalchemy.orm import Mapped, Session, configure_mappers, mapped_column

from models import Base
from people import reading, repeated, writing

BATCH = "/api/v1/sessions/batch_upload"
EPOCH = datetime(1970, 1, 1).date()
# In ms: 2000-01-01, five minutes, two seconds, a week.
EARLIEST, AHEAD, TOLERANCE, LONGEST = 946_684_800_000, 300_000, 2_000, 604_800_000


class Workout(Base):
    __tablename__ = "workouts"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[bytes]
    client_session_id: Mapped[bytes]
    started_at: Mapped[int]
    ended_at: Mapped[int]
    day: Mapped[int]
    duration_ms: Mapped[int]
    paused_ms: Mapped[int | None]
    energy_cal: Mapped[int]
    distance_mm: Mapped[int]
    device_type: Mapped[str]
    avg_hr: Mapped[float | None]
    max_hr: Mapped[float | None]
    avg_power: Mapped[float | None]
    max_power: Mapped[float | None]
    avg_cadence: Mapped[float | None]
    max_cadence: Mapped[float | None]
    avg_speed: Mapped[float | None]
    max_speed: Mapped[float | None]
    source: Mapped[str]
    claim_round: Mapped[int]
    received_at: Mapped[int]
    has_bests: Mapped[int]


class WorkoutSamples(Base):
    __tablename__ = "workout_samples"
    workout_id: Mapped[bytes] = mapped_column(primary_key=True)
    samples: Mapped[bytes | None]


class Stats(Base):
    __tablename__ = "user_stats"
    user_id: Mapped[bytes] = mapped_column(primary_key=True)
    time_zone: Mapped[str]
    count: Mapped[int]
    energy_cal: Mapped[int]
    distance_mm: Mapped[int]
    duration_ms: Mapped[int]
    last_day: Mapped[int | None]
    run_days: Mapped[int]
    claim_round: Mapped[int]
    later_count: Mapped[int]
    later_energy_cal: Mapped[int]
    later_distance_mm: Mapped[int]
    later_duration_ms: Mapped[int]


# Before the fork, so that the workers share it.
configure_mappers()


def between(least, most):
    return Annotated[float, Field(ge=least, le=most)]


def row(least, most):
    return Annotated[list[between(least, most) | None], Field(max_length=86_400)]


class Read(BaseModel):
    # Like PairSpot, accepts no strings as numbers.
    model_config = ConfigDict(strict=True)


class Samples(Read):
    interval: Literal[1] = 1
    power: row(0, 3000) = []
    heart_rate: row(20, 250) = []
    cadence: row(0, 1000) = []
    speed: row(0, 1000) = []
    distance: row(0, 1_000_000) = []


class Detail(Read):
    avg_hr: between(20, 250) | None = None
    max_hr: between(20, 250) | None = None
    avg_power: between(0, 3000) | None = None
    max_power: between(0, 3000) | None = None
    avg_cadence: between(0, 1000) | None = None
    max_cadence: between(0, 1000) | None = None
    avg_speed: between(0, 1000) | None = None
    max_speed: between(0, 1000) | None = None
    samples: Samples | None = None


class Sent(Read):
    client_session_id: UUID
    started_at: AwareDatetime
    ended_at: AwareDatetime
    duration: between(1, 86_400)
    paused: Annotated[float, Field(ge=0)] | None = None
    total_energy: between(0, 20_000)
    total_distance: between(0, 1_000_000)
    device_type: Literal["bike", "rower", "other"]
    detail: Detail | None = None


class Batch(Read):
    sessions: Annotated[list[Sent], Field(min_length=1, max_length=20)]


class Pieces(Read):
    sessions: Annotated[list[Any], Field(min_length=1, max_length=20)]


app = FastAPI(openapi_url=None)
WHO = text("SELECT u.id, u.time_zone FROM sessions s JOIN users u ON u.id = s.user_id"
           " WHERE s.token_hash = :hash AND s.expires_at > :now AND u.deleted_at IS NULL")
DETAILS = ("avg_hr", "max_hr", "avg_power", "max_power", "avg_cadence", "max_cadence", "avg_speed",
           "max_speed")


def session_of(authorization, now):
    secret = authorization.removeprefix("Bearer ")
    if len(secret) != 43:
        raise HTTPException(401)
    return {"hash": hashlib.sha256(base64.urlsafe_b64decode(secret + "=")).digest(), "now": now}


def caller(authorization, now):
    with reading.connect() as connection:
        found = connection.execute(WHO, session_of(authorization, now)).first()
    if found is None:
        raise HTTPException(401)
    return found


def milliseconds(moment):
    return round(moment.timestamp() * 1000)


def packed(values, kind):
    """Four bytes per second in thousandths, except for distances, which have eight."""
    try:
        return array(kind, values).tobytes()
    except TypeError:
        return array(kind, [float("nan") if one is None else one for one in values]).tobytes()


def blob(samples):
    rows = [packed(values, kind) for values, kind in (
        (samples.power, "f"), (samples.heart_rate, "f"), (samples.cadence, "f"), (samples.speed, "f"),
        (samples.distance, "d"))]
    return b"".join([array("I", map(len, rows)).tobytes(), *rows])


def made(sent, user, zone, now):
    """The rows of one workout: checks times; the rest is already checked."""
    start, end = milliseconds(sent.started_at), milliseconds(sent.ended_at)
    span, duration = end - start, round(sent.duration * 1000)
    paused = None if sent.paused is None else round(sent.paused * 1000)
    if start < EARLIEST or start > now + AHEAD or span < 0 or span > LONGEST:
        raise ValueError("times")
    if duration > span + TOLERANCE or (paused or 0) > span + TOLERANCE:
        raise ValueError("duration")
    if paused is not None and duration < span - paused - TOLERANCE:
        raise ValueError("duration")
    detail = sent.detail
    workout = {
        "id": now.to_bytes(6, "big") + os.urandom(10), "user_id": user,
        "client_session_id": sent.client_session_id.bytes, "started_at": start, "ended_at": end,
        "day": (sent.started_at.astimezone(zone).date() - EPOCH).days, "duration_ms": duration,
        "paused_ms": paused, "energy_cal": round(sent.total_energy * 1000),
        "distance_mm": round(sent.total_distance * 1000), "device_type": sent.device_type,
        "source": "recorded", "claim_round": 0, "received_at": now, "has_bests": 1,
        **{name: detail and getattr(detail, name) for name in DETAILS}}
    return workout, blob(detail.samples) if detail and detail.samples else None


def judged(body, user, zone, now):
    """The rows of valid workouts, and the errors of the others."""
    failed, rows = [], []
    try:
        sent = Batch.model_validate_json(body).sessions
    except ValidationError:
        sent = pieces(body, failed)
    for place, one in enumerate(sent):
        try:
            if one is not None:
                rows.append(made(one, user, zone, now))
        except ValueError as error:
            failed.append(failure(place, error))
    return rows, failed


def pieces(body, failed):
    """Each workout by itself, None for invalid ones."""
    try:
        found = Pieces.model_validate_json(body).sessions
    except ValidationError as error:
        raise HTTPException(422) from error
    read = []
    for place, one in enumerate(found):
        try:
            read.append(Sent.model_validate_json(json.dumps(without_zeros(one))))
        except ValueError as error:
            failed.append(failure(place, error))
            read.append(None)
    return read


def without_zeros(sent):
    """A belt without a signal sends 0, which means no measurement."""
    try:
        rows = sent["detail"]["samples"]
        rows["heart_rate"] = [one or None for one in rows["heart_rate"]]
    except (KeyError, TypeError):
        pass
    return sent


def failure(place, error):
    return {"session_id": str(place), "error": "validation_error", "message": str(error)}


def upload(body, authorization):
    now = int(time.time() * 1000)
    me = caller(authorization, now)
    zone_name = me.time_zone or "Asia/Taipei"
    rows, failed = judged(body, me.id, ZoneInfo(zone_name), now)
    return repeated(lambda: stored(me, zone_name, rows, failed))


def stored(me, zone_name, rows, failed):
    names = [workout["client_session_id"] for workout, _ in rows]
    with Session(writing, autoflush=False, expire_on_commit=False) as session, session.begin():
        known = set(session.scalars(select(Workout.client_session_id).where(
            Workout.user_id == me.id, Workout.client_session_id.in_(names))))
        new = {}
        for workout, samples in rows:
            if workout["client_session_id"] not in known:
                new.setdefault(workout["client_session_id"], (workout, samples))
        stats = session.get(Stats, me.id)
        if stats is None:
            stats = Stats(
                user_id=me.id, time_zone=zone_name, count=0, energy_cal=0, distance_mm=0,
                duration_ms=0, run_days=0, claim_round=0, later_count=0, later_energy_cal=0,
                later_distance_mm=0, later_duration_ms=0)
            session.add(stats)
        if new:
            workouts = [workout for workout, _ in new.values()]
            session.execute(insert(Workout), workouts)
            session.execute(insert(WorkoutSamples), [
                {"workout_id": workout["id"], "samples": samples}
                for workout, samples in new.values() if samples is not None])
            count(stats, workouts)
        figures = {"workout_total_count": stats.count,
                   "workout_total_energy": stats.energy_cal / 1000,
                   "workout_total_distance": stats.distance_mm / 1000,
                   "workout_total_duration": stats.duration_ms / 1000}
    return answer(rows, new, failed, figures)


def answer(rows, new, failed, figures):
    return {"success_count": len(new), "duplicate_count": len(rows) - len(new),
            "failed_sessions": failed, "updated_stats": figures}


def count(stats, workouts):
    stats.count += len(workouts)
    stats.later_count += len(workouts)
    for name in ("energy_cal", "distance_mm", "duration_ms"):
        more = sum(workout[name] for workout in workouts)
        setattr(stats, name, getattr(stats, name) + more)
        setattr(stats, f"later_{name}", getattr(stats, f"later_{name}") + more)
    stats.last_day = max([stats.last_day or 0, *(workout["day"] for workout in workouts)])


@app.post(BATCH)
async def upload_at_once(request: Request):
    return upload(await request.body(), request.headers.get("authorization", ""))


@app.post(f"/pool{BATCH}")
async def upload_in_pool(request: Request):
    return await run_in_threadpool(
        upload, await request.body(), request.headers.get("authorization", ""))


@app.get("/there")
async def there():
    return {}
