"""People who check in and go quiet, at moments that a test chooses."""

import contextlib
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from instance import PROGRAM
from people import Visitor

ZONE = "Asia/Taipei"
# Everything is counted from the day on which the tests run: a browser's cookies know no other clock.
FIRST = datetime.now(ZoneInfo(ZONE)).date()


def at(day, clock):
    """A moment as `PAIRSPOT_NOW` has it; days count from 1, times are those of Taipei."""
    local = datetime.combine(
        FIRST + timedelta(days=day - 1), time.fromisoformat(clock), ZoneInfo(ZONE))
    return local.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def move(site, moment):
    """Stops an instance and starts it again at another moment."""
    site.stop()
    site.environment["PAIRSPOT_NOW"] = moment
    return site.start()


def check_in(site, name, contact, language="en", visitor=None):
    """Somebody fills in name and contact, and taps."""
    visitor = visitor or Visitor(site, language)
    fields = {
        "csrf_token": visitor.token("/checkin"), "display_name": name, "contact_email": contact,
        "time_zone": ZONE, "button": "check-in"}
    answer = visitor.post("/checkin", fields)
    assert answer.status == 303, (name, answer.text)
    return visitor


def many(site, count):
    """So many guests who check in, each with a contact of their own."""
    with ThreadPoolExecutor(8) as pool:
        for one in [
                pool.submit(check_in, site, f"Guest {number}", address(number))
                for number in range(count)]:
            one.result()


def address(number):
    return f"kin{number}@example.test"


def start_worker(site, moment, *more, **variables):
    with open(site.log, "ab") as log:
        return subprocess.Popen(
            [PROGRAM, "worker", *more],
            env=site.environment | {"PAIRSPOT_NOW": moment} | variables,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def work(site, moment):
    """Does what is due at a moment."""
    assert start_worker(site, moment, "--once").wait(180) == 0, site.log.read_text()


def ask(site, question, *values):
    """The first column of what the database answers."""
    with contextlib.closing(
            sqlite3.connect(site.data / "pairspot.sqlite", timeout=30)) as database:
        return [row[0] for row in database.execute(question, values)]


def bring_forward(site, table, where="1"):
    """Makes due now what waits for its next try, as when the time had passed; nobody is started
    anew. Answers how much that was."""
    with contextlib.closing(
            sqlite3.connect(site.data / "pairspot.sqlite", timeout=30)) as database, database:
        return database.execute(f"UPDATE {table} SET run_at = 0 WHERE {where}").rowcount


def lease(site):
    """Shows that a worker is at the scan, or was when it died; None when none is."""
    return ask(site, "SELECT lease FROM jobs WHERE kind = 'checkin.scan'")[0]


def begun(site):
    """When the latest scan began: unlike its lease, this stays when it is over in a moment."""
    return ask(site, "SELECT at FROM heartbeats WHERE name = 'checkin.scan-began'")


def count(site, table, where="1"):
    return ask(site, f"SELECT count(*) FROM {table} WHERE {where}")[0]
