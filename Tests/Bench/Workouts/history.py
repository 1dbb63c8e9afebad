"""The history and an upload with a thousand workouts stored, compared with a million.

Three copies of one database: a user with OWN (1,000) workouts; the same among MANY (1,000,000)
of other users; and a user with MANY workouts. Makes the same requests in interleaved rounds: the
list of the API, its last page but one, the page, an upload of twenty. Counts the steps of
SQLite's virtual machine for the list.
"""

import json
import random
import re
import shutil
import statistics
import time

from shared import knobs, machine
from shared.figures import Row, ratio, short, spread, summary
from shared.rounds import in_turn
from shared.site import Site, signed
from shared.world import DAY_MS, bulk, close

from .riding import BATCH, batches, sign_in

OWN = knobs.number("OWN", 1000)
MANY = knobs.number("MANY", knobs.LARGEST)
ROUNDS = knobs.ROUNDS
REPEATS = knobs.number("REPEATS", 20)
COLUMNS = """id, user_id, client_session_id, started_at, ended_at, day, duration_ms, energy_cal,
  distance_mm, device_type, avg_hr, max_hr, avg_power, max_power, source, claim_round, received_at,
  has_bests"""


def rides(people, each):
    chance = random.Random(20261121)
    now = int(time.time() * 1000)
    for person in people:
        for number in range(each):
            start = now - 7_200_000 - number * 800_000 - chance.randrange(400_000)
            head = start.to_bytes(6, "big")
            yield (head + chance.randbytes(10), person, chance.randbytes(16), start,
                   start + 1_700_000, start // DAY_MS, 1_700_000, 271_500, 14_200_000, "bike",
                   127.0, 142.0, 151.0, 216.0, "recorded", 0, start + 1_800_000, 1)


def fill(file, people, each):
    database = bulk(file)
    with database:
        (zone,) = database.execute("SELECT coalesce(max(time_zone), 'Asia/Taipei') FROM users"
                                   " WHERE id = ?", (people[0],)).fetchone()
        database.executemany(
            f"INSERT INTO workouts ({COLUMNS}) VALUES ({', '.join('?' * 18)})",
            rides(people, each))
        # As counted by the product, except for days of the user's zone, which it corrects.
        for person in people:
            database.execute(
                """INSERT INTO user_stats (user_id, time_zone, count, energy_cal, distance_mm,
                     duration_ms, last_day, run_days, claim_round, later_count, later_energy_cal,
                     later_distance_mm, later_duration_ms)
                   SELECT user_id, ?, count(*), sum(energy_cal), sum(distance_mm),
                     sum(duration_ms), max(day), count(DISTINCT day), 0, count(*),
                     sum(energy_cal), sum(distance_mm), sum(duration_ms)
                   FROM workouts WHERE user_id = ?""", (zone, person))
    close(database)


def strangers(file, count):
    database = bulk(file)
    ids = [bytes([1]) + random.Random(number).randbytes(15) for number in range(count)]
    with database:
        database.executemany(
            "INSERT INTO users (id, role, display_name, language, time_zone, terms_version,"
            " terms_accepted_at, created_at) VALUES (?, 2, 'Other', 'en', 'Asia/Taipei', 'x', 1, 1)",
            [(id,) for id in ids])
    close(database)
    return ids


def finding(file, person):
    """The plan of the list, and the steps of SQLite's virtual machine for its first page."""
    source = (knobs.ROOT / "Sources/Workouts/WorkoutStore.swift").read_text()
    columns = re.search(r'static let columns = """\n(.*?)"""', source, re.S)[1]
    question = re.search(r'func list\(.*?"""\n(.*?)"""', source, re.S)[1].strip()
    question = question.replace(r"\(Self.columns)", columns)
    database = bulk(file)
    values = (person, 2**63 - 1, b"", -2**63, 51)
    steps = 0

    def step():
        nonlocal steps
        steps += 1

    plan = [row[3] for row in database.execute("EXPLAIN QUERY PLAN " + question, values)]
    database.set_progress_handler(step, 1)
    found = len(database.execute(question, values).fetchall())
    database.set_progress_handler(None, 1)
    database.close()
    return found, steps, "; ".join(plan)


def timed(caller, method, path, body=None):
    started = time.perf_counter()
    status, answer = caller.call(method, path, body)
    spent = 1000 * (time.perf_counter() - started)
    assert status == 200, (path, status, answer[:300])
    return spent, answer


def deep(caller):
    """URL of a page far down: the twentieth of 200, or the last one."""
    cursor = ""
    for _ in range(20):
        answer = json.loads(timed(caller, "GET", f"/api/v1/sessions?limit=200{cursor}")[1])
        if not answer["next_cursor"]:
            break
        cursor = f"&cursor={answer['next_cursor']}"
    return f"/api/v1/sessions?limit=50{cursor}"


def seen(site, session):
    started = time.perf_counter()
    page = site.fetch("/workouts", signed(session))
    spent = 1000 * (time.perf_counter() - started)
    assert page.count(b'data-state="stored"') == 20, page[:300]
    return spent


def ways(site, caller, bodies, session):
    far = deep(caller)

    def many(path):
        return lambda: statistics.median(timed(caller, "GET", path)[0] for _ in range(REPEATS))

    def upload():
        spent, answer = timed(caller, "POST", BATCH, bodies.pop())
        assert json.loads(answer)["success_count"] == 20
        return spent

    found = {"GET /api/v1/sessions": many("/api/v1/sessions"),
             "far down the list": many(far),
             "GET /api/v1/users/me/stats": many("/api/v1/users/me/stats"),
             "upload of 20": upload}
    found["the page /workouts"] = lambda: statistics.median(
        seen(site, session) for _ in range(REPEATS))
    return found


def rows(folder):
    first = Site(folder / "first/var").for_filling()
    sam = sign_in(first)
    person = bytes.fromhex(
        json.loads(timed(sam, "GET", "/api/v1/users/me")[1])["id"].replace("-", ""))
    session = first.sign_in("sam@example.test")
    first.stop()
    kinds = {f"{OWN:,} of one's own": (OWN, 0), f"among {MANY:,} of others": (OWN, 1000),
             f"{MANY:,} of one's own": (MANY, 0)}
    running, measured, plans = [], {}, {}
    try:
        for number, (name, (own, others)) in enumerate(kinds.items()):
            site = Site(folder / f"world{number}/var")
            shutil.copytree(first.data, site.data)
            if others:
                fill(site.database, strangers(site.database, others), MANY // others)
            fill(site.database, [person], own)
            plans[name] = finding(site.database, person)
            running.append(site.for_measuring())
            caller = sign_in(site)
            # The zone of the days is evaluated once.
            bodies = batches(ROUNDS + 1, 0)
            timed(caller, "POST", BATCH, bodies.pop())
            measured[name] = (ways(site, caller, bodies, session), {})
        machine.quiet()
        for number in range(ROUNDS):
            for its_ways, values in in_turn(measured.values(), number):
                for what, measure in its_ways.items():
                    values.setdefault(what, []).append(measure())
    finally:
        for site in running:
            site.stop()
    return table({name: values for name, (_, values) in measured.items()}, plans)


def table(results, plans):
    base, *others = results
    made = []
    for name, (found, steps, plan) in plans.items():
        print(f"{name}: {found} rows in {steps} steps, {plan}")
        for what, values in results[name].items():
            print(f"  {what}: {spread(values, 'ms')}")
    for name in others:
        for what, values in results[name].items():
            made.append(Row(
                f"{what}, {name}", base, ratio(values, results[base][what]), "", None,
                f"{short(statistics.median(values))} beside"
                f" {short(statistics.median(results[base][what]))} ms", {"ms": summary(values)}))
    return made
