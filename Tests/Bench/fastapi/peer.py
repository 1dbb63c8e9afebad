"""The peer of `make bench`: the feed page and the check-in with FastAPI, SQLAlchemy and Jinja; on
PostgreSQL (`DATABASE=postgresql://…`) also with psycopg alone.

    DATABASE=pairspot.sqlite SHARE=. ASSETS=/assets/x KEYS='{…}' gunicorn \\
      --chdir Tests/Bench/fastapi --config Tests/Bench/fastapi/settings.py --workers 2 peer:app
"""

import checkin
import feed
from fastapi import FastAPI
from people import ON_SERVER
from sqlalchemy.orm import configure_mappers

# Before the fork, so that the workers share it.
configure_mappers()
if ON_SERVER:
    import plain

app = FastAPI(openapi_url=None, lifespan=plain.opened if ON_SERVER else None)
app.include_router(feed.router)
app.include_router(checkin.router)
if ON_SERVER:
    app.include_router(plain.router)
