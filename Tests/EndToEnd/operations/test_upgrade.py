"""Upgrades during use: newer handlers take over the socket, older ones finish."""

import os
import shutil
import signal
import subprocess
import threading
import urllib.request
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from disks import fill
from instance import CHECKOUT, PICTURES, PROGRAM, Instance, wait_until
from people import Visitor
from pictures import png_bytes
from crash_test import healthy
from missed_check_ins import ask, count
from test_moderation import REASONS
from wrk import Wrk


def upgrade(site):
    return subprocess.run(
        [site.program, "upgrade"], env=site.environment, capture_output=True, text=True,
        timeout=120)


@pytest.fixture
def own_copy(tmp_path):
    """An instance with a program and pages that can be replaced."""
    site = copied(tmp_path)
    site.start()
    yield site
    site.stop()


def copied(tmp_path, **variables):
    share = tmp_path / "share"
    share.mkdir()
    for name in ("templates", "public", "deploy"):
        shutil.copytree(CHECKOUT / name, share / name)
    program = tmp_path / "pairspot"
    shutil.copy2(PROGRAM, program)
    shutil.copy2(PICTURES, tmp_path)
    site = Instance(
        tmp_path, PAIRSPOT_DEMO="1", PAIRSPOT_SHARE=str(share), PAIRSPOT_PROCESSES="2",
        **variables)
    site.program, site.share = program, share
    return site


def replace_program(site):
    """Like a package: a new file under the old name."""
    newer = site.program.with_suffix(".new")
    shutil.copy2(PROGRAM, newer)
    newer.rename(site.program)


class Crowd:
    """Clients that read pages, write, and count every wrong answer."""

    def __init__(self, site, readers=4):
        self.site, self.over = site, threading.Event()
        self.pages, self.written, self.wrong = 0, {}, []
        names = ("mei", "jun", "sam")
        visitors = [Visitor(site).sign_in(f"{name}@example.test") for name in names]
        self.cookie = "; ".join(
            f"{name}={value.value}" for name, value in visitors[0].cookies.items())
        self.threads = [
            threading.Thread(target=self.read, args=(self.cookie,)) for _ in range(readers)
        ] + [
            threading.Thread(target=self.write, args=(name, visitor))
            for name, visitor in zip(names, visitors)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def read(self, cookie):
        """One connection a page, like wrk without keep-alive."""
        while not self.over.is_set():
            try:
                connection = HTTPConnection("127.0.0.1", self.site.port, timeout=30)
                connection.request("GET", "/", headers={"Cookie": cookie, "Host": self.site.host})
                answer = connection.getresponse()
                page = answer.read()
                connection.close()
                if answer.status != 200 or b'data-testid="post"' not in page:
                    self.wrong.append(answer.status)
                self.pages += 1
            except (OSError, HTTPException) as error:
                self.wrong.append(repr(error)[:200])

    def write(self, name, visitor):
        number = 0
        while not self.over.is_set():
            number += 1
            words = f"{name} says number {number}."
            try:
                answer = visitor.write(words)
                if answer.status == 303:
                    self.written[words] = answer.made
                else:
                    self.wrong.append((words, answer.status))
            except Exception as error:
                self.wrong.append((words, repr(error)))

    def goes_on(self):
        """Returns after more reads and writes, by current handlers."""
        before = self.pages, len(self.written)
        readers = len(self.threads) > 3
        wait_until(
            lambda: len(self.written) > before[1] + 5
            and (not readers or self.pages > before[0] + 20), 60, "people to go on")

    def check(self):
        """All answers were right, and all writes are stored."""
        assert self.wrong == []
        assert self.written
        mei = Visitor(self.site).sign_in("mei@example.test")
        for words, link in self.written.items():
            assert words in mei.get(link).text


def renew(site, crowd, round_):
    """One upgrade, to another program and other styles; it ends when newer handlers answer and
    older ones are gone."""
    crowd.goes_on()
    replace_program(site)
    style = site.share / "public/css/base/base.css"
    style.write_text(style.read_text() + f"/* {round_} */\n")
    older = set(site.processes(" handlers"))
    done = upgrade(site)
    assert done.returncode == 0, done.stdout + done.stderr
    wait_until(
        lambda: len(site.processes(" handlers")) == 2
        and not older & set(site.processes(" handlers")), 60, "newer handlers")
    crowd.goes_on()


ROUNDS = pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.long)])


@ROUNDS
def test_two_upgrades_drop_no_request(own_copy, rounds):
    site = own_copy
    with Crowd(site) as crowd:
        for round_ in range(rounds):
            renew(site, crowd, round_)
    crowd.check()
    assert len(site.processes(" worker")) == 1
    wait_until(site.is_healthy, 10, "health")


# With nothing else on the machine: wrk uses all of it.
@pytest.mark.parametrize("rounds", [
    pytest.param(2, marks=pytest.mark.alone), pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("headers", [{}, {"Connection": "close"}], ids=["keep-alive", "close"])
def test_two_upgrades_under_wrk_show_it_no_error(own_copy, tmp_path, headers, rounds):
    site = own_copy
    crowd = Crowd(site, readers=0)
    with Wrk(tmp_path, f"{site.url}/", 'data-testid="post"', {"Cookie": crowd.cookie} | headers) \
            as readers, crowd:
        for round_ in range(rounds):
            renew(site, crowd, round_)
    readers.check(least=500)
    crowd.check()
    wait_until(site.is_healthy, 10, "health")


# A migration that can be undone while handlers write: they fill its table by its own triggers only,
# and read it on a page of staff that is not opened here. (The newest one of all created the
# wallets.)
UNDONE = "moderation 3: the queue by reason"


def undo_a_migration(site):
    """As if the running handlers were of a version from before it."""
    for trigger in ("case_reasons_come", "case_reasons_move", "case_reasons_go"):
        # PostgreSQL's trigger goes with its function.
        site.sql(f"DROP FUNCTION {trigger} CASCADE" if site.server else f"DROP TRIGGER {trigger}")
    site.sql("DROP TABLE case_reasons")
    site.sql(f"DELETE FROM {migrations(site)} WHERE identifier = ?", UNDONE)


def migrations(site):
    return "applied_migrations" if site.server else "grdb_migrations"


class Reporter(threading.Thread):
    """Mei reports Sam's posts, one after the other: writes that the migration is about."""

    def __init__(self, site, posts):
        super().__init__()
        self.mei, sam = (
            Visitor(site).sign_in(f"{name}@example.test") for name in ("mei", "sam"))
        form = sam.composer()
        self.posts = [
            sam.write(f"Not for everybody {number}", fields=form | {"nonce": f"{number:022}"})
            .made for number in range(posts)]
        self.token = self.mei.token(f"{self.posts[0]}/report")
        self.over, self.wrong, self.reported = threading.Event(), [], 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def run(self):
        for post in self.posts:
            try:
                answer = self.mei.post(f"{post}/report", {
                    "csrf_token": self.token, "reason": REASONS[self.reported % len(REASONS)],
                    "note": ""})
                if answer.status == 303:
                    self.reported += 1
                else:
                    self.wrong.append((post, answer.status, answer.text[-500:]))
            except Exception as error:
                self.wrong.append((post, repr(error)))
            if self.over.wait(0.1):
                return


@pytest.mark.parametrize("rounds", [1, pytest.param(6, marks=pytest.mark.long)])
def test_a_migration_that_is_pending_is_made_while_older_handlers_write(own_copy, rounds):
    site = own_copy
    reporter, reported = Reporter(site, posts=200 * rounds), count(site, "reports")
    with reporter, Crowd(site) as crowd:
        for round_ in range(rounds):
            before = reporter.reported
            wait_until(lambda: reporter.reported > before + 3, 30, "reports")
            undo_a_migration(site)
            handlers = site.processes(" handlers")
            before = reporter.reported
            wait_until(lambda: reporter.reported > before + 3, 30, "reports by older handlers")
            assert site.processes(" handlers") == handlers and site.is_healthy()
            renew(site, crowd, round_)
            assert UNDONE in ask(site, f"SELECT identifier FROM {migrations(site)}")
    crowd.check()
    assert reporter.wrong == []
    assert count(site, "reports") == reported + reporter.reported
    assert ask(site, "SELECT count(*) FROM (SELECT reason, case_id FROM reports EXCEPT "
                     "SELECT reason, case_id FROM case_reasons) AS missing") == [0]
    healthy(site)


def test_each_page_finds_the_files_that_it_was_made_with(own_copy):
    site = own_copy

    def style():
        page = Visitor(site).get("/about").text
        return page.split('rel="stylesheet" href="')[1].split('"')[0]

    def fetched(path):
        with urllib.request.urlopen(site.url + path) as answer:
            return answer.headers["Cache-Control"], answer.read().decode()

    older, base = style(), site.share / "public/css/base/base.css"
    base.write_text(base.read_text() + "@layer base { .newer { color: red; } }\n")
    assert upgrade(site).returncode == 0
    newer = style()
    assert newer != older
    assert "immutable" in fetched(newer)[0] and ".newer" in fetched(newer)[1]
    assert "immutable" in fetched(older)[0] and ".newer" not in fetched(older)[1]
    # Three are kept; older ones get today's files, and have none of their own.
    for number in range(2):
        base.write_text(base.read_text() + f".more-{number} {{ color: red; }}\n")
        assert upgrade(site).returncode == 0
    assert fetched(older)[0] == "no-cache" and ".newer" in fetched(older)[1]


def test_a_changed_nginx_waits_for_the_next_start(own_copy):
    site = own_copy
    assert "nginx" not in upgrade(site).stdout
    template = site.share / "deploy/nginx/pairspot.conf.template"
    template.write_text(template.read_text() + "# newer\n")
    done = upgrade(site)
    assert done.returncode == 0 and "the nginx configuration changed" in done.stdout


def test_an_nginx_file_that_nginx_refuses_is_not_put_in_place(own_copy):
    site = own_copy
    conf = site.data / "run/nginx.conf"
    before, handlers = conf.read_text(), site.processes(" handlers")
    template = site.share / "deploy/nginx/pairspot.conf.template"
    whole = template.read_text()
    template.write_text(whole + "no_word_of_nginx on;\n")
    done = upgrade(site)
    assert done.returncode != 0 and "no_word_of_nginx" in done.stderr
    assert conf.read_text() == before and site.processes(" handlers") == handlers
    template.write_text(whole)
    assert upgrade(site).returncode == 0


def test_an_upgrade_asked_for_too_early_waits_and_ends_nothing(tmp_path):
    site = copied(tmp_path)
    seat, answers = site.data / "run/serve.pid", []

    def ask():
        # As soon as the process accepts requests: it is still preparing, and nothing listens.
        wait_until(lambda: seat.exists() and seat.read_text().strip(), 30, "somebody to ask")
        answers.append(upgrade(site))

    asking = threading.Thread(target=ask)
    asking.start()
    site.start()
    try:
        asking.join()
        assert answers[0].returncode == 0, answers[0].stdout + answers[0].stderr
        wait_until(site.is_healthy, 10, "health")
        assert site.process.poll() is None
        assert len(site.processes(" worker")) >= 1
    finally:
        site.stop()


def test_no_upgrade_on_a_full_disk_and_everybody_goes_on(tmp_path, small_disk):
    site = copied(tmp_path, PAIRSPOT_DATA=str(small_disk / "var"))
    site.data = small_disk / "var"
    site.start()
    filler = small_disk / "filler"
    try:
        handlers, worker = site.processes(" handlers"), site.processes(" worker")
        mei = Visitor(site).sign_in("mei@example.test")
        replace_program(site)
        style = site.share / "public/css/base/base.css"
        style.write_text(style.read_text() + "/* newer */\n")
        fill(filler)
        done = upgrade(site)
        assert done.returncode != 0 and "not upgraded" in done.stderr, done
        # With space for the answer, and for nothing else.
        filler.unlink()
        (small_disk / "room").write_bytes(b"0" * 16384)
        fill(filler)
        (small_disk / "room").unlink()
        done = upgrade(site)
        assert done.returncode != 0 and "not upgraded" in done.stderr, done
        assert site.processes(" handlers") == handlers and site.processes(" worker") == worker
        assert mei.get("/about").status == 200
        filler.unlink()
        assert mei.write("There is room again.").status == 303
        done = upgrade(site)
        # The logs are on the small disk, which is gone afterwards.
        logs = [file.read_text()[-2000:] for file in (site.data / "logs").glob("*.log")]
        assert done.returncode == 0, (done.stderr, logs)
        assert not set(handlers) & set(newest(site))
    finally:
        filler.unlink(missing_ok=True)
        site.stop()


def newest(site):
    """The handlers that have the sockets."""
    return [int(lock.read_text()) for lock in (site.data / "run").glob("handlers-?.sock.lock")]


def test_an_older_handler_that_dies_while_it_is_replaced_is_not_missed(own_copy):
    site = own_copy
    before = newest(site)
    killed = []

    def kill():
        # The time at which both are running.
        wait_until(
            lambda: len(site.processes(" --take-over")) > 0, 30, "a newer one")
        os.kill(before[0], signal.SIGKILL)
        killed.append(before[0])

    killing = threading.Thread(target=kill)
    killing.start()
    done = upgrade(site)
    killing.join()
    assert killed and done.returncode == 0, done.stdout + done.stderr
    after = newest(site)
    assert len(after) == 2 and not set(after) & set(before)
    assert all(process in site.processes(" --take-over") for process in after)
    for _ in range(20):
        assert Visitor(site).get("/about").status == 200


def test_what_cannot_start_changes_nothing(own_copy):
    site = own_copy
    handlers, worker = site.processes(" handlers"), site.processes(" worker")
    template = site.share / "templates/feed/feed.mustache"
    whole = template.read_text()
    template.write_text(whole.replace("{{$content}}", "{{$content}}{{nobody.knows.this}}"))
    assert template.read_text() != whole
    done = upgrade(site)
    assert done.returncode != 0
    assert "not upgraded" in done.stderr and "nobody" in done.stderr
    assert site.processes(" handlers") == handlers and site.processes(" worker") == worker
    template.write_text(whole)
    # A program that ends at once, too.
    broken = site.program.with_suffix(".new")
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(0o755)
    kept = site.program.with_suffix(".kept")
    site.program.rename(kept)
    broken.rename(site.program)
    done = subprocess.run(
        [PROGRAM, "upgrade"], env=site.environment, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "broken" in done.stderr
    assert site.processes(" handlers") == handlers
    kept.rename(site.program)
    assert Visitor(site).sign_in("mei@example.test").write("All is as it was.").status == 303
    assert upgrade(site).returncode == 0


def at_work_on_pictures(handlers):
    """Picture child processes, each with its handler."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"pairspot-pictures" not in (folder / "cmdline").read_bytes():
                continue
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent in handlers:
            found[int(folder.name)] = parent
    return found


def test_a_picture_on_its_way_arrives(own_copy):
    site = own_copy
    older = site.processes(" handlers")
    mei = Visitor(site).sign_in("mei@example.test")
    answers, large = [], png_bytes(size=(3000, 2000))
    sender = threading.Thread(
        target=lambda: answers.append(mei.write("On its way.", files=[("a.png", large)] * 4)))
    sender.start()
    # Stopped in the middle, so that it is in progress during all of the upgrade.
    child, handler = wait_until(
        lambda: next(iter(at_work_on_pictures(older).items()), None), 20, "work on a picture")
    os.kill(child, signal.SIGSTOP)
    try:
        assert upgrade(site).returncode == 0
        assert handler in site.processes(" handlers") and handler not in newest(site)
        assert not answers
    finally:
        os.kill(child, signal.SIGCONT)
    sender.join()
    assert answers[0].status == 303
    assert mei.get(answers[0].made).text.count("<picture") >= 4


def test_nothing_to_upgrade_is_said(tmp_path):
    site = Instance(tmp_path)
    (tmp_path / "var").mkdir()
    done = subprocess.run(
        [PROGRAM, "upgrade"], env=site.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "is not running" in done.stderr


def test_serve_itself_stays_small(own_copy):
    """It only supervises the others: the preparations ran in another process, which has ended."""
    site = own_copy

    def size():
        rollup = Path(f"/proc/{site.process.pid}/smaps_rollup").read_text()
        return int(rollup.split("\nPss:")[1].split()[0]) * 1024

    assert size() < 16 << 20, size()
    assert upgrade(site).returncode == 0
    assert size() < 16 << 20, size()
    assert not site.processes("--prepare")
