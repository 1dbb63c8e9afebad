"""Two write to each other while processes are killed and one of them has no network for a while:
every message is there once, in the same order for both."""

import contextlib
import json

import pytest

from conftest import CHROMIUM, PHONE
from crash_test import CrashTest, healthy
from instance import wait_until
from people import Visitor
from phone import outbox
from test_messages import opened, path_of_two, send
from test_pages import signed_in

# Messages of each of the two.
ROUNDS = 200
# Rounds in which Jun has no network; fewer than a page has messages.
OFFLINE = range(60, 80)
# A process is killed every so many rounds, each kind in turn.
BETWEEN_KILLS = 8
VICTIMS = ["handlers", "worker", "nginx: worker", "handlers", "nginx: master"]


@pytest.fixture
def two_browsers(own_site, playwright):
    """Mei and Jun, each in a browser of their own, with their conversation open."""
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PROCESSES="2")
    path = path_of_two(Visitor(site).sign_in("mei@example.test"))
    with contextlib.ExitStack() as stack:
        pages = []
        for name in ["mei", "jun"]:
            browser = stack.enter_context(
                contextlib.closing(playwright.chromium.launch(**CHROMIUM)))
            page = browser.new_context(base_url=site.url, **PHONE).new_page()
            page.set_default_timeout(30_000)
            signed_in(page, site, f"{name}@example.test")
            pages.append(opened(page, path))
        yield site, path, pages


def write(page, text):
    """Sends a message, and waits until the browser has it: the field is empty again."""
    send(page, text)
    wait_until(lambda: page.locator("#text").input_value() == "", 30, f"{text} in the outbox")


def is_sent(page):
    """Whether nothing waits. Coming back to the window tries again at once; the browser's own next
    try may be minutes away."""
    page.evaluate("dispatchEvent(new Event('focus'))")
    return outbox(page) == []


def stored(visitor, path):
    """Authors and texts of a conversation in their order."""
    found, cursor = [], ""
    while True:
        address = path.replace("/messages/", "/api/v1/conversations/")
        answer = json.loads(visitor.get(f"{address}/messages?limit=100{cursor}").text)
        found += [(each["author"]["display_name"], each["text"]) for each in answer["messages"]]
        if not answer["next_cursor"]:
            return found[::-1]
        cursor = f"&cursor={answer['next_cursor']}"


def shows(page, texts):
    """Whether an open page shows the newest of these messages, at least a page of them, and no
    other."""
    shown = page.get_by_test_id("message-text").all_inner_texts()
    return len(shown) >= 50 and shown == texts[-len(shown):]


@pytest.mark.long
def test_every_message_is_there_once_in_the_same_order_while_processes_are_killed(two_browsers):
    site, path, (mei, jun) = two_browsers
    crash_test, killed = CrashTest(site), []
    for number in range(ROUNDS):
        if number in (OFFLINE.start, OFFLINE.stop):
            jun.context.set_offline(number in OFFLINE)
        write(mei, f"Mei {number}")
        if number % BETWEEN_KILLS == BETWEEN_KILLS - 1:
            kind = VICTIMS[len(killed) % len(VICTIMS)]
            wait_until(lambda kind=kind: crash_test.kill(kind), 30, f"{kind} to kill")
            killed.append(kind)
        write(jun, f"Jun {number}")
    assert len(killed) == ROUNDS // BETWEEN_KILLS and set(killed) == set(VICTIMS)
    wait_until(site.is_healthy, 60, "pages after the last kill")
    for page in (mei, jun):
        wait_until(lambda page=page: is_sent(page), 120, "an empty outbox")

    read = [
        stored(Visitor(site).sign_in(f"{name}@example.test"), path) for name in ["mei", "jun"]]
    assert read[0] == read[1]
    for name in ["Mei", "Jun"]:
        own = [text for author, text in read[0] if author == name]
        assert own == [f"{name} {number}" for number in range(ROUNDS)]
    # Both pages have stayed open.
    texts = [text for _, text in read[0]]
    for page in (mei, jun):
        wait_until(lambda page=page: shows(page, texts), 60, "all messages on an open page")
        assert page.get_by_test_id("waiting-message").count() == 0
    healthy(site)
