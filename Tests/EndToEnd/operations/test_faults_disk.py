"""A full disk: errors shown to users, nothing half done, and recovery without action once there
is space."""

import contextlib
import json
import os
import secrets
import signal
import sqlite3
import time

import pytest

from disks import fill, on
from instance import wait_until
from people import Visitor
from pictures import png_bytes
from crash_test import healthy
from missed_check_ins import bring_forward, count
from test_api_workouts import BATCH, workout
from test_backup import backups, done, pairspot
from test_faults import register
from test_trainings import enrolled, made
from test_wallet import call, token
from test_workout_files import garmin
from test_workout_import import brought

pytestmark = pytest.mark.sqlite("the disk that is full has the database's file")

# Writers fill the existing part of the database's log until it is full, too.
ENOUGH = 200
ROUNDS = pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.long)])


def leftovers(site):
    """Files of unfinished uploads."""
    return [path for folder in ("run/uploads", "run/nginx-body")
            for path in (site.data / folder).rglob("*") if path.is_file()]


def use_up(site, visitor):
    """Writes until nothing more can be written, however short; returns the last answer."""
    form = visitor.composer()
    for words in ("words " * 300, ""):
        for number in range(ENOUGH):
            # Without a file, for which there may be no space while the database has some.
            answer = visitor.post("/posts", form | {
                "nonce": secrets.token_urlsafe(16), "content": f"{number} {words}"})
            if answer.status != 303:
                break
        else:
            raise AssertionError("the disk isn't full")
    # The rest may hold something shorter than a post: it is filled page by page.
    with contextlib.closing(sqlite3.connect(site.data / "pairspot.sqlite", timeout=10)) as writer:
        for _ in range(ENOUGH):
            try:
                with writer:
                    writer.execute("UPDATE heartbeats SET at = at + 1")
            except sqlite3.OperationalError:
                return answer
    raise AssertionError("the disk isn't full")


@contextlib.contextmanager
def full(site, disk, visitor):
    """Fills the disk of an instance; returns the last answer."""
    with contextlib.closing(sqlite3.connect(site.data / "pairspot.sqlite")) as reader:
        # While a reader uses the old content, the log can only grow.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM posts").fetchone()
        fill(disk / "filler")
        yield use_up(site, visitor)
    (disk / "filler").unlink()


@ROUNDS
def test_on_a_full_disk_reading_goes_on_and_writing_says_507(small_disk, own_site, rounds):
    site = on(small_disk, own_site)
    mei = Visitor(site).sign_in("mei@example.test")
    for number in range(rounds):
        kept = mei.write(f"written {number} with room to spare").made
        with full(site, small_disk, mei) as refused:
            assert not site.is_healthy()
            assert refused.status == 507 and "out of storage" in refused.text
            assert f"written {number} with room to spare" in mei.get(kept).text
        assert mei.write(f"room again {number}").status == 303
    healthy(site)


@ROUNDS
def test_on_a_full_disk_a_tap_is_either_done_or_refused_in_words_and_done_later(
        small_disk, own_site, rounds):
    site = on(small_disk, own_site)
    mei = Visitor(site).sign_in("mei@example.test")
    for number in range(rounds):
        taps_on_a_full_disk(site, small_disk, mei, number)
    healthy(site)


def taps_on_a_full_disk(site, disk, mei, round_):
    guests = []
    for number in range(4):
        guest = Visitor(site)
        saved = guest.post("/checkin", guest.get("/checkin").form("/checkin") | {
            "display_name": f"Guest {number}",
            "contact_email": f"kin{round_}.{number}@example.test", "button": "save"})
        assert saved.status == 303
        guests.append((guest, guest.get("/checkin").form("/checkin") | {"button": "check-in"}))
    before = count(site, "check_ins")
    with full(site, disk, mei):
        answers = [guest.post("/checkin", form) for guest, form in guests]
        assert {answer.status for answer in answers} <= {303, 507}
        refused = [answer for answer in answers if answer.status == 507]
        # A check-in is shorter than any post: now and then there is just enough space for it.
        assert all("out of storage" in answer.text for answer in refused)
        assert count(site, "check_ins") == before + len(guests) - len(refused)
        for guest, _ in guests:
            assert guest.get("/checkin").status == 200
    for guest, form in guests:
        assert guest.post("/checkin", form).status == 303
    assert count(site, "check_ins") == before + len(guests)


@ROUNDS
def test_on_a_full_disk_pictures_and_workouts_are_refused_whole(small_disk, own_site, rounds):
    site = on(small_disk, own_site)
    mei = Visitor(site).sign_in("mei@example.test")
    for number in range(rounds):
        uploads_on_a_full_disk(site, small_disk, mei, number)
    healthy(site)


def uploads_on_a_full_disk(site, disk, mei, number):
    access, words = token(site, "sam"), f"with a picture {number}"
    form = mei.composer()
    # More than nginx buffers in memory, and less.
    large, small = (png_bytes((9, 9, side % 256), (side, side)) + bytes(more)
                    for side, more in [(300, 400_000), (64, 0)])
    rides = {"sessions": [workout(one, 1800, 1800) for one in range(6)]}
    media, stored = site.media(), count(site, "workouts")
    with full(site, disk, mei):
        for picture in (large, small):
            answer = mei.write(words, files=[("a.png", picture)], fields=form)
            assert answer.status in (503, 507), answer.status
            assert "<html" in answer.text and ("try again later" in answer.text
                                              or "out of storage" in answer.text)
        body = json.dumps(rides).encode()
        assert len(body) > 100_000
        for content in (body, json.dumps({"sessions": [workout()]}).encode()):
            answer = mei.ask("POST", f"/api/v1{BATCH}", content, {
                "Content-Type": "application/json", "Authorization": f"Bearer {access}"})
            assert answer.status in (503, 507), answer.status
            assert json.loads(answer.text)["error"]["code"] == "unavailable"
        assert site.media() == media and count(site, "workouts") == stored
        assert mei.get("/").status == 200
    link = mei.write(words, files=[("a.png", large)], fields=form).made
    assert mei.write(words, files=[("a.png", large)], fields=form).made == link
    assert count(site, "posts", f"content = '{words}'") == 1
    status, said = call(site, BATCH, rides, access)
    assert (status, said["success_count"]) == (200, 6)
    wait_until(lambda: leftovers(site) == [], 10, "the end of every upload")


def test_on_a_full_disk_an_avatar_a_cover_and_an_import_are_refused_with_a_page(
        small_disk, own_site, tmp_path):
    site = on(small_disk, own_site)
    mei = Visitor(site).sign_in("mei@example.test")
    admin = enrolled(site, "ada")
    desk = made(admin, "Hills")
    picture = png_bytes((9, 9, 64), (64, 64))
    garmin(tmp_path / "ride.fit", 7)
    media, stored = site.media(), count(site, "workouts")

    def avatar():
        fields = mei.get("/settings/profile").form("/settings/profile")
        return mei.post("/settings/profile", fields, [("avatar", "a.png", picture)])

    def cover():
        fields = {"csrf_token": admin.token(f"{desk}/cover")}
        return admin.post(f"{desk}/cover", fields, [("file", "a.png", picture)])

    def ride():
        return brought(mei, tmp_path / "ride.fit")

    with full(site, small_disk, mei):
        for way in (avatar, cover, ride):
            answer = way()
            assert answer.status == 507, (way.__name__, answer.status)
            assert "<html" in answer.text and "out of storage" in answer.text
        assert site.media() == media and count(site, "workouts") == stored
    assert avatar().status == 303 and cover().status == 303
    assert ride().status in (200, 303) and count(site, "workouts") == stored + 1
    wait_until(lambda: leftovers(site) == [], 10, "the end of every upload")
    healthy(site)


def test_on_a_full_disk_an_export_is_refused_or_waits_and_is_whole_afterwards(
        small_disk, own_site):
    site = on(small_disk, own_site)
    mei, sam = (Visitor(site).sign_in(f"{name}@example.test") for name in ("mei", "sam"))
    worker = site.processes(" worker")
    stop(worker, "STOP")
    page = "/settings/export"
    # Requested while there was space, and to be made when there is none.
    assert sam.post(page, {"csrf_token": sam.token(page)}).status == 303
    fields = {"csrf_token": mei.token(page)}
    with full(site, small_disk, mei):
        refused = mei.post(page, fields)
        assert refused.status == 507 and "out of storage" in refused.text
        stop(worker, "CONT")
        before = turns(worker)
        # All of its threads except one, which waits for signals.
        wait_until(lambda: sum(now > before[thread] + 8 for thread, now in turns(worker).items())
                   == len(before) - 1, 30, "a worker that looks for work")
        assert [path for path in (site.data / "media/exports").rglob("*") if path.is_file()] == []
    wait_until(lambda: count(site, "exports", "state = 'ready'") == 1, 60, "the export")
    assert mei.post(page, fields).status == 303
    wait_until(lambda: count(site, "exports", "state = 'ready'") == 2, 60, "both exports")
    # One file each, and no partial files.
    files = [path.name for path in (site.data / "media/exports").rglob("*") if path.is_file()]
    assert files == ["pairspot.zip"] * 2
    healthy(site)


def test_a_backup_onto_a_full_disk_says_so_and_leaves_nothing(small_disk, own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    shelf = small_disk / "shelf"
    done(pairspot(site, "backup", shelf))
    kept = backups(shelf)
    for room in (0, 300_000):
        fill(small_disk / "filler")
        # With some space the database's copy is half done.
        os.truncate(small_disk / "filler", (small_disk / "filler").stat().st_size - room)
        # Two backups of one second have the same name.
        time.sleep(1)
        refused = pairspot(site, "backup", shelf)
        assert refused.returncode != 0, refused.stdout
        assert any(words in refused.stderr for words in ("disk is full", "No space left"))
        assert backups(shelf) == kept
        assert [path.name for path in shelf.iterdir() if path.is_dir()] == kept
        (small_disk / "filler").unlink()
    time.sleep(1)
    done(pairspot(site, "backup", shelf))
    assert len(backups(shelf)) == 2
    healthy(site)


def test_a_doctor_without_room_for_its_copy_says_so_and_leaves_none(small_disk, own_site):
    site = on(small_disk, own_site)
    database = site.data / "pairspot.sqlite"
    fill(small_disk / "filler")
    # Space for a copy, and none left for writers.
    room = database.stat().st_size + 1_000_000
    os.truncate(small_disk / "filler", (small_disk / "filler").stat().st_size - room)
    refused = pairspot(site, "doctor")
    assert refused.returncode != 0
    assert "there is not enough space for a copy of the database" in refused.stdout + refused.stderr
    assert [path.name for path in site.data.glob("*-copy*")] == []
    assert Visitor(site).sign_in("mei@example.test").write("room for words").status == 303
    (small_disk / "filler").unlink()
    done(pairspot(site, "doctor"))
    healthy(site)


@ROUNDS
def test_a_worker_lives_through_a_full_disk_and_does_its_jobs_afterwards(
        small_disk, own_site, rounds):
    site = on(small_disk, own_site)
    mei = Visitor(site).sign_in("mei@example.test")
    worker = site.processes(" worker")
    for number in range(rounds):
        jobs_on_a_full_disk(site, small_disk, mei, worker, number)
    assert site.processes(" worker") == worker
    assert len(site.mails()) == len({mail["Message-ID"] for mail in site.mails()}) == 5 * rounds
    healthy(site)


def jobs_on_a_full_disk(site, disk, mei, worker, number):
    names = [f"full{number}.{one}@example.test" for one in range(3)]
    sent = count(site, "mail_queue", "sent_at IS NOT NULL")
    # Jobs queued while there is space, and due when there is none.
    stop(worker, "STOP")
    for name in names:
        visitor = Visitor(site)
        fields = {"csrf_token": visitor.token("/register/alone"), "display_name": "Lin",
                  "email": name, "password": "a lamp in the hall", "accept": "1"}
        assert visitor.post("/register/alone", fields).status == 303
    with full(site, disk, mei):
        written = (site.data / "logs/worker.log").stat().st_size
        stop(worker, "CONT")
        # Its log can't grow, its jobs can't be claimed: it keeps polling without success.
        before = turns(worker)
        # All of its threads except one, which waits for signals.
        wait_until(lambda: sum(now > before[thread] + 8 for thread, now in turns(worker).items())
                   == len(before) - 1, 30, "a worker that looks for work")
        assert count(site, "mail_queue", "sent_at IS NOT NULL") == sent
        assert (site.data / "logs/worker.log").stat().st_size - written <= 4096
    # The same worker continues; failed jobs are retried in a minute.
    wait_until(site.is_healthy, 20, "health")
    register(Visitor(site), f"room{number}")
    site.mail_to(f"room{number}.a@example.test")
    bring_forward(site, "jobs", "kind = 'mail'")
    for name in names:
        site.mail_to(name)
    wait_until(lambda: count(site, "mail_queue", "sent_at IS NULL") == 0, 20, "the last mark")


def stop(processes, how):
    for id in processes:
        os.kill(id, getattr(signal, f"SIG{how}"))


def turns(processes):
    """How often each thread of a process has slept and woken. (Its reads are no measure: if
    nothing can be written, everything is in its cache.)"""
    counts = {}
    for thread in os.listdir(f"/proc/{processes[0]}/task"):
        with open(f"/proc/{processes[0]}/task/{thread}/status") as lines:
            status = dict(line.split(":", 1) for line in lines)
        counts[int(thread)] = int(status["voluntary_ctxt_switches"])
    return counts
