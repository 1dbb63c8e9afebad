"""Clock jumps, and hours that occur twice or never: no false alerts, and no missing ones
(docs/developer/check-in.md#rules)."""

import json
import time
import uuid
from datetime import datetime, timedelta

import pytest

from instance import wait_until
from people import Visitor
from missed_check_ins import ask, at, check_in, count, live_on, move, work
from test_check_in import mails_about
from test_faults import register, smtp
from test_mail import in_a_while

WORKERS = {"worker", "mail worker", "scan worker"}
KIN = "kin@example.test"
ABOUT = "About Nora's check-in"


def pass_time(site, moment):
    """Runs the jobs due at a time until which the handlers were running."""
    live_on(site, moment)
    work(site, moment)


def told(site):
    return len(mails_about(site, ABOUT))


@pytest.fixture
def nora(own_site):
    """An instance on which Nora checked in at noon of day 1, and then stopped."""
    site = own_site(PAIRSPOT_NOW=at(1, "12:00"))
    site.nora = check_in(site, "Nora", KIN)
    site.mail_to(KIN)
    return site


def tap(site):
    answer = site.nora.post(
        "/checkin", {"csrf_token": site.nora.token("/checkin"), "button": "check-in"})
    assert answer.status == 303


def test_a_clock_three_days_ahead_alarms_nobody(nora):
    move(nora, at(4, "12:00"))
    work(nora, at(4, "12:20"))
    # A worker ran twenty minutes ahead, which is reported.
    assert set(nora.problems()) <= WORKERS | {"check-in scan"} and told(nora) == 0
    # Corrected: her days are counted as if nothing had happened.
    move(nora, at(1, "13:00"))
    work(nora, at(1, "13:05"))
    nora.stop()
    for day, clock, alerts in [(4, "08:50", 0), (4, "09:05", 1), (4, "12:30", 1)]:
        pass_time(nora, at(day, clock))
        assert told(nora) == alerts, (day, clock)


def test_an_outage_that_only_a_wrong_clock_saw_holds_no_alert_back(nora):
    # Two days ahead for an hour, which must have no effect after those two days.
    move(nora, at(3, "12:00"))
    work(nora, at(3, "12:20"))
    move(nora, at(1, "13:00"))
    nora.stop()
    for day, clock, alerts in [(3, "13:00", 0), (4, "08:50", 0), (4, "09:05", 1)]:
        pass_time(nora, at(day, clock))
        assert told(nora) == alerts, (day, clock)


def test_a_clock_a_day_back_takes_nobodys_tap_away(nora):
    move(nora, at(2, "12:00"))
    tap(nora)
    # An hour with yesterday's clock, then corrected.
    move(nora, at(1, "12:30"))
    work(nora, at(1, "13:00"))
    assert nora.nora.get("/checkin").status == 200
    move(nora, at(2, "13:30"))
    work(nora, at(2, "13:45"))
    nora.stop()
    # No check-in since day 2: the third day without one is day 5.
    for day, clock, alerts in [(4, "09:05", 0), (5, "08:50", 0), (5, "09:05", 1)]:
        pass_time(nora, at(day, clock))
        assert told(nora) == alerts, (day, clock)


def test_a_tap_on_a_day_that_comes_twice_is_one_check_in(nora):
    move(nora, at(2, "12:00"))
    tap(nora)
    move(nora, at(1, "12:30"))
    tap(nora)
    move(nora, at(2, "12:30"))
    tap(nora)
    assert count(nora, "check_ins") == 2
    assert count(nora, "alerts") == 0


# The same while everything is running: no process restarts and checks the clock first.

MARGIN = 3_600_000


class Lives:
    """The instance on which Nora stops checking in, under a moving clock, with the processes
    that must stay alive."""

    def __init__(self, site, clock, now):
        self.site, self.clock = site, clock
        self.begun = now - time.time() * 1000
        self.before = self.processes()

    def processes(self):
        return {kind: self.site.processes(kind)
                for kind in (" handlers", " worker", "nginx: master")}

    def jump(self, **by):
        """Sets the clock; returns after handlers and scan have seen it."""
        self.clock.move(**by)
        ahead = timedelta(**by).total_seconds() * 1000

        def seen(name):
            # By the clock of the instance: its start plus the moves.
            [at] = ask(self.site, "SELECT at FROM heartbeats WHERE name = ?", name) or [0]
            return abs(at - (time.time() * 1000 + self.begun + ahead)) < MARGIN

        # Handlers send a heartbeat once a minute, which shows their clock.
        wait_until(lambda: seen("handlers"), 90, "handlers by the other clock")
        wait_until(lambda: seen("checkin.scan-began"), 120, "a scan by the other clock")
        wait_until(self.site.is_healthy, 60, "health by the other clock")
        assert self.processes() == self.before


@pytest.fixture
def lives(own_site, moving_clock):
    def begin(moment):
        site = own_site(moving_clock.program, PAIRSPOT_NOW=moment)
        site.nora = check_in(site, "Nora", KIN)
        site.mail_to(KIN)
        now = datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000
        return Lives(site, moving_clock, now)
    return begin


def is_alarmed(site, *plan):
    """Stops an instance and lets days pass; checks the number of alerts by each time."""
    site.stop()
    for day, clock, alerts in plan:
        pass_time(site, at(day, clock))
        assert told(site) == alerts, (day, clock)


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 5])
def test_a_clock_that_jumps_three_days_ahead_under_those_who_live_alarms_nobody(lives, times):
    nora = lives(at(1, "12:00"))
    for _ in range(times):
        nora.jump(days=3)
        assert told(nora.site) == 0 and count(nora.site, "alerts") == 0
        assert nora.site.nora.get("/checkin").status == 200
        # Corrected: her days are counted as if nothing had happened.
        nora.jump()
        assert told(nora.site) == 0
    is_alarmed(nora.site, (4, "08:50", 0), (4, "09:05", 1), (4, "12:30", 1))


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 5])
def test_a_clock_that_jumps_a_day_back_under_those_who_live_takes_nobodys_tap_away(lives, times):
    nora = lives(at(2, "12:00"))
    for _ in range(times):
        nora.jump(days=-1)
        # The running worker sends mail by that clock, too.
        sent = len(nora.site.mails())
        register(Visitor(nora.site), f"back{sent}")
        nora.site.mail_to(f"back{sent}.a@example.test")
        tap(nora.site)
        assert told(nora.site) == 0
        nora.jump()
    # The repeated day differs from that of her first check-in; each has one check-in.
    assert count(nora.site, "check_ins") == 2
    # No check-in since day 2: the third day without one is day 5.
    is_alarmed(nora.site, (4, "09:05", 0), (5, "08:50", 0), (5, "09:05", 1))


@pytest.mark.long
@pytest.mark.parametrize("days, plan", [
    # Three days without possible check-ins, as far as is known: the grace period is as long.
    (3, [(6, "09:05", 0), (7, "11:00", 0), (7, "13:00", 1), (8, "09:05", 1)]),
    # Her check-in is ahead of the clock, and counts.
    (-1, [(3, "09:05", 0), (3, "12:00", 0), (4, "08:50", 0), (4, "09:05", 1), (5, "09:05", 1)]),
])
def test_a_clock_that_jumped_and_stays_there_loses_no_alert(lives, days, plan):
    nora = lives(at(1, "12:00"))
    nora.jump(days=days)
    assert told(nora.site) == 0
    is_alarmed(nora.site, *plan)


# Hours that occur never or twice, in New York in 2027.

def in_new_york(site, last):
    """Sets Nora's settings with the API, like an app; she checks in at a time."""
    site.environment["PAIRSPOT_NOW"] = last
    site.start()
    nora = Visitor(site)

    def call(method, path, body, token=None):
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = nora.ask(method, f"/api/v1{path}", json.dumps(body).encode(), headers)
        assert answer.status < 300, answer.text
        return json.loads(answer.text) if answer.body else None

    return call, call("POST", "/auth/guest", {"display_name": "Nora"})["access_token"]


@pytest.mark.parametrize("last, alert_time, before, due", [
    # 02:30 of March 14 doesn't exist: the next existing minute, 03:00, is 07:00 UTC.
    ("2027-03-11T17:00:00Z", "02:30", "2027-03-14T06:50:00Z", "2027-03-14T07:05:00Z"),
    # 01:30 of November 7 occurs twice: the first is 05:30 UTC.
    ("2027-11-04T17:00:00Z", "01:30", "2027-11-07T05:20:00Z", "2027-11-07T05:35:00Z"),
], ids=["an hour that is left out", "an hour that comes twice"])
def test_the_alert_of_a_night_on_which_clocks_change(own_site, last, alert_time, before, due):
    site = own_site(PAIRSPOT_NOW=last, PAIRSPOT_OUTAGE_GRACE="0")
    site.stop()
    call, token = in_new_york(site, last)
    call("PUT", "/checkin/settings", {
        "display_name": "Nora", "alert_time": alert_time, "time_zone": "America/New_York"}, token)
    call("POST", "/checkin/contacts", {"email": KIN}, token)
    call("POST", "/checkin", {}, token)
    site.mail_to(KIN)
    site.stop()
    work(site, before)
    assert told(site) == 0
    work(site, due)
    assert told(site) == 1
    # And an hour later, when it may be the same local time again.
    work(site, due.replace("T07", "T08").replace("T05", "T06"))
    assert told(site) == 1


# Everything else

def test_a_clock_that_goes_back_a_day_stops_nothing(own_site, sink):
    site = own_site(**smtp(sink.port), PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    kept = mei.write("written today").made
    register(Visitor(site), "ahead")
    wait_until(lambda: len(sink.envelopes) >= 2, 30, "two mails")
    move(site, in_a_while(days=-1))
    assert "written today" in mei.get(kept).text
    assert mei.write("written yesterday").status == 303
    register(Visitor(site), "back")
    wait_until(lambda: len(sink.envelopes) >= 4, 30, "two more mails")
