"""Users who check in and stop, at times chosen by a test."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from instance import PROGRAM
from people import Visitor

ZONE = "Asia/Taipei"
# Days are counted from the day of the test run: cookies in a browser use the real clock.
FIRST = datetime.now(ZoneInfo(ZONE)).date()


def at(day, clock):
    """A time in the format of `PAIRSPOT_NOW`; days count from 1, times are those of Taipei."""
    local = datetime.combine(
        FIRST + timedelta(days=day - 1), time.fromisoformat(clock), ZoneInfo(ZONE))
    return local.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def move(site, moment):
    """Stops an instance and restarts it at another time."""
    site.stop()
    site.environment["PAIRSPOT_NOW"] = moment
    return site.start()


def check_in(site, name, contact, language="en", visitor=None):
    """Enters name and contact, and checks in."""
    visitor = visitor or Visitor(site, language)
    fields = {
        "csrf_token": visitor.token("/checkin"), "display_name": name, "contact_email": contact,
        "time_zone": ZONE, "button": "check-in"}
    answer = visitor.post("/checkin", fields)
    assert answer.status == 303, (name, answer.text)
    return visitor


def many(site, count):
    """Guests who check in, each with a contact of their own."""
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
    """Runs the jobs due at a time."""
    assert start_worker(site, moment, "--once").wait(180) == 0, site.log.read_text()


def ask(site, question, *values):
    """The first column of a query's rows."""
    return [row[0] for row in site.sql(question, *values)]


def bring_forward(site, table, where="1 = 1"):
    """Makes waiting retries due now, as if the time had passed, without a restart. Returns their
    number."""
    return len(site.sql(f"UPDATE {table} SET run_at = 0 WHERE {where} RETURNING 1"))


def live_on(site, moment):
    """Records that handlers were running until a time, like their heartbeats."""
    site.sql(
        "UPDATE heartbeats SET at = ? WHERE name = 'handlers'",
        int(datetime.fromisoformat(moment).timestamp() * 1000) - 30_000)


def lease(site):
    """The lease of a worker that runs the scan, or ran it when it died; None if there is none."""
    return ask(site, "SELECT lease FROM jobs WHERE kind = 'checkin.scan'")[0]


def begun(site):
    """Start of the latest scan: unlike its lease, this stays after a short scan."""
    return ask(site, "SELECT at FROM heartbeats WHERE name = 'checkin.scan-began'")


def count(site, table, where="1 = 1"):
    return ask(site, f"SELECT count(*) FROM {table} WHERE {where}")[0]
