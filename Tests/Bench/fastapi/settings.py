"""Gunicorn's settings for both peers, chosen for least memory and time: data loaded before the
workers are forked stay shared, since the garbage collector doesn't touch them."""

import gc
import sys

worker_class = "uvicorn_worker.UvicornWorker"
preload_app = True
keepalive = 60
backlog = 1024
umask = 0
# A thread and a socket that are not needed here.
control_socket_disable = True

# Garbage collected before the fork would leave holes in shared pages.
gc.disable()


def when_ready(_):
    # A connection to SQLite must not be used in another process.
    people = sys.modules["people"]
    for engine in (people.reading, people.writing):
        if engine.pool.checkedin() or engine.pool.checkedout():
            sys.exit("there is a connection before the fork")
    gc.freeze()


def post_fork(_, __):
    gc.enable()
