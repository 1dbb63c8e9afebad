"""Search, feed, profile and notices with 1,000,000 posts, in the running product.

`.build/venv/bin/python Tests/Bench/Search/search.py` (needs a release build), and with POSTS=1000 for
what to look at beside it. The posts are made as stores.py makes them, of 200 couples, one a minute,
every tenth for followers alone, and stand in the index as the product puts them there; Mei's couple
follows all of them, and as many notices as posts are there, every thousandth of them hers. Then Mei
asks for words that are rare, common, and in no post, and for the other pages; and posts are written.
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
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "EndToEnd"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("POSTS", "1000000")
import stores
from instance import Instance
from people import Visitor

ROUNDS = int(os.environ.get("ROUNDS", 100))
COUPLES = 200


def fill(path):
    base = sqlite3.connect(path, timeout=60, isolation_level=None)
    base.execute("PRAGMA synchronous = OFF")
    base.execute("BEGIN")
    chance, now = random.Random(3), int(time.time() * 1000)
    couples = []
    for number in range(COUPLES):
        couple, person = uuid.uuid4().bytes, uuid.uuid4().bytes
        base.execute("INSERT INTO couples (id, name, status, created_at) VALUES (?, ?, 'single', 0)",
                     (couple, f"Couple {number}"))
        base.execute(
            "INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at,"
            " couple_id, couple_side) VALUES (?, 2, ?, '1', 0, 0, ?, 1)",
            (person, f"Person {number}", couple))
        couples.append((couple, person))
    mei = base.execute("SELECT id, couple_id FROM users WHERE display_name = 'Mei'").fetchone()
    for couple, _ in couples:
        base.execute("INSERT INTO follows (follower_id, followed_id, created_at) VALUES (?, ?, 0)",
                     (mei[1], couple))
    for number, text in enumerate(stores.texts()):
        post, (couple, person) = uuid.uuid4().bytes, chance.choice(couples)
        moment = now - (stores.POSTS - number) * 60_000
        base.execute(
            "INSERT INTO posts (id, couple_id, author_id, content, visibility, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (post, couple, person, text, "followers" if number % 10 == 9 else "public", moment))
        notice = moment.to_bytes(6, "big") + uuid.uuid4().bytes[6:]
        base.execute(
            "INSERT INTO notifications (id, user_id, kind, subject, event, detail, path, created_at)"
            " VALUES (?, ?, 'post_liked', ?, '', '', '/', ?)",
            (notice, mei[0] if number % 1000 == 0 else person, post, moment))
        base.execute("INSERT INTO notification_actors (notification_id, user_id, couple_id, at)"
                     " VALUES (?, ?, ?, ?)", (notice, chance.choice(couples)[1], None, moment))
        place = moment // 1000 * 256
        base.execute("INSERT INTO search_posts (place, post_id) VALUES (?, ?)", (place, post))
        base.execute("INSERT INTO post_words (rowid, words) VALUES (?, ?)",
                     (place, " ".join(stores.bigrams(text))))
        if number % 20_000 == 19_999:
            base.execute("COMMIT")
            base.execute("BEGIN")
    base.execute("COMMIT")
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    return uuid.UUID(bytes=couples[0][0])


def milliseconds(times):
    times = sorted(1000 * moment for moment in times)
    return (f"{statistics.median(times):.1f} ms ({times[0]:.1f}–{times[-1]:.1f},"
            f" p95 {times[int(len(times) * .95)]:.1f})")


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = Instance(folder, PAIRSPOT_DEMO="1").start()
        Visitor(site).get("/")
        site.stop()
        data = site.data / "pairspot.sqlite"
        empty, began = data.stat().st_size, time.perf_counter()
        couple = fill(data)
        print(f"{stores.POSTS:,} posts in {time.perf_counter() - began:.0f} s,"
              f" {(data.stat().st_size - empty) / 1e6:,.0f} MB")
        site = Instance(folder, PAIRSPOT_DEMO="1").start()
        mei = Visitor(site).sign_in("mei@example.test")
        middle = int(time.time() * 1000) - stores.POSTS // 2 * 60_000
        deep = f"{middle}-{uuid.UUID(bytes=middle.to_bytes(6, 'big') + bytes(10))}"
        for path in ["/", f"/?after={deep}", "/?scope=following", f"/?scope=following&after={deep}",
                     f"/couples/{couple}", f"/couples/{couple}/followers", "/notifications",
                     "/settings/language"]:
            times = []
            for _ in range(ROUNDS):
                moment = time.perf_counter()
                answer = mei.get(path)
                times.append(time.perf_counter() - moment)
                assert answer.status == 200, path
            shown = answer.text.count('data-testid="post"')
            name = path.replace(str(couple), "{couple}").replace(deep, "{the middle}")
            print(f"| {name} | {shown} | {milliseconds(times)} |", flush=True)
        words = ["lantern", "th", "the lantern", "water river", "一丁", "丈三", "一", "zzqx", "thzq"]
        for word in words:
            times = []
            for _ in range(ROUNDS):
                moment = time.perf_counter()
                answer = mei.get(f"/search?q={quote(word)}")
                times.append(time.perf_counter() - moment)
                assert answer.status == 200
            found = answer.text.count('data-testid="post"')
            print(f"| {word} | {found} | {milliseconds(times)} |", flush=True)
        fields = mei.composer()
        times = []
        for number in range(ROUNDS):
            moment = time.perf_counter()
            answer = mei.write(f"Written number {number} with some words of its own, and 咖啡",
                               fields=fields | {"nonce": f"n{number}"})
            times.append(time.perf_counter() - moment)
            assert answer.status == 303
        print(f"| writing a post | | {milliseconds(times)} |")
        site.stop()


if __name__ == "__main__":
    main()
