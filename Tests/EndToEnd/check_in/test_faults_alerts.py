"""Monitoring of check-ins, with a worker that dies around every scan and handlers that die
during the check-ins which end an alert: each warning, alert and all-clear is queued once per
contact."""

import collections
import contextlib
import os
import random
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest

from instance import wait_until
from state_ledgers import parsed
from people import Visitor
from crash_test import SEED, healthy
from missed_check_ins import address, ask, at, begun, check_in, count, lease, start_worker, work
from test_faults import smtp

MEMBERS = ("mei", "jun", "sam")
GUESTS = 9


def with_a_second_contact(visitor, number):
    answer = visitor.post("/checkin/contacts", {
        "csrf_token": visitor.token("/checkin/contacts"), "name": "",
        "email": f"other{number}@example.test"})
    assert answer.status == 303, answer.text
    return visitor


def clock(day, hour, minute):
    return at(day, f"{hour + minute // 60:02}:{minute % 60:02}")


def due(site, chance, kills, day, hour, minute=2):
    """A worker that is killed this many times at or about its scan, six minutes apart (a lease
    is five); then one that stays alive. Returns the number of kills within the scan."""
    within = 0
    for _ in range(kills):
        before = begun(site)
        worker = start_worker(site, clock(day, hour, minute))
        while begun(site) == before:
            assert worker.poll() is None, site.log.read_text()
        # From before its first transaction to after its last.
        with contextlib.suppress(subprocess.TimeoutExpired):
            worker.wait(chance.uniform(0, 0.03))
        worker.kill()
        worker.wait()
        within += lease(site) is not None
        minute += 6
    work(site, clock(day, hour, minute))
    return within


@pytest.mark.parametrize("evening, hour, alert, clear", [
    (2, 2, 3, 3), pytest.param(35, 8, 40, 17, marks=pytest.mark.long)])
def test_every_stage_is_told_once_however_often_workers_die(
        own_site, sink, evening, hour, alert, clear):
    print(f"PAIRSPOT_SEED={SEED}")
    chance = random.Random(SEED)
    site = own_site(
        PAIRSPOT_DEMO="1", PAIRSPOT_OUTAGE_GRACE="0", PAIRSPOT_NOW=at(1, "12:00"),
        **smtp(sink.port))
    people = [Visitor(site).sign_in(f"{name}@example.test") for name in MEMBERS]
    people += [Visitor(site) for _ in range(GUESTS)]
    for number, visitor in enumerate(people):
        check_in(site, f"Quiet {number}", address(number), visitor=visitor)
        with_a_second_contact(visitor, number)
    wait_until(lambda: count(site, "mail_queue", "sent_at IS NULL") == 0, 60, "introductions")
    site.stop()
    contacts = count(site, "emergency_contacts", "removed_at IS NULL")
    assert contacts >= 2 * len(people)

    within = due(site, chance, evening, 3, 20)
    members = own_mails(site)
    assert set(members.values()) == {1} and len(members) == len(MEMBERS)
    within += due(site, chance, hour, 4, 8)
    assert set(own_mails(site).values()) == {2}
    assert count(site, "alerts") == 0
    within += due(site, chance, alert, 4, 9)
    if evening + hour + alert > 50:
        assert within > 0, "nobody was killed within a scan"
    assert set(own_mails(site).values()) == {2}
    assert ask(site, "SELECT count(*) FROM alerts") == [len(people)]
    assert to_contacts(site, "alert") == contacts

    # They check in again while the handlers die.
    site.environment["PAIRSPOT_NOW"] = at(4, "15:00")
    site.start()
    with ThreadPoolExecutor(4) as pool:
        taps = [pool.submit(tap_until_known, visitor) for visitor in people]
        for _ in range(clear):
            wait_until(lambda: site.processes(" handlers"), 20, "handlers")
            with contextlib.suppress(ProcessLookupError, IndexError):
                os.kill(chance.choice(site.processes(" handlers")), signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                taps[-1].result(chance.uniform(0.05, 0.4))
            wait_until(site.is_healthy, 30, "pages")
        for tap in taps:
            tap.result(300)
    assert to_contacts(site, "all-clear") == contacts
    assert to_contacts(site, "alert") == contacts
    assert count(site, "alerts", "ended_at IS NULL") == 0
    site.stop()
    work(site, at(4, "23:00"))

    # A mail sent twice because a worker died after sending has the same id.
    assert count(site, "mail_queue", "sent_at IS NULL") == 0
    mails = collections.defaultdict(set)
    for envelope in sink.envelopes:
        mail = parsed(envelope)
        mails[envelope.rcpt_tos[0], mail["Subject"]].add(mail["Message-ID"])
    kin = {key: ids for key, ids in mails.items() if key[0].startswith(("kin", "other"))}
    assert len(kin) == 3 * 2 * len(people), "an introduction, an alert and an all-clear each"
    assert all(len(ids) == 1 for ids in kin.values())
    healthy(site, at(4, "23:01"))


def own_mails(site):
    """Number of warnings of each member."""
    return collections.Counter(
        ask(site, "SELECT hex(user_id) FROM contact_mails WHERE kind = 'warning'"))


def to_contacts(site, kind):
    """Number of contacts with mails of a kind, one each."""
    found = collections.Counter(
        ask(site, "SELECT hex(contact_id) FROM contact_mails WHERE kind = ?", kind))
    assert set(found.values()) <= {1}, found
    return len(found)


def tap_until_known(visitor):
    def tapped():
        # Without an answer there is no form.
        with contextlib.suppress(OSError, HTTPException, TypeError):
            form = {"csrf_token": visitor.token("/checkin"), "button": "check-in"}
            return visitor.post("/checkin", form).status == 303
    # Longer than the kills take: between two kills pages are answered for a moment only.
    wait_until(tapped, 300, "an answer to a tap")
