"""From no running process to the first page: `pairspot serve` on existing data, from its
execution until the front page is answered with 200 through nginx."""

import http.client
import statistics
import subprocess
import sys
import time

from shared import knobs, machine, world
from shared.figures import Row, spread, summary
from shared.processes import APART, processor_seconds
from shared.site import HOST, Site

# Maximum error of the time of the first answer, in s.
PAUSE = 0.002


def start(site):
    """Milliseconds of one start, and its CPU time."""
    command = [*site.as_nobody(), str(site.program), "serve"]
    started = time.perf_counter()
    site.process = subprocess.Popen(command, env=site.in_production, **APART)
    while time.perf_counter() - started < 60:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=5)
            connection.request("GET", "/", headers={"Host": HOST})
            answer = connection.getresponse()
            page = answer.read()
            connection.close()
            if answer.status == 200 and b"</html>" in page:
                spent = 1000 * (time.perf_counter() - started)
                used = 1000 * processor_seconds(site.processes())
                site.stop()
                return spent, used
        except OSError:
            pass
        time.sleep(PAUSE)
    sys.exit("it did not start")


def rows(folder):
    site = Site(folder / "site/var").for_filling()
    site.stop()
    world.fill(site.database, knobs.USERS, min(knobs.POSTS, 100_000))
    machine.quiet()
    try:
        # The first one is a warm-up: the program may not be in memory.
        starts = [start(site) for _ in range(2 * knobs.ROUNDS + 1)][1:]
    finally:
        site.stop()
    times, used = zip(*starts)
    middle = statistics.median(times)
    return [Row("cold start to the first page", "", spread(times, "ms"), "≤ 150 ms", middle <= 150,
                "`pairspot serve` with nginx, handlers and worker, on data that are there; processors'"
                f" time {spread(used, 'ms')}", {"ms": summary(times), "processors_ms": summary(used)})]
