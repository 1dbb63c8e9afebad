"""One scan for missed check-ins: a thousand due users among a million others, among a hundred
thousand, and alone.

Lets DUE guests (1,000) check in with an instance of its own, adds to copies of its database
100,000 and PEOPLE (1,000,000) other users who are not due, moves the clock to the time of the
alerts, and measures the scan of a real worker in interleaved rounds, each on a fresh copy synced
to disk: from the claim of its job to its heartbeat. Counts the steps of SQLite's virtual machine
for finding the due users.
"""

import os
import random
import re
import shutil
import sqlite3
import statistics
import sys
import time

from instance import Instance
from shared import knobs, machine, world
from shared.figures import Row, ratio, spread, summary
from shared.rounds import in_turn
from missed_check_ins import at, count, many, start_worker, work

DUE = knobs.number("DUE", 1000)
PEOPLE = knobs.number("PEOPLE", knobs.LARGEST)
# Numbers of other users, from none to all.
OTHERS = sorted({0, min(100_000, PEOPLE), PEOPLE})
ROUNDS = knobs.ROUNDS
DAY_MS = world.DAY_MS
SCAN = """SELECT (SELECT lease IS NOT NULL FROM jobs WHERE kind = 'checkin.scan'),
  (SELECT at FROM heartbeats WHERE name = 'checkin.scan')"""


def others(ids, people):
    """Users like the guests, but due within the next weeks."""
    chance = random.Random(20261121)
    first, last = (int.from_bytes(id[:6], "big") for id in (min(ids), max(ids)))
    now = int(time.time() * 1000)
    for number in range(people):
        # Created in the same period as the guests, so that due users are spread among all others.
        head = chance.randint(first, last).to_bytes(6, "big")
        person, contact = head + chance.randbytes(10), head + chance.randbytes(10)
        yield (person, contact, f"Other {number}", now // DAY_MS, now,
               now + chance.randint(10, 40) * DAY_MS, chance.randbytes(60), chance.randbytes(32))


def fill(file, people):
    with world.bulk(file) as database:
        ids = [row[0] for row in database.execute("SELECT id FROM users")]
        database.execute(
            "CREATE TEMP TABLE other (person, contact, name, day, now, next, sealed, hash)")
        database.executemany("INSERT INTO other VALUES (?, ?, ?, ?, ?, ?, ?, ?)", others(ids, people))
        for statement in (
            """INSERT INTO users (id, role, display_name, language, time_zone, terms_version,
                 terms_accepted_at, created_at)
               SELECT person, 1, name, 'en', 'Asia/Taipei', 'x', now, now FROM other
               ORDER BY person""",
            """INSERT INTO checkin_settings
                 (user_id, contact_language, last_day, last_tap, counts_from, next_at)
               SELECT person, 'en', day, now, day, next FROM other ORDER BY person""",
            """INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed,
                 email_hash, state, added_at)
               SELECT contact, person, 1, '', sealed, hash, 'introduced', now FROM other
               ORDER BY contact""",
            """INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
               SELECT person, day, now, 'Asia/Taipei', 0 FROM other ORDER BY person""",
        ):
            database.execute(statement)
    database.close()


def scan(site):
    """Seconds of one scan; the worker is stopped before it sends the queued mails."""
    database = sqlite3.connect(site.data / "pairspot.sqlite", timeout=30, isolation_level=None)
    before = database.execute(SCAN).fetchone()[1]
    worker = start_worker(site, at(4, "09:05"), SMTP_HOST="127.0.0.1", PAIRSPOT_MAIL="file")
    began = None
    while True:
        taken, beat = database.execute(SCAN).fetchone()
        now = time.perf_counter()
        if beat != before:
            break
        if taken and began is None:
            began = now
        if worker.poll() is not None:
            sys.exit("the worker ended:\n" + site.log.read_text())
        time.sleep(0.0005)
    worker.terminate()
    worker.wait(60)
    database.close()
    if began is None:
        sys.exit("the scan was over before it was seen")
    alerts = count(site, "alerts")
    if alerts != DUE:
        sys.exit(f"{alerts} alerts instead of {DUE}")
    return now - began


def finding(file):
    """Query plan and steps of SQLite's virtual machine for finding the due users, as in the
    scan."""
    source = (knobs.ROOT / "Sources/CheckIn/Monitoring/MonitorStore.swift").read_text()
    question = re.search(r'func due\(.*?"""\n(.*?)"""', source, re.S)[1].strip()
    # The source has the values where they stand.
    question = re.sub(r"\\\(\w+\)", "?", question)
    database = sqlite3.connect(file)
    steps = 0

    def step():
        nonlocal steps
        steps += 1

    (moment,) = database.execute(
        "SELECT max(next_at) FROM (SELECT next_at FROM checkin_settings WHERE next_at > 0"
        " ORDER BY next_at LIMIT ?)", (DUE,)).fetchone()
    plan = [row[3] for row in database.execute("EXPLAIN QUERY PLAN " + question, (moment, DUE))]
    database.set_progress_handler(step, 1)
    found = len(database.execute(question, (moment, DUE)).fetchall())
    database.set_progress_handler(None, 1)
    database.close()
    return found, steps, plan


def copy(data, target):
    """Synced to disk: an `fsync` of the scan then waits for the scan's writes only, and not for
    half a gigabyte written before."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(data, target)
    os.sync()


def rows(folder):
    site = Instance(folder, PAIRSPOT_OUTAGE_GRACE="0", PAIRSPOT_NOW=at(1, "12:00")).start()
    try:
        many(site, DUE)
    finally:
        site.stop()
    work(site, at(1, "13:00"))
    (folder / "var/mail").rename(folder / "mail")
    kept = {people: folder / f"others{people}" for people in OTHERS}
    for people, data in kept.items():
        copy(site.data, data)
        if people:
            fill(data / "pairspot.sqlite", people)
    machine.quiet()
    results = {people: [] for people in OTHERS}
    for number in range(ROUNDS):
        for people, milliseconds in in_turn(results.items(), number):
            copy(kept[people], site.data)
            milliseconds.append(1000 * scan(site))
    size = (kept[OTHERS[-1]] / "pairspot.sqlite").stat().st_size / 1e6
    steps = {}
    for people, data in kept.items():
        found, steps[people], plan = finding(data / "pairspot.sqlite")
        print(f"{DUE + people:,} people, {DUE} due: {spread(results[people], 'ms')}; finding them:"
              f" {found} rows in {steps[people]} steps, {'; '.join(plan)}")
    most = OTHERS[-1]
    found = ratio(results[most], results[OTHERS[0]])
    return [Row(
        f"growth: check-in scan, {DUE:,} due among {DUE + most:,}", f"{DUE:,} due among {DUE:,}; time",
        found, "≤ 1.3", found.middle <= 1.3,
        " / ".join(f"{statistics.median(results[people]):.0f}" for people in OTHERS) + " ms; finding"
        f" them {' / '.join(f'{steps[people]:,}' for people in OTHERS)} steps of SQLite's machine;"
        f" {size:.0f} MB", {f"{DUE + people}_ms": summary(them) for people, them in results.items()})]
