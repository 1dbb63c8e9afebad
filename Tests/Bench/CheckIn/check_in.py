"""Check-ins committed to disk, by PairSpot and by FastAPI: the page's form with session and
token, each by another user, so that each one writes. Both start with copies of one database and
have `synchronous=FULL`; the disk's time for `fdatasync` is measured, too. Only check-ins
answered as done are counted; with refusals the row has no mark."""

import itertools
import os
import shutil
import statistics
import sys
import time
from urllib.parse import urlencode

from shared import knobs, machine, world
from shared.databases import ask
from shared.figures import Row, ratio, short, spread, summary
from shared.load import load
from shared.peer import Peer
from shared.rounds import in_turn
from shared.site import HOST, Keys, Site, base64url, signed

# Number of users per second of a round; a round that runs out of them ends the run.
MOST = dict(PairSpot=6000, FastAPI=1500)
# The peer's two ways: directly, or in its thread pool; and number and length of trials of both.
WAYS = ("/checkin", "/pool/checkin")
TRIES, SHORT = 3, min(2, knobs.SECONDS)
# Size of one check-in alone in SQLite's write-ahead log, in frames (a page and its header),
# measured by the growth of its file.
FRAMES, FRAME = 4, 24 + 4096
# The log is overwritten from its beginning after this number of frames.
CHECKPOINT = 1000
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


def fdatasync_ms(file, over, count=200):
    """The disk's time for syncing a commit's frames: overwriting existing ones (`over`), like a
    write-ahead log after its first round, or at the end of a growing file, which changes
    metadata of the file system as well."""
    commit, times = os.urandom(FRAMES * FRAME), []
    with open(file, "wb", buffering=0) as log:
        if over:
            log.write(os.urandom(CHECKPOINT * FRAME))
            os.fsync(log.fileno())
        for number in range(count):
            os.pwrite(log.fileno(), commit, number * len(commit) % ((CHECKPOINT - FRAMES) * FRAME)
                      if over else number * len(commit))
            started = time.perf_counter()
            os.fdatasync(log.fileno())
            times.append(1000 * (time.perf_counter() - started))
    return times


def written(file):
    return ask(file, "SELECT count(*) FROM check_ins WHERE user_id IN"
                     " (SELECT id FROM users WHERE role = 1)")


def settled(file):
    """Bytes written after pending requests have ended, so that they do not count for the next
    round."""
    count = written(file)
    while True:
        time.sleep(0.5)
        count, before = written(file), count
        if count == before:
            return count


def forms(keys, secrets):
    """A line for each person: the cookie and the body of the form."""
    return [f"{base64url(secret)} " + urlencode(
        dict(csrf_token=keys.csrf_token(secret), button="check-in")) for secret in secrets]


def rows(folder):
    site = Site(folder / "check-in/var").for_filling()
    session = site.sign_in()
    site.stop()
    world.fill(site.database, knobs.USERS, 1000)
    keys = Keys(site.data)
    # All rounds, all trials, and one of both ways as a warm-up.
    seconds = knobs.ROUNDS * knobs.SECONDS + (TRIES + 1) * len(WAYS) * SHORT
    most = max(MOST.values()) * seconds
    people = forms(keys, world.watched(site.database, most))
    other = folder / "check-in-peer/pairspot.sqlite"
    other.parent.mkdir()
    shutil.copy(site.database, other)
    site.for_measuring()
    peer = None
    try:
        peer = Peer(site, other, other.parent)
        if os.geteuid() == 0:
            shutil.chown(other, "nobody")
        peer.wait("/core", signed(session))
        machine.quiet()
        rest = {name: iter(people) for name in MOST}

        def tap(name, port, path, file, seconds=knobs.SECONDS):
            some = list(itertools.islice(rest[name], MOST[name] * seconds))
            return tapped(folder, f"http://127.0.0.1:{port}{path}", some, file, name, seconds)

        better = faster(lambda path: tap("FastAPI", peer.port, path, other, SHORT))
        for _ in WAYS:
            tap("PairSpot", site.port, WAYS[0], site.database, SHORT)
        subjects = {"PairSpot": (site.port, WAYS[0], site.database),
                    "FastAPI": (peer.port, better, other)}
        rounds, syncs = {name: [] for name in subjects}, {"over": [], "growing": []}
        for number in range(knobs.ROUNDS):
            for kind, times in in_turn(syncs.items(), number):
                times.append(statistics.median(fdatasync_ms(folder / "sync", kind == "over")))
            for name, where in in_turn(subjects.items(), number):
                rounds[name].append(tap(name, *where))
        return table(rounds, syncs)
    finally:
        if peer:
            peer.stop()
        site.stop()


def faster(tap, ways=WAYS):
    """The peer's fastest way, after warming up all."""
    found = {path: [] for path in ways}
    for number in range(TRIES + 1):
        for path in in_turn(ways, number):
            one = tap(path)
            if number:
                found[path].append(one)
    better = max(ways, key=lambda path: statistics.median(one.right_rate for one in found[path]))
    print(", ".join(
        f"{path}: {spread([one.right_rate for one in them])} a second,"
        f" {refusals(them)} refused" for path, them in found.items())
        + f"; measured: {better}")
    return better


def refusals(rounds):
    """Answers other than success (503 if the database is locked), or none at all."""
    return sum(one.refused for one in rounds)


def tapped(folder, url, people, file, name, seconds):
    """One round; every answer must be a success, and the database must have the same number."""
    (folder / "people").write_text("\n".join(people) + "\n")
    script = folder / "tap.lua"
    script.write_text(SCRIPT.format(
        people=folder / "people", host=HOST, path="/" + url.split("/", 3)[3]))
    before = written(file)
    one = load(url, script=script, seconds=seconds)
    # Includes pending requests at the end of the time.
    more = settled(file) - before
    if not one.right <= more <= one.right + 32 + 2:
        sys.exit(f"{name}: {one.right} answers that it is done, {more} check-ins written")
    if one.right + 2 >= len(people):
        sys.exit(f"{name} used up its {len(people)} people")
    return one


def table(rounds, syncs):
    rates, middles, tails = ({name: [form(one) for one in them] for name, them in rounds.items()}
                             for form in (lambda one: one.right_rate, lambda one: one.p50,
                                          lambda one: one.p99))
    steep = {name: ratio(tails[name], middles[name]) for name in rounds}
    refused = {name: refusals(them) for name, them in rounds.items()}
    for name in rounds:
        print(f"{name}: {spread(rates[name])} check-ins a second, p50 {spread(middles[name], 'ms')},"
              f" p99 {spread(tails[name], 'ms')}, p99 / p50 {steep[name]}, {refused[name]} refused")
    disk, growing = (statistics.median(syncs[kind]) for kind in ("over", "growing"))
    found = ratio(rates["PairSpot"], rates["FastAPI"])
    figures = {name: {
        "check_ins_a_second": summary(rates[name]), "p50_ms": summary(middles[name]),
        "p99_ms": summary(tails[name]), "p99_by_p50": summary(
            [tail / middle for tail, middle in zip(tails[name], middles[name])]),
        "refused": [one.refused for one in them]} for name, them in rounds.items()}
    figures["fdatasync_ms"] = {kind: summary(times) for kind, times in syncs.items()}
    said = f"refused {refused['PairSpot']} beside {refused['FastAPI']}"
    # With refusals the others were not measured at the same work.
    met = found.middle >= 10 if disk < 0.2 or found.middle >= 10 else None
    return [
        Row("check-in, durable", f"FastAPI, SQLAlchemy ORM, the same pragmas, {knobs.WORKERS} workers",
            found, "≥ 10 times where `fdatasync` takes under 0.2 ms",
            None if any(refused.values()) else met,
            f"`fdatasync` {short(disk)} ms over what is there, {short(growing)} in a file that grows;"
            f" {short(statistics.median(rates['PairSpot']))} beside"
            f" {short(statistics.median(rates['FastAPI']))} a second; {said};"
            " ours does more (letters that wait, pauses, alerts)", figures),
        Row("its p99", "its own p50", steep["PairSpot"], "≤ 10 times, none refused",
            steep["PairSpot"].middle <= 10 and not refused["PairSpot"],
            f"p50 {spread(middles['PairSpot'], 'ms')}, p99 {spread(tails['PairSpot'], 'ms')};"
            f" FastAPI's {steep['FastAPI']}: {spread(middles['FastAPI'], 'ms')},"
            f" {spread(tails['FastAPI'], 'ms')}; {said}", figures),
    ]
