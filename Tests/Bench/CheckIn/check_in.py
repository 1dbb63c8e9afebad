"""A check-in that is on the disk, by PairSpot and by FastAPI: the page's form with its session and its
token, each by somebody else, so that each one writes. Both begin with copies of one database and have
`synchronous=FULL`; how long the disk takes for `fdatasync` stands beside."""

import itertools
import os
import shutil
import sqlite3
import statistics
import sys
import time
from urllib.parse import urlencode

from shared import knobs, world
from shared.figures import Row, ratio, short, spread, summary
from shared.load import load
from shared.peer import Peer
from shared.rounds import in_turn
from shared.site import HOST, Keys, Site, base64url

# How many people a second a round has ready; a round that used them all up would end the run.
MOST = dict(PairSpot=6000, FastAPI=1500)
# The peer's two ways: at once, or in its pool of threads; and how often and how long both are tried.
WAYS = ("/checkin", "/pool/checkin")
TRIES, SHORT = 3, min(2, knobs.SECONDS)
SCRIPT = """
local place = 0
function setup(thread) thread:set("mine", place); place = place + 1 end
function init(arguments)
  wrong, right, sent, people = 0, 0, 0, {{}}
  local number = 0
  for line in io.lines("{people}") do
    if number % 2 == mine then table.insert(people, line) end
    number = number + 1
  end
end
function request()
  sent = sent + 1
  if sent > #people then wrk.thread:stop(); sent = #people end
  local cookie, body = people[sent]:match("(%S+) (%S+)")
  return wrk.format("POST", "{path}", {{
    ["Host"] = "{host}", ["Cookie"] = "__Host-session=" .. cookie,
    ["Content-Type"] = "application/x-www-form-urlencoded", ["Sec-Fetch-Site"] = "same-origin"
  }}, body)
end
function response(status)
  if status == 303 then right = right + 1 else wrong = wrong + 1 end
end
local threads = {{}}
local set = setup
function setup(thread) set(thread); table.insert(threads, thread) end
function done(summary, latency, requests)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("right"); bad = bad + thread:get("wrong")
  end
  io.write(string.format("Right: %d Wrong: %d\\n", good, bad))
end
"""


def fdatasync_ms(folder, count=200):
    """What the disk takes to make 4 KB safe."""
    times = []
    with open(folder / "sync", "wb", buffering=0) as file:
        for _ in range(count):
            file.write(bytes(4096))
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(1000 * (time.perf_counter() - started))
    return times


def written(file):
    database = sqlite3.connect(file, timeout=60)
    (count,) = database.execute("SELECT count(*) FROM check_ins WHERE user_id IN"
                                " (SELECT id FROM users WHERE role = 1)").fetchone()
    database.close()
    return count


def settled(file):
    """What is written once nothing more comes: what was on its way when a round was over must not be
    counted to the next one."""
    count = written(file)
    while True:
        time.sleep(0.5)
        count, before = written(file), count
        if count == before:
            return count


def rows(folder):
    site = Site(folder / "check-in/var").for_filling()
    session = site.sign_in()
    site.stop()
    world.fill(site.database, knobs.USERS, 1000)
    keys = Keys(site.data)
    # Each round, each try, and one of both ways to get warm.
    seconds = knobs.ROUNDS * knobs.SECONDS + (TRIES + 1) * len(WAYS) * SHORT
    most = max(MOST.values()) * seconds
    people = [f"{base64url(secret)} " + urlencode(
        dict(csrf_token=keys.csrf_token(secret), button="check-in"))
        for secret in world.watched(site.database, most)]
    other = folder / "check-in-peer/pairspot.sqlite"
    other.parent.mkdir()
    shutil.copy(site.database, other)
    site.for_measuring()
    peer = None
    try:
        peer = Peer(site, other, other.parent)
        if os.geteuid() == 0:
            shutil.chown(other, "nobody")
        peer.wait(session)
        rest = {name: iter(people) for name in MOST}

        def tap(name, port, path, file, seconds=knobs.SECONDS):
            some = list(itertools.islice(rest[name], MOST[name] * seconds))
            return tapped(folder, f"http://127.0.0.1:{port}{path}", some, file, name, seconds)

        better = faster(lambda path: tap("FastAPI", peer.port, path, other, SHORT))
        for _ in WAYS:
            tap("PairSpot", site.port, WAYS[0], site.database, SHORT)
        subjects = {"PairSpot": (site.port, WAYS[0], site.database),
                    "FastAPI": (peer.port, better, other)}
        rounds, syncs = {name: [] for name in subjects}, []
        for number in range(knobs.ROUNDS):
            syncs += fdatasync_ms(folder)
            for name, where in in_turn(subjects.items(), number):
                rounds[name].append(tap(name, *where))
        return table(rounds, syncs)
    finally:
        if peer:
            peer.stop()
        site.stop()


def faster(tap):
    """The peer's faster way, once both are warm."""
    found = {path: [] for path in WAYS}
    for number in range(TRIES + 1):
        for path in in_turn(WAYS, number):
            one = tap(path)
            if number:
                found[path].append(one)
    better = max(WAYS, key=lambda path: statistics.median(one.rate for one in found[path]))
    print(", ".join(
        f"{path}: {spread([one.rate for one in them])} a second,"
        f" {sum(one.wrong + one.dropped for one in them)} refused" for path, them in found.items())
        + f"; measured: {better}")
    return better


def tapped(folder, url, people, file, name, seconds):
    """One round; every answer says that it is done, and as many are in the database."""
    (folder / "people").write_text("\n".join(people) + "\n")
    script = folder / "tap.lua"
    script.write_text(SCRIPT.format(
        people=folder / "people", host=HOST, path="/" + url.split("/", 3)[3]))
    before = written(file)
    one = load(url, script=script, seconds=seconds)
    # What was on its way when the time was over is written too.
    more = settled(file) - before
    if not one.right <= more <= one.right + 32 + 2:
        sys.exit(f"{name}: {one.right} answers that it is done, {more} check-ins written")
    if one.right + 2 >= len(people):
        sys.exit(f"{name} used up its {len(people)} people")
    return one


def table(rounds, syncs):
    rates = {name: [one.rate for one in them] for name, them in rounds.items()}
    disk = statistics.median(syncs)
    for name, them in rounds.items():
        print(f"{name}: {spread(rates[name])} check-ins a second,"
              f" p50 {spread([one.p50 for one in them], 'ms')},"
              f" p99 {spread([one.p99 for one in them], 'ms')},"
              f" {sum(one.wrong + one.dropped for one in them)} refused")
    found = ratio(rates["PairSpot"], rates["FastAPI"])
    ours, theirs = rounds["PairSpot"], rounds["FastAPI"]
    refused = sum(one.wrong + one.dropped for one in ours)
    tail = statistics.median(one.p99 / one.p50 for one in ours)
    other_tail = statistics.median(one.p99 / one.p50 for one in theirs)
    figures = {name: {
        "check_ins_a_second": summary(rates[name]), "p50_ms": summary([one.p50 for one in them]),
        "p99_ms": summary([one.p99 for one in them]),
        "refused": sum(one.wrong + one.dropped for one in them)} for name, them in rounds.items()}
    figures["fdatasync_ms"] = disk
    return [
        Row("check-in, durable", "FastAPI, SQLAlchemy ORM, the same pragmas", found,
            "≥ 8 times where `fdatasync` takes under 0.2 ms",
            found.middle >= 8 if disk < 0.2 or found.middle >= 8 else None,
            f"`fdatasync` {short(disk)} ms; {short(statistics.median(rates['PairSpot']))} beside"
            f" {short(statistics.median(rates['FastAPI']))} a second", figures),
        Row("its p99", "its own p50", short(tail), "< 20 times, none refused",
            tail < 20 and refused == 0, f"FastAPI's: {short(other_tail)};"
            f" refused {refused} beside {sum(one.wrong + one.dropped for one in theirs)}", figures),
    ]
