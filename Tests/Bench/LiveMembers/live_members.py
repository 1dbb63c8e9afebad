"""2,000 users with a group's page open and no activity, and 5,000 if the limit of open files
allows: memory of all our processes per user, and the time for a change to reach all of them.

Guests in groups of 250, in an instance in production; each holds one event stream, like a page.
Then every leader makes a call at the same time, for some rounds, and each stream's arrival is
timed. Each number of users has an instance of its own, whose memory is measured before the first
call.
"""

import asyncio
import json
import re
import resource
import statistics
import sys
import time
import uuid

from shared import knobs, machine, world
from shared.figures import Row, short, spread, summary
from shared.processes import by_name, megabytes, still
from shared.site import HOST, Keys, Site, base64url

SIZES = [int(size) for size in knobs.asked("MEMBERS", "2000,5000").split(",")]
IN_GROUP = 250
# A leader may make 20 calls a minute.
ROUNDS = min(knobs.ROUNDS + 2, 8)
# Streams opened and closed before the measurement.
WARM = 64
AT_ONCE = 64
PATIENCE = 30
VERSION = b'data: {"version'


def cookie(secret):
    return f"Host: {HOST}\r\nCookie: __Host-session={base64url(secret)}\r\n"


class Hall:
    """All listeners, and those that have not received the update yet."""

    def __init__(self, mark=VERSION):
        # Bytes that a stream has when it has received the update.
        self.mark = mark
        self.listeners, self.left, self.everybody = [], 0, None

    def wait(self):
        """Starts a round; ends after each stream has received a new version."""
        for listener in self.listeners:
            listener.heard, listener.tail = None, b""
        self.left = len(self.listeners)
        self.everybody = asyncio.get_running_loop().create_future()
        return self.everybody

    def hears(self):
        self.left -= 1
        if self.left == 0 and self.everybody and not self.everybody.done():
            self.everybody.set_result(None)


class Listener(asyncio.Protocol):
    """An event stream. It does as little as possible, since it shares the two processors."""

    def __init__(self, hall):
        self.hall, self.tail, self.heard, self.ended = hall, b"", 0, False
        self.status = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        now = time.monotonic()
        self.tail = (self.tail + data)[-512:]
        if not self.status.done():
            if b"\r\n" in data:
                self.status.set_result(int(data.split(b" ", 2)[1]))
        elif self.heard is None and self.hall.mark in self.tail:
            self.heard = now
            self.hall.hears()

    def connection_lost(self, _):
        self.ended = True
        if not self.status.done():
            self.status.set_result(0)


def events(group):
    return f"/api/v1/groups/{uuid.UUID(bytes=group)}/events"


async def listen(site, hall, path, secret):
    """A stream; its status is 0 if there was no answer."""
    try:
        _, listener = await asyncio.get_running_loop().create_connection(
            lambda: Listener(hall), "127.0.0.1", site.port)
    except OSError:
        return 0, None
    listener.transport.write(
        (f"GET {path} HTTP/1.1\r\n{cookie(secret)}"
         "Accept: text/event-stream\r\n\r\n").encode())
    try:
        return await asyncio.wait_for(listener.status, PATIENCE), listener
    except TimeoutError:
        return 0, None


async def call(site, keys, group, secret):
    """The leader's call to all members."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    body = json.dumps({"kind": "gather"})
    # HTTP/1.0 has no chunked encoding.
    writer.write(
        (f"POST /api/v1/groups/{uuid.UUID(bytes=group)}/commands HTTP/1.0\r\n{cookie(secret)}"
         f"Sec-Fetch-Site: same-origin\r\nX-CSRF-Token: {keys.csrf_token(secret)}\r\n"
         f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
    answer = await reader.read()
    writer.close()
    if not 200 <= int(answer.split(b" ", 2)[1]) < 300:
        sys.exit(f"a call: {answer[:600]}")


async def open_all(site, hall, wanted):
    """Opens streams of paths and sessions, some at once; returns the number of refused ones and the
    time in s."""
    turns, started = asyncio.Semaphore(AT_ONCE), time.monotonic()

    async def one(path, secret):
        async with turns:
            return await listen(site, hall, path, secret)

    found = await asyncio.gather(*(one(*each) for each in wanted))
    hall.listeners += [listener for status, listener in found if status == 200]
    return len(found) - sum(status == 200 for status, _ in found), time.monotonic() - started


def held(site):
    """MB of all our processes, without mapped files, of nginx's alone, and of each by its name."""
    pids = site.processes()
    return {"all": megabytes(pids), "anonymous": megabytes(pids, "Pss_Anon"),
            "nginx": megabytes(nginx(pids)), "by_name": by_name(pids), "pids": pids}


def nginx(pids):
    """The master and its workers, recognised by their command lines."""
    found = []
    for pid in pids:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"nginx" in file.read().split(b"\0")[0]:
                found.append(pid)
    return found


async def rounds_of(site, keys, hall, groups):
    """Times of each round, in ms: all calls answered, half of the streams updated, all updated."""
    found = []
    for number in range(ROUNDS + 1):
        everybody = hall.wait()
        started = time.monotonic()
        await asyncio.gather(*(call(site, keys, group, inside[0]) for group, inside in groups))
        called = time.monotonic()
        try:
            await asyncio.wait_for(everybody, PATIENCE)
        except TimeoutError:
            ended = sum(listener.ended for listener in hall.listeners)
            sys.exit(f"{hall.left} of {len(hall.listeners)} have not heard in {PATIENCE} s;"
                     f" {ended} streams have ended")
        arrivals = [listener.heard for listener in hall.listeners]
        await asyncio.sleep(1.5)
        # The first round is a warm-up.
        if number:
            found.append([1000 * (moment - started) for moment in (
                called, statistics.median(arrivals), max(arrivals))])
    return found


async def measure(site, keys, groups):
    """Of an instance without earlier requests."""
    everyone = [(events(group), secret) for group, inside in groups for secret in inside]
    warm = Hall()
    await open_all(site, warm, everyone[:WARM])
    for listener in warm.listeners:
        listener.transport.close()
    await asyncio.sleep(2)
    before, hall = held(site), Hall()
    refused, opened = await open_all(site, hall, everyone)
    await asyncio.sleep(2)
    now = held(site)
    still(before["pids"], now["pids"], "PairSpot")
    print(f"{len(everyone):,} streams in groups of {IN_GROUP}: {refused} refused, the last opened in"
          f" {opened:.1f} s; MB: {before['by_name']} before, {now['by_name']} with them", flush=True)
    rounds = None if refused else await rounds_of(site, keys, hall, groups)
    for listener in hall.listeners:
        listener.transport.close()
    return refused, opened, before, now, rounds


def room(site):
    """Number of streams allowed by the limits of open files, ours and those of nginx's workers,
    minus a quarter: the workers don't share the streams evenly."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    text = (site.data / "run/nginx.conf").read_text()
    workers, files, connections = (
        int(re.search(rf"{name} (\d+);", text)[1])
        for name in ("worker_processes", "worker_rlimit_nofile", "worker_connections"))
    print(f"open files: {hard:,} of the bench; nginx: {workers} workers of"
          f" {min(files, connections):,} connections")
    return min(hard, workers * min(files, connections)) / 1.25


def rows(folder):
    for size in SIZES:
        yield from rows_of(folder / f"live{size}", size)


def rows_of(folder, size):
    site = Site(folder / "var").for_filling()
    site.stop()
    if size > room(site):
        print(f"{size:,} people: open files don't allow so many")
        return []
    groups = world.grouped(site.database, size, IN_GROUP)
    keys, load = Keys(site.data), machine.quiet()
    site.for_measuring()
    try:
        found = table(size, *asyncio.run(measure(site, keys, groups)))
    finally:
        site.stop()
    for row in found:
        row.load_before = load
    return found


def table(size, refused, opened, before, now, rounds):
    what = f"idle live members, {size:,}"
    if refused:
        return [Row(what, "all streams opened", f"{refused:,} refused", "none", False)]
    each, of_nginx, anonymous = (
        (now[whose] - before[whose]) * 1024 / size for whose in ("all", "nginx", "anonymous"))
    calls, half, everybody = zip(*rounds)
    print(f"{size:,}: {before['all']:.1f} MB before, {now['all']:.1f} MB with them; all calls answered"
          f" {spread(calls, 'ms')}, half of all have heard {spread(half, 'ms')}, everybody"
          f" {spread(everybody, 'ms')}")
    return [
        Row(what, "memory of all our processes for each", f"{each:.1f} KiB", "≤ 20 KB",
            each * 1.024 <= 20, f"nginx's {of_nginx:.1f}; without mapped files {anonymous:.1f};"
            f" opened in {opened:.1f} s",
            {"KiB_each": each, "nginx_KiB_each": of_nginx, "anonymous_KiB_each": anonymous,
             "MB_before": before["by_name"], "MB_with_them": now["by_name"],
             "anonymous_MB": [before["anonymous"], now["anonymous"]]}),
        Row(what, "a change reaches all", spread(everybody, "ms"), "< 500 ms",
            statistics.median(everybody) < 500,
            f"half of all in {short(statistics.median(half))} ms; {len(calls)} rounds of a call in each"
            f" group at once, all answered in {short(statistics.median(calls))} ms",
            {"everybody_ms": summary(everybody), "half_ms": summary(half), "calls_ms": summary(calls)}),
    ]
