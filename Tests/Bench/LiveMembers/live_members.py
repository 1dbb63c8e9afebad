"""2,000 people with a group's page open and nothing happening: what nginx holds for each, and how
long a change takes to reach all of them.

Guests in groups of 250, made through the API of the running product; each holds one stream of
events. Then every leader calls out at once, some rounds long, and each stream's arrival is timed.
Prints figures; judges nothing.
"""

import asyncio
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from instance import Instance  # noqa: E402

MEMBERS = int(os.environ.get("MEMBERS", "2000"))
IN_GROUP = 250
ROUNDS = int(os.environ.get("ROUNDS", "7"))


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


def spread(values):
    return (f"{statistics.median(values) * 1000:.0f} ms "
            f"({min(values) * 1000:.0f}–{max(values) * 1000:.0f})")


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    with tempfile.TemporaryDirectory() as folder:
        site = Instance(folder).start()
        try:
            before, after, opened, calls, median, everyone = asyncio.run(measure(site))
        finally:
            site.stop()
    print(f"{MEMBERS} streams in groups of {IN_GROUP}, opened in {opened:.1f} s")
    print(f"nginx: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB with them: "
          f"{(after - before) / MEMBERS / 1024:.1f} KiB each")
    print(f"{len(calls)} rounds of {MEMBERS // IN_GROUP} leaders calling at once, from the first "
          f"call's beginning, median (least–most):")
    print(f"  all calls answered      {spread(calls)}")
    print(f"  half of all have heard  {spread(median)}")
    print(f"  everybody has heard     {spread(everyone)}")


if __name__ == "__main__":
    main()
