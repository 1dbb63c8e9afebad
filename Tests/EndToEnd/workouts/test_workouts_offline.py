"""Workouts in a browser: stored there first, uploaded later, viewed without a network."""

import json
import re
import shutil
import time
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from conftest import PHONE
from instance import CHECKOUT, wait_until
from phone import ALL, controlled, told
from test_offline import NO_LOCKS, sign_in, sign_out
from test_trainings import PLAY, RECORD, as_people, enrolled, film, made, send_film

LANGUAGES = ["en", "zh-Hant", "zh-Hans"]
BATCH = "**/api/v1/sessions/batch_upload"
CALL = """async ([module, name, given]) => {
  const app = document.querySelector("script[src$='/js/app.js']").src;
  const found = await import(app.replace("app.js", `workouts/${module}.js`));
  try {
    const result = await found[name](...given);
    return { result: result instanceof Set ? [...result] : result };
  } catch (error) {
    return { error: error.name, isFull: error.isFull, why: error.why };
  }
}"""


def call(page, module, name, *given):
    """Calls a function of a page's module; an exception is returned, too."""
    return page.evaluate(CALL, [module, name, list(given)])


def key(page):
    """The scripts' key of a page's user; on a page without a user, of the last one."""
    return page.locator("body").get_attribute("data-user") or told(page, "last")[""]


def workout(day=0, **parts):
    """A session as made by the recorder, this many days ago."""
    start = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=day, hours=1)
    end = start + timedelta(seconds=60)
    return {
        "client_session_id": str(uuid.uuid4()), "started_at": start.isoformat(),
        "ended_at": end.isoformat(), "duration": 60, "paused": 0, "total_energy": 12.5,
        "total_distance": 400, "device_type": "bike",
        "detail": {"avg_power": 150, "max_power": 210, "samples": {
            "interval": 1, "power": [140 + n % 70 for n in range(60)],
            "heart_rate": [None] + [120] * 59}},
    } | parts


def finish(page, *sessions):
    """Stores finished workouts, like the recorder."""
    for session in sessions:
        kept = call(page, "workout-store", "finishRide", key(page), session)
        assert kept.get("result", {}).get("state") == "pending", kept
    return [session["client_session_id"] for session in sessions]


def kept(page):
    """The state of all users' workouts in this browser, by their ids."""
    return {row["id"]: row["state"] for row in page.evaluate(ALL, "workouts")}


def states(page):
    return sorted(kept(page).values())


def waits(page, condition, seconds, what):
    """Waits while the test answers the browser's requests."""
    wait_until(lambda: page.wait_for_timeout(20) or condition(), seconds, what)


def synced(page, count):
    wait_until(lambda: states(page) == ["synced"] * count, 60, f"{count} workouts to be synced")


def speak(page, language):
    """Sets the language of the signed-in user."""
    page.goto("/settings/language")
    page.locator(f"main input[name=language][value={language}]").check(force=True)
    page.locator("main form .button").last.click()
    page.locator(f"html[lang={language}]").wait_for()


def heard(page, language):
    """Waits until the service worker knows the language."""
    wait_until(
        lambda: page.evaluate(
            "caches.match('/language', {cacheName: 'reader'}).then((found) => found?.text())")
        == language, 10, "the language")


class Rider:
    def __init__(self, site, context):
        self.site = site
        self.context = context
        self.page = context.new_page()

    def come(self, address="mei@example.test", language=None):
        sign_in(self.page, self.site, address)
        if language:
            speak(self.page, language)
        controlled(self.page, "/workouts")
        if language:
            heard(self.page, language)
        # Until the history is known to be stored completely.
        wait_until(lambda: told(self.page, "history"), 20, "the history")
        return self

    def on_server(self):
        answer = self.page.request.get("/api/v1/sessions?limit=200")
        assert answer.status == 200, answer.text()
        return [one["client_session_id"] for one in answer.json()["sessions"]]

    def uploads(self):
        log = (self.site.data / "logs/requests.log").read_text()
        return log.count('batch_upload')

    def statistics(self):
        return self.page.request.get("/api/v1/users/me/stats").json()

    def change(self, method, path, body):
        """A call of the API as this user, from another client."""
        token = self.page.request.get("/csrf").json()["token"]
        answer = self.page.request.fetch(
            f"/api/v1{path}", method=method, data=json.dumps(body) if body else None,
            headers={"X-CSRF-Token": token, "Content-Type": "application/json",
                     "Origin": self.site.url, "Sec-Fetch-Site": "same-origin"})
        assert answer.ok, answer.text()
        return answer


@pytest.fixture
def riders(own_site, browser):
    """An instance of this test's own, and browsers for it, in the zone of its users: both count
    the same days."""
    site = own_site(PAIRSPOT_DEMO="1")
    contexts = []

    def make(**options):
        context = browser.new_context(
            base_url=site.url, timezone_id="Asia/Taipei", **(PHONE | options))
        context.set_default_timeout(20_000)
        contexts.append(context)
        return Rider(site, context)

    make.site = site
    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def mei(riders):
    return riders().come()


# Uploading.


@pytest.mark.parametrize("dies", ["before the server has it", "before its answer"])
def test_fifty_go_up_in_three_batches_though_the_server_dies_in_the_second(mei, dies):
    page, site = mei.page, mei.site
    before = len(mei.on_server())
    mei.context.set_offline(True)
    ids = finish(page, *[workout(day) for day in range(50)])
    sizes = []

    def watch(route):
        sessions = route.request.post_data_json["sessions"]
        sizes.append(len(sessions))
        starts = [one["started_at"] for one in sessions]
        assert starts == sorted(starts)
        if len(sizes) != 2:
            route.continue_()
            return
        if dies == "before its answer":
            assert route.fetch().status == 200
        # Without time to report or finish anything; the kernel ends its children.
        site.process.kill()
        route.abort()

    mei.context.route(BATCH, watch)
    mei.context.set_offline(False)
    waits(page, lambda: site.process.poll() is not None, 60, "the end of the server")
    wait_until(lambda: states(page).count("synced") >= before + 20, 20, "the first batch")
    assert states(page).count("pending") == 30
    site.start()
    synced(page, before + 50)
    assert max(sizes) <= 20 and sizes[:2] == [20, 20]
    stored = mei.on_server()
    assert sorted(stored) == sorted(set(stored)) and set(ids) <= set(stored)
    assert mei.statistics()["workout_total_count"] == before + 50


def test_one_batch_after_a_failed_one_goes_on(mei):
    page = mei.page
    mei.context.set_offline(True)
    finish(page, *[workout(day) for day in range(25)])
    sent = []

    def watch(route):
        sent.append(len(route.request.post_data_json["sessions"]))
        if len(sent) == 1:
            route.fulfill(status=500, json={"error": {"code": "internal", "message": "Broken"}})
        else:
            route.continue_()

    mei.context.route(BATCH, watch)
    mei.context.set_offline(False)
    waits(page, lambda: len(sent) >= 2, 30, "the second batch")
    assert sent[:2] == [20, 5]
    wait_until(lambda: "pending" not in states(page), 60, "the first batch, again")
    assert sent[2] == 20


@pytest.mark.parametrize("script", ["", NO_LOCKS], ids=["with Web Locks", "without Web Locks"])
def test_two_tabs_upload_once(mei, script):
    page = mei.page
    if script:
        mei.context.add_init_script(script)
        page.reload()
    other = mei.context.new_page()
    other.goto("/workouts")
    mei.context.set_offline(True)
    ids = finish(page, workout(1), workout(2)) + finish(other, workout(3))
    before = mei.uploads()
    mei.context.set_offline(False)
    wait_until(lambda: "pending" not in states(page), 30, "the upload")
    time.sleep(3)
    assert mei.uploads() - before <= 2
    assert set(ids) <= set(mei.on_server())
    assert other.locator("[data-workouts-waiting]").is_hidden()


def test_one_that_is_refused_stays_with_its_reason_and_the_others_go_up(mei):
    page = mei.page
    mei.context.set_offline(True)
    bad = workout(2, duration=0)
    good = workout(1)
    finish(page, good, bad)
    row = page.locator(f"[data-client-session-id='{bad['client_session_id']}']")
    row.get_by_text("Not uploaded yet").wait_for()
    mei.context.set_offline(False)
    row.get_by_text("Upload rejected").wait_for(timeout=30_000)
    assert kept(page)[good["client_session_id"]] == "synced"
    assert row.get_attribute("data-state") == "failed"
    assert "duration" in row.locator("[data-part=reason]").inner_text().lower()
    before = mei.uploads()
    page.reload()
    row.get_by_text("Upload rejected").wait_for()
    time.sleep(7)
    assert mei.uploads() == before, "it is not sent again by itself"
    row.get_by_role("button", name="Try again").click()
    wait_until(lambda: mei.uploads() == before + 1, 20, "one more try")
    with page.expect_download() as download:
        row.get_by_role("button", name="Download as file").click()
    text = download.value.path().read_text()
    assert "duration_s,0" in text and "second,power_w" in text
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert bad["client_session_id"] in kept(page)
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")
    assert bad["client_session_id"] not in kept(page)


def test_a_session_that_is_over_loses_nothing(mei):
    page = mei.page
    mei.context.set_offline(True)
    ids = finish(page, workout(1))
    cookies = mei.context.cookies()
    mei.context.clear_cookies()
    mei.context.set_offline(False)
    page.locator("[data-waiting-note]").get_by_text("been signed out").wait_for(timeout=30_000)
    assert states(page).count("pending") == 1
    mei.context.add_cookies(cookies)
    page.goto("/workouts")
    wait_until(lambda: "pending" not in states(page), 30, "the upload")
    assert set(ids) <= set(mei.on_server())


def test_what_waits_on_a_second_device_may_still_be_uploaded(riders):
    phone, laptop = riders().come(), riders().come()
    assert call(phone.page, "binding", "bind", key(phone.page))["result"] == {"state": "bound"}
    other = call(laptop.page, "binding", "bind", key(laptop.page))["result"]
    assert other["state"] == "other" and other["since"] and "Chrome" in other["name"]
    ids = finish(laptop.page, workout(1))
    wait_until(lambda: "pending" not in states(laptop.page), 30, "the upload")
    assert set(ids) <= set(laptop.on_server())


def test_what_is_deleted_before_the_history_is_here_stays_deleted(riders):
    rider = riders()
    page, late = rider.page, re.compile(r"/api/v1/sessions\?")
    page.route(late, lambda _: None)
    sign_in(page, rider.site, "jun@example.test")
    controlled(page, "/workouts")
    page.get_by_test_id("workout").last.get_by_role("link").click()
    session = page.locator("[data-workout-detail]").get_attribute("data-client-session-id")
    # A version cached now could not be attributed to its source.
    page.wait_for_timeout(1000)
    page.get_by_role("link", name="Delete workout").click()
    page.unroute(late)
    page.locator("dialog").get_by_role("button", name="Delete workout").click()
    page.wait_for_url("**/workouts")
    wait_until(lambda: told(page, "history"), 20, "the history")
    assert session not in kept(page)
    assert session not in rider.on_server()


# Statistics.


def test_with_the_whole_history_here_the_browsers_figures_win(mei):
    page = mei.page
    mei.change("PATCH", "/users/me/stats", {"workout_total_count": 999})
    finish(page, workout(1))
    wait_until(lambda: "pending" not in states(page), 30, "the upload")
    count = len(mei.on_server())
    wait_until(lambda: mei.statistics()["workout_total_count"] == count, 20, "the figures")


def test_what_came_in_elsewhere_is_no_difference(riders):
    phone, laptop = riders().come(), riders().come()
    finish(laptop.page, workout(3), workout(4))
    wait_until(lambda: "pending" not in states(laptop.page), 30, "the upload")
    patches = []
    phone.page.on("request", lambda request: patches.append(request.url)
                  if request.method == "PATCH" else None)
    finish(phone.page, workout(1))
    count = len(phone.on_server()) + 1
    wait_until(lambda: states(phone.page) == ["synced"] * count, 30, "all of it here")
    assert phone.statistics()["workout_total_count"] == count
    assert patches == []


def test_without_the_whole_history_the_servers_figures_hold(riders):
    first = riders().come()
    finish(first.page, workout(5))
    wait_until(lambda: "pending" not in states(first.page), 30, "the upload")
    count = len(first.on_server())
    second = riders()
    second.context.route("**/api/v1/sessions?*", lambda route: route.abort())
    sign_in(second.page, second.site, "mei@example.test")
    second.page.goto("/workouts")
    second.page.get_by_text("Couldn’t download your history").wait_for()
    finish(second.page, workout(1))
    wait_until(lambda: "pending" not in states(second.page), 30, "the upload")
    time.sleep(1)
    assert second.statistics()["workout_total_count"] == count + 1
    second.context.unroute("**/api/v1/sessions?*")
    second.page.locator("[data-workouts-start]").get_by_role("button", name="Try again").click()
    wait_until(lambda: states(second.page) == ["synced"] * (count + 1), 20, "the history")


def test_what_was_deleted_elsewhere_goes_here_too(riders):
    phone = riders().come()
    ids = finish(phone.page, workout(1), workout(2))
    wait_until(lambda: "pending" not in states(phone.page), 30, "the upload")
    gone = next(one["id"] for one in phone.page.request.get("/api/v1/sessions").json()["sessions"]
                if one["client_session_id"] == ids[0])
    phone.change("DELETE", f"/sessions/{gone}", None)
    assert call(phone.page, "history", "downloadHistory", key(phone.page)) == {"result": None}
    assert ids[0] not in kept(phone.page) and ids[1] in kept(phone.page)


# Ownership.


def test_a_second_person_sees_and_uploads_nothing_of_the_first(riders):
    mei = riders().come()
    page = mei.page
    mei.context.set_offline(True)
    ids = finish(page, workout(1))
    # No request of this page is pending when another user signs in.
    page.goto("about:blank")
    cookies = mei.context.cookies()
    mei.context.clear_cookies()
    mei.context.set_offline(False)
    sign_in(page, mei.site, "jun@example.test")
    page.goto("/workouts")
    page.get_by_role("heading", name="Workouts").first.wait_for()
    time.sleep(7)
    assert page.locator(f"[data-client-session-id='{ids[0]}']").count() == 0
    assert not set(ids) & set(mei.on_server())
    mei.context.set_offline(True)
    page.goto("/workouts")
    page.locator("[data-workouts-shell]:not([data-state=loading])").wait_for()
    assert page.locator(f"[data-client-session-id='{ids[0]}']").count() == 0
    mei.context.set_offline(False)
    page.locator("body:not([data-shell])").wait_for(timeout=30_000)
    mei.context.clear_cookies()
    mei.context.add_cookies(cookies)
    page.goto("/workouts")
    wait_until(lambda: kept(page)[ids[0]] == "synced", 30, "the upload")
    assert set(ids) <= set(mei.on_server())


@pytest.fixture
def leaving(riders):
    """Mei with a workout that can't be uploaded for the moment, on a bound device."""
    mei = riders().come()
    assert call(mei.page, "binding", "bind", key(mei.page))["result"] == {"state": "bound"}
    mei.context.set_offline(True)
    mei.ids = finish(mei.page, workout(1))
    mei.device = call(mei.page, "device-id", "deviceID")["result"]
    mei.context.route("**/csrf", lambda route: route.abort())
    mei.context.set_offline(False)
    return mei


def test_signing_out_asks_first_and_may_upload_before(leaving):
    page = leaving.page
    sign_out(page)
    dialog = page.get_by_role("dialog")
    assert "One workout hasn’t been uploaded yet." in dialog.inner_text()
    dialog.get_by_role("button", name="Stay signed in").click()
    assert kept(page)[leaving.ids[0]] == "pending"
    sign_out(page)
    dialog.get_by_role("button", name="Send, then sign out").click()
    dialog.get_by_text("Couldn’t send yet.").wait_for()
    leaving.context.unroute("**/csrf")
    dialog.get_by_role("button", name="Send, then sign out").click()
    page.get_by_role("link", name="Register together").first.wait_for()
    wait_until(lambda: kept(page) == {} and told(page, "history") == {}, 10, "nothing of Mei")
    sign_in(page, leaving.site, "mei@example.test")
    assert set(leaving.ids) <= set(leaving.on_server())


def test_signing_out_anyway_clears_all_but_the_device(leaving):
    page = leaving.page
    unbinding = "**/api/v1/devices/unbind"
    leaving.context.route(unbinding, lambda route: route.abort())
    sign_out(page)
    page.get_by_role("dialog").get_by_role("button", name="Sign out anyway").click()
    page.get_by_role("link", name="Register together").first.wait_for()
    wait_until(lambda: kept(page) == {} and page.evaluate(ALL, "recordings") == [], 10, "nothing")
    assert told(page, "device") == {"": leaving.device}
    assert page.evaluate("caches.keys()").__len__() <= 2
    wait_until(lambda: told(page, "unbind").get(""), 10, "the news that waits")
    # The server does not know yet: it is still the bound one, until the server is notified.
    leaving.context.unroute(unbinding)
    leaving.context.unroute("**/csrf")
    page.goto("/about")
    wait_until(lambda: told(page, "unbind").get("") == [], 20, "the news to be told")
    sign_in(page, leaving.site, "mei@example.test")
    bound = page.request.get("/api/v1/devices/binding").json()
    assert bound["device_id"] is None
    assert not set(leaving.ids) & set(leaving.on_server())


def test_a_late_unbinding_leaves_a_device_alone_that_was_bound_since(leaving, riders):
    page = leaving.page
    unbinding = "**/api/v1/devices/unbind"
    leaving.context.route(unbinding, lambda route: route.abort())
    sign_out(page)
    page.get_by_role("dialog").get_by_role("button", name="Sign out anyway").click()
    page.get_by_role("link", name="Register together").first.wait_for()
    other = riders().come()
    other.change("DELETE", "/devices/binding", {"password": other.site.demo_password()})
    assert call(other.page, "binding", "bind", key(other.page))["result"] == {"state": "bound"}
    mine = call(other.page, "device-id", "deviceID")["result"]
    leaving.context.unroute(unbinding)
    page.goto("/about")
    wait_until(lambda: told(page, "unbind").get("") == [], 20, "the news to be told")
    assert other.page.request.get("/api/v1/devices/binding").json()["device_id"] == mine


def test_signing_out_without_a_network_clears_at_once_and_the_server_hears_it_later(riders):
    mei = riders().come()
    page = mei.page
    assert call(page, "binding", "bind", key(page))["result"] == {"state": "bound"}
    page.goto("/")
    mei.context.set_offline(True)
    page.locator("summary.account-button").click()
    page.get_by_role("button", name="Sign out").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Signed out on this device").wait_for()
    assert told(page, "history") == {} and told(page, "last") == {}
    dialog.get_by_role("button").click()
    page.get_by_role("heading", name="You’re offline").wait_for()
    mei.context.set_offline(False)
    page.get_by_role("link", name="Register together").first.wait_for(timeout=30_000)
    assert page.request.get("/api/v1/users/me").status == 401
    wait_until(lambda: told(page, "unbind").get("") == [], 20, "the news to be told")
    mei.come()
    assert page.request.get("/api/v1/devices/binding").json()["device_id"] is None


# Storage.


def test_a_full_disk_is_told_and_loses_no_ride(mei):
    page = mei.page
    ride = {"id": str(uuid.uuid4()), "seconds": 5}
    assert call(page, "workout-store", "saveRide", key(page), ride).get("error") is None
    large = workout(1, client_session_id=ride["id"], raw="A" * 1_000_000)
    page.evaluate("""() => {
      window.realPut = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (row) {
        if (this.name === "recordings") throw new DOMException("full", "QuotaExceededError");
        return window.realPut.call(this, row);
      };
    }""")
    failed = call(page, "workout-store", "finishRide", key(page), large)
    assert failed["error"] == "StorageFailure" and failed["isFull"]
    assert ride["id"] not in kept(page), "nothing is kept by halves"
    page.evaluate("() => { IDBObjectStore.prototype.put = window.realPut; }")
    assert call(page, "workout-store", "unfinishedRide", key(page))["result"] == ride
    finish(page, large)
    assert call(page, "workout-store", "unfinishedRide", key(page)).get("result") is None


def test_the_database_of_before_keeps_what_it_has(riders):
    rider = riders()
    page = rider.page
    page.route("**/about", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("/about")
    page.evaluate("""() => new Promise((done, fail) => {
      const opening = indexedDB.open("pairspot", 1);
      opening.onerror = () => fail(opening.error);
      opening.onupgradeneeded = () => {
        const outbox = opening.result.createObjectStore("outbox", { keyPath: "id" });
        outbox.createIndex("user", "user");
        outbox.createIndex("once", ["user", "once"], { unique: true });
        const told = opening.result.createObjectStore("told", { keyPath: ["user", "name"] });
        outbox.put({ id: "a", user: "somebody", kind: "check-in", state: "waiting", at: 1 });
        told.put({ user: "somebody", name: "check-in", value: { name: "Nora" } });
      };
      opening.onsuccess = () => { opening.result.close(); done(); };
    })""")
    page.unroute("**/about")
    rider.come()
    assert [row["id"] for row in page.evaluate(ALL, "outbox")] == ["a"]
    assert told(page, "check-in") == {"somebody": {"name": "Nora"}}
    finish(page, workout(1))


SHELLS = {
    "/workouts": "[data-workouts-shell]", "/workouts/record": "main",
    "/workouts/trainings": "[data-trainings-shell]",
    f"/workouts/{uuid.uuid4()}": "[data-workout-shell]",
    f"/workouts/kept?id={uuid.uuid4()}": "[data-workout-shell]",
    f"/workouts/trainings/{uuid.uuid4()}": "[data-trainings-shell]",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_workouts_opens_without_a_network(riders, language):
    rider = riders().come(language=language)
    page = rider.page
    wait_until(lambda: told(page, "trainings"), 20, "the trainings")
    rider.context.set_offline(True)
    for path, place in SHELLS.items():
        page.goto(path)
        page.locator(f"body[data-shell] {place}:not([data-state=loading])").wait_for()
        assert page.locator("html").get_attribute("lang") == language


@pytest.mark.timed
def test_every_page_of_workouts_opens_without_a_network_within_a_second(riders):
    rider = riders().come()
    page = rider.page
    wait_until(lambda: told(page, "trainings"), 20, "the trainings")
    rider.context.set_offline(True)
    for path, place in SHELLS.items():
        start = time.monotonic()
        page.goto(path)
        page.locator(f"body[data-shell] {place}:not([data-state=loading])").wait_for()
        assert time.monotonic() - start < 1, path


def test_a_workout_is_looked_at_without_a_network(mei):
    page = mei.page
    ids = finish(page, workout(1), workout(0))
    wait_until(lambda: "pending" not in states(page), 30, "the upload")
    page.reload()
    mei.context.set_offline(True)
    page.goto("/workouts")
    waits = workout(0, device_type="rower")
    finish(page, waits)
    shown = page.locator("[data-testid=workout]")
    page.locator("[data-workouts-waiting] [data-state=pending]").wait_for()
    assert shown.first.get_attribute("data-client-session-id") == waits["client_session_id"]
    for name in [*ids, waits["client_session_id"]]:
        page.goto("/workouts")
        page.locator(f"[data-client-session-id='{name}'] a").click()
        page.locator("[data-workout-shell] .chart-power path").wait_for()
        assert "1:00" in page.locator("[data-figures]").inner_text()
    page.goto("/workouts")
    mei.context.set_offline(False)
    page.locator("body:not([data-shell])").wait_for(timeout=30_000)
    page.locator(
        f"[data-client-session-id='{waits['client_session_id']}'][data-state=stored]"
    ).wait_for(timeout=30_000)


def test_films_are_kept_and_served_in_parts(mei):
    page, site = mei.page, mei.site
    admin = enrolled(site, "ada")
    desk = made(admin, "With film")
    content = bytes(page.evaluate(RECORD))
    assert send_film(admin, desk, content).status == 303
    page.goto("/workouts/trainings")
    # The demo has a film of its own.
    item = page.get_by_role("listitem").filter(has_text="With film")
    item.locator("[data-film] input").check()
    item.locator("[data-film][data-state=kept]").wait_for()
    told = json.loads(json.dumps(call(page, "trainings", "loadTrainings", key(page))))["result"]
    path = next(one["video_url"] for one in told if one["name"] == "With film").removeprefix(site.url)
    mei.context.set_offline(True)
    ask = """async ([path, range]) => {
      const answer = await fetch(path, { headers: { Range: range } });
      const bytes = [...new Uint8Array(await answer.arrayBuffer())];
      return [answer.status, answer.headers.get("Content-Range"), bytes];
    }"""
    size = len(content)
    for asked, start, end in [("bytes=0-0", 0, 1), ("bytes=100-199", 100, 200),
                              (f"bytes={size - 7}-", size - 7, size),
                              ("bytes=-5", size - 5, size), ("bytes=0-99999999", 0, size)]:
        status, range_, found = page.evaluate(ask, [path, asked])
        assert status == 206 and range_ == f"bytes {start}-{end - 1}/{size}", asked
        assert bytes(found) == content[start:end], asked
    assert page.evaluate(ask, [path, f"bytes={size}-"])[0] == 416
    page.goto(as_people(desk))
    assert page.locator("video[data-part=film]").evaluate(PLAY) == [320, 180]
    mei.context.set_offline(False)
    page.locator("body:not([data-shell])").wait_for(timeout=30_000)
    # A deleted training deletes its film.
    token = {"csrf_token": admin.token("/admin/trainings/new")}
    assert admin.post(desk, token | {"button": "unpublish"}).status == 303
    page.goto("/workouts/trainings")
    wait_until(lambda: not page.evaluate("""async (path) => {
      const name = (await caches.keys()).find((name) => name.startsWith("kept-"));
      return Boolean(await (await caches.open(name)).match(path));
    }""", path), 20, "the film to go")


def test_a_film_without_room_says_so(mei):
    admin = enrolled(mei.site, "ada")
    desk = made(admin, "Too large")
    assert send_film(admin, desk, film(3_000_000)).status == 303
    page = mei.page
    page.goto("/workouts/trainings")
    page.evaluate("navigator.storage.estimate = async () => ({ quota: 2_000_000, usage: 0 })")
    page.get_by_role("listitem").filter(has_text="Too large").locator("[data-film] input").check()
    page.get_by_role("dialog").get_by_text("out of storage").wait_for()
    assert page.locator("[data-film][data-state=kept]").count() == 0


def test_a_film_chosen_while_another_tab_brings_films_comes_afterwards(mei):
    admin = enrolled(mei.site, "ada")
    desk = made(admin, "Soon")
    assert send_film(admin, desk, film(30_000)).status == 303
    page = mei.page
    page.goto("/workouts/trainings")
    page.evaluate("""async () => {
      await navigator.locks.request("pairspot-films", async () => {});
      navigator.locks.request("pairspot-films", () => new Promise((free) => { window.free = free; }));
    }""")
    page.locator("[data-film] input").first.check()
    page.locator("[data-film][data-state=waits]").wait_for()
    page.evaluate("free()")
    page.locator("[data-film][data-state=kept]").wait_for()


def test_a_new_version_of_the_worker_loses_nothing(own_site, browser, tmp_path):
    share = tmp_path / "share"
    for folder in ("public", "templates", "deploy"):
        shutil.copytree(CHECKOUT / folder, share / folder)
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_SHARE=str(share))
    context = browser.new_context(base_url=site.url, **PHONE)
    rider = Rider(site, context).come()
    page = rider.page
    context.route("**/csrf", lambda route: route.abort())
    ids = finish(page, workout(1))
    device = call(page, "device-id", "deviceID")["result"]
    page.evaluate("""(user) => caches.open(`kept-${user}`)
      .then((store) => store.put("/media/trainings/a/b.mp4", new Response("film")))""", key(page))
    before = page.evaluate("caches.keys()")
    with open(share / "public/js/like.js", "a") as file:
        file.write("// a new version\n")
    time.sleep(1.2)
    page.goto("/about")
    wait_until(lambda: set(page.evaluate("caches.keys()")) - set(before), 15, "the new version")
    page.goto("/workouts")
    assert kept(page)[ids[0]] == "pending"
    assert call(page, "device-id", "deviceID")["result"] == device
    # The user's cache stays. (A sync of videos may have deleted the unknown video in it.)
    assert f"kept-{key(page)}" in page.evaluate("caches.keys()")
    context.unroute("**/csrf")
    page.reload()
    wait_until(lambda: kept(page)[ids[0]] == "synced", 30, "the upload")
    context.close()
