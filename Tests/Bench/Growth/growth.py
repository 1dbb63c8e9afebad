"""The same pages with 1,000, 100,000 and 1,000,000 posts and as many people, each of whom has checked in
and ridden: three instances at once, asked in interleaved rounds, one request after the other."""

import random
import statistics
import sys
import time
import uuid

from shared import knobs, world
from shared.figures import Row, ratio, short, spread, summary
from shared.load import checked, measured
from shared.rounds import in_turn
from shared.site import Site, signed

SIZES = sorted({1000, min(100_000, knobs.LARGEST), knobs.LARGEST})
# Of one round of one page of one world.
SECONDS = max(1, knobs.SECONDS // 3)
# How much of her own somebody has in each of the worlds.
OWN = 60
RIDE = """INSERT INTO workouts (id, user_id, client_session_id, started_at, ended_at, day, duration_ms,
  energy_cal, distance_mm, device_type, avg_hr, max_hr, avg_power, max_power, source, claim_round,
  received_at) VALUES (?, ?, ?, ?, ?, ?, 1700000, 271500, 14200000, 'bike', 127.0, 142.0, 151.0, 216.0,
  'recorded', 0, ?)"""
TAP = "INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline) VALUES (?, ?, ?, ?, 0)"


def lives(file, mine):
    """A check-in and a ride of everybody, and some of one's own."""
    chance, now = random.Random(3), int(time.time() * 1000)
    database = world.bulk(file)
    people = [row[0] for row in database.execute("SELECT id FROM users ORDER BY id")]
    taps = [(person, now // world.DAY_MS, now, "Asia/Taipei") for person in people if person != mine]
    database.executemany(f"{TAP} ON CONFLICT DO NOTHING", taps)
    database.executemany(f"{TAP} ON CONFLICT DO NOTHING", (
        (mine, now // world.DAY_MS - back, now - back * world.DAY_MS, "Asia/Taipei")
        for back in range(1, OWN + 1)))

    def ride(person, start):
        return (world.id_at(start, chance), person, chance.randbytes(16), start, start + 1_700_000,
                start // world.DAY_MS, now)

    rides = [ride(person, now - 7_200_000 - chance.randrange(30 * world.DAY_MS)) for person in people
             if person != mine]
    rides += [ride(mine, now - 7_200_000 - back * world.DAY_MS) for back in range(OWN)]
    database.executemany(RIDE, sorted(rides))
    world.close(database)


def made(folder, size):
    """An instance with so many people and posts, not running, and the paths to ask."""
    site = Site(folder / f"world{size}/var").for_filling()
    try:
        session = site.sign_in()
    finally:
        site.stop()
    started = time.time()
    couples = world.fill(site.database, size, size)
    database = site.connect()
    (mine,) = database.execute("SELECT id FROM users WHERE display_name = 'Mei'").fetchone()
    database.close()
    lives(site.database, mine)
    print(f"{size:,} posts and people: {site.database.stat().st_size / 1e6:,.0f} MB,"
          f" made in {time.time() - started:.0f} s", flush=True)
    return site, session, {
        "feed page": "/", "profile": f"/couples/{uuid.UUID(bytes=couples[len(couples) // 2])}",
        "history of check-ins": "/checkin/history", "history of workouts": "/workouts",
        "GET /api/v1/posts": "/api/v1/posts"}


def rows(folder):
    worlds = {size: made(folder, size) for size in SIZES}
    results, each = {}, {}
    try:
        for size, (site, session, paths) in worlds.items():
            site.for_measuring()
            for what, path in paths.items():
                page = site.fetch(path, signed(session))
                if what == "feed page" and page.count(b'data-testid="post"') != 20:
                    sys.exit("the feed has not 20 posts")
                # Once more than checked: the first look at a page reads it from the disk.
                each[what, size] = checked(
                    f"{what}, {size}", f"http://127.0.0.1:{site.port}{path}", signed(session), folder,
                    len(page))
        for number in range(knobs.ROUNDS):
            for what in paths:
                for size, (site, session, its_paths) in in_turn(worlds.items(), number):
                    one = measured(
                        f"{what}, {size}", f"http://127.0.0.1:{site.port}{its_paths[what]}",
                        signed(session), seconds=SECONDS, connections=1, each=each[what, size])
                    results.setdefault(what, {}).setdefault(size, []).append(one.p50)
    finally:
        for site, _, _ in worlds.values():
            site.stop()
    return [row(what, found) for what, found in results.items()]


def row(what, found):
    least, most = SIZES[0], SIZES[-1]
    print(f"{what}: " + ", ".join(
        f"{size:,}: {spread(values, 'ms')}" for size, values in found.items()))
    grown = ratio(found[most], found[least])
    return Row(
        f"growth: {what}, {most:,} posts and people", f"{least:,}; p50, one after the other", grown,
        "≤ 1.3", grown.middle <= 1.3,
        " / ".join(short(statistics.median(found[size])) for size in SIZES) + " ms",
        {f"{size}_ms": summary(values) for size, values in found.items()})
