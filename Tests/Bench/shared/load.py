"""Many requests at once, by wrk."""

import re
import subprocess
import sys
from dataclasses import dataclass

from . import knobs

UNITS = dict(us=0.001, ms=1, s=1000, m=60_000)
# Answers whose status or length is not the expected one are counted where wrk sees every answer.
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
    """One round: requests a second, and milliseconds."""
    rate: float
    p50: float
    p99: float
    right: int
    wrong: int
    dropped: int


def load(url, headers=(), script=None, seconds=None, connections=32, threads=2):
    """Asks for some seconds, as many at once as there are connections."""
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
    out = done.stdout

    def milliseconds(percent):
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)\b", out).groups()
        return float(value) * UNITS[unit]

    def found(pattern):
        match = re.search(pattern, out)
        return int(match[1]) if match else 0

    dropped = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", out)
    return Load(
        float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), milliseconds(50), milliseconds(99),
        found(r"Right: (\d+)"), found(r"Wrong: (\d+)") + found(r"Non-2xx or 3xx responses: (\d+)"),
        sum(map(int, dropped.groups())) if dropped else 0)


def checking(folder, length, status=200, within=0.02):
    """A script that looks at every answer's status and length. Reading each answer costs wrk
    something, so it is for a round of its own beside those that are measured."""
    file = folder / f"check-{length}-{status}.lua"
    file.write_text(CHECK.format(
        status=status, least=round(length * (1 - within)), most=round(length * (1 + within))))
    return file


def checked(name, url, headers, folder, length, seconds=1):
    """Every answer of a round is right, or there is no figure."""
    seen = load(url, headers, checking(folder, length), seconds)
    if seen.wrong or not seen.right:
        sys.exit(f"{name}: {seen.wrong} wrong answers beside {seen.right} right ones")
    return seen
