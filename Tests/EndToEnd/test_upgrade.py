"""Upgrades while people are at it: newer handlers take the socket, older ones finish."""

import shutil
import subprocess
import threading
import time
import urllib.request
from http.client import HTTPConnection, HTTPException

import pytest

from instance import CHECKOUT, PROGRAM, Instance, wait_until
from people import Visitor
from pictures import png_bytes


def upgrade(site):
    return subprocess.run(
        [site.program, "upgrade"], env=site.environment, capture_output=True, text=True,
        timeout=120)


@pytest.fixture
def own_copy(tmp_path):
    """An instance of a program and of pages that can be replaced."""
    share = tmp_path / "share"
    share.mkdir()
    for name in ("templates", "public", "deploy"):
        shutil.copytree(CHECKOUT / name, share / name)
    program = tmp_path / "pairspot"
    shutil.copy2(PROGRAM, program)
    site = Instance(
        tmp_path, PAIRSPOT_DEMO="1", PAIRSPOT_SHARE=str(share), PAIRSPOT_PROCESSES="2")
    site.program, site.share = program, share
    site.start()
    yield site
    site.stop()


def replace_program(site):
    """As a package does it: a new file under the old name."""
    newer = site.program.with_suffix(".new")
    shutil.copy2(PROGRAM, newer)
    newer.rename(site.program)


class Crowd:
    """People who load pages, write, and keep count of every answer that isn't the right one."""

    def __init__(self, site):
        self.site, self.over = site, threading.Event()
        self.pages, self.written, self.wrong = 0, {}, []
        names = ("mei", "jun", "sam")
        visitors = [Visitor(site).sign_in(f"{name}@example.test") for name in names]
        cookie = "; ".join(
            f"{name}={value.value}" for name, value in visitors[0].cookies.items())
        self.threads = [
            threading.Thread(target=self.read, args=(cookie,)) for _ in range(4)
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
        """One connection a page, as wrk does without keep-alive."""
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
                    self.written[words] = answer.location
                else:
                    self.wrong.append((words, answer.status))
            except Exception as error:
                self.wrong.append((words, repr(error)))


def test_two_upgrades_drop_no_request(own_copy):
    site = own_copy
    generations = [set(site.processes(" handlers"))]
    with Crowd(site) as crowd:
        for round_ in range(2):
            time.sleep(0.5)
            replace_program(site)
            style = site.share / "public/css/base.css"
            style.write_text(style.read_text() + f"/* {round_} */\n")
            before = crowd.pages, len(crowd.written)
            done = upgrade(site)
            assert done.returncode == 0, done.stdout + done.stderr
            wait_until(
                lambda: len(site.processes(" handlers")) == 2
                and not generations[-1] & set(site.processes(" handlers")), 30, "newer handlers")
            generations.append(set(site.processes(" handlers")))
            wait_until(
                lambda: crowd.pages > before[0] + 20 and len(crowd.written) > before[1] + 5, 30,
                "people to go on")
    assert crowd.wrong == []
    mei = Visitor(site).sign_in("mei@example.test")
    for words, link in crowd.written.items():
        assert words in mei.get(link).text
    assert len(site.processes(" worker")) == 1
    wait_until(site.is_healthy, 10, "health")


def test_each_page_finds_the_files_that_it_was_made_with(own_copy):
    site = own_copy

    def style():
        page = Visitor(site).get("/about").text
        return page.split('rel="stylesheet" href="')[1].split('"')[0]

    def fetched(path):
        with urllib.request.urlopen(site.url + path) as answer:
            return answer.headers["Cache-Control"], answer.read().decode()

    older, base = style(), site.share / "public/css/base.css"
    base.write_text(base.read_text() + "@layer base { .newer { color: red; } }\n")
    assert upgrade(site).returncode == 0
    newer = style()
    assert newer != older
    assert "immutable" in fetched(newer)[0] and ".newer" in fetched(newer)[1]
    assert "immutable" in fetched(older)[0] and ".newer" not in fetched(older)[1]
    # Three are kept; what is older gets today's files, and keeps none of them.
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
    assert done.returncode == 0 and "nginx's own configuration changed" in done.stdout


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


def test_a_picture_on_its_way_arrives(own_copy):
    site = own_copy
    mei = Visitor(site).sign_in("mei@example.test")
    answers, large = [], png_bytes(size=(3000, 2000))
    sender = threading.Thread(
        target=lambda: answers.append(mei.write("On its way.", files=[("a.png", large)] * 4)))
    sender.start()
    assert upgrade(site).returncode == 0
    sender.join()
    assert answers[0].status == 303
    assert mei.get(answers[0].location).text.count("<picture") >= 4


def test_nothing_to_upgrade_is_said(tmp_path):
    site = Instance(tmp_path)
    (tmp_path / "var").mkdir()
    done = subprocess.run(
        [PROGRAM, "upgrade"], env=site.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "isn't running" in done.stderr
