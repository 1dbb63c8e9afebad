"""The same pages with 1,000, 100,000 and 1,000,000 posts and as many users, each with check-ins,
workouts, follows and likes: three instances at once, with interleaved rounds of sequential
requests. The viewer's own data, and the viewed profile, have the same size in each of them."""

import json
import pathlib
import random
import re
import statistics
import sys
import time
import uuid

from shared import knobs, machine, world
from shared.figures import Row, ratio, short, spread, summary
from shared.load import checked, measured
from shared.rounds import in_turn
from shared.site import Site, signed

SIZES = sorted({1000, min(100_000, knobs.LARGEST), knobs.LARGEST})
# Size of a user's own data in each instance: days and workouts; follows; unread notices. The
# profile has as many posts, and as many followers as unread notices.
OWN, FOLLOWS, UNREAD = 60, 100, 12
RIDE = """INSERT INTO workouts (id, user_id, client_session_id, started_at, ended_at, day, duration_ms,
  energy_cal, distance_mm, device_type, avg_hr, max_hr, avg_power, max_power, source, claim_round,
  received_at, has_bests) VALUES (?, ?, ?, ?, ?, ?, 1700000, 271500, 14200000, 'bike', 127.0, 142.0,
  151.0, 216.0, 'recorded', 0, ?, 1)"""
# The mark of a post for followers only.
FOR_FOLLOWERS = re.compile(rb'role="img" aria-label="[^"]*"><use href="[^"]*#icon-people"')
TAP = "INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline) VALUES (?, ?, ?, ?, 0)"


def lives(file, mine):
    """A check-in and a workout of each user, and some of the viewer's own."""
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


def ties(file, mine, shown):
    """The viewer's follows, half of them the latest authors of posts for followers; unread
    notices; and the posts and followers of the viewed profile, all of them older than the feed's
    first page."""
    chance, now = random.Random(5), int(time.time() * 1000)
    database = world.bulk(file)
    (couple,) = database.execute("SELECT couple_id FROM users WHERE id = ?", (mine,)).fetchone()
    others = [row[0] for row in database.execute(
        "SELECT id FROM couples WHERE status = 'active' AND id <> ? ORDER BY id", (couple,))]
    latest = [row[0] for row in database.execute(
        "SELECT couple_id FROM posts WHERE visibility = 'followers' ORDER BY id DESC LIMIT ?",
        (FOLLOWS // 2,))]
    step = max(1, len(others) // (FOLLOWS // 2))
    database.executemany(
        world.FOLLOW, ((couple, one, now) for one in [*latest, *others[::step][:FOLLOWS // 2]]
                       if one != couple))
    database.executemany(
        world.FOLLOW, ((one, shown, now) for one in others[:UNREAD] if one != shown))
    posts = [row[0] for row in database.execute(
        "SELECT id FROM posts WHERE couple_id = ? LIMIT 1", (couple,))]
    database.executemany(world.NOTICE, (
        (world.id_at(now - back * 1000, chance), mine, posts[0] if posts else None, now - back * 1000,
         None) for back in range(UNREAD)))
    (author, had) = database.execute(
        "SELECT max(author_id), count(*) FROM posts WHERE couple_id = ?", (shown,)).fetchone()
    database.executemany(world.POST, sorted(
        (world.id_at(moment, chance), shown, author, world.WORDS, "public", 0, 0, moment)
        for moment in (now - (30 + back) * world.DAY_MS for back in range(OWN - had))))
    world.close(database)


def expect(what, page, site, mine):
    """The page contains the expected parts."""
    def marks(mark, count):
        if page.count(mark.encode()) != count:
            sys.exit(f"{what}: {page.count(mark.encode())} times {mark} instead of {count}")

    if what in ("feed page", "profile"):
        marks('data-testid="post"', 20)
    if what == "feed page" and not FOR_FOLLOWERS.search(page):
        sys.exit("on the feed page is nothing of those whom she follows")
    if what == "profile":
        marks('data-testid="follow-counts"', 1)
    if what == "history of check-ins":
        database = site.connect()
        (days,) = database.execute(
            "SELECT count(*) FROM check_ins WHERE user_id = ?", (mine,)).fetchone()
        database.close()
        if days < OWN or f'<b class="figure">{days}</b>'.encode() not in page:
            sys.exit(f"{what}: {days} days are not on the page")
    if what == "history of workouts":
        marks('data-state="stored"', 20)
    if what == "GET /api/v1/posts":
        marks('"created_at"', 20)


def made(folder, size):
    """A stopped instance with this number of users and posts, and the paths to request; one that was
    kept if there is one."""
    site = Site(folder / f"world{size}/var")
    about = site.data.parent / "about.json"
    if not about.exists():
        about.write_text(json.dumps(
            fill(site, prepared(site), size, min(size, knobs.MOST_PEOPLE))))
    return described(site, about)


def described(site, about):
    session, mine, shown = json.loads(about.read_text())
    return site, session, bytes.fromhex(mine), {
        "feed page": "/", "profile": f"/couples/{uuid.UUID(shown)}",
        "history of check-ins": "/checkin/history", "history of workouts": "/workouts",
        "GET /api/v1/posts": "/api/v1/posts"}


def prepared(site):
    """Makes the database with its demonstration; Mei's session."""
    site.for_filling()
    try:
        return site.sign_in()
    finally:
        site.stop()


def fill(site, session, size, people):
    """Mei's session and identifier, and that of the viewed couple."""
    started = time.time()
    couples = world.fill(site.database, people, size, lively=True)
    shown = couples[len(couples) // 2]
    database = site.connect()
    (mine,) = database.execute("SELECT id FROM users WHERE display_name = 'Mei'").fetchone()
    database.close()
    lives(site.database, mine)
    ties(site.database, mine, shown)
    print(f"{size:,} posts, made in {time.time() - started:.0f} s", flush=True)
    return session, mine.hex(), shown.hex()


def rows(folder):
    folder = pathlib.Path(knobs.KEPT or folder)
    results = measure(folder, {size: made(folder, size) for size in SIZES})
    return [row(what, found) for what, found in results.items()]


def measure(folder, worlds):
    """The p50 of each round, in ms, by page and size."""
    results, each = {}, {}
    machine.quiet()
    try:
        for size, (site, session, mine, paths) in worlds.items():
            site.for_measuring()
            for what, path in paths.items():
                page = site.fetch(path, signed(session))
                expect(what, page, site, mine)
                # One more than checked: the first request of a page reads it from disk.
                each[what, size] = checked(
                    f"{what}, {size}", f"http://127.0.0.1:{site.port}{path}", signed(session), folder,
                    len(page))
        for number in range(knobs.ROUNDS):
            for what in paths:
                for size, (site, session, _, its_paths) in in_turn(worlds.items(), number):
                    one = measured(
                        f"{what}, {size}", f"http://127.0.0.1:{site.port}{its_paths[what]}",
                        signed(session), connections=1, each=each[what, size])
                    results.setdefault(what, {}).setdefault(size, []).append(one.p50)
    finally:
        for site, *_ in worlds.values():
            site.stop()
    return results


def row(what, found, people=None, where=""):
    least, most = min(found), max(found)
    people = people or min(most, knobs.MOST_PEOPLE)
    print(f"{what}: " + ", ".join(
        f"{size:,}: {spread(values, 'ms')}" for size, values in found.items()))
    grown = ratio(found[most], found[least])
    return Row(
        f"growth{where}: {what}, {most:,} posts of {people:,} people",
        f"{least:,}; p50, one after the other", grown,
        "≤ 1.3", grown.middle <= 1.3,
        " / ".join(short(statistics.median(found[size])) for size in sorted(found)) + " ms",
        {f"{size}_ms": summary(values) for size, values in found.items()})
