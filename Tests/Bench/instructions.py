"""Number of processor instructions for one feed page, for one with promoted posts, and for one
check-in, counted by valgrind's callgrind: independent of the machine's load.

    python3 Tests/Bench/instructions.py            measures and compares with instructions.json
                                                   at git's HEAD
    python3 Tests/Bench/instructions.py --keep     … and stores it there, with its commit
    PROGRAM_BEFORE=old SHARE_BEFORE=its-checkout python3 Tests/Bench/instructions.py
                                                   two programs on copies of the same data instead;
                                                   PROGRAM and SHARE name the other one

    PROFILE=folder python3 Tests/Bench/instructions.py
                                                   writes the input of callgrind_annotate there

Sends requests to `pairspot handlers` with one thread over FastCGI, first some as a warm-up, and then
REQUESTS (100) while callgrind counts. There are 1,000 posts, 20 of them on the page.
"""

import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from shared import fastcgi, knobs, world
from shared.checkout import commit, git
from shared.figures import Row
from shared.processes import APART
from shared.site import HOST, Keys, Site, base64url, signed

FILE = knobs.BENCH / "instructions.json"
IN_GIT = FILE.relative_to(knobs.ROOT).as_posix()
# Increase of a count above which there is a warning: two runs of one program differ less.
NEAR = 0.02
WARM = 20
REQUESTS = knobs.number("REQUESTS", 100)
POSTS = 1000
# Number of posts promoted while the feed page is requested, and number of them on it.
PROMOTED = {"feed_page": (0, 0), "feed_page_3_promotions": (3, 3),
            "feed_page_1000_promotions": (1000, 3)}
NAMES = {"feed_page": "one feed page", "feed_page_3_promotions": "one feed page, 3 posts promoted",
         "feed_page_1000_promotions": "one feed page, 1,000 posts promoted",
         "check_in": "one check-in"}


class Handlers:
    """`pairspot handlers` with one thread, under callgrind."""

    def __init__(self, site, folder):
        self.socket = site.data / "run/handlers-0.sock"
        self.out = folder / "callgrind.out"
        environment = site.in_production | dict(PAIRSPOT_THREADS="1")
        # Otherwise hashing of Swift's sets and dictionaries is seeded differently in every process.
        # This valgrind can't read the debug info (DWARF 5) and aborts; symbol names stay.
        program = folder / "pairspot"
        subprocess.run(["strip", "--strip-debug", "-o", program, site.program], check=True)
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        # Both sides meet there, and every user may write there.
        environment["TMPDIR"] = "/tmp"
        log = open(folder / "handlers.log", "ab")
        self.before, self.dumps = site.as_nobody(), 0
        self.process = subprocess.Popen(
            [*self.before, "valgrind", "--tool=callgrind", "--instr-atstart=no",
             f"--callgrind-out-file={self.out}", str(program), "handlers"], env=environment,
            **APART | dict(stdout=log, stderr=log))
        log.close()
        end = time.time() + 120
        while not self.answers():
            if self.process.poll() is not None or time.time() > end:
                sys.exit((folder / "handlers.log").read_text()[-3000:])
            time.sleep(0.1)

    def answers(self):
        try:
            return fastcgi.ask(self.socket, "GET", "/about", [f"Host: {HOST}"])[0] == 200
        except OSError:
            return False

    def count(self, body):
        """All instructions of the process while `body` runs."""
        if not self.dumps:
            self.tell("instrumentation on")
        self.tell("zero")
        body()
        self.tell("dump")
        self.dumps += 1
        dump = pathlib.Path(f"{self.out}.{self.dumps}")
        if folder := os.environ.get("PROFILE"):
            shutil.copy(dump, folder)
        text = dump.read_text()
        return int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1])

    def tell(self, order):
        subprocess.run([*self.before, "vgdb", f"--pid={self.process.pid}", *order.split()],
                       check=True, env=os.environ | dict(TMPDIR="/tmp"), **APART)

    def end(self):
        self.process.terminate()
        self.process.wait(120)


def feed_page(what, socket, session, _):
    status, _, page = fastcgi.ask(socket, "GET", "/", signed(session))
    shown, promoted = (page.count(f'data-testid="{mark}"'.encode()) for mark in ("post", "promoted"))
    if (status, shown, promoted) != (200, 20, PROMOTED[what][1]):
        sys.exit(f"{NAMES[what]}: {status}, {shown} posts, {promoted} of them promoted")


def check_in(_, socket, __, someone):
    secret, csrf = someone
    status, head, page = fastcgi.ask(
        socket, "POST", "/checkin", signed(base64url(secret)),
        f"csrf_token={csrf}&button=check-in".encode())
    if status != 303:
        sys.exit(f"a check-in: {status} {head} {page[:2000]}")


ASKED = dict.fromkeys(PROMOTED, feed_page) | {"check_in": check_in}


def prepared(folder, program, share):
    """A stopped instance with data, a user's session, and users for check-ins."""
    site = Site(folder / "var", program, share).for_filling()
    try:
        session = site.sign_in()
    finally:
        site.stop()
    world.fill(site.database, 200, POSTS)
    keys = Keys(site.data)
    people = [(secret, keys.csrf_token(secret))
              for secret in world.watched(site.database, WARM + REQUESTS)]
    return site, session, people


def measure(program, share, made, folder):
    """Instructions of one request, by kind."""
    kept, session, people = made
    site, counts = Site(folder / "var", program, share), {}
    shutil.copytree(kept.data, site.data)
    site.migrate()
    handlers = Handlers(site, folder)
    try:
        for what, ask in ASKED.items():
            some = iter(people)

            def times(count):
                for _ in range(count):
                    ask(what, handlers.socket, session, next(some))

            if what in PROMOTED:
                with contextlib.closing(site.connect()) as database:
                    world.promote(database, PROMOTED[what][0])
            times(WARM)
            counts[what] = round(handlers.count(lambda: times(REQUESTS)) / REQUESTS)
    finally:
        handlers.end()
    with site.connect() as database:
        (written,) = database.execute("SELECT count(*) FROM check_ins WHERE user_id IN"
                                      " (SELECT id FROM users WHERE role = 1)").fetchone()
    if written != len(people):
        sys.exit(f"{written} check-ins were written instead of {len(people)}")
    return counts


def versions():
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout
    return {"sqlite": sqlite3.sqlite_version, "swift": re.search(r"Swift version (\S+)", swift)[1],
            "valgrind": valgrind.strip().removeprefix("valgrind-")}


def change(before, now, what):
    """"+1.2 %"; empty without an earlier count."""
    if not before or what not in before:
        return ""
    return f"{100 * (now[what] / before[what] - 1):+.1f} %"


def above(before, now, what):
    """A warning; it does not fail the run."""
    if before and what in before and now[what] > before[what] * (1 + NEAR):
        return f"warning: more than {100 * NEAR:.0f} % above"
    return ""


def kept():
    """The stored counts: from git, so that a new file in the checkout hides no change; without
    git, the file."""
    text = git("show", f"HEAD:{IN_GIT}") or (FILE.read_text() if FILE.exists() else None)
    return text and json.loads(text)


def taken(before):
    """Time and commit, if known."""
    words = [before.get("date", ""), (before.get("commit") or "")[:7],
             "with changes" if before.get("clean") is False else ""]
    return " ".join(word for word in words if word)


def compared(before, now):
    return [", ".join(part for part in (
        f"{name}: {now[what]:,} instructions"
        + (f" beside {before[what]:,}" if what in before else ""), change(before, now, what),
        above(before, now, what)) if part) for what, name in NAMES.items()]


def run():
    """The counts, and the earlier ones; None without stored counts."""
    with tempfile.TemporaryDirectory(prefix="pairspot-bench-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        new = (knobs.PROGRAM, knobs.SHARE)
        older = os.environ.get("PROGRAM_BEFORE")
        old = (pathlib.Path(older), pathlib.Path(os.environ["SHARE_BEFORE"])) if older else None
        # The newer program can read data created by the older one.
        made = prepared(folder / "made", *(old or new))
        before = measure(*old, made, folder / "old") if old else None
        counts = measure(*new, made, folder / "new")
    return counts, before or kept()


def rows(_):
    counts, before = run()
    beside = before and f"what was kept ({taken(before)})"
    return [Row(f"instructions of {name}", beside if change(before, counts, what) else "",
                change(before, counts, what), f"≤ +{100 * NEAR:.0f} %, or a warning", None,
                "; ".join(part for part in (
                    above(before, counts, what), f"{counts[what] / 1e6:.2f} million") if part),
                {"now": counts[what], "before": before and before.get(what),
                 "kept": before and taken(before), "warning": bool(above(before, counts, what))})
            for what, name in NAMES.items()]


def main():
    counts, before = run()
    if before:
        print("\n".join(compared(before, counts)))
        if taken(before):
            print(f"counted before: {taken(before)}")
    else:
        print("\n".join(f"{name}: {counts[what]:,} instructions" for what, name in NAMES.items()))
    if "--keep" in sys.argv:
        # The file itself, and its handwritten copy, don't affect the counts.
        of = commit(but=(IN_GIT, "Tests/Bench/RESULTS.md"))
        figures = {"date": datetime.date.today().isoformat(), **of, **counts, **versions()}
        FILE.write_text(json.dumps(figures, indent=2) + "\n")
        print(f"kept in {IN_GIT}")


if __name__ == "__main__":
    main()
