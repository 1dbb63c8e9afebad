"""`make bench`: measures PairSpot and its peers and prints the table; no result fails the run.

    python3 Tests/Bench/bench.py                 all rows
    python3 Tests/Bench/bench.py feed check-in   some of them
    ROUNDS=1 SECONDS=1 python3 Tests/Bench/bench.py feed    to try
"""

import datetime
import importlib
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd/support"))
import instance
from shared import knobs, machine, test_figures
from shared.checkout import commit
from shared.figures import table

# The end-to-end tests start the same program.
instance.PROGRAM = knobs.PROGRAM

# In this order; each has `rows(folder)`, a list or a generator.
MEASURED = {
    "feed": "FeedPage.feed_page", "check-in": "CheckIn.check_in", "uploads": "Workouts.uploads",
    "stories": "Stories.stories", "pictures": "Pictures.pictures", "growth": "Growth.growth",
    "scan": "CheckInScan.check_in_scan", "postgresql": "PostgreSQL.postgresql",
    "postgresql-growth": "PostgreSQL.growth", "move": "PostgreSQL.move", "live": "LiveMembers.live_members",
    "messages": "LiveMessages.live_messages",
    "start": "Start.start", "instructions": "instructions",
}
# By name only.
MORE = {"workouts": "Workouts.history"}
KNOWN = MEASURED | MORE


def main():
    wanted = sys.argv[1:] or list(MEASURED)
    unknown = set(wanted) - set(KNOWN)
    if unknown:
        sys.exit(f"{', '.join(unknown)}: there are {', '.join(KNOWN)}")
    sums = unittest.TextTestRunner(verbosity=0, stream=io.StringIO()).run(
        unittest.defaultTestLoader.loadTestsFromModule(test_figures))
    if not sums.wasSuccessful():
        sys.exit(f"the bench can't calculate: {sums.failures + sums.errors}")
    # An interrupted run stops the processes it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began, of = time.time(), commit()
    rows, failed, measured = [], {}, {}
    try:
        for name in wanted:
            print(f"== {name}", flush=True)
            problem, measured[name] = run(name, rows)
            if problem:
                failed[name] = problem
            print(f"   {measured[name]['seconds']} s", flush=True)
    except KeyboardInterrupt:
        # Results so far are printed all the same.
        failed |= dict.fromkeys([name for name in wanted if name not in measured], "it was ended")
    minutes = (time.time() - began) / 60
    # Modules register their settings when imported, so only now all are known.
    head = told(of, began)
    loads = ", ".join(f"{name} {one['load_before']:.1f}" for name, one in measured.items())
    text = "\n\n".join([f"{head}; {minutes:.1f} min", table(rows), f"Load before: {loads}"]
                       + [f"Not measured: {name} ({why})" for name, why in failed.items()])
    print(f"\n{text}")
    if list(measured) == list(MEASURED):
        keep(text, rows, failed, minutes, measured, head, of)
    else:
        print(f"\n(some rows only: nothing is written to {knobs.RESULTS.parent})")
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}")


def run(name, rows):
    """Runs one measurement; passes its rows on one by one, so that results before a failure are
    kept. Returns the failure and the state of the machine."""
    problem, started, busy = None, time.time(), os.getloadavg()[0]
    machine.LOOKS.clear()
    with tempfile.TemporaryDirectory(prefix="pairspot-bench-", ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        # Production runs as an unprivileged user, which needs access to the folders below.
        folder.chmod(0o755)
        try:
            for row in importlib.import_module(KNOWN[name]).rows(folder):
                if row.load_before is None:
                    # Most rows measure the load themselves, after their preparations.
                    row.load_before = machine.LOOKS[0] if machine.LOOKS else busy
                rows.append(row)
        except (Exception, SystemExit) as error:
            # The others are measured all the same.
            traceback.print_exc()
            problem = " ".join(str(error).split())[:200] or type(error).__name__
    return problem, {"load_before": machine.LOOKS[0] if machine.LOOKS else busy,
                     "seconds": round(time.time() - started)}


def told(of, began):
    """Time, command, commit and machine, in a line to be copied with the table."""
    command = [*(f"{name}={value}" for name, value in knobs.ASKED.items()),
               "python3 Tests/Bench/bench.py", *sys.argv[1:]]
    state = "clean" if of["clean"] else "with changes"
    what = f"commit {of['commit'][:10]} ({state})" if of["commit"] else "not from git"
    return (f"{datetime.date.fromtimestamp(began)}, `{' '.join(command)}`, {what},"
            f" {machine.described()}; PairSpot's handlers with {knobs.THREADS} threads,"
            f" {knobs.WORKERS} workers of FastAPI's")


def keep(text, rows, failed, minutes, measured, head, of):
    knobs.RESULTS.parent.mkdir(parents=True, exist_ok=True)
    knobs.TABLE.write_text(f"{text}\n")
    knobs.RESULTS.write_text(json.dumps({
        "told": head, "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        **of, "seconds": round(60 * minutes), "measured": measured, "machine": machine.described(),
        "asked": knobs.ASKED, "threads": knobs.THREADS, "peer_workers": knobs.WORKERS,
        "users": knobs.USERS, "posts": knobs.POSTS, "rounds": knobs.ROUNDS,
        "seconds_a_round": knobs.SECONDS, "not_measured": failed,
        "rows": [row.as_json() for row in rows]}, indent=2, ensure_ascii=False) + "\n")
    print(f"\nwritten to {knobs.RESULTS} and {knobs.TABLE.name}")


if __name__ == "__main__":
    main()
