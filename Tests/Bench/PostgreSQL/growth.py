"""The pages of the rows about growth on PostgreSQL: POSTS posts of USERS people beside SMALL posts,
two databases of one server, with interleaved rounds of sequential requests. The product creates
both; their rows are filled in by COPY."""

import json
import pathlib

from Growth import growth
from shared import knobs
from shared.server import started, without_indexes
from shared.site import Site

SMALL = 10_000


def made(server, folder, size, people):
    """A stopped instance, as `growth.made`."""
    name = f"posts{size}of{people}"
    about = folder / name / "about.json"
    site = Site(folder / name / "var")
    if not about.exists():
        if server.has(name):
            # An interrupted run left it.
            server.sql(f"DROP DATABASE {name}")
        site.url = server.create(name)
        session = growth.prepared(site)
        with without_indexes(site.url):
            found = growth.fill(site, session, size, people)
        about.write_text(json.dumps(found))
        print(f"{size:,} posts: {server.megabytes(name):,.0f} MB", flush=True)
    site.url = server.url(name)
    return growth.described(site, about)


def rows(folder):
    folder = pathlib.Path(knobs.KEPT or folder)
    # Each couple has posts.
    sizes = {size: min(size, knobs.USERS)
             for size in (min(SMALL, knobs.POSTS // 10), knobs.POSTS)}
    with started(folder / "postgresql") as server:
        worlds = {size: made(server, folder, size, people) for size, people in sizes.items()}
        server.settle()
        results = growth.measure(folder, worlds)
        note = server.described()
    for what, found in results.items():
        row = growth.row(what, found, sizes[knobs.POSTS], " on PostgreSQL")
        row.note += f"; {note}"
        yield row
