"""Contacts who are alerted by a service beside mail: real Apprise, and a provider that is ours."""

import json
import re
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from standardwebhooks import Webhook

from fake_push_service import PushService, Subscriber, vapid
from instance import wait_until
from missed_check_ins import ask, at, check_in, count, start_worker, work
from people import Visitor
from test_check_in import words
from test_faults import smtp

CODE = re.compile(r"Code: ([A-Z]{6})\.")


@pytest.fixture
def provider():
    service = PushService()
    yield service
    service.stop()


def channels(folder, provider):
    """The settings of an instance that offers the provider."""
    host = provider.origin.removeprefix("http://")
    file = folder / "channels.json"
    file.write_text(json.dumps([{
        "name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
        "url": f"json://{host}/{{to}}", "to": r"\+[0-9]{8,15}", "example": "+886912345678"}]))
    return {"PAIRSPOT_CHANNELS": str(file), "PAIRSPOT_APPRISE": sys.executable}


def number(person):
    return f"+8869{person:08}"


def messages(provider, to):
    """The texts that a number got."""
    return [json.loads(body)["message"] for path, _, body in provider.taken if path == f"/{to}"]


def channels_page(visitor):
    page = visitor.get("/checkin/contacts").text
    return re.search(r'/checkin/contacts/[0-9a-f-]{36}/channels', page).group()


def add_channel(visitor, to):
    page = channels_page(visitor)
    answer = visitor.post(page, {
        "csrf_token": visitor.token(page), "button": "add", "offer": "sms", "recipient": to})
    assert answer.status == 303, answer.text


def prove(visitor, provider, to):
    page = channels_page(visitor)
    channel = re.search(r'name="channel" value="([0-9a-f-]{36})"', visitor.get(page).text).group(1)
    answer = visitor.post(page, {
        "csrf_token": visitor.token(page), "button": "prove", "channel": channel,
        "code": CODE.search(messages(provider, to)[-1]).group(1)})
    assert answer.status == 303, answer.text


def test_the_second_way_is_used_when_the_first_is_not_answered(own_site, provider, tmp_path):
    site = own_site(
        PAIRSPOT_NOW=at(1, "12:00"), PAIRSPOT_OUTAGE_GRACE="0", **channels(tmp_path, provider))
    mei = check_in(site, "Mei", "ming@example.test")
    add_channel(mei, number(1))
    wait_until(lambda: messages(provider, number(1)), 30, "a code")
    prove(mei, provider, number(1))
    site.stop()
    for clock, expected in [("09:02", 1), ("09:30", 1), ("09:34", 2), ("12:00", 2)]:
        work(site, at(4, clock))
        assert len(messages(provider, number(1))) == expected, clock
    alert = messages(provider, number(1))[-1]
    assert alert.startswith("Mei hasn’t checked in since")
    # The link leads to the page of the contact, who is looking.
    site.environment["PAIRSPOT_NOW"] = at(4, "12:10")
    site.start()
    ming = Visitor(site)
    page = urllib.parse.urlsplit(re.search(r"https?://\S+", alert).group()).path
    assert "What to do now" in ming.get(page).text
    answer = ming.post(page, {"csrf_token": ming.token(page), "button": "looking"})
    assert answer.status == 303, answer.text
    assert "looking since" in mei.get("/checkin").text
    check_in(site, "Mei", "ming@example.test", visitor=mei)
    wait_until(lambda: len(messages(provider, number(1))) == 3, 30, "the all-clear")
    assert messages(provider, number(1))[-1].startswith("All clear: Mei is well.")


def test_a_service_that_fails_is_shown_and_its_secrets_are_in_no_log(
        own_site, provider, tmp_path):
    site = own_site(PAIRSPOT_NOW=at(1, "12:00"), **channels(tmp_path, provider))
    mei = check_in(site, "Mei", "ming@example.test")
    provider.answers[f"/{number(1)}"] = (500, {})
    add_channel(mei, number(1))
    wait_until(lambda: messages(provider, number(1)), 30, "a try at the provider")
    assert "Not confirmed yet, so not used" in mei.get(channels_page(mei)).text
    assert ask(site, "SELECT state FROM contact_mails WHERE channel_id IS NOT NULL") == ["waiting"]
    site.stop()
    for log in site.data.rglob("*.log"):
        assert provider.origin.removeprefix("http://") not in log.read_text(), log
        assert number(1) not in log.read_text(), log


@pytest.mark.long
def test_a_thousand_contacts_are_alerted_within_a_minute_while_mail_is_down(
        own_site, provider, tmp_path):
    people = 1000
    site = own_site(
        PAIRSPOT_NOW=at(1, "12:00"), PAIRSPOT_OUTAGE_GRACE="0", **channels(tmp_path, provider))

    def begin(person):
        visitor = check_in(site, f"Guest {person}", f"kin{person}@example.test")
        add_channel(visitor, number(person))
        return visitor

    with ThreadPoolExecutor(8) as pool:
        visitors = list(pool.map(begin, range(people)))
        wait_until(lambda: len(provider.taken) == people, 300, "codes")
        list(pool.map(
            lambda one: prove(one[1], provider, number(one[0])), enumerate(visitors)))
    site.stop()
    # A mail server that refuses connections.
    site.environment |= smtp(9)
    provider.taken.clear()
    worker = start_worker(site, at(4, "09:00"))
    wait_until(lambda: count(site, "alerts") == people, 120, "alerts")
    worker.kill()
    worker.wait()
    due = ask(site, "SELECT max(next_at) FROM alerts")[0]
    began = time.monotonic()
    worker = start_worker(site, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(due / 1000)))
    wait_until(lambda: len(provider.taken) >= people, 180, "messages")
    took = time.monotonic() - began
    time.sleep(3)
    worker.kill()
    worker.wait()
    print(f"{people} messages in {took:.0f} s")
    assert sorted(path for path, _, _ in provider.taken) == [
        f"/{number(person)}" for person in range(people)]
    assert took < 60


def test_a_webhook_is_signed_as_its_library_expects(own_site, provider, tmp_path):
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    file = tmp_path / "channels.json"
    file.write_text(json.dumps([{
        "name": "sms", "label": {"en": "Duty", "zh-Hant": "值班", "zh-Hans": "值班"},
        "url": f"{provider.origin}/duty", "secret": secret, "to": r"\+[0-9]{8,15}",
        "example": "+886912345678"}]))
    site = own_site(PAIRSPOT_CHANNELS=str(file))
    mei = check_in(site, "Mei", "ming@example.test")
    provider.answers["/duty"] = (500, {})
    add_channel(mei, number(1))
    wait_until(lambda: provider.taken, 30, "the first try")
    provider.answers.clear()
    wait_until(lambda: len(provider.taken) > 1, 90, "the second try")
    first, second = provider.taken[:2]
    content = Webhook(secret).verify(second[2], {
        name.lower(): value for name, value in second[1].items()})
    assert content["type"] == "contact.message"
    assert content["data"]["to"] == number(1) and CODE.search(content["data"]["text"])
    assert first[1]["webhook-id"] == second[1]["webhook-id"]
    page = channels_page(mei)
    channel = re.search(r'name="channel" value="([0-9a-f-]{36})"', mei.get(page).text).group(1)
    assert mei.post(page, {
        "csrf_token": mei.token(page), "button": "prove", "channel": channel,
        "code": CODE.search(content["data"]["text"]).group(1)}).status == 303


def test_a_contacts_browser_gets_a_code_and_an_alert_that_only_it_can_read(own_site, provider):
    site = own_site(
        PAIRSPOT_NOW=at(1, "12:00"), PAIRSPOT_OUTAGE_GRACE="0",
        PAIRSPOT_PUSH_HOSTS=provider.origin)
    mei = check_in(site, "Mei", "ming@example.test")
    mail = site.mail_to("ming@example.test", "emergency contact")
    page = urllib.parse.urlsplit(
        re.search(rf"{re.escape(site.url)}/c/[\w-]+(?=\s)", words(mail))[0]).path
    ming = Visitor(site)
    key = re.search(r'data-contact-push data-key="([\w-]+)"', ming.get(page).text).group(1)
    browser = Subscriber(f"{provider.origin}/ming")
    sent = browser.json()
    answer = ming.post(page, {
        "csrf_token": ming.token(page), "button": "push", "endpoint": sent["endpoint"],
        **sent["keys"]})
    assert answer.status == 303, answer.text
    wait_until(lambda: provider.to("/ming"), 30, "a code")
    headers, body = provider.to("/ming")[0]
    assert vapid(headers, key)["aud"] == provider.origin
    push = browser.read(body)
    assert push["url"] == page and headers["Urgency"] == "high"
    channel = re.search(r'name="channel" value="([0-9a-f-]{36})"', ming.get(page).text).group(1)
    answer = ming.post(page, {
        "csrf_token": ming.token(page), "button": "prove", "channel": channel,
        "code": CODE.search(push["body"]).group(1)})
    assert answer.status == 303, answer.text
    assert "Notifications in their browser: Works" in mei.get("/checkin/contacts").text
    site.stop()
    for clock in ["09:02", "09:34"]:
        work(site, at(4, clock))
    alert = browser.read(provider.to("/ming")[-1][1])
    assert alert["body"].startswith("Mei hasn’t checked in since") and alert["url"] == page
