"""Web Push with a fake push service: encrypted for that browser only, signed by us, retried, and
never blocking other work."""

import contextlib
import json
import socket
import threading
import time

import pytest

from instance import free_port, wait_until
from people import Visitor
from fake_push_service import PushService, Subscriber, vapid
from missed_check_ins import ask, work
from test_mail import in_a_while


@pytest.fixture
def service():
    service = PushService()
    yield service
    service.stop()


@pytest.fixture
def silent_server():
    """A service that takes connections in and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield server


@pytest.fixture
def silent(silent_server):
    """Its origin."""
    return f"http://127.0.0.1:{silent_server.getsockname()[1]}"


def connections(server):
    """Those that have come so far."""
    server.setblocking(False)
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            found.append(server.accept()[0])
    return found


@pytest.fixture
def pushing(own_site, service, silent):
    return own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PUSH_HOSTS=f"{service.origin},{silent}")


def person(site, name):
    return Visitor(site).sign_in(f"{name}@example.test")


def call(person, method, path, body):
    token = json.loads(person.get("/csrf", Accept="application/json").text)["token"]
    return person.ask(
        method, f"/api/v1{path}", json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-CSRF-Token": token,
         "Origin": person.site.url, "Sec-Fetch-Site": "same-origin"})


def subscribed(person, service, name):
    browser = Subscriber(f"{service.origin}/{name}")
    answer = call(person, "POST", "/push/subscriptions", browser.json())
    assert answer.status == 204, answer.text
    return browser


def key_of(person):
    return json.loads(person.get("/api/v1/push/key").text)["public_key"]


def test_another_reader_opens_what_was_sealed_and_our_signature_holds(pushing, service):
    mei, jun = person(pushing, "mei"), person(pushing, "jun")
    browser = subscribed(mei, service, "mei")
    post = jun.write("Words that nobody else reads.").made
    wait_until(lambda: service.to("/mei"), 10, "a push")
    headers, body = service.to("/mei")[0]
    told = browser.read(body)
    assert told["url"] == post and told["body"] == "Your partner posted something."
    assert "Words" not in json.dumps(told)
    assert headers["Content-Encoding"] == "aes128gcm"
    assert 0 < int(headers["TTL"]) <= 2 * 86_400
    assert headers["Urgency"] == "normal" and len(headers["Topic"]) <= 32
    claims = vapid(headers, key_of(mei))
    assert claims["aud"] == service.origin and claims["sub"].startswith("mailto:")
    with pytest.raises(Exception):
        Subscriber(browser.endpoint).read(body)


def test_a_browser_that_is_gone_is_asked_once_and_one_that_signed_out_never(pushing, service):
    mei, jun = person(pushing, "mei"), person(pushing, "jun")
    phone = person(pushing, "mei")
    subscribed(mei, service, "gone")
    subscribed(phone, service, "out")
    service.answers["/gone"] = (410, {})
    phone.post("/sign-out", {"csrf_token": phone.token()})
    jun.write("One")
    wait_until(lambda: service.to("/gone"), 10, "a push")
    jun.write("Two")
    subscribed(mei, service, "new")
    jun.write("Three")
    wait_until(lambda: service.to("/new"), 10, "a push")
    assert len(service.to("/gone")) == 1 and not service.to("/out")


def test_a_slow_push_service_keeps_neither_mail_nor_others_waiting(pushing, service):
    mei, phone, jun = (person(pushing, name) for name in ("mei", "mei", "jun"))
    subscribed(mei, service, "slow")
    subscribed(phone, service, "quick")
    said = service.held["/slow"] = threading.Event()
    jun.write("Slow")
    stranger = Visitor(pushing)
    stranger.post(
        "/reset", {"csrf_token": stranger.token("/reset"), "email": "sam@example.test"})
    pushing.mail_to("sam@example.test")
    wait_until(lambda: service.to("/quick"), 5, "the other browser's push")
    assert not service.to("/slow")
    said.set()
    wait_until(lambda: service.to("/slow"), 20, "the slow push")


def test_a_push_service_that_never_answers_keeps_nothing_waiting(
        pushing, service, silent, silent_server):
    mei, phone, jun = (person(pushing, name) for name in ("mei", "mei", "jun"))
    dead = Subscriber(f"{silent}/dead")
    assert call(mei, "POST", "/push/subscriptions", dead.json()).status == 204
    subscribed(phone, service, "quick")
    for number in range(20):
        assert jun.write(f"Post {number}").status == 303
    # Had each post waited for the dead one, that would have been called for each of them.
    calls = connections(silent_server)
    assert len(calls) < 20
    wait_until(lambda: len(service.to("/quick")) == 20, 9, "the other browser's pushes")
    stranger = Visitor(pushing)
    stranger.post(
        "/reset", {"csrf_token": stranger.token("/reset"), "email": "sam@example.test"})
    pushing.mail_to("sam@example.test")
    assert mei.get("/notifications").status == 200
    for connection in calls:
        connection.close()


def test_a_service_that_is_not_there_is_asked_again_later(own_site, service):
    gone = f"http://127.0.0.1:{free_port()}"
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PUSH_HOSTS=f"{service.origin},{gone}")
    mei, phone, jun = (person(site, name) for name in ("mei", "mei", "jun"))
    assert call(mei, "POST", "/push/subscriptions", Subscriber(f"{gone}/x").json()).status == 204
    subscribed(phone, service, "quick")
    jun.write("Words")
    wait_until(lambda: service.to("/quick"), 10, "the other browser's push")
    wait_until(lambda: "pairspot_push_waiting 1" in phone.get("/metrics").text, 10, "what waits")
    assert "pairspot_push_waiting 1" in phone.get("/metrics").text


def test_a_busy_push_service_is_asked_again_when_it_says(pushing, service):
    mei, jun = person(pushing, "mei"), person(pushing, "jun")
    subscribed(mei, service, "busy")
    service.answers["/busy"] = (429, {"Retry-After": "150"})
    jun.write("Later")
    # Longer than the timeout of an attempt, and than our own delays.
    wait_until(
        lambda: ask(pushing, "SELECT run_at FROM push_outbox")[0] > (time.time() + 100) * 1000, 20,
        "a push, and what was noted of it")
    assert len(service.to("/busy")) == 1
    pushing.stop()
    service.answers["/busy"] = (201, {})
    work(pushing, in_a_while(seconds=90))
    assert len(service.to("/busy")) == 1
    work(pushing, in_a_while(seconds=180))
    assert len(service.to("/busy")) == 2
