"""What happens when the machine is not kind: locks, full disks, silence, killed processes."""

import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
from datetime import datetime, timedelta, timezone
from http.client import HTTPException

import pytest

from instance import PROGRAM, free_port, wait_until
from mail_sink import Sink
from people import Visitor


def smtp(port):
    return dict(
        PAIRSPOT_MAIL="smtp", SMTP_HOST="127.0.0.1", SMTP_PORT=str(port), SMTP_TLS="none",
        FROM_EMAIL="home@pairspot.example")


def register(visitor, name):
    fields = {"csrf_token": visitor.token("/register"), "email_a": f"{name}.a@example.test",
              "email_b": f"{name}.b@example.test", "couple_name": name,
              "anniversary": "2024-02-29", "accept": "1"}
    assert visitor.post("/register", fields).status == 303


def recipients(sink):
    return sorted(address for envelope in sink.envelopes for address in envelope.rcpt_tos)


def test_while_somebody_locks_the_database_reading_goes_on_and_writing_says_503(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    form = dict(mei.get("/").form("/posts"))
    locker = sqlite3.connect(site.data / "pairspot.sqlite", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    assert mei.get("/").status == 200
    answer = mei.post("/posts", form | {"content": "said into the lock"})
    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "<html" in answer.text
    locker.execute("ROLLBACK")
    locker.close()
    # The same form, sent again, is taken once.
    link = mei.post("/posts", form | {"content": "said into the lock"}).location
    assert mei.post("/posts", form | {"content": "said into the lock"}).location == link
    assert mei.get("/").text.count("said into the lock") == 1


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MB, where one may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("nobody may mount here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(file):
    """Writes a file until not one page more fits."""
    with open(file, "wb", buffering=0) as out:
        for piece in (1 << 20, 4096):
            try:
                while out.write(b"0" * piece) == piece:
                    pass
            except OSError:
                pass


def test_on_a_full_disk_reading_goes_on_and_writing_says_507(small_disk, own_site):
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_DATA=str(small_disk / "var"))
    site.data = small_disk / "var"
    mei = Visitor(site).sign_in("mei@example.test")
    kept = mei.write("written with room to spare").location
    filler = small_disk / "filler"
    fill(filler)
    assert not site.is_healthy()
    seen = set()
    for number in range(200):
        answer = mei.write(f"{number} " + "words " * 300)
        seen.add(answer.status)
        if answer.status != 303:
            break
    assert seen <= {303, 507} and 507 in seen
    assert "written with room to spare" in mei.get(kept).text
    filler.unlink()
    assert mei.write("room again").status == 303
    check = subprocess.run(
        [PROGRAM, "doctor"], env=site.environment, capture_output=True, text=True, timeout=60)
    assert check.returncode == 0, check.stdout + check.stderr


def test_a_mail_server_that_was_down_gets_each_mail_once(own_site):
    port = free_port()
    site = own_site(**smtp(port))
    register(Visitor(site), "early")
    time.sleep(2)
    site.stop()
    sink = Sink(port)
    later = datetime.now(timezone.utc) + timedelta(hours=2)
    site.environment["PAIRSPOT_NOW"] = later.strftime("%Y-%m-%dT%H:%M:%SZ")
    site.start()
    wait_until(lambda: len(sink.envelopes) >= 2, 30, "two mails")
    time.sleep(2)
    assert recipients(sink) == ["early.a@example.test", "early.b@example.test"]
    sink.stop()


def test_two_workers_send_each_mail_once(own_site, sink):
    site = own_site(**smtp(sink.port))
    second = subprocess.Popen(
        [PROGRAM, "worker"], env=site.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for number in range(10):
            register(Visitor(site), f"pair{number}")
        wait_until(lambda: len(sink.envelopes) >= 20, 40, "twenty mails")
        time.sleep(1)
    finally:
        second.terminate()
        second.wait(20)
    assert len(recipients(sink)) == len(set(recipients(sink))) == 20


def test_a_clock_that_goes_back_a_day_stops_nothing(own_site, sink):
    site = own_site(**smtp(sink.port), PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    kept = mei.write("written today").location
    site.stop()
    earlier = datetime.now(timezone.utc) - timedelta(days=1)
    site.environment["PAIRSPOT_NOW"] = earlier.strftime("%Y-%m-%dT%H:%M:%SZ")
    site.start()
    assert "written today" in mei.get(kept).text
    assert mei.write("written yesterday").status == 303
    register(Visitor(site), "back")
    wait_until(lambda: len(sink.envelopes) >= 2, 30, "two mails")


def test_nginx_comes_back_when_it_is_killed(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    before = site.processes("nginx: master")
    assert len(before) == 1
    os.kill(before[0], signal.SIGKILL)
    wait_until(
        lambda: site.processes("nginx: master") not in ([], before) and site.is_healthy(), 30,
        "nginx")
    assert mei.write("after nginx").status == 303


@pytest.mark.long
def test_nothing_acknowledged_is_lost_over_a_hundred_kills(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    written, done = {}, threading.Event()

    def write(name):
        visitor = Visitor(site).sign_in(name)
        number = 0
        while not done.is_set():
            number += 1
            words = f"{name} number {number}."
            try:
                answer = visitor.write(words)
            except (OSError, HTTPException, StopIteration):
                continue
            if answer.status == 303:
                written[words] = answer.location

    writers = [
        threading.Thread(target=write, args=(f"{name}@example.test",))
        for name in ("mei", "jun", "sam")]
    for writer in writers:
        writer.start()
    chance = random.Random(20261121)
    for _ in range(100):
        time.sleep(chance.uniform(0.05, 0.6))
        victims = site.processes(chance.choice([" handlers", " worker", "nginx: master"]))
        if victims:
            os.kill(victims[0], signal.SIGKILL)
        wait_until(site.is_healthy, 30, "pages")
    done.set()
    for writer in writers:
        writer.join()
    assert len(written) > 100
    mei = Visitor(site).sign_in("mei@example.test")
    for words, link in written.items():
        assert words in mei.get(link).text
    database = sqlite3.connect(site.data / "pairspot.sqlite")
    doubled = database.execute(
        "SELECT content, count(*) FROM posts GROUP BY content HAVING count(*) > 1").fetchall()
    assert doubled == []
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
