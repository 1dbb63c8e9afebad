"""The peer of `make bench`: the feed page and the check-in as FastAPI, SQLAlchemy and Jinja do them.

    DATABASE=pairspot.sqlite SHARE=. ASSETS=/assets/x KEYS='{…}' \\
      gunicorn --chdir Tests/Bench/fastapi -k uvicorn_worker.UvicornWorker -w 2 peer:app
"""

import checkin
import feed
from fastapi import FastAPI

app = FastAPI(openapi_url=None)
app.include_router(feed.router)
app.include_router(checkin.router)
