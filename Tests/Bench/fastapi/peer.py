"""The peer of `make bench`: the feed page and the check-in with FastAPI, SQLAlchemy and Jinja.

    DATABASE=pairspot.sqlite SHARE=. ASSETS=/assets/x KEYS='{…}' gunicorn \\
      --chdir Tests/Bench/fastapi --config Tests/Bench/fastapi/settings.py --workers 2 peer:app
"""

import checkin
import feed
from fastapi import FastAPI
from sqlalchemy.orm import configure_mappers

# Before the fork, so that the workers share it.
configure_mappers()
app = FastAPI(openapi_url=None)
app.include_router(feed.router)
app.include_router(checkin.router)
