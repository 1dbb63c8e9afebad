"""Batch upload of workouts as one would write it with FastAPI and SQLAlchemy: the yardstick of
`Tests/Bench/Workouts/uploads.py`, nothing else. The same checks of sums and samples, the same answer, the
same durability (WAL, synchronous=FULL), a session looked up by its token for every request.

    DATABASE=/tmp/x.sqlite gunicorn --chdir Tests/Bench/fastapi -k uvicorn_worker.UvicornWorker -w 2 uploads:app
"""

import hashlib
import json
import os
import zlib
from datetime import datetime, timedelta, timezone
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import ForeignKey, UniqueConstraint, create_engine, event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

engine = create_engine(f"sqlite:///{os.environ['DATABASE']}", connect_args={"timeout": 30})


@event.listens_for(engine, "connect")
def pragmas(connection, _):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


class Base(DeclarativeBase):
    pass


class Token(Base):
    __tablename__ = "tokens"
    hash: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[int]


class Workout(Base):
    __tablename__ = "workouts"
    __table_args__ = (UniqueConstraint("user_id", "client_session_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int]
    client_session_id: Mapped[bytes]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    duration: Mapped[float]
    energy: Mapped[float]
    distance: Mapped[float]
    device_type: Mapped[str]


class WorkoutSamples(Base):
    __tablename__ = "workout_samples"
    workout_id: Mapped[int] = mapped_column(ForeignKey("workouts.id"), primary_key=True)
    samples: Mapped[bytes]


class Stats(Base):
    __tablename__ = "user_stats"
    user_id: Mapped[int] = mapped_column(primary_key=True)
    count: Mapped[int] = mapped_column(default=0)
    energy: Mapped[float] = mapped_column(default=0)
    distance: Mapped[float] = mapped_column(default=0)
    duration: Mapped[float] = mapped_column(default=0)


def row(least, most):
    return list[Annotated[float, Field(ge=least, le=most)] | None]


class Samples(BaseModel):
    interval: Literal[1] = 1
    power: row(0, 3000) = []
    heart_rate: row(20, 250) = []
    cadence: row(0, 1000) = []
    speed: row(0, 1000) = []
    distance: row(0, 1_000_000) = []


class Detail(BaseModel):
    samples: Samples | None = None


class Sent(BaseModel):
    client_session_id: UUID
    started_at: datetime
    ended_at: datetime
    duration: Annotated[float, Field(ge=1, le=86_400)]
    total_energy: Annotated[float, Field(ge=0, le=20_000)]
    total_distance: Annotated[float, Field(ge=0, le=1_000_000)]
    device_type: Literal["bike", "rower", "other"]
    detail: Detail | None = None


class Batch(BaseModel):
    sessions: Annotated[list[Any], Field(min_length=1, max_length=20)]


app = FastAPI()


def caller(authorization: Annotated[str, Header()] = ""):
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    with Session(engine) as session:
        token = session.get(Token, digest)
    if token is None:
        raise HTTPException(401)
    return token.user_id


def checked(sent):
    workout = Sent.model_validate(sent)
    span = (workout.ended_at - workout.started_at).total_seconds()
    late = datetime.now(timezone.utc) + timedelta(minutes=5)
    if workout.duration > span + 2 or workout.started_at > late:
        raise ValueError("duration")
    return workout


@app.post("/api/v1/sessions/batch_upload")
def upload(batch: Batch, user: Annotated[int, Depends(caller)]):
    stored = duplicates = 0
    failed = []
    judged = []
    for place, sent in enumerate(batch.sessions):
        try:
            judged.append(checked(sent))
        except (ValidationError, ValueError) as error:
            failed.append({"session_id": str(place), "error": "validation_error",
                           "message": str(error)})
    with Session(engine) as session, session.begin():
        stats = session.get(Stats, user)
        for one in judged:
            name = one.client_session_id.bytes
            known = select(Workout.id).where(
                Workout.user_id == user, Workout.client_session_id == name)
            if session.scalar(known) is not None:
                duplicates += 1
                continue
            workout = Workout(
                user_id=user, client_session_id=name, started_at=one.started_at,
                ended_at=one.ended_at, duration=one.duration, energy=one.total_energy,
                distance=one.total_distance, device_type=one.device_type)
            session.add(workout)
            session.flush()
            if one.detail and one.detail.samples:
                samples = one.detail.samples.model_dump_json().encode()
                session.add(
                    WorkoutSamples(workout_id=workout.id, samples=zlib.compress(samples)))
            stats.count += 1
            stats.energy += one.total_energy
            stats.distance += one.total_distance
            stats.duration += one.duration
            stored += 1
        figures = {"workout_total_count": stats.count, "workout_total_energy": stats.energy,
                   "workout_total_distance": stats.distance,
                   "workout_total_duration": stats.duration}
    return {"success_count": stored, "duplicate_count": duplicates, "failed_sessions": failed,
            "updated_stats": figures}


def prepare(token):
    """Makes the tables, and one person with this token."""
    Base.metadata.create_all(engine)
    with Session(engine) as session, session.begin():
        session.add(Token(hash=hashlib.sha256(token.encode()).digest(), user_id=1))
        session.add(Stats(user_id=1, count=0, energy=0, distance=0, duration=0))


if __name__ == "__main__":
    prepare(json.loads(os.environ["TOKEN"]))
