"""Two ways to store bigrams: SQLite's FTS5, and a plain table of (bigram, place).

`POSTS=100000 python3 Tests/Bench/Search/stores.py` writes generated posts of 20 to 160
characters, half Chinese and half English, 500 per transaction, into a fresh file each; then
queries the newest 21 posts with a rare pair, a common pair, and a word of two common pairs.
"""

import os
import random
import sqlite3
import statistics
import tempfile
import time

POSTS = int(os.environ.get("POSTS", 100_000))
BATCH = 500
ENGLISH = ("the of and to in is that it was for on are with as they be at one have this from we "
           "had by word but what some can out other were all there when up use your how said an "
           "each she which do their time if will way about many then them write would like so "
           "these her long make thing see him two has look more day could go come did number "
           "sound no most people my over know water than call first who may down side been now "
           "find coffee lantern mountain river train garden winter morning").split()


def texts():
    """Posts with a natural distribution of words: the n-th of them 1/n times as often."""
    chance = random.Random(7)
    signs = [chr(0x4E00 + number) for number in range(3000)]
    weights = [1 / (rank + 1) for rank in range(3000)]
    english = [1 / (rank + 1) for rank in range(len(ENGLISH))]
    for number in range(POSTS):
        length = chance.randrange(20, 160)
        if number % 2:
            yield "".join(chance.choices(signs, weights, k=length // 3))
        else:
            yield " ".join(chance.choices(ENGLISH, english, k=length // 5))


def bigrams(text):
    found = []
    for run in text.split():
        found += [run[place:place + 2] for place in range(len(run) - 1)] + [run[-1]]
    return found


def fts(base):
    base.execute("CREATE VIRTUAL TABLE grams USING fts5 (words, tokenize = 'ascii', columnsize = 0)")
    return (lambda place, grams: base.execute(
        "INSERT INTO grams (rowid, words) VALUES (?, ?)", (place, " ".join(grams)))), (
        lambda word: base.execute(
            "SELECT rowid FROM grams WHERE grams MATCH ? ORDER BY rowid DESC LIMIT 21",
            ('"' + " ".join(bigrams(word)[:-1]) + '"',)).fetchall())


def plain(base):
    base.execute("CREATE TABLE words (bigram TEXT, place INTEGER, PRIMARY KEY (bigram, place DESC))"
                 " WITHOUT ROWID")

    def find(word):
        first, *rest = bigrams(word)[:-1]
        also = "".join(" AND EXISTS (SELECT 1 FROM words o WHERE o.bigram = ? AND o.place = w.place)"
                       for _ in rest)
        return base.execute(
            f"SELECT place FROM words w WHERE bigram = ?{also} ORDER BY place DESC LIMIT 21",
            (first, *rest)).fetchall()

    return (lambda place, grams: base.executemany(
        "INSERT OR IGNORE INTO words VALUES (?, ?)", [(gram, place) for gram in grams])), find


def measure(name, make, folder):
    path = f"{folder}/{name}.sqlite"
    base = sqlite3.connect(path, isolation_level=None)
    base.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                       "PRAGMA cache_size = -16000;")
    put, find = make(base)
    made = [bigrams(text) for text in texts()]
    began = time.perf_counter()
    last = []
    for start in range(0, POSTS, BATCH):
        moment = time.perf_counter()
        base.execute("BEGIN")
        for place in range(start, min(start + BATCH, POSTS)):
            put(place, made[place])
        base.execute("COMMIT")
        last.append(time.perf_counter() - moment)
    whole = time.perf_counter() - began
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    one = []
    for place in range(POSTS, POSTS + 200):
        moment = time.perf_counter()
        base.execute("BEGIN")
        put(place, made[place % POSTS])
        base.execute("COMMIT")
        one.append(time.perf_counter() - moment)
    line = [f"{os.path.getsize(path) / 1e6:,.0f} MB", f"{whole:.1f} s",
            f"{statistics.median(one) * 1000:.2f} ms ({max(one) * 1000:.0f} at most)"]
    for word in ["lantern", "th", "water", "一丁", "丈三"]:
        times = []
        for _ in range(9):
            moment = time.perf_counter()
            found = find(word)
            times.append(time.perf_counter() - moment)
        line.append(f"{word} {statistics.median(times) * 1000:.2f} ms ({len(found)})")
    print(f"{name}: " + ", ".join(line), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for name, make in [("fts5", fts), ("plain table", plain)]:
            measure(name, make, place)
