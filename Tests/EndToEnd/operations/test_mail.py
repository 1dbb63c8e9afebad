"""Mail: the senders, bounces, and names that try header injection."""

import asyncio
import email
import email.policy
import random
import re
import subprocess
import time
import urllib.request
from datetime import datetime, timedelta, timezone

import pytest

from instance import PROGRAM, free_port, wait_until
from mail_sink import Sink
from people import Visitor
from fake_resend import SECRET, Resend, call_webhook
from test_faults import register, smtp

HOSTILE = [
    'Eve" <eve@evil.example>, "x',
    "Eve\r\nBcc: victim@evil.example\r\n\r\nbody",
    "Eve\nX-Evil: 1",
    "👩‍❤️‍👨 🏳️‍🌈 e\u0301",
    "\u202egnp.exe\u2066 \u200fשלום",
    "=?utf-8?q?Bcc=3A_x=40y=2Ez?=",
    "<script>alert(1)</script> & {{name}}",
    "; charset=utf-7\u2028Bcc: a@b.cd\u0085Bcc: a@b.cd",
]


@pytest.fixture
def resend():
    server = Resend()
    yield server
    server.stop()


def by_resend(server, **more):
    return dict(
        PAIRSPOT_MAIL="resend", RESEND_API_KEY="re_test", RESEND_URL=server.url,
        RESEND_WEBHOOK_SECRET=SECRET, FROM_EMAIL="home@pairspot.example") | more


def in_a_while(**later):
    return (datetime.now(timezone.utc) + timedelta(**later)).strftime("%Y-%m-%dT%H:%M:%SZ")


def work_later(site, **later):
    """Runs jobs due some time from now."""
    subprocess.run(
        [PROGRAM, "worker", "--once"],
        env=site.environment | {"PAIRSPOT_NOW": in_a_while(**later)},
        stdin=subprocess.DEVNULL, check=True, timeout=120)


def count(site, where):
    return site.sql(f"SELECT count(*) FROM mail_queue WHERE {where}")[0][0]


def pairspot(site, *words, given=b"", **variables):
    return subprocess.run(
        [PROGRAM, *words], env=site.environment | variables, input=given, capture_output=True,
        timeout=60)


def one_line(run):
    assert run.stderr.count(b"\n") == 1, run.stderr
    return run.stderr.decode().strip()


# Resend

def test_resend_gets_each_mail_once_under_one_key(own_site, resend):
    resend.answers = [(500, {"message": "later"})]
    site = own_site(**by_resend(resend, FROM_NAME='Pair, "Spot" 家'))
    register(Visitor(site), "once")
    wait_until(lambda: len(resend.calls) == 2, 20, "two calls")
    assert len(resend.mails) == 1
    work_later(site, minutes=2)
    work_later(site, days=2)
    assert len(resend.calls) == 3
    assert len(resend.to("once.a@example.test")) == len(resend.to("once.b@example.test")) == 1
    first, again = [
        call for call in resend.calls if call[2]["to"] == resend.calls[0][2]["to"]]
    assert first[2] == again[2]
    assert first[1]["Idempotency-Key"] == again[1]["Idempotency-Key"]
    for path, headers, body in resend.calls:
        assert path == "/emails" and headers["Authorization"] == "Bearer re_test"
        assert body["from"] == '"Pair, \\"Spot\\" 家" <home@pairspot.example>'
        assert body["tags"] == [{"name": "mail", "value": headers["Idempotency-Key"]}]
        assert "/register/" in body["text"] or "http" in body["text"]
    assert count(site, "sent_at IS NOT NULL") == 2


def test_an_address_that_resend_refuses_is_tried_no_more(own_site, resend):
    resend.answers = [(422, {
        "statusCode": 422, "name": "validation_error",
        "message": "Invalid `to` field. The email address needs to follow the format."})]
    site = own_site(**by_resend(resend))
    register(Visitor(site), "refused")
    wait_until(lambda: len(resend.calls) == 2, 20, "two calls")
    wait_until(lambda: count(site, "failed_at IS NOT NULL") == 1, 10, "the refusal")
    work_later(site, days=1)
    assert len(resend.calls) == 2
    assert "mail" not in site.problems()


def test_a_key_that_resend_does_not_know_alarms_the_operator(own_site, resend):
    resend.answers = [(401, {"name": "missing_api_key", "message": "no"})] * 2
    site = own_site(**by_resend(resend))
    register(Visitor(site), "alarm")
    wait_until(lambda: count(site, "refused_us_at > 0") == 2, 20, "the refusals")
    found = site.problems()
    assert list(found) == ["mail"] and "rejects our email" in found["mail"]
    assert "@" not in found["mail"]
    work_later(site, minutes=2)
    assert len(resend.mails) == 2
    assert "mail" not in site.problems()
    with urllib.request.urlopen(f"{site.url}/metrics", timeout=5) as answer:
        metrics = answer.read().decode()
    assert '\npairspot_mails_total{result="sent"} 2\n' in metrics
    assert '\npairspot_mails_total{result="postponed"} 2\n' in metrics


def test_a_bounce_that_resend_tells_of_marks_the_mail(own_site, resend):
    site = own_site(**by_resend(resend))
    register(Visitor(site), "back")
    wait_until(lambda: count(site, "sent_at IS NOT NULL") == 2, 20, "two mails")
    mail = resend.to("back.a@example.test")[0]
    event = {"type": "email.bounced", "data": {
        "to": mail["to"], "tags": {tag["name"]: tag["value"] for tag in mail["tags"]},
        "bounce": {"type": "Permanent", "subType": "General", "message": "no such box"}}}
    assert call_webhook(site, event, age=600) == 401
    assert call_webhook(site, event, secret="whsec_" + "A" * 32) == 401
    assert count(site, "bounced_at > 0") == 0
    assert call_webhook(site, event) == 204
    assert call_webhook(site, event) == 204
    assert count(site, "bounced_at > 0") == 1
    other = own_site_without_webhook(site)
    assert other == 404


def own_site_without_webhook(site):
    """The answer of the same instance without a webhook secret."""
    site.stop()
    del site.environment["RESEND_WEBHOOK_SECRET"]
    site.start()
    return call_webhook(site, {"type": "email.bounced"})


# Bounces

def report(address, action="failed", status="5.1.1"):
    return f"""\
Return-Path: <>
Delivered-To: {address}
From: MAILER-DAEMON@mail.pairspot.example (Mail Delivery System)
To: {address}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="x/y"

--x/y
Content-Type: text/plain

I'm sorry.

--x/y
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.pairspot.example

Final-Recipient: rfc822; bounce.a@example.test
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 5.1.1 <bounce.a@example.test>: User unknown

--x/y--
""".encode()


def test_a_bounce_piped_to_us_marks_the_mail(own_site, sink):
    site = own_site(**smtp(sink.port))
    register(Visitor(site), "bounce")
    wait_until(lambda: count(site, "sent_at IS NOT NULL") == 2, 20, "two mails")
    envelope = next(e for e in sink.envelopes if e.rcpt_tos == ["bounce.a@example.test"])
    address = envelope.mail_from
    assert re.fullmatch(r"home\+b[a-z2-7]{37}@pairspot\.example", address)
    assert address not in {e.mail_from for e in sink.envelopes if e is not envelope}
    mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert mail["From"].addresses[0].addr_spec == "home@pairspot.example"

    forged = address[:6] + ("b" if address[6] == "a" else "a") + address[7:]
    for to, action, status in [
            (forged, "failed", "5.1.1"), ("home@pairspot.example", "failed", "5.1.1"),
            (address, "delayed", "4.4.1"), (address, "delivered", "2.1.5")]:
        run = pairspot(site, "mail", "bounce", given=report(to, action, status))
        assert run.returncode == 0 and one_line(run).startswith("ignored: ")
    assert count(site, "bounced_at > 0") == 0

    for words in [(), (address.upper(),)]:
        run = pairspot(site, "mail", "bounce", *words, given=report(address))
        assert run.returncode == 0 and "came back: 550 5.1.1" in one_line(run)
        assert b"example.test" not in run.stderr
    assert count(site, "bounced_at > 0") == 1


def test_what_is_no_bounce_ends_with_the_codes_that_mail_servers_know(site):
    for given in [b"", b"no header", b"From: a@b.cd\n\n" + b"x" * (2 << 20), bytes(range(256)) * 9]:
        run = pairspot(site, "mail", "bounce", given=given)
        assert run.returncode in (0, 65), given[:40]
        one_line(run)
    assert pairspot(site, "mail", "bounce").returncode == 65
    run = pairspot(site, "mail", "bounce", given=b"From: a@b.cd\n\n", PAIRSPOT_PORT="none")
    assert run.returncode == 75
    one_line(run)


# Test mail

def test_the_trial_mail_says_how_it_went(own_site, sink):
    site = own_site(**smtp(sink.port))
    run = pairspot(site, "mail", "test", "lin@dest.example")
    assert run.returncode == 0, run.stderr
    assert run.stdout == b"sent a mail to lin@dest.example by SMTP\n"
    mail = email.message_from_bytes(sink.envelopes[0].content, policy=email.policy.default)
    assert mail["To"].addresses[0].addr_spec == "lin@dest.example"
    assert site.url in mail.get_body(("plain",)).get_content()
    run = pairspot(site, "mail", "test", "lin@dest.example", SMTP_PORT=str(free_port()))
    assert run.returncode == 1
    assert one_line(run).startswith("by SMTP: ")
    assert pairspot(site, "mail", "test", "lin at home").returncode == 64
    assert len(sink.envelopes) == 1


def test_the_trial_mail_goes_by_resend_too(own_site, resend):
    site = own_site(**by_resend(resend))
    resend.answers = [(403, {"name": "invalid_api_key", "message": "API key is invalid"})]
    run = pairspot(site, "mail", "test", "lin@dest.example")
    assert run.returncode == 1
    assert one_line(run) == "by Resend: we were refused: 403 invalid_api_key: API key is invalid"
    run = pairspot(site, "mail", "test", "lin@dest.example")
    assert run.stdout == b"sent a mail to lin@dest.example by Resend\n"
    assert len(resend.to("lin@dest.example")) == 1


# Crashes

class SlowSink(Sink):
    """Delays its acknowledgement of a mail long enough for a kill in between."""

    async def handle_DATA(self, server, session, envelope):
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(0.1)
        return answer


@pytest.mark.long
def test_a_worker_killed_a_hundred_times_loses_no_mail_and_repeats_few(own_site):
    port, couples = free_port(), 100
    site = own_site(**smtp(port))
    for number in range(couples):
        register(Visitor(site), f"pair{number}")
    wait_until(lambda: count(site, "attempts = 0") == 0, 60, "the first attempts, in vain")
    site.stop()
    sink = SlowSink(port)
    chance = random.Random(20261121)
    for _ in range(100):
        worker = subprocess.Popen(
            [PROGRAM, "worker"], env=site.environment | {"PAIRSPOT_NOW": in_a_while(minutes=2)},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.1, 0.6))
        worker.kill()
        worker.wait()
    # Interrupted jobs are done after their lease has expired.
    for minutes in (20, 40):
        work_later(site, minutes=minutes)
    sink.stop()
    seen = {}
    for envelope in sink.envelopes:
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        seen.setdefault(envelope.rcpt_tos[0], []).append(mail["Message-ID"])
    assert len(seen) == 2 * couples
    assert all(len(set(ids)) == 1 for ids in seen.values())
    assert max(len(ids) for ids in seen.values()) <= 2
    assert any(len(ids) == 2 for ids in seen.values()), "nobody was killed at the right moment"
    assert count(site, "sent_at IS NULL") == 0


# Names

def test_no_name_injects_anything(own_site, sink):
    site = own_site(**smtp(sink.port))
    for number, name in enumerate(HOSTILE):
        visitor = Visitor(site)
        fields = {
            "csrf_token": visitor.token("/register"), "email_a": f"n{number}.a@example.test",
            "email_b": f"n{number}.b@example.test", "couple_name": name,
            "anniversary": "2024-02-29", "accept": "1"}
        assert visitor.post("/register", fields).status == 303, name
    wait_until(lambda: len(sink.envelopes) >= 2 * len(HOSTILE), 60, "the mails")
    for envelope in sink.envelopes:
        check_plain(envelope.content, envelope.rcpt_tos)
    assert any("<script>" in text(e.content) for e in sink.envelopes)
    assert not any("<script>" in html(e.content) for e in sink.envelopes)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_senders_name_injects_anything(own_site, name):
    site = own_site(FROM_NAME=name)
    run = pairspot(site, "mail", "test", "lin@dest.example")
    assert run.returncode == 0, run.stderr
    content = next((site.data / "mail").glob("*.eml")).read_bytes()
    check_plain(content, ["lin@dest.example"])


def check_plain(content, recipients):
    """A message has each of our headers once, and none from a name."""
    content.decode("ascii")
    mail = email.message_from_bytes(content, policy=email.policy.default)
    names = [name.lower() for name in mail.keys()]
    assert sorted(names) == sorted(set(names))
    assert not {"bcc", "cc", "x-evil", "body"} & set(names)
    assert [a.addr_spec for a in mail["To"].addresses] == recipients
    assert len(mail["From"].addresses) == 1
    assert mail["From"].addresses[0].addr_spec.endswith(".example")
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative", "text/plain", "text/html"]
    assert not mail.defects and not any(part.defects for part in mail.walk())
    assert not any(sign in str(mail["Subject"]) for sign in "\r\n\u202e\u2066\u2028\u0085")


def text(content):
    mail = email.message_from_bytes(content, policy=email.policy.default)
    return mail.get_body(("plain",)).get_content()


def html(content):
    mail = email.message_from_bytes(content, policy=email.policy.default)
    return mail.get_body(("html",)).get_content()
