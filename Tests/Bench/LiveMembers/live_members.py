"""2,000 people with a group's page open and nothing happening: what nginx holds for each, and how
long a change takes to reach all of them.

Guests in groups of 250, made through the API of the running product; each holds one stream of
events. Then every leader calls out at once, some rounds long, and each stream's arrival is timed.
"""

import asyncio
import json
import os
import resource
import statistics
import time

from instance import Instance
from shared import knobs
from shared.figures import Row, short, spread, summary

MEMBERS = int(os.environ.get("MEMBERS", "2000"))
IN_GROUP = 250
ROUNDS = knobs.ROUNDS + 2


async def ask(site, method, path, token=None, body=None):
    """One call of the API; its answer's JSON."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    data = json.dumps(body or {}).encode()
    # HTTP/1.0 has no chunks.
    head = [f"{method} /api/v1{path} HTTP/1.0", f"Host: {site.host}",
            "Content-Type: application/json", f"Content-Length: {len(data)}"]
    if token:
        head.append(f"Authorization: Bearer {token}")
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + data)
    answer = await reader.read()
    writer.close()
    status = int(answer.split(b" ", 2)[1])
    assert 200 <= status < 300, answer[:600]
    content = answer.split(b"\r\n\r\n", 1)[1]
    return json.loads(content) if content else None


class Listener:
    def __init__(self, site, group, token):
        self.site, self.group, self.token = site, group, token
        self.heard = asyncio.Queue()

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.site.port)
        self.writer.write(
            f"GET /api/v1/groups/{self.group}/events HTTP/1.1\r\nHost: {self.site.host}\r\n"
            f"Authorization: Bearer {self.token}\r\nAccept: text/event-stream\r\n\r\n".encode())
        status = await self.reader.readline()
        assert b" 200 " in status, status
        self.task = asyncio.create_task(self.listen())

    async def listen(self):
        while line := await self.reader.readline():
            if line.startswith(b'data: {"version'):
                self.heard.put_nowait(time.monotonic())


async def gather(jobs, at_once=16):
    turns = asyncio.Semaphore(at_once)

    async def run(job):
        async with turns:
            return await job
    return await asyncio.gather(*(run(job) for job in jobs))


async def people(site, count):
    made = await gather(
        ask(site, "POST", "/auth/guest", body={"display_name": f"Guest {number}"})
        for number in range(count))
    return [each["access_token"] for each in made]


async def measure(site):
    tokens = await people(site, MEMBERS)
    groups = []
    for start in range(0, MEMBERS, IN_GROUP):
        inside = tokens[start:start + IN_GROUP]
        made = await ask(site, "POST", "/groups", inside[0], {"name": f"Group {start}"})
        await gather(
            ask(site, "POST", "/groups/join", token, {"code": made["invite_code"]})
            for token in inside[1:])
        groups.append((made["id"], inside))
    await asyncio.sleep(2)
    before = site.resident_bytes("nginx")
    listeners = [Listener(site, group, token) for group, inside in groups for token in inside]
    start = time.monotonic()
    await gather((listener.open() for listener in listeners), 64)
    opened = time.monotonic() - start
    await asyncio.sleep(2)
    after = site.resident_bytes("nginx")

    everyone, median, calls = [], [], []
    for number in range(ROUNDS + 1):
        start = time.monotonic()
        await asyncio.gather(*(
            ask(site, "POST", f"/groups/{group}/commands", inside[0], {"kind": "gather"})
            for group, inside in groups))
        called = time.monotonic()
        arrivals = await asyncio.gather(*(listener.heard.get() for listener in listeners))
        await asyncio.sleep(1.5)
        for listener in listeners:
            while not listener.heard.empty():
                listener.heard.get_nowait()
        # The first round is for warming up.
        if number:
            calls.append(called - start)
            everyone.append(max(arrivals) - start)
            median.append(statistics.median(arrivals) - start)
    return before, after, opened, calls, median, everyone


def rows(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    site = Instance(folder).start()
    try:
        before, after, opened, calls, median, everyone = asyncio.run(measure(site))
    finally:
        site.stop()
    each = (after - before) / MEMBERS / 1024
    calls, median, everyone = (
        [1000 * value for value in values] for values in (calls, median, everyone))
    print(f"{MEMBERS} streams in groups of {IN_GROUP}, opened in {opened:.1f} s")
    print(f"nginx: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB with them")
    print(f"all calls answered {spread(calls, 'ms')}, half of all have heard"
          f" {spread(median, 'ms')}, everybody {spread(everyone, 'ms')}")
    what = f"idle live members, {MEMBERS:,}"
    return [
        Row(what, "memory of nginx for each", f"{each:.1f} KiB", "≤ 20 KB", each * 1.024 <= 20,
            f"opened in {opened:.1f} s", {"KiB_each": each}),
        Row(what, "a change reaches all", spread(everyone, "ms"), "< 500 ms",
            statistics.median(everyone) < 500, f"half of all in {short(statistics.median(median))} ms",
            {"everybody_ms": summary(everyone), "half_ms": summary(median)}),
    ]
