"""Batches of twenty workouts with an hour of samples each, beside the same by FastAPI.

Starts an instance in production and `Tests/Bench/fastapi/uploads.py` with two workers, uploads the
same bodies to both in interleaved rounds from CLIENTS clients, and looks at every answer. Prints medians
and ratios of rate and of processors' time; judges nothing. FASTAPI names a Python that has
`Tests/Bench/fastapi/requirements.txt`; without it PairSpot is measured beside Python's `json.loads` alone.
"""

import concurrent.futures
import json
import os
import pathlib
import secrets
import statistics
import subprocess
import tempfile
import time

from riding import (
    BATCH, HOST, ROOT, Caller, batches, free_port, processor_seconds, sign_in, start_for_filling,
    start_for_measuring, stop, wait_for)

ROUNDS = int(os.environ.get("ROUNDS", "5"))
EACH = int(os.environ.get("EACH", "12"))
CLIENTS = int(os.environ.get("CLIENTS", "4"))
SECONDS = int(os.environ.get("SECONDS", "3600"))
FASTAPI = os.environ.get("FASTAPI")


def start_fastapi(folder, port):
    token = secrets.token_urlsafe(32)
    environment = dict(
        PATH=os.environ["PATH"], DATABASE=str(folder / "fastapi.sqlite"), TOKEN=json.dumps(token))
    app = ROOT / "Tests/Bench/fastapi"
    subprocess.run([FASTAPI, app / "uploads.py"], env=environment, check=True)
    process = subprocess.Popen(
        [FASTAPI, "-m", "uvicorn", "--workers", "2", "--app-dir", app, "--port", str(port),
         "--no-access-log", "--log-level", "warning", "uploads:app"],
        env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    wait_for(port)
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


def main():
    bodies = batches(ROUNDS * EACH, SECONDS)
    with tempfile.TemporaryDirectory(prefix="pairspot-bench-") as folder:
        folder = pathlib.Path(folder)
        data, port = folder / "var", free_port()
        stop(start_for_filling(data, port))
        pairspot = start_for_measuring(data, port)
        other = None
        try:
            subjects = {"PairSpot": (sign_in(data, port), f"PAIRSPOT_DATA={data}")}
            if FASTAPI:
                other, caller = start_fastapi(folder, free_port())
                subjects["FastAPI"] = (caller, f"DATABASE={folder / 'fastapi.sqlite'}")
            results = {name: [] for name in subjects}
            for number in range(ROUNDS):
                mine = bodies[number * EACH:(number + 1) * EACH]
                for name, (caller, mark) in subjects.items():
                    before = processor_seconds(mark)
                    rate, each = load(caller, mine)
                    cost = (processor_seconds(mark) - before) / EACH * 1000
                    results[name].append((rate, statistics.median(each), max(each), cost))
            started = time.process_time()
            for body in bodies[:EACH]:
                json.loads(body)
            parse = (time.process_time() - started) / EACH * 1000
            print(f"{len(bodies[0]) / 1e6:.2f} MB a batch of 20, {SECONDS} s of samples each,"
                  f" {ROUNDS} rounds of {EACH} batches, {CLIENTS} clients")
            print(f"Python's json.loads of one: {parse:.1f} ms")
            for name, rounds in results.items():
                rate, middle, slow, cost = (statistics.median(v) for v in zip(*rounds))
                spread = f"{min(r[0] for r in rounds):.1f}–{max(r[0] for r in rounds):.1f}"
                print(f"{name}: {rate:.1f} batches/s ({spread}), p50 {middle:.0f} ms,"
                      f" slowest {slow:.0f} ms, {cost:.1f} ms of processors a batch")
            if other:
                ours, theirs = (
                    [statistics.median(v) for v in zip(*results[n])] for n in ("PairSpot", "FastAPI"))
                print(f"PairSpot / FastAPI: rate {ours[0] / theirs[0]:.1f},"
                      f" processors' time {ours[3] / theirs[3]:.3f}")
        finally:
            if other:
                other.terminate()
                other.wait(30)
            stop(pairspot)


if __name__ == "__main__":
    main()
