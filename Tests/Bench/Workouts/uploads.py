"""Batches of twenty workouts with an hour of samples each, beside the same by FastAPI.

Starts an instance in production and `Tests/Bench/fastapi/uploads.py` with two workers, uploads the
same bodies to both in interleaved rounds from CLIENTS clients, and looks at every answer."""

import concurrent.futures
import json
import os
import secrets
import statistics
import subprocess
import time

from shared import knobs
from shared.figures import Row, ratio, short, spread, summary
from shared.processes import APART, family, processor_seconds
from shared.site import Site, free_port, wait_for

from .riding import BATCH, Caller, batches, sign_in

# Batches a round, and how much of a ride each workout has.
EACH = int(os.environ.get("EACH", "12" if knobs.SECONDS > 1 else "4"))
CLIENTS = int(os.environ.get("CLIENTS", "4"))
RIDE = int(os.environ.get("RIDE", "3600"))


def start_fastapi(folder, port):
    token = secrets.token_urlsafe(32)
    environment = dict(
        PATH=os.environ["PATH"], DATABASE=str(folder / "fastapi.sqlite"), TOKEN=json.dumps(token))
    app = knobs.BENCH / "fastapi"
    subprocess.run([knobs.PEER_PYTHON, app / "uploads.py"], env=environment, check=True)
    process = subprocess.Popen(
        [knobs.PEER_PYTHON, "-m", "gunicorn", "--chdir", app, "-k", "uvicorn_worker.UvicornWorker",
         "-w", "2", "--worker-tmp-dir", str(folder), "--bind", f"127.0.0.1:{port}", "uploads:app"],
        env=environment, **APART)
    wait_for(port, "/docs", f"127.0.0.1:{port}")
    return process, Caller(port, token, f"127.0.0.1:{port}")


def load(caller, bodies):
    """Batches a second, and the milliseconds of each."""

    def one(body):
        started = time.perf_counter()
        status, answer = caller.call("POST", BATCH, body)
        spent = time.perf_counter() - started
        told = json.loads(answer)
        assert status == 200 and told["success_count"] == 20, answer[:500]
        assert told["failed_sessions"] == [] and told["duplicate_count"] == 0, answer[:500]
        return 1000 * spent

    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        each = list(pool.map(one, bodies))
    return len(bodies) / (time.perf_counter() - started), each


def rows(folder):
    bodies = batches(knobs.ROUNDS * EACH, RIDE)
    site = Site(folder / "site/var").for_filling()
    site.stop()
    site.for_measuring()
    other = None
    try:
        other, caller = start_fastapi(folder, free_port())
        subjects = {"PairSpot": (sign_in(site), site.process), "FastAPI": (caller, other)}
        results = {name: [] for name in subjects}
        for number in range(knobs.ROUNDS):
            mine = bodies[number * EACH:(number + 1) * EACH]
            for name, (caller, process) in subjects.items():
                before = processor_seconds(family(process.pid))
                rate, each = load(caller, mine)
                cost = (processor_seconds(family(process.pid)) - before) / EACH * 1000
                results[name].append((rate, statistics.median(each), max(each), cost))
    finally:
        if other:
            other.terminate()
            other.wait(30)
        site.stop()
    print(f"{len(bodies[0]) / 1e6:.2f} MB a batch of 20, {RIDE} s of samples each, {EACH} batches a"
          f" round, {CLIENTS} clients; Python's json.loads of one: {parsing(bodies[:EACH]):.1f} ms")
    rates, costs = ({name: [one[place] for one in them] for name, them in results.items()}
                    for place in (0, 3))
    for name, them in results.items():
        print(f"{name}: {spread(rates[name])} batches a second, p50"
              f" {spread([one[1] for one in them], 'ms')}, slowest {max(one[2] for one in them):.0f} ms,"
              f" {spread(costs[name], 'ms')} of processors a batch")
    found = ratio(rates["PairSpot"], rates["FastAPI"])
    work = statistics.median(costs["PairSpot"]) / statistics.median(costs["FastAPI"])
    return [Row(
        "batch upload of 20 workouts, an hour of samples each",
        "FastAPI, Pydantic, SQLAlchemy ORM, 2 workers", found, "≥ 8 times", found.middle >= 8,
        f"{short(statistics.median(rates['PairSpot']))} beside"
        f" {short(statistics.median(rates['FastAPI']))} a second; processors' time {short(work)}",
        {name: {"batches_a_second": summary(rates[name]), "processors_ms": summary(costs[name])}
         for name in results})]


def parsing(bodies):
    """What Python's parser alone takes, in ms of processors' time."""
    started = time.process_time()
    for body in bodies:
        json.loads(body)
    return (time.process_time() - started) / len(bodies) * 1000
