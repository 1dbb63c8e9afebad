"""2,000 members with their conversation open and no activity: the time for a message of one of them
to reach the open page of the partner.

Each holds one event stream, like a page, in an instance in production. Then one after the other
writes to the partner; the partner's stream is timed, and the page's question for what is new.
"""

import asyncio
import statistics
import sys
import time
import uuid

from LiveMembers.live_members import PATIENCE, Hall, cookie, open_all, room
from shared import knobs, machine, world
from shared.figures import Row, spread, summary
from shared.site import Keys, Site

SIZE = int(knobs.asked("LISTENERS", "2000"))
# Messages that are measured, each of another couple; those before are a warm-up.
MESSAGES = 20 * knobs.ROUNDS
WARM = 10


def conversation(couple):
    """The conversation of the two has the identifier of their couple."""
    return f"/api/v1/conversations/{uuid.UUID(bytes=couple)}"


async def ask(site, method, path, secret, headers="", body=""):
    """The body of an answer; a status other than 2xx ends the run."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    # HTTP/1.0 has no chunked encoding.
    writer.write(
        f"{method} {path} HTTP/1.0\r\n{cookie(secret)}{headers}"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    answer = await reader.read()
    writer.close()
    if not 200 <= int(answer.split(b" ", 2)[1]) < 300:
        sys.exit(f"{method} {path}: {answer[:600]}")
    return answer.split(b"\r\n\r\n", 1)[1]


async def send(site, keys, couple, secret, text):
    body = "".join(
        f'--end\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in [("client_id", uuid.uuid4().hex), ("text", text)]) + "--end--\r\n"
    await ask(
        site, "POST", f"{conversation(couple)}/messages", secret,
        "Sec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=end\r\n"
        f"X-CSRF-Token: {keys.csrf_token(secret)}\r\n", body)


async def hears(listener):
    """The moment at which a stream gets a new version."""
    end = time.monotonic() + PATIENCE
    while listener.heard is None:
        if listener.ended or time.monotonic() > end:
            sys.exit(f"a partner has not heard in {PATIENCE} s")
        await asyncio.sleep(0.001)
    return listener.heard


async def one(site, keys, number, couple, inside, partner):
    """The times in ms until the partner's stream has the version, and the page has the words."""
    text = f"Message {number}"
    partner.heard, partner.tail = None, b""
    started = time.monotonic()
    sending = asyncio.create_task(send(site, keys, couple, inside[0], text))
    heard = await hears(partner)
    page = await ask(site, "GET", f"{conversation(couple)}/messages?after=0", inside[1])
    shown = time.monotonic()
    await sending
    if text.encode() not in page:
        sys.exit(f"{text} is not in {page[:600]}")
    return 1000 * (heard - started), 1000 * (shown - started)


async def measure(site, keys, couples):
    """The number of refused streams, and the times of each message."""
    hall = Hall(b"event: conversation")
    refused, opened = await open_all(site, hall, [
        (f"{conversation(couple)}/events", secret) for couple, inside in couples
        for secret in inside])
    print(f"{SIZE:,} streams: {refused} refused, the last opened in {opened:.1f} s", flush=True)
    found = []
    if not refused:
        await asyncio.sleep(2)
        for number in range(WARM + MESSAGES):
            place = number % len(couples)
            # The streams are in the order of the members.
            partner = hall.listeners[2 * place + 1]
            found.append(await one(site, keys, number, *couples[place], partner))
    for listener in hall.listeners:
        listener.transport.close()
    return refused, found[WARM:]


def rows(folder):
    site = Site(folder / "messages" / "var").for_filling()
    site.stop()
    if room(site) < SIZE:
        print(f"{SIZE:,} people: open files don't allow so many")
        return []
    couples = world.coupled(site.database, SIZE)
    keys, load = Keys(site.data), machine.quiet()
    site.for_measuring()
    try:
        found = table(*asyncio.run(measure(site, keys, couples)))
    finally:
        site.stop()
    for row in found:
        row.load_before = load
    return found


def table(refused, times):
    what = f"messages, {SIZE:,} idle listeners"
    if refused:
        return [Row(what, "all streams opened", f"{refused:,} refused", "none", False)]
    heard, shown = zip(*times)
    print(f"{len(times)} messages: heard {spread(heard, 'ms')}, on the page {spread(shown, 'ms')}")
    return [
        Row(what, "a message reaches an open page", spread(shown, "ms"), "< 500 ms",
            statistics.median(shown) < 500,
            f"the stream has heard in {spread(heard, 'ms')}; {len(times)} messages, one after the"
            " other",
            {"shown_ms": summary(shown), "heard_ms": summary(heard)})]
