"""Uploading workouts to the running instance: nginx's limits, long workouts, a change of the
device."""

import json
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from instance import wait_until
from test_api_auth import App, code
from test_pages import check, signed_in

BATCH = "/sessions/batch_upload"
EACH = ("power", "heart_rate", "cadence", "speed", "distance")


@pytest.fixture
def app(site):
    """An app of Sam's; other tests do not use the workouts that it adds."""
    made = App(site)
    assert made.sign_in("sam@example.test", site.demo_password()).status == 200
    return made


def workout(number=0, seconds=1800, measured=0, **more):
    start = datetime.now(timezone.utc) - timedelta(hours=5 * (number + 1))
    one = {
        "client_session_id": str(uuid.uuid4()),
        "started_at": start.isoformat(timespec="milliseconds"),
        "ended_at": (start + timedelta(seconds=seconds)).isoformat(timespec="milliseconds"),
        "duration": seconds, "total_energy": 271.5, "total_distance": 14200,
        "device_type": "bike"}
    if measured:
        one["detail"] = {"samples": {name: [100] * measured for name in EACH}}
    return one | more


def test_twenty_rides_of_three_hours_fit_and_come_back(app):
    rides = [workout(number, 10_800, 10_800) for number in range(20)]
    answer = app.post(BATCH, {"sessions": rides})
    assert answer.status == 200, answer.text[:500]
    assert answer.json["success_count"] == 20 and answer.json["failed_sessions"] == []
    listed = app.call("GET", "/sessions?limit=200").json["sessions"]
    newest = next(one for one in listed
                  if one["client_session_id"] == rides[0]["client_session_id"])
    whole = app.call("GET", f"/sessions/{newest['id']}").json
    assert all(whole["detail"]["samples"][name] == [100] * 10_800 for name in EACH)
    again = app.post(BATCH, {"sessions": rides})
    assert again.json["duplicate_count"] == 20 and again.json["success_count"] == 0
    for one in listed:
        assert app.call("DELETE", f"/sessions/{one['id']}").status == 204


@pytest.mark.parametrize("more, status", [(0, 200), (1, 413), (2 << 20, 413)])
def test_a_batch_is_at_most_eight_mebibytes_whoever_refuses_it(app, more, status):
    body = json.dumps({"sessions": [workout()]})
    answer = app.ask(
        "POST", f"/api/v1{BATCH}", body + " " * ((8 << 20) + more - len(body)),
        {"Content-Type": "application/json", "Authorization": f"Bearer {app.access}"})
    assert answer.status == status
    told = json.loads(answer.text)
    if status == 413:
        assert told["error"]["code"] == "payload_too_large"


def test_one_broken_workout_never_blocks_the_others(app):
    answer = app.post(BATCH, {"sessions": [
        workout(), workout(duration=-5), None, workout(1, raw="no base64!")]})
    assert answer.json["success_count"] == 1
    failed = answer.json["failed_sessions"]
    assert [one["error"] for one in failed] == ["validation_error"] * 3
    assert failed[1]["session_id"] == "2" and "duration" in failed[0]["message"]
    assert code(app.post("/sessions", workout(duration=0))) == "validation_error"


def test_another_device_gives_way_on_the_page(site, app, new_page):
    bound = app.call("PUT", "/devices/binding", {"device_id": app.device, "name": "Sam’s phone"})
    assert bound.status == 200, bound.text
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/settings/devices?next=/workouts/trainings")
    page.get_by_text("You already record on another device.").wait_for()
    assert "Sam’s phone" in page.get_by_test_id("bound-device").inner_text()
    check(page)
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.get_by_role("button", name="Email me a code instead").click()
    page.locator("#code").wait_for()
    check(page)
    page.goto("/settings/devices?next=/workouts/trainings")
    page.locator("#current_password").fill(site.demo_password())
    page.get_by_role("button", name="Release", exact=True).click()
    page.wait_for_url("**/workouts/trainings")
    assert app.call("GET", "/devices/binding").json["device_id"] is None
    page.goto("/settings/devices")
    page.get_by_test_id("no-device").wait_for()
    check(page)
    # Workouts stored on the released device are accepted all the same.
    assert app.post(BATCH, {"sessions": [workout()]}).json["success_count"] == 1
    wait_until(lambda: site.mail_to("sam@example.test"), 20, "the mail about it")
