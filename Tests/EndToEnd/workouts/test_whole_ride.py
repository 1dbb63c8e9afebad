"""A complete ride: without a network from its start, through a browser that is killed in the
middle, to exactly one workout on the real server."""

import os
import signal
import time
from pathlib import Path

import pytest

from conftest import CHROMIUM, PHONE
from instance import wait_until
from machines import SCRIPT
from phone import ALL, controlled
from test_recorder import MINUTE, Rider, sound


class Traveller(Rider):
    """A rider in a browser with a profile on disk, which outlives the browser."""

    def __init__(self, site, playwright, profile):
        self.site, self.playwright, self.profile = site, playwright, profile
        self.complaints = []
        self.context = None

    def launch(self, at=None):
        self.context = self.playwright.chromium.launch_persistent_context(
            self.profile, base_url=self.site.url, **CHROMIUM, **PHONE)
        self.context.set_default_timeout(15_000)
        if at:
            self.context.clock.install(time=at)
        self.context.add_init_script(SCRIPT)
        self.page = self.open()

    def kill(self):
        """Kills every process of the browser at once, without a chance to save."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(lambda: not self.processes(), 10, "the browser's end")
        try:
            self.context.close()
        except Exception:  # It is gone.
            pass
        # The lock files of a running browser on this profile.
        for name in ("SingletonLock", "SingletonCookie", "SingletonSocket"):
            (Path(self.profile) / name).unlink(missing_ok=True)

    def processes(self):
        mark = str(self.profile).encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"chromium" in words and mark in words:
                found.append(int(folder.name))
        return found

    def read(self, path):
        answer = self.page.request.get(f"/api/v1{path}")
        assert answer.status == 200, answer.text()
        return answer.json()


@pytest.fixture
def traveller(site, playwright, tmp_path):
    one = Traveller(site, playwright, tmp_path / "profile")
    yield one
    if one.context:
        one.context.close()
    assert one.complaints == []


def test_a_ride_without_a_network_through_a_killed_browser_arrives_once(traveller):
    one = traveller
    one.launch()
    one.page.goto("/checkin")
    one.page.locator("#display_name").fill("Rider")
    one.page.locator("#contact_email").fill("kin@example.test")
    one.page.locator("button[name=button][value=save]").click()
    one.page.locator("body[data-user]").wait_for()
    controlled(one.page, "/workouts/record")
    one.context.close()

    # Without a network from here on.
    start = time.time() - 7200
    one.launch(at=start)
    one.context.set_offline(True)
    one.come().connect()
    one.drive("machines.bike.pedal({ power: 200, distance: 1000 });")
    one.start(stands=False)
    one.pass_time(3 * MINUTE)
    one.keep()
    ridden = one.kept()
    one.kill()

    one.launch(at=start + 600)
    one.context.set_offline(True)
    one.come()
    assert one.kept()["id"] == ridden["id"]
    one.page.get_by_role("button", name="Continue").click()
    # The killed browser forgot which devices it may use without being asked.
    one.page.locator(".dashboard").wait_for()
    one.page.evaluate("machines.wanted = 'bike'")
    one.page.locator("[data-link]").click()
    wait_until(lambda: one.drive("return machines.bike.gatt.connected"), 10, "the bike")
    one.drive("machines.bike.pedal({ power: 220, distance: 1000 });")
    one.pass_time(MINUTE)
    one.end().done()
    row = one.page.evaluate(ALL, "workouts")[0]
    assert row["state"] == "pending" and row["id"] == ridden["id"]

    one.context.set_offline(False)
    one.page.goto("/workouts")
    wait_until(
        lambda: one.page.evaluate(ALL, "workouts")[0]["state"] == "synced", 30, "the upload")
    for _ in range(2):
        one.page.reload()
        sessions = one.read("/sessions")["sessions"]
        assert [session["client_session_id"] for session in sessions] == [ridden["id"]]
    told = one.read(f"/sessions/{sessions[0]['id']}")
    sound(told)
    recorded = row["session"]
    for name in ("started_at", "duration", "paused", "total_energy", "total_distance"):
        assert told[name] == recorded[name], name
    assert 235 <= told["duration"] <= 255 and told["paused"] > 300
    assert told["detail"]["max_power"] == 220 and told["detail"]["samples"]["power"][60] == 200
    figures = one.read("/users/me/stats")
    assert figures["workout_total_count"] == 1
    assert figures["workout_total_duration"] == told["duration"]
    assert figures["workout_total_distance"] == told["total_distance"]
