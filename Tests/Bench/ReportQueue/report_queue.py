"""The moderators' queue with 100,000 reports, page by page in the running product: on 20,000
posts of which one in twenty waits, and on 100,000 posts that all wait.

`.build/venv/bin/python Tests/Bench/ReportQueue/report_queue.py` (needs a release build).
"""

import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).resolve().parents[2] / "EndToEnd" / name)
    for name in ("support", "accounts", "operations", "workouts")]
from instance import Instance
from test_trainings import enrolled

REPORTS = int(os.environ.get("REPORTS", 100_000))
ROUNDS = int(os.environ.get("ROUNDS", 200))
# One reason is not used: the longest walk down the queue.
REASONS = ["spam", "harassment", "nudity", "violence", "other"]
HALF_A_DAY = 12 * 3600 * 1000


def new_id():
    return uuid.uuid4().bytes


def fill(path, each, waiting):
    """`each` reports on an item; every `waiting`th item waits, the others are decided."""
    base = sqlite3.connect(path, timeout=60)
    now = int(time.time() * 1000)
    couple, author = base.execute(
        "SELECT couple_id, id FROM users WHERE couple_id IS NOT NULL LIMIT 1").fetchone()
    people = [new_id() for _ in range(1000)]
    base.executemany(
        "INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at)"
        " VALUES (?, 2, 'Reporter', '1', 0, 0)", [(person,) for person in people])
    chance = random.Random(1)
    for number in range(REPORTS // each):
        post, case, moment = new_id(), new_id(), now - chance.randrange(30 * 86_400_000)
        waits = number % waiting == 0
        state = "open" if waits else "dismissed"
        rank = moment - (each - 1) * HALF_A_DAY if waits else -moment
        base.execute(
            "INSERT INTO posts (id, couple_id, author_id, content, visibility, created_at,"
            " reported_at) VALUES (?, ?, ?, 'A post that was reported', 'public', ?, ?)",
            (post, couple, author, moment, moment))
        base.execute(
            "INSERT INTO report_cases (id, kind, thing_id, couple_id, author_id, state,"
            " thing_state, version, round, reporters, waiting_since, rank)"
            " VALUES (?, 'post', ?, ?, ?, ?, 'shown', 1, 1, ?, ?, ?)",
            (case, post, couple, author, state, each, moment, rank))
        base.executemany(
            "INSERT INTO reports (id, case_id, round, user_id, reporter_key, counts, reason, note,"
            " state, created_at) VALUES (?, ?, 1, ?, ?, 1, ?, '', ?, ?)",
            [(new_id(), case, person, person, chance.choice(REASONS),
              "open" if waits else "rejected", moment)
             for person in chance.sample(people, each)])
    base.commit()
    base.close()


def measure(admin, path):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        assert admin.get(path).status == 200
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), sorted(times)[int(len(times) * 0.99)]


def main():
    for each, waiting in [(5, 20), (1, 1)]:
        walk(each, waiting)


def walk(each, waiting):
    things = REPORTS // each
    print(f"{REPORTS:,} reports on {things:,} posts, {things // waiting:,} of which wait", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        site = Instance(Path(folder), PAIRSPOT_DEMO="1").start()
        try:
            admin = enrolled(site, "ada")
            fill(site.data / "pairspot.sqlite", each, waiting)
            text = admin.get("/admin/reports").text
            one = text.split('href="/admin/reports/')[1].split('"')[0]
            paths = {
                "the queue": "/admin/reports",
                "older than a week, one reason": "/admin/reports?reason=nudity&age=week",
                "a reason that nobody named": "/admin/reports?reason=false_information",
                "what was decided": "/admin/reports?state=dismissed",
                "one report": f"/admin/reports/{one}",
                "settings (for comparison)": "/settings",
            }
            for name, path in paths.items():
                middle, worst = measure(admin, path)
                print(f"| {name} | {middle:.1f} ms | {worst:.1f} ms |", flush=True)
        finally:
            site.stop()


if __name__ == "__main__":
    main()
