"""Backups of a running instance, and restores."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

from conftest import PHONE
from disks import cannot_mount
from instance import PROGRAM, Instance, wait_until
from state_ledgers import Coins, everybody, signed_in
from people import Visitor, picture_addresses
from fake_push_service import PushService
from crash_test import CrashTest, healthy
from missed_check_ins import at, begun, check_in, count, live_on
from test_faults import smtp
from test_faults_clock import ABOUT, KIN, told
from test_offline import sign_in
from test_wallet import Apple, made_codes, transaction
from test_workouts_offline import Rider, call, finish, kept, key, workout


def pairspot(site, *words, **variables):
    return subprocess.run(
        [str(PROGRAM), *map(str, words)], env=site.environment | variables, text=True,
        capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def done(run):
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def backups(shelf):
    return sorted(path.name for path in shelf.glob("*Z"))


class Writer(threading.Thread):
    """Posts texts and pictures one after the other, deletes some, and records the answers."""

    def __init__(self, site, address, picture):
        super().__init__()
        self.visitor = Visitor(site).sign_in(address)
        self.picture = picture
        self.name = address.split("@")[0]
        self.acknowledged = []
        self.over = threading.Event()
        self.failure = None

    def run(self):
        count = 0
        try:
            while not self.over.is_set():
                count += 1
                words = f"{self.name} number {count} stands"
                fields = self.visitor.composer()
                answer = self.visitor.write(
                    words, files=[("a.png", self.picture)], fields=fields)
                if answer.status == 503:
                    # Too many pictures at once: nothing was acknowledged.
                    time.sleep(0.1)
                    continue
                assert answer.status == 303, (
                    answer.status, re.findall(r'error[^>]*>([^<]*)', answer.text))
                if count % 3:
                    self.acknowledged.append((answer.made, words))
                    continue
                gone = self.visitor.post(
                    f"{answer.made}/delete", {"csrf_token": fields["csrf_token"]})
                assert gone.status == 303, (gone.status, answer.location)
        except Exception as failure:
            self.failure = failure


@pytest.fixture
def second(tmp_path):
    """Another instance, with an empty data folder until a restore."""
    instance = Instance(tmp_path / "second")
    instance.data.mkdir(parents=True)
    yield instance
    if instance.process and instance.process.poll() is None:
        instance.stop()


@pytest.fixture(scope="module")
def picture():
    from io import BytesIO

    from PIL import Image
    file = BytesIO()
    Image.linear_gradient("L").convert("RGB").save(file, "PNG")
    return file.getvalue()


def test_every_write_that_was_acknowledged_before_a_backup_comes_back(
        own_site, second, tmp_path, picture):
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    writers = [Writer(site, f"{name}@example.test", picture) for name in ("mei", "jun", "sam")]
    for writer in writers:
        writer.start()
    try:
        wait_until(
            lambda: all(len(writer.acknowledged) >= 6 or writer.failure for writer in writers), 60,
            "posts")
        before = [post for writer in writers for post in list(writer.acknowledged)]
        made = done(pairspot(site, "backup", shelf))
    finally:
        for writer in writers:
            writer.over.set()
        for writer in writers:
            writer.join()
    assert not [writer.failure for writer in writers if writer.failure]
    assert "missing" not in made
    assert len(before) >= 18

    # A new machine: only the backup and its keys.
    said = done(pairspot(second, "restore", shelf))
    assert "restored from" in said and "before" not in said
    second.start()
    for name in ("mei", "jun", "sam"):
        visitor = Visitor(second).sign_in(f"{name}@example.test")
        for location, words in before:
            page = visitor.get(location)
            assert page.status == 200 and words in page.text, location
            pictures = [one for one in picture_addresses(page.text) if "/posts/" in one]
            assert pictures
            for address in pictures:
                assert visitor.get(address).status == 200, address
    done(pairspot(second, "doctor"))
    secrets = [(second.data / "secrets" / name.name) for name in (site.data / "secrets").iterdir()]
    assert all(path.stat().st_mode & 0o077 == 0 for path in secrets)


@pytest.fixture
def crashed(own_site, sink, tmp_path):
    """An instance with all writers."""
    apple, push = Apple(tmp_path / "apple"), PushService()
    site = own_site(
        PAIRSPOT_DEMO="1", PAIRSPOT_PROCESSES="2", PAIRSPOT_PUSH_HOSTS=push.origin,
        **apple.variables, **smtp(sink.port))
    crash_test = CrashTest(site)
    receipts = apple.sign(transaction(number) for number in range(100))
    yield crash_test, everybody(crash_test, sink, push, receipts, made_codes(site, 50))
    push.stop()


class Shelved:
    """A backup made during writes, with the acknowledgements of each writer before it began."""

    def __init__(self, crash_test, shelf):
        wait_until(
            lambda: crash_test.failed() or all(writer.count > 4 for writer in crash_test.writers), 180,
            "everybody's writes")
        # Coins are lines that never change.
        self.memories = [(writer, writer.remember()) for writer in crash_test.writers
                         if not isinstance(writer, Coins)]
        self.coins = coin_lines(crash_test)
        before, earlier = crash_test.acknowledged, set(backups(shelf))
        said = done(pairspot(crash_test.site, "backup", shelf))
        assert "missing" not in said
        assert crash_test.acknowledged > before + 10, "hardly anybody wrote meanwhile"
        [name] = set(backups(shelf)) - earlier
        self.folder = shelf / name

    def check(self, empty):
        """Restores it on a new machine, and verifies everything there."""
        said = done(pairspot(empty, "restore", self.folder))
        assert "restored from" in said and "before" not in said
        empty.start()
        restored = CrashTest(empty)
        for writer, memory in self.memories:
            writer.recall(memory, restored)
        found = coin_lines(restored)
        assert any(self.coins.values())
        for name, lines in self.coins.items():
            assert lines.items() <= found[name].items(), name
        healthy(empty)
        empty.stop()


def coin_lines(crash_test):
    """Acknowledged lines of coins, by id."""
    found = {}
    for name in ("mei", "sam"):
        token, cursor = signed_in(crash_test, name), ""
        lines = found[name] = {}
        while cursor is not None:
            path = f"/wallet?limit=100{cursor and '&cursor='}{cursor}"
            page = crash_test.until_known(
                lambda path=path: crash_test.api("GET", path, token=token)).json
            lines |= {line["id"]: (line["amount"], line["balance_after"])
                      for line in page["transactions"]}
            cursor = page["next_cursor"]
    return found


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.long)])
def test_what_everybody_was_told_before_a_backup_is_there_after_it(crashed, tmp_path, times):
    crash_test, writers = crashed
    shelf, shelved = tmp_path / "shelf", []
    with crash_test.at_work(writers):
        for _ in range(times):
            shelved.append(Shelved(crash_test, shelf))
            written = crash_test.acknowledged
            wait_until(
                lambda written=written: crash_test.failed() or crash_test.acknowledged > written + 300, 120,
                "more")
    assert crash_test.strange == []
    crash_test.site.stop()
    for number, one in enumerate(shelved):
        empty = Instance(tmp_path / f"empty{number}")
        empty.data.mkdir(parents=True)
        try:
            one.check(empty)
        finally:
            if empty.process and empty.process.poll() is None:
                empty.stop()


def test_after_a_restore_nobody_is_told_of_a_silence_for_a_day_and_then_they_are(
        own_site, second, tmp_path):
    site, shelf = own_site(PAIRSPOT_NOW=at(1, "12:00")), tmp_path / "shelf"
    check_in(site, "Nora", KIN)
    site.mail_to(KIN)
    wait_until(lambda: count(site, "mail_queue", "sent_at IS NULL") == 0, 10, "an introduction")
    done(pairspot(site, "backup", shelf))
    # The machine is lost, with her possible later check-ins. Another one replaces it an hour after
    # the time of the alert.
    site.stop()
    done(pairspot(second, "restore", shelf, PAIRSPOT_NOW=at(4, "10:00")))
    wakes(second, at(4, "10:05"))
    assert told(second) == 0
    # Days pass while requests are answered, according to the handlers' heartbeats.
    for clock, alerts in [("09:05", 0), ("09:55", 0), ("10:10", 1), ("13:00", 1)]:
        second.stop()
        live_on(second, at(5, clock))
        wakes(second, at(5, clock))
        if alerts:
            second.mail_to(KIN, ABOUT)
        assert told(second) == alerts, clock


def wakes(site, moment):
    """Starts an instance at a time; returns after its worker has evaluated all users."""
    before = begun(site)
    site.environment["PAIRSPOT_NOW"] = moment
    site.start()
    wait_until(lambda: begun(site) != before, 60, "a scan")


def test_a_running_instance_is_not_restored(own_site, tmp_path):
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    done(pairspot(site, "backup", shelf))
    # Whichever process is left: each of them has the lock.
    run = pairspot(site, "restore", shelf)
    assert run.returncode != 0 and "is running" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert site.is_healthy()
    page = Visitor(site).sign_in("mei@example.test").get("/")
    assert page.status == 200
    assert not list(site.data.glob("before-restore-*"))
    metrics = Visitor(site).get("/metrics").text
    made = int(re.search(r"^pairspot_last_backup_timestamp_seconds (\d+)$", metrics, re.M)[1])
    assert abs(made - time.time()) < 300
    assert 'pairspot_request_duration_seconds_bucket{route="GET /healthz",le="+Inf"}' in metrics


def killed(site, words, delay):
    process = subprocess.Popen(
        [str(PROGRAM), *map(str, words)], env=site.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait() == 0


def killed_in_its_renames(site, shelf):
    """Kills a restore after its decision and before its end."""
    note = site.data / "restoring.json"
    for _ in range(20):
        process = subprocess.Popen(
            [str(PROGRAM), "restore", str(shelf)], env=site.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not note.exists():
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        if note.exists():
            return
        # Too late, or the second restore of this second.
        time.sleep(1)
    raise AssertionError("twenty restores were over before they were killed")


def filled(own_site, files=400):
    """A stopped instance with demo data and some files."""
    site = own_site(PAIRSPOT_DEMO="1")
    site.stop()
    folder = site.data / "media/couples/extra"
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"{number}.jpg").write_bytes(os.urandom(20_000))
    return site


# PostgreSQL's restores are tried in ServerBackupTests.
OVER_DATA = pytest.mark.sqlite("a restore over existing data; PostgreSQL's database must be empty")

# Progress of a backup when it is killed: recognised by its files, in order.
MOMENTS = {
    "a folder": lambda partial: True,
    "some files": lambda partial: number_of_files(partial) >= 20,
    "most files": lambda partial: number_of_files(partial) >= 300,
    "the database": lambda partial: (partial / "pairspot.sqlite").exists(),
    "the secrets": lambda partial: any((partial / "secrets").glob("*")),
    "the manifest": lambda partial: (partial / "manifest.json").exists(),
}


def number_of_files(partial):
    try:
        return len(os.listdir(partial / "media/couples/extra"))
    except FileNotFoundError:
        return 0


def killed_midway(site, shelf, has_come_so_far):
    """Kills a backup after this progress and before its end."""
    for _ in range(20):
        # Removes the partial backup of the run before.
        for older in shelf.glob("*.partial"):
            shutil.rmtree(older)
        process = subprocess.Popen(
            [str(PROGRAM), "backup", str(shelf)], env=site.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = set(backups(shelf))
        while process.poll() is None:
            partial = next(iter(shelf.glob("*.partial")), None)
            if partial and has_come_so_far(partial):
                process.send_signal(signal.SIGKILL)
                break
        process.wait()
        partial = next(iter(shelf.glob("*.partial")), None)
        if partial and has_come_so_far(partial):
            assert set(backups(shelf)) == before
            return
        # Too late, and the backup is complete; or another one of the same second.
        time.sleep(1)
    raise AssertionError("twenty backups were over before they were killed")


@pytest.mark.sqlite("it waits for the copy of the database's file")
@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.long)])
def test_a_backup_that_is_killed_is_never_taken_for_one(own_site, second, tmp_path, rounds):
    site = filled(own_site)
    shelf, target = tmp_path / "shelf", tmp_path / "target"
    for moment in list(MOMENTS.values()) * rounds:
        killed_midway(site, shelf, moment)
        if not backups(shelf):
            run = pairspot(second, "restore", shelf)
            assert run.returncode != 0 and "backup" in run.stderr
        # A partial backup is not accepted under a final name either.
        half = next(iter(shelf.glob("*.partial")))
        for name in [half.name, *backups(shelf)]:
            shutil.rmtree(target, ignore_errors=True)
            run = pairspot(site, "restore", shelf / name, PAIRSPOT_DATA=str(target))
            assert (run.returncode == 0) == (name != half.name), (name, run.stderr)
    # The next one is made normally, and with --keep removes the rest.
    time.sleep(1)
    done(pairspot(site, "backup", shelf, "--keep"))
    assert not list(shelf.glob("*.partial"))
    done(pairspot(second, "restore", shelf))


@OVER_DATA
def test_a_restore_that_is_killed_leaves_the_old_or_the_new(own_site, tmp_path):
    site = filled(own_site)
    shelf = tmp_path / "shelf"
    done(pairspot(site, "backup", shelf))
    mark = site.data / "media/couples/extra/since.jpg"
    marked = b"came after the backup"
    started = time.monotonic()
    done(pairspot(site, "restore", shelf, PAIRSPOT_DATA=str(tmp_path / "trial")))
    length = time.monotonic() - started
    seen = set()
    finished = False
    step = 0
    # Killed later and later, until one has ended before its kill, however busy the machine is.
    while not finished:
        mark.write_bytes(marked)
        finished = killed(site, ["restore", shelf], length * step / 16)
        step += 1
        # Data copied before the decision are still there, and reported.
        is_decided = (site.data / "restoring.json").exists()
        left = [] if is_decided else list(site.data.glob("*.restored"))
        run = pairspot(site, "doctor", "--repair")
        assert all(str(path) in run.stdout for path in left), run.stdout
        assert not list(site.data.glob("*.restored"))
        assert run.returncode == 0, run.stdout + run.stderr
        seen.add(mark.exists())
        assert len(list((site.data / "media/couples/extra").glob("*.jpg"))) == 400 + mark.exists()
        assert not (site.data / "restoring.json").exists()
        if finished and step <= 8:
            # The machine was busier during the trial: once more, in smaller steps.
            finished, length, step = False, length / 2, 0
    assert step > 8 and seen == {True, False}, (step, seen)
    for _ in range(4):
        mark.write_bytes(marked)
        killed_in_its_renames(site, shelf)
        run = pairspot(site, "doctor")
        assert run.returncode == 0, run.stdout + run.stderr
        assert "restored data is in place" in run.stderr
        assert not mark.exists() and not (site.data / "restoring.json").exists()
    # In all cases, a restore that ends is complete, and the previous data are kept.
    mark.write_bytes(marked)
    time.sleep(1)
    said = done(pairspot(site, "restore", shelf))
    before = re.search(r"the previous data is in (\S+)", said)[1]
    assert (site.data / before / "media/couples/extra/since.jpg").read_bytes() == marked
    assert not list(site.data.glob("*.restored"))


@OVER_DATA
def test_a_restore_that_was_killed_in_its_renames_is_finished_whatever_was_made_since(
        own_site, tmp_path):
    site = filled(own_site, files=3)
    shelf = tmp_path / "shelf"
    done(pairspot(site, "backup", shelf))
    killed_in_its_renames(site, shelf)
    # Like an operator who finds them missing.
    for name in ("media", "secrets"):
        (site.data / name).mkdir(exist_ok=True)
    (site.data / "media/mine.txt").write_text("made since")
    site.start()
    assert len(list((site.data / "media/couples/extra").glob("*.jpg"))) == 3
    assert not (site.data / "restoring.json").exists()
    assert [path.read_text() for path in site.data.rglob("mine.txt")] == ["made since"]
    assert Visitor(site).sign_in("mei@example.test").get("/").status == 200
    site.stop()
    done(pairspot(site, "doctor"))


def test_what_is_mounted_below_the_data_is_not_restored_over(own_site, tmp_path):
    site = filled(own_site, files=3)
    shelf, elsewhere = tmp_path / "shelf", tmp_path / "elsewhere"
    done(pairspot(site, "backup", shelf))
    media = site.data / "media"
    shutil.move(media, elsewhere)
    media.mkdir()
    # On the same file system, which only the kernel's mount table distinguishes from a plain
    # folder.
    mounted = subprocess.run(["mount", "--bind", elsewhere, media], capture_output=True)
    if mounted.returncode != 0:
        cannot_mount(mounted)
    try:
        run = pairspot(site, "restore", shelf)
        assert run.returncode != 0 and f"{media} is a mount point" in run.stderr
        assert not list(site.data.glob("*restor*"))
        done(pairspot(site, "doctor"))
    finally:
        subprocess.run(["umount", media], check=True)


def test_links_are_named_and_interrupted_backups_go_with_the_next(own_site, tmp_path):
    site = filled(own_site, files=3)
    shelf = tmp_path / "shelf"
    (site.data / "media/elsewhere").symlink_to(tmp_path)
    (shelf / "20200101T000001Z.partial/media").mkdir(parents=True)
    (shelf / "20200101T000001Z.partial/media/half.jpg").write_bytes(b"0" * 1000)
    said = done(pairspot(site, "backup", shelf))
    assert "media/elsewhere" in said
    assert not list(shelf.glob("*.partial"))


def test_an_interrupted_backup_that_cannot_be_taken_away_keeps_no_other_from_being_made(
        own_site, tmp_path):
    site = filled(own_site, files=3)
    shelf = tmp_path / "shelf"
    media = shelf / "20200101T000001Z.partial/media"
    media.mkdir(parents=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", media], capture_output=True)
    if mounted.returncode != 0:
        cannot_mount(mounted)
    try:
        said = done(pairspot(site, "backup", shelf))
        assert "interrupted backup not removed" in said and "20200101T000001Z.partial" in said
        assert len(backups(shelf)) == 1
    finally:
        subprocess.run(["umount", media], check=True)
    # Backups are named by their second.
    time.sleep(1.1)
    assert "stays" not in done(pairspot(site, "backup", shelf))
    assert not list(shelf.glob("*.partial"))


@OVER_DATA
def test_a_backup_that_was_tampered_with_is_refused(own_site, tmp_path):
    site = filled(own_site, files=3)
    shelf = tmp_path / "shelf"
    done(pairspot(site, "backup", shelf))
    backup = shelf / backups(shelf)[0]
    (backup / "media/couples/extra/1.jpg").write_bytes(b"another")
    run = pairspot(site, "restore", shelf)
    assert run.returncode != 0 and "1.jpg differs from the manifest" in run.stderr
    done(pairspot(site, "doctor"))
    assert not list(site.data.glob("before-restore-*"))


def test_config_check_names_all_that_is_wrong(own_site):
    site = own_site()
    run = pairspot(
        site, "config", "check", PAIRSPOT_PROT="1", PAIRSPOT_PORT="x", SMTP_HOTS="mail.example",
        PAIRSPOT_MAIL="smtp")
    assert run.returncode == 78 and run.stdout == ""
    names = sorted(line.split(":")[0] for line in run.stderr.splitlines())
    assert names == ["PAIRSPOT_PORT", "PAIRSPOT_PROT", "SMTP_HOST", "SMTP_HOTS"]
    assert done(pairspot(site, "config", "check")) == "the configuration is valid\n"


def test_workouts_that_a_restored_server_lacks_are_brought_again(own_site, browser, tmp_path):
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    context = browser.new_context(base_url=site.url, **PHONE)
    context.set_default_timeout(15_000)
    try:
        rider = Rider(site, context).come("sam@example.test")
        page = rider.page
        early = finish(page, workout(3))
        wait_until(lambda: kept(page).get(early[0]) == "synced", 60, "the first workout")
        done(pairspot(site, "backup", shelf))
        late = finish(page, workout(2), workout(1, detail={}))
        wait_until(lambda: [kept(page).get(one) for one in late] == ["synced"] * 2, 60, "the others")
        assert set(late) <= set(rider.on_server())

        site.stop()
        site.renew_database()
        done(pairspot(site, "restore", shelf))
        site.start()
        rider.come("sam@example.test")
        wait_until(lambda: set(early + late) <= set(rider.on_server()), 60, "all of them again")
        rows = kept(page)
        wait_until(
            lambda: all(kept(page).get(one) == "synced" for one in early + late), 60, rows)
        # With all measurements.
        stored = {one["client_session_id"]: one["id"] for one in
                  page.request.get("/api/v1/sessions?limit=200").json()["sessions"]}
        whole = page.request.get(f"/api/v1/sessions/{stored[late[0]]}").json()
        assert len(whole["detail"]["samples"]["power"]) == 60
        # Deletions on another device apply here as before: the epoch is the same.
        token = page.request.get("/csrf").json()["token"]
        answer = page.request.fetch(
            f"/api/v1/sessions/{stored[late[1]]}", method="DELETE",
            headers={"X-CSRF-Token": token, "Origin": site.url, "Sec-Fetch-Site": "same-origin"})
        assert answer.ok, answer.text()
        call(page, "history", "downloadHistory", key(page))
        assert late[1] not in kept(page) and late[0] in kept(page)
    finally:
        context.close()


def test_what_was_uploaded_before_the_history_ever_came_is_brought_again_too(
        own_site, browser, tmp_path):
    """The browser has never opened the history when the server is restored."""
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    done(pairspot(site, "backup", shelf))
    context = browser.new_context(base_url=site.url, **PHONE)
    context.set_default_timeout(15_000)
    try:
        pages = "**/api/v1/sessions?*limit=200*"
        context.route(pages, lambda route: route.abort())
        rider = Rider(site, context)
        page = rider.page
        sign_in(page, site, "sam@example.test")
        page.goto("/workouts")
        late = finish(page, workout(2), workout(1))
        wait_until(lambda: [kept(page).get(one) for one in late] == ["synced"] * 2, 60, "uploads")

        site.stop()
        site.renew_database()
        done(pairspot(site, "restore", shelf))
        site.start()
        context.unroute(pages)
        rider.come("sam@example.test")
        wait_until(lambda: set(late) <= set(rider.on_server()), 60, "both of them again")
        assert all(kept(page).get(one) == "synced" for one in late)
    finally:
        context.close()
