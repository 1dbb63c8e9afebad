"""Gunicorn's settings for both peers, those that take the least memory and time: what is read once is
read before the workers are forked, and stays shared, since the garbage collector doesn't touch it."""

import gc
import sys

worker_class = "uvicorn_worker.UvicornWorker"
preload_app = True
keepalive = 60
backlog = 1024
umask = 0
# A thread and a socket that nobody needs here.
control_socket_disable = True

# What is thrown away before the fork would leave holes in pages that are shared.
gc.disable()


def when_ready(_):
    # A connection to SQLite must not get into another process.
    people = sys.modules["people"]
    for engine in (people.reading, people.writing):
        if engine.pool.checkedin() or engine.pool.checkedout():
            sys.exit("there is a connection before the fork")
    gc.freeze()


def post_fork(_, __):
    gc.enable()
