"""Missed check-ins from the users' view: days pass, workers die, mail servers are down."""

import asyncio
import collections
import contextlib
import email
import email.policy
import hashlib
import json
import random
import re
import time

import pytest

from conftest import PHONE
from instance import free_port, wait_until
from mail_sink import Sink
from people import Visitor
from missed_check_ins import (
    ZONE, address, ask, at, begun, check_in, count, lease, live_on, many, move,
    start_worker, work)
from test_faults import smtp
from test_mail import HOSTILE, check_plain

KIN = "kin@example.test"
# For tests of the plain rule: no grace period after a stopped server.
PLAIN = dict(PAIRSPOT_OUTAGE_GRACE="0", PAIRSPOT_NOW=at(1, "12:00"))


def read(envelope):
    return email.message_from_bytes(envelope.content, policy=email.policy.default)


def words(mail):
    return mail.get_body(("plain",)).get_content()


def mails_about(site, subject, to=KIN):
    return [
        mail for mail in site.mails()
        if mail["To"].addresses[0].addr_spec == to and subject in mail["Subject"]]


# As a new user

@pytest.fixture
def phones(own_site, browser):
    """An instance on day 1, and phones of one language each."""
    site = own_site(**PLAIN)
    with contextlib.ExitStack() as stack:
        def make(**options):
            context = stack.enter_context(browser.new_context(
                base_url=site.url, timezone_id=ZONE, **(PHONE | options)))
            context.set_default_timeout(20_000)
            return context.new_page()
        yield site, make


@pytest.mark.parametrize("script, locale, alert, missed, reached, clear", [
    (True, "en-GB", "[PairSpot] About Nora's check-in", "2 days",
     "says they’ve reached you", "[PairSpot] Nora has checked in again"),
    (False, "zh-TW", "[一鍵打卡] 關於 Nora 的簽到提醒", "已連續 2 天未在",
     "已聯絡上你", "[一鍵打卡] Nora 已重新簽到"),
], ids=["with a script", "without one"])
def test_a_guest_goes_quiet_and_comes_back(phones, script, locale, alert, missed, reached, clear):
    site, make = phones
    phone = make(java_script_enabled=script, locale=locale)
    phone.goto("/checkin")
    phone.locator("#display_name").fill("Nora")
    if script:
        phone.locator("#contact_email").fill("kin@example")
        phone.locator("#contact_email").blur()
        phone.locator("#contact_email_invalid").wait_for()
        assert not phone.locator("#missing").is_visible()
        assert phone.get_by_test_id("check-in-button").is_disabled()
    phone.locator("#contact_email").fill(KIN)
    phone.locator("#contact_email_invalid").wait_for(state="hidden")
    phone.locator("button[name=button][value=save]").click()
    phone.locator("[data-checkin-state][data-state=ready]").wait_for()
    phone.get_by_test_id("check-in-button").click()
    phone.locator("[data-checkin-state][data-state=done]").wait_for()

    move(site, at(4, "08:50"))
    assert mails_about(site, alert) == []
    move(site, at(4, "09:05"))
    mail = site.mail_to(KIN, alert)
    assert mail["Subject"] == alert
    assert missed in words(mail) and "Nora" in words(mail)
    link = re.search(rf"{re.escape(site.url)}/c/[\w-]+(?=\s)", words(mail))[0]

    contact = make(java_script_enabled=script, locale=locale)
    contact.goto(link)
    assert "Nora" in contact.locator("main").inner_text()
    contact.locator("button[value=reached]").click()
    wait_until(lambda: contact.locator("button[value=reached]").count() == 0, 20, "the answer")

    phone.goto("/checkin")
    assert reached in phone.locator("main").inner_text()
    phone.get_by_test_id("check-in-button").click()
    phone.locator("[data-checkin-state][data-state=done]").wait_for()
    good = site.mail_to(KIN, clear)
    assert good["Subject"] == clear
    assert good["Message-ID"] != mail["Message-ID"]
    # The contact's page shows no alert any more, and no one was alerted twice.
    contact.goto(link)
    assert contact.locator("[data-testid=alert]").count() == 0
    move(site, at(5, "09:05"))
    work(site, at(5, "09:20"))
    assert len(mails_about(site, alert)) == len(mails_about(site, clear)) == 1


def test_after_an_outage_people_are_reminded_before_anybody_is_told(own_site):
    site = own_site(
        PAIRSPOT_DEMO="1", PAIRSPOT_OUTAGE_GRACE="1", PAIRSPOT_NOW=at(1, "12:00"))
    mei = Visitor(site).sign_in("mei@example.test")
    check_in(site, "Mei", KIN, visitor=mei)
    site.mail_to(KIN)
    told = "About Mei's check-in"
    mine = len(mails_about(site, "", to="mei@example.test"))

    # Check-ins were impossible for three days: an outage with a grace period of an hour.
    move(site, at(4, "09:05"))
    wait_until(lambda: count(site, "outages") == 1, 20, "the outage's end")
    work(site, at(4, "09:21"))
    reminder = mails_about(site, "", to="mei@example.test")[mine:]
    assert any("our fault" in words(mail) for mail in reminder)
    assert mails_about(site, told) == []
    work(site, at(4, "10:00"))
    assert mails_about(site, told) == []
    work(site, at(4, "10:21"))
    assert len(mails_about(site, told)) == 1

    # Their page says so, and a check-in on it ends the alert.
    assert mei.get("/checkin").status == 200
    fields = {"csrf_token": mei.token("/checkin"), "button": "check-in"}
    assert mei.post("/checkin", fields).status == 303
    site.mail_to(KIN, "has checked in again")


# Workers that die

class SlowSink(Sink):
    """Delays its acknowledgement of a mail long enough for a kill in between."""

    thinks = 0.3

    async def handle_DATA(self, server, session, envelope):
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(self.thinks)
        return answer


def wait_for_scan(site, before):
    """Returns as soon as a worker has started the scan; polls without pause."""
    end = time.monotonic() + 20
    while begun(site) == before:
        assert time.monotonic() < end, site.log.read_text()


@pytest.mark.parametrize("people, kills", [
    (20, 10),
    pytest.param(100, 100, marks=pytest.mark.long),
])
def test_a_killed_worker_loses_no_alert_and_makes_none_twice(own_site, sink, people, kills):
    site = own_site(**PLAIN, **smtp(sink.port))
    many(site, people)
    wait_until(lambda: len(sink.envelopes) == people, 60, "the introductions")
    site.stop()
    slow = SlowSink()
    site.environment["SMTP_PORT"] = str(slow.port)
    work(site, at(3, "09:05"))
    assert count(site, "alerts") == 0
    chance = random.Random(20261121)
    minutes, halfway = 5, 0
    for number in range(kills):
        before, arrived = begun(site), len(slow.envelopes)
        worker = start_worker(site, at(4, f"{9 + minutes // 60:02}:{minutes % 60:02}"))
        # The first ones die during the evaluation, the others during sending.
        if number >= kills // 2:
            wait_until(lambda: count(site, "alerts") == people, 20, "the alerts")
        if count(site, "alerts") == 0:
            wait_for_scan(site, before)
            time.sleep(chance.uniform(0, people / 10_000))
        elif count(site, "jobs", "kind = 'mail' AND lease IS NULL"):
            wait_until(lambda: len(slow.envelopes) > arrived, 20, "a mail")
            time.sleep(chance.uniform(0, 2 * slow.thinks))
        else:
            time.sleep(chance.uniform(0, 0.5))
        worker.kill()
        worker.wait()
        assert count(site, "alerts") in (0, people)
        if lease(site) and count(site, "alerts") == 0:
            # Died in the scan itself: it is due again after its lease has expired. Once mail is
            # being sent, the clock stops, so that no mail is interrupted twice.
            halfway += 1
            minutes += 6
    for later in (6, 30):
        work(site, at(4, f"{9 + (minutes + later) // 60:02}:{(minutes + later) % 60:02}"))
    slow.stop()

    assert count(site, "alerts") == people
    assert ask(site, "SELECT count(DISTINCT user_id) FROM alerts") == [people]
    assert count(site, "contact_mails", "kind = 'alert'") == people
    assert count(site, "contact_mails", "kind = 'alert' AND state = 'sent'") == people
    assert count(site, "mail_queue", "sent_at IS NULL") == 0
    seen = collections.defaultdict(list)
    for envelope in slow.envelopes:
        seen[envelope.rcpt_tos[0]].append(read(envelope)["Message-ID"])
    assert sorted(seen) == sorted(address(number) for number in range(people))
    assert all(len(set(ids)) == 1 for ids in seen.values())
    assert max(len(ids) for ids in seen.values()) <= 2
    assert any(len(ids) == 2 for ids in seen.values()), "nobody was killed while sending"
    if kills >= 100:
        assert halfway > 0, "nobody was killed while looking after people"


@pytest.mark.parametrize("people", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_two_workers_over_many_who_are_due_make_an_alert_each(own_site, sink, people):
    site = own_site(**PLAIN, **smtp(sink.port))
    many(site, people)
    wait_until(lambda: len(sink.envelopes) == people, 120, "the introductions")
    site.stop()
    workers = [start_worker(site, at(4, "09:05"), "--once") for _ in range(2)]
    assert [worker.wait(240) for worker in workers] == [0, 0], site.log.read_text()
    assert count(site, "alerts") == people
    assert ask(site, "SELECT count(DISTINCT user_id) FROM alerts") == [people]
    alerts = [read(envelope) for envelope in sink.envelopes[people:]]
    assert len(alerts) == people
    assert all("check-in" in mail["Subject"] for mail in alerts)
    assert len({mail["Message-ID"] for mail in alerts}) == people


# Outages of several days

def test_a_mail_server_down_for_a_day_delays_alerts_and_doubles_none(own_site, sink):
    people = 5
    site = own_site(**PLAIN, **smtp(sink.port))
    many(site, people)
    wait_until(lambda: len(sink.envelopes) == people, 60, "the introductions")
    site.stop()
    port = free_port()
    site.environment["SMTP_PORT"] = str(port)
    for clock in ("09:05", "09:07", "09:13", "09:45", "12:00", "18:30"):
        work(site, at(4, clock))
    assert count(site, "alerts") == people
    assert count(site, "contact_mails", "kind = 'alert' AND state = 'waiting'") == people
    assert count(site, "notification_logs", "is_sent = 0") == 6 * people
    back = Sink(port)
    work(site, at(5, "09:15"))
    work(site, at(5, "21:30"))
    work(site, at(6, "09:00"))
    back.stop()
    assert sorted(envelope.rcpt_tos[0] for envelope in back.envelopes) == sorted(
        address(number) for number in range(people))
    assert count(site, "contact_mails", "kind = 'alert' AND state = 'sent'") == people
    assert count(site, "notification_logs", "is_sent = 1") == people


def test_a_worker_down_for_three_days_while_people_could_tap_tells_at_once(own_site):
    site = own_site(PAIRSPOT_NOW=at(1, "12:00"))
    check_in(site, "Nora", KIN)
    site.mail_to(KIN)
    site.stop()
    # The handlers were running all the time; only the worker was not.
    now = at(7, "15:00")
    live_on(site, now)
    work(site, now)
    assert len(mails_about(site, "About Nora's check-in")) == 1
    assert "5 days" in words(mails_about(site, "About Nora's check-in")[0])
    work(site, at(7, "15:20"))
    work(site, at(8, "09:05"))
    assert len(mails_about(site, "About Nora's check-in")) == 1


# Names

def test_no_name_of_somebody_quiet_injects_anything(own_site, sink):
    site = own_site(**PLAIN, **smtp(sink.port))
    for number, name in enumerate(HOSTILE):
        check_in(site, name, address(number))
    wait_until(lambda: len(sink.envelopes) == len(HOSTILE), 60, "the introductions")
    site.stop()
    work(site, at(4, "09:05"))
    assert len(sink.envelopes) == 2 * len(HOSTILE)
    for envelope in sink.envelopes:
        check_plain(envelope.content, envelope.rcpt_tos)
        assert len(envelope.rcpt_tos) == 1
        mail = read(envelope)
        assert re.fullmatch(r"<http://\S+/c/[\w-]+/stop>", mail["List-Unsubscribe"])
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert "<script" not in mail.get_body(("html",)).get_content()
    alerts = {
        envelope.rcpt_tos[0]: read(envelope) for envelope in sink.envelopes[len(HOSTILE):]}
    assert "👩‍❤️‍👨 🏳️‍🌈" in alerts[address(3)]["Subject"]
    assert "<script>alert(1)</script> & {{name}}" in words(alerts[address(6)])
    assert 'Eve" <eve@evil.example>, "x' in alerts[address(0)]["Subject"]
    # A name written from right to left changes the direction of itself only.
    assert words(alerts[address(4)]).count("\u2068") == words(alerts[address(4)]).count("\u2069") > 0


def test_anyone_can_check_the_record(own_site):
    """With nothing but the documented rule and Python's hashlib."""
    site = own_site(**PLAIN)
    nora = check_in(site, "Nora", KIN)
    move(site, at(4, "09:10"))
    work(site, at(4, "09:20"))
    wait_until(lambda: mails_about(site, "Nora's check-in"), 30, "the alert")
    answer = nora.get("/checkin/record.json")
    assert answer.status == 200 and "attachment" in answer.headers["content-disposition"]
    lines, previous = json.loads(answer.text), ""
    for number, line in enumerate(lines, 1):
        content = "\n".join([
            previous, str(number), str(line["atMilliseconds"]), line["event"], line.get("day") or "",
            line.get("contact") or "", line["detail"]])
        previous = hashlib.sha256(content.encode()).hexdigest()
        assert line["hash"] == previous, line
    events = [line["event"] for line in lines]
    assert events[0] == "tapped" and "due" in events and events[-1] == "sent"
    page = nora.get("/checkin/record").text
    assert "2 days without a check-in: your contacts are told." in page
