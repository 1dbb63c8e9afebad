"""`pairspot move-database`: an instance with POSTS posts of USERS people from SQLite to PostgreSQL, and
from there to a new file, as often as there are rounds, three times at most. Each move reads the copy
back and compares rows and hash of each table; here those of both moves are compared, so the last file
has what the first one had."""

import re
import sys
import time

from shared import knobs, machine, world
from shared.figures import Row, short, spread, summary
from shared.server import started
from shared.site import Site

MOVES = min(3, knobs.ROUNDS)
TABLE = re.compile(r"^(\w+) +(\d+) +([0-9a-f]{16}) +equal$", re.M)


def timed(site, target):
    """Seconds, and rows and hash of each table."""
    begun = time.perf_counter()
    told = site.move_database(target)
    seconds = time.perf_counter() - begun
    tables = {name: (int(count), digest) for name, count, digest in TABLE.findall(told)}
    if f"all {len(tables)} tables are equal" not in told:
        sys.exit(f"move-database: {told[-2000:]}")
    return seconds, tables


def rows(folder):
    site = Site(folder / "move/var").for_filling()
    site.stop()
    world.fill(site.database, knobs.USERS, knobs.POSTS, lively=True)
    file, back = site.database, site.data.parent / "back.sqlite"
    size = file.stat().st_size / 1e6
    there, returned = [], []
    with started(folder / "postgresql") as server:
        note = server.described()
        machine.quiet()
        for number in range(MOVES):
            name = f"moved{number}"
            url = server.create(name)
            seconds, first = timed(site, url)
            there.append(seconds)
            site.url = url
            seconds, second = timed(site, f"sqlite:{back}")
            returned.append(seconds)
            site.url = None
            if first != second:
                odd = [name for name in first if first[name] != second.get(name)]
                sys.exit(f"other rows after both moves: {', '.join(odd)}")
            held = server.megabytes(name)
            server.sql(f"DROP DATABASE {name}")
            back_size = back.stat().st_size / 1e6
            back.unlink()
    count = sum(number for number, _ in first.values())
    same = (f"{count:,} rows of {len(first)} tables equal by SHA-256 on both sides, posts"
            f" {first['posts'][1]}…")
    for what, took, sizes in (
            ("SQLite to PostgreSQL", there, f"{size:,.0f} to {held:,.0f} MB"),
            ("PostgreSQL to SQLite", returned, f"{held:,.0f} to {back_size:,.0f} MB")):
        yield Row(
            f"`move-database`, {knobs.POSTS:,} posts of {knobs.USERS:,} people, {what}", "",
            spread(took, "s"), "", None,
            f"{short(count / min(took))} rows a second at best; {sizes}; {same}; {note}",
            {"seconds": summary(took), "rows": count})
