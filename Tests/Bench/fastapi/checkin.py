"""A typical check-in handler: the session, the form's token, and in one transaction the required
contact, the check-in, and the next evaluation. It does less than PairSpot, which also cancels
waiting mails, ends pauses and alerts, and notifies other modules."""

import hmac
import time
from datetime import datetime, timezone
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse
from sqlalchemy import exists, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from feed import viewer_orm
from models import CheckIn, Contact, WatchSettings
from page import EPOCH, csrf_secret, unmasked
from people import ON_SERVER, cookie_of, found, known, reading, repeated, writing

router = APIRouter()
insert = postgresql.insert if ON_SERVER else sqlite.insert
DAY = 86_400_000
MINUTE = 60_000


async def sent(request: Request):
    return {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}


def check_token(form, cookie):
    if not hmac.compare_digest(unmasked(form.get("csrf_token", "")), csrf_secret(cookie)):
        raise HTTPException(403)


@router.post("/pool/checkin")
def check_in(form: dict = Depends(sent), cookie: bytes = Depends(cookie_of)):
    check_token(form, cookie)
    now = int(time.time() * 1000)
    # Authentication needs no lock.
    with Session(reading, autoflush=False, expire_on_commit=False) as session:
        me = found(session.execute(viewer_orm, known(cookie)).first())
    repeated(lambda: write(me, now))
    return RedirectResponse("/checkin", 303)


def write(me, now):
    with Session(writing, autoflush=False, expire_on_commit=False) as session, session.begin():
        zone = ZoneInfo(me.time_zone)
        local = datetime.fromtimestamp(now / 1000, zone)
        day = (local.date() - EPOCH).days
        has_contact = session.scalar(select(exists().where(
            Contact.user_id == me.id, Contact.removed_at.is_(None),
            Contact.state.in_(("pending", "introduced")))))
        if not has_contact:
            raise HTTPException(422)
        session.execute(insert(CheckIn).values(
            user_id=me.id, day=day, tapped_at=now, time_zone=me.time_zone, is_offline=0)
            .on_conflict_do_nothing())
        settings = session.get(WatchSettings, me.id)
        if settings is None:
            settings = WatchSettings(user_id=me.id, contact_language="en")
            session.add(settings)
        settings.last_day, settings.last_tap = day, now
        midnight = datetime.combine(local.date(), datetime.min.time(), zone)
        settings.next_at = (int(midnight.astimezone(timezone.utc).timestamp() * 1000)
                            + settings.threshold_days * DAY + settings.alert_minute * MINUTE)


@router.post("/checkin")
async def check_in_at_once(form: dict = Depends(sent), cookie: bytes = Depends(cookie_of)):
    return check_in(form, cookie)
