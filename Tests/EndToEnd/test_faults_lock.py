"""Somebody else who holds the database: what people see meanwhile, and that all goes on."""

import contextlib
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor


from people import Visitor
from pictures import png_bytes
from siege import healthy
from silence import count
from test_wallet import token

# A program of the operator's that holds the database, and says so.
LOCKER = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
database.execute("ROLLBACK")
"""
PAGES = ["/", "/checkin", "/checkin/history", "/notifications", "/album", "/groups", "/workouts",
         "/wallet", "/settings", "/search?q=tea", "/stories"]


@contextlib.contextmanager
def locked(site, seconds):
    locker = subprocess.Popen(
        [sys.executable, "-c", LOCKER, site.data / "pairspot.sqlite", str(seconds)],
        stdout=subprocess.PIPE)
    assert locker.stdout.readline() == b"locked\n"
    yield locker
    assert locker.wait(seconds + 5) == 0
    locker.stdout.close()


def timed(call):
    started = time.monotonic()
    return call(), time.monotonic() - started


def test_while_another_program_holds_the_database_for_ten_seconds(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei, stranger = Visitor(site).sign_in("mei@example.test"), Visitor(site)
    access = token(site, "sam")
    form, joining = mei.composer(), stranger.get("/register/alone").form("/register/alone")
    joining |= {"display_name": "Lin", "email": "lin@example.test",
                "password": "a lamp in the hall", "accept": "1"}
    picture = [("a.png", png_bytes())]
    before = {kind: site.processes(kind) for kind in (" handlers", " worker")}
    media, posts = site.media(), count(site, "posts")

    def say():
        return mei.write("said into the lock", files=picture, fields=form)

    def say_as_app():
        return mei.ask("POST", "/api/v1/groups", json.dumps({"name": "Locked"}).encode(), {
            "Content-Type": "application/json", "Authorization": f"Bearer {access}",
            "Idempotency-Key": "into-the-lock"})

    with locked(site, 10) as locker, ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(timed, each) for each in (
            say, say_as_app, lambda: stranger.post("/register/alone", joining))]
        for path in PAGES:
            answer, seconds = timed(lambda path=path: mei.get(path))
            assert answer.status == 200 and seconds < 2, (path, answer.status, seconds)
        for path in ("/", "/sign-in", "/register", "/checkin", "/stories"):
            answer, seconds = timed(lambda path=path: Visitor(site).get(path))
            assert answer.status == 200 and seconds < 2, (path, answer.status, seconds)
        for write in writes:
            answer, seconds = write.result()
            assert answer.status == 503 and seconds < 9, (answer.status, seconds)
            assert int(answer.headers["Retry-After"]) > 0
        assert "<html" in writes[0].result()[0].text
        assert json.loads(writes[1].result()[0].text)["error"]["code"] == "unavailable"
        assert locker.poll() is None, "it took longer than the lock"
        assert count(site, "posts") == posts and site.media() == media

    # What was sent is sent again as it was, and taken once.
    link = say().location
    assert say().location == link
    assert count(site, "posts", "content = 'said into the lock'") == 1
    group = json.loads(say_as_app().text)["id"]
    assert json.loads(say_as_app().text)["id"] == group
    assert stranger.post("/register/alone", joining).status == 303
    site.mail_to("lin@example.test")
    assert {kind: site.processes(kind) for kind in before} == before
    assert site.is_healthy()
    healthy(site)
