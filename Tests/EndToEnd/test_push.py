"""Web Push against a stand-in of a push service: sealed for that browser alone, signed by us,
retried, and never in anybody's way."""

import json

import pytest

from instance import wait_until
from people import Visitor
from push_stand_in import PushService, Subscriber, vapid


@pytest.fixture
def service():
    service = PushService()
    yield service
    service.stop()


@pytest.fixture
def pushing(own_site, service):
    return own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PUSH_HOSTS=service.origin)


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
    post = jun.write("Words that nobody else reads.").location
    wait_until(lambda: service.to("/mei"), 10, "a push")
    headers, body = service.to("/mei")[0]
    told = browser.read(body)
    assert told["url"] == post and told["body"] == "Your partner has posted something."
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
    service.answers["/gone"] = (410, {}, 0)
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
    service.answers["/slow"] = (201, {}, 8)
    jun.write("Slow")
    stranger = Visitor(pushing)
    stranger.post(
        "/reset", {"csrf_token": stranger.token("/reset"), "email": "sam@example.test"})
    pushing.mail_to("sam@example.test")
    wait_until(lambda: service.to("/quick"), 5, "the other browser's push")
    assert not service.to("/slow")
    wait_until(lambda: service.to("/slow"), 20, "the slow push")


def test_a_busy_push_service_is_asked_again_when_it_says(pushing, service):
    mei, jun = person(pushing, "mei"), person(pushing, "jun")
    subscribed(mei, service, "busy")
    service.answers["/busy"] = (429, {"Retry-After": "31"}, 0)
    jun.write("Later")
    wait_until(lambda: service.to("/busy"), 10, "a push")
    service.answers["/busy"] = (201, {}, 0)
    wait_until(lambda: len(service.to("/busy")) == 2, 60, "the second try")
