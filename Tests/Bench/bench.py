"""`make bench`: measures PairSpot beside its peers and prints the table; never fails on a figure.

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
import platform
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd"))
import instance  # noqa: E402
from shared import knobs, test_figures  # noqa: E402
from shared.figures import table  # noqa: E402

# Those of the end-to-end tests start the same program.
instance.PROGRAM = knobs.PROGRAM

# In this order; each has `rows(folder)`.
MEASURED = {
    "feed": "FeedPage.feed_page", "check-in": "CheckIn.check_in", "uploads": "Workouts.uploads",
    "stories": "Stories.stories", "pictures": "Pictures.pictures", "growth": "Growth.growth",
    "scan": "CheckInScan.check_in_scan", "live": "LiveMembers.live_members",
    "start": "Start.start", "instructions": "instructions",
}
# By name only.
MORE = {"workouts": "Workouts.history"}


def main():
    wanted = sys.argv[1:] or list(MEASURED)
    known = MEASURED | MORE
    unknown = set(wanted) - set(known)
    if unknown:
        sys.exit(f"{', '.join(unknown)}: there are {', '.join(known)}")
    sums = unittest.TextTestRunner(verbosity=0, stream=io.StringIO()).run(
        unittest.defaultTestLoader.loadTestsFromModule(test_figures))
    if not sums.wasSuccessful():
        sys.exit(f"the bench can't calculate: {sums.failures + sums.errors}")
    of = commit()
    print(f"commit {of['commit']}, {'clean' if of['clean'] else 'with changes'}", flush=True)
    # A run that is ended ends what it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began, rows, failed, measured = time.time(), [], {}, {}
    for name in wanted:
        # Of the last minute; what was measured before is still in it.
        started, busy = time.time(), os.getloadavg()[0]
        print(f"== {name} (load {busy:.1f})", flush=True)
        with tempfile.TemporaryDirectory(
                prefix="pairspot-bench-", ignore_cleanup_errors=True) as folder:
            folder = pathlib.Path(folder)
            # Production runs as nobody, who has to get to what is below.
            folder.chmod(0o755)
            try:
                found = importlib.import_module(known[name]).rows(folder)
                for row in found:
                    row.load_before = busy
                rows += found
            except (Exception, SystemExit) as problem:
                # The others are measured all the same.
                traceback.print_exc()
                failed[name] = str(problem)
        measured[name] = {"load_before": busy, "seconds": round(time.time() - started)}
        print(f"   {measured[name]['seconds']} s", flush=True)
    text = table(rows)
    print(f"\n{text}")
    if wanted != list(MEASURED):
        print(f"\n(some rows only: nothing is written to {knobs.RESULTS.parent})")
    else:
        keep(text, rows, failed, began, measured, of)
    if failed:
        sys.exit("not measured: " + "; ".join(f"{name}: {why}" for name, why in failed.items()))


def commit():
    """What is measured: the commit that is checked out, and whether the files are those of it."""
    def git(*words):
        done = subprocess.run(["git", "-C", knobs.ROOT, *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    changed = git("status", "--porcelain")
    return {"commit": git("rev-parse", "HEAD"), "clean": None if changed is None else not changed}


def keep(text, rows, failed, began, measured, of):
    knobs.RESULTS.parent.mkdir(parents=True, exist_ok=True)
    knobs.TABLE.write_text(f"{text}\n\nCommit {of['commit']}, "
                           f"{'clean' if of['clean'] else 'with changes'}; load of the machine before "
                           + ", ".join(f"{name} {one['load_before']:.1f}"
                                       for name, one in measured.items()) + "\n")
    knobs.RESULTS.write_text(json.dumps({
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), **of,
        "seconds": round(time.time() - began), "measured": measured,
        "machine": {"system": platform.platform(), "processors": os.cpu_count()},
        "users": knobs.USERS, "posts": knobs.POSTS, "rounds": knobs.ROUNDS,
        "seconds_a_round": knobs.SECONDS, "not_measured": failed,
        "rows": [row.as_json() for row in rows]}, indent=2, ensure_ascii=False) + "\n")
    print(f"\nwritten to {knobs.RESULTS} and {knobs.TABLE.name}")


if __name__ == "__main__":
    main()
