"""Concurrent requests, with wrk."""

import re
import socket
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit

from . import knobs

UNITS = dict(us=0.001, ms=1, s=1000, m=60_000)
BYTES = {unit: 1024 ** power for power, unit in enumerate(("", "K", "M", "G", "T"))}
# Maximum difference of the bytes of a round from those of as many right answers.
WITHIN = 0.02
# Counts answers with an unexpected status or length, in a script that sees every answer.
CHECK = """
local expected_status, least, most = {status}, {least}, {most}
local threads = {{}}
function setup(thread) table.insert(threads, thread) end
function init(arguments) wrong = 0; right = 0 end
function response(status, headers, body)
  if status == expected_status and #body >= least and #body <= most then right = right + 1
  else wrong = wrong + 1 end
end
function done(summary, latency, requests)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("right"); bad = bad + thread:get("wrong")
  end
  io.write(string.format("Right: %d Wrong: %d\\n", good, bad))
end
"""


@dataclass
class Load:
    """One round: requests per second, and milliseconds."""
    rate: float
    p50: float
    p99: float
    right: int
    wrong: int
    dropped: int
    # Duration in s.
    seconds: float = 0
    # Complete answers, and all received bytes, including headers and incomplete answers.
    answers: int = 0
    bytes: float = 0

    @property
    def right_rate(self):
        """Right answers per second; wrk's own rate counts the others, too. Only with a script
        that checks each one."""
        return self.right / self.seconds

    @property
    def refused(self):
        return self.wrong + self.dropped


def size(url, headers=()):
    """The bytes of one right answer over a persistent connection, including headers."""
    place = urlsplit(url)
    given = [] if any(line.lower().startswith("host:") for line in headers) else [
        f"Host: {place.netloc}"]
    asked = "\r\n".join([f"GET {place.path or '/'} HTTP/1.1", *given, *headers, "", ""])
    came = b""
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        connection.sendall(asked.encode())
        while not whole(came):
            part = connection.recv(1 << 16)
            if not part:
                sys.exit(f"{url}: the answer broke off after {len(came)} bytes")
            came += part
    if came.split(b" ", 2)[1] != b"200":
        sys.exit(f"{url}: {came[:300]}")
    return len(came)


def whole(came):
    """Whether these are all the bytes of an answer."""
    head, gap, body = came.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if not gap:
        return False
    return len(body) >= int(length[1]) if length else body.endswith(b"0\r\n\r\n")


def expect_bytes(answers, came, each, connections):
    """None if this number of bytes fits this number of right answers; else a description. Each
    connection may have one more answer in progress at the end."""
    least, most = answers * each * (1 - WITHIN), (answers * (1 + WITHIN) + connections) * each
    if answers and least <= came <= most:
        return None
    return f"{came / max(answers, 1):,.0f} bytes an answer instead of {each:,}, {answers:,} answers"


def load(url, headers=(), script=None, seconds=None, connections=32, threads=2, each=None):
    """Sends requests for some seconds, as many at once as there are connections. If the bytes of
    a right answer are known (`each`, see `size`), a round with other answers is no result: wrk
    itself takes a redirect for a right answer, and a script that checks each one would slow down
    the faster side."""
    seconds = seconds or knobs.SECONDS
    command = ["wrk", f"-t{min(threads, connections)}", f"-c{connections}", f"-d{seconds}s",
               "--timeout", "10s", "--latency"]
    for header in headers:
        command += ["-H", header]
    if script:
        command += ["-s", str(script)]
    done = subprocess.run([*command, url], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"wrk: {done.stdout}{done.stderr}")
    one = read(done.stdout)
    odd = each and expect_bytes(one.answers, one.bytes, each, connections)
    if odd:
        sys.exit(f"{url}: {odd}")
    return one


def read(out):
    """Parses wrk's output of a round."""
    def milliseconds(percent):
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)\b", out).groups()
        return float(value) * UNITS[unit]

    def found(pattern):
        match = re.search(pattern, out)
        return int(match[1]) if match else 0

    whole_answers, took, clock, came, unit = re.search(
        r"(\d+) requests in ([\d.]+)(us|ms|s|m), ([\d.]+)([KMGT]?)B read", out).groups()
    dropped = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", out)
    return Load(
        float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), milliseconds(50), milliseconds(99),
        # A script that checks each answer also sees those counted by wrk as errors.
        found(r"Right: (\d+)"),
        max(found(r"Wrong: (\d+)"), found(r"Non-2xx or 3xx responses: (\d+)")),
        sum(map(int, dropped.groups())) if dropped else 0,
        float(took) * UNITS[clock] / 1000, int(whole_answers),
        float(came) * BYTES[unit])


def checking(folder, length, status=200, within=0.02):
    """A script that checks every answer's status and length. Checking costs time, so it is for a
    round of its own beside the measured ones."""
    file = folder / f"check-{length}-{status}.lua"
    file.write_text(CHECK.format(
        status=status, least=round(length * (1 - within)), most=round(length * (1 + within))))
    return file


def checked(name, url, headers, folder, length, seconds=1):
    """Every answer of a round has the right status and length, or there is no result; returns
    the bytes of one, by which the measured rounds are checked."""
    each = size(url, headers)
    seen = load(url, headers, checking(folder, length), seconds, each=each)
    if seen.wrong or not seen.right:
        sys.exit(f"{name}: {seen.wrong} wrong answers beside {seen.right} right ones")
    return each


def measured(name, *arguments, **options):
    """A round without errors."""
    one = load(*arguments, **options)
    if one.wrong or one.dropped:
        sys.exit(f"{name}: {one}")
    return one
