"""The feed page, the check-in and the upload on PostgreSQL, beside FastAPI on the same server and beside
PairSpot on SQLite. The peer has the ORM's and Core's ways of the rows on SQLite, and psycopg with plain
SQL (`fastapi/plain.py`); each the fastest of its ways to wait. Both have PairSpot's isolation
levels, prepared statements, connections that stay open, and `synchronous_commit`."""

from shared.server import started

from . import check_in, feed, uploads


def rows(folder):
    for part in (feed, check_in, uploads):
        with started(folder / part.__name__ / "postgresql") as server:
            for row in part.rows(server, folder / part.__name__):
                row.what += ", on PostgreSQL"
                yield row
