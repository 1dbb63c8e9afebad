"""Recording a workout: on a bike simulated by the test, through crashes, lost connections and no
network."""

import base64
import json
import re
import time

import pytest
from playwright.sync_api import expect

from conftest import PHONE
from instance import wait_until
from machines import SCRIPT
from phone import ALL, controlled
from test_pages import check_axe, check_no_sideways_scroll
from test_trainings import as_people, enrolled, film, made, send_film

NO_BLUETOOTH = "Object.defineProperty(navigator, 'bluetooth', { value: undefined });"
INSECURE = NO_BLUETOOTH + "Object.defineProperty(window, 'isSecureContext', { value: false });"
NO_STORAGE = "IDBFactory.prototype.open = () => { throw new DOMException('no', 'UnknownError'); };"
WAKE_LOCK = """window.locks = [];
Object.defineProperty(navigator, "wakeLock", { value: { async request(kind) {
  const lock = new EventTarget();
  lock.release = async () => { lock.released = true; lock.dispatchEvent(new Event("release")); };
  window.locks.push(lock);
  return lock;
} } });"""
NO_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined });"
MINUTE = 60_000

# Stores a value for the whole browser, like another tab.
NOTE = """([name, value]) => new Promise((done) => {
  indexedDB.open("pairspot").onsuccess = ({ target: { result } }) => {
    const all = result.transaction("told", "readwrite");
    all.objectStore("told").put({ user: "", name, value });
    all.oncomplete = () => done(result.close());
  };
})"""

# A second of film that this browser can play.
FILM = """async () => {
  const canvas = document.createElement("canvas");
  const paper = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm" });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const end = new Promise((done) => (recorder.onstop = done));
  recorder.start();
  for (let at = 0; at < 10; at += 1) {
    paper.fillStyle = at % 2 ? "#456" : "#465";
    paper.fillRect(0, 0, 300, 150);
    await new Promise((done) => setTimeout(done, 100));
  }
  recorder.stop();
  await end;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""


@pytest.fixture(scope="module")
def admin(site):
    return enrolled(site, "rex")


@pytest.fixture(scope="module")
def hills(admin):
    """A training of 9:15: 5:00 free, 1:30 at 180 W, 2:00 at 90 a minute, 0:45 at level 30."""
    made(admin, "Hills to record")
    return "Hills to record"


@pytest.fixture
def rider(site, browser):
    """A new user on a phone of their own, with machines nearby."""
    riders = []

    def make(*scripts, **options):
        riders.append(Rider(site, browser, scripts or (SCRIPT,), options))
        return riders[-1]

    yield make
    for one in riders:
        one.context.close()
    assert [words for one in riders for words in one.complaints] == []


class Rider:
    stands = False

    def __init__(self, site, browser, scripts, options):
        self.site = site
        self.context = browser.new_context(base_url=site.url, **(PHONE | options))
        self.context.set_default_timeout(15_000)
        self.context.clock.install(time=time.time() - 7200)
        self.complaints = []
        self.uploads = []
        self.takes_uploads = True
        self.context.route("**/api/v1/sessions/batch_upload", self.take)
        self.page = self.open()
        self.page.goto("/checkin")
        self.page.locator("#display_name").fill("Rider")
        self.page.locator("#contact_email").fill("kin@example.test")
        self.page.locator("button[name=button][value=save]").click()
        self.page.locator("body[data-user]").wait_for()
        for script in scripts:
            self.context.add_init_script(script)

    def open(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def take(self, route):
        """Answers like the server."""
        if not self.takes_uploads:
            route.abort()
            return
        sessions = json.loads(route.request.post_data)["sessions"]
        self.uploads += sessions
        route.fulfill(json={
            "success_count": len(sessions), "duplicate_count": 0, "failed_sessions": [],
            "updated_stats": {}})

    def come(self, path="/workouts/record"):
        self.page.goto(path)
        self.page.locator("[data-view]:visible").first.wait_for()
        return self

    def connect(self, kind="machine", which="bike"):
        self.page.evaluate("which => machines.wanted = which", which)
        self.page.locator(f"[data-device={kind}] [data-connect]").click()
        self.page.locator(f"[data-device={kind}][data-at=ready]").wait_for()
        return self

    def drive(self, words):
        return self.page.evaluate(f"() => {{ {words} }}")

    def start(self, stands=True):
        """Starts riding. Until its end the pages' clock stands still except for `pass_time`,
        however long a busy machine takes for anything else (including other timers of the page)."""
        self.stands = stands
        if stands:
            self.page.clock.pause_at(self.page.evaluate("Date.now()") / 1000 + 2)
        self.page.locator("[data-start]").click()
        self.page.locator(".dashboard").wait_for()
        return self

    def pass_time(self, milliseconds):
        self.page.clock.run_for(milliseconds)

    def figure(self, name):
        return self.page.locator(f"[data-figure={name}]").inner_text()

    def told(self, machine="bike"):
        return self.page.evaluate("name => machines[name].told", machine)

    def says(self, words):
        self.page.locator("[data-say]", has_text=words).wait_for()

    def ask_to_end(self):
        self.page.get_by_role("button", name="End", exact=True).click()
        self.page.get_by_role("button", name="End and save").click()
        self.go_on()
        return self

    def end(self):
        self.ask_to_end()
        # Under a minute the page asks first.
        short = self.page.locator("[data-ask=short]")
        views = self.page.locator("[data-view=summary], [data-view=figures], [data-view=setup]")
        short.or_(views).locator("visible=true").first.wait_for()
        if short.is_visible():
            short.get_by_role("button", name="Keep", exact=True).click()
        return self

    def go_on(self):
        if self.stands:
            self.context.clock.resume()

    def done(self):
        self.page.locator("[data-view=summary]").wait_for()
        return self

    def uploaded(self):
        self.done()
        self.page.locator("[data-fate=done]").wait_for()
        assert len(self.uploads) == 1
        sound(self.uploads[0])
        return self.uploads[0]

    def wait_for_upload(self):
        # Requests are answered only during calls to the page.
        wait_until(lambda: self.page.evaluate("1") and self.uploads, 20, "the upload")

    def kept(self):
        rows = self.page.evaluate(ALL, "rides")
        return rows[0]["ride"] if rows else None

    def keep(self):
        """Keeps the workout in its current state."""
        def is_kept():
            self.pass_time(1_000)
            ride = self.kept()
            return ride and self.page.evaluate("Date.now()") - ride["last_at"] <= 5_000
        wait_until(is_kept, 20, "what is kept")

    def crash(self):
        """The page crashes without a chance to save."""
        page = self.page
        session = self.context.new_cdp_session(page)
        with page.expect_event("crash"):
            try:
                session.send("Page.crash", timeout=1)
            except Exception:  # It never answers.
                pass
        self.page = self.open()
        page.close()
        self.go_on()


def sound(session):
    """Conditions for every session (docs/developer/workouts.md#checks)."""
    assert re.fullmatch(r"[0-9a-f-]{36}", session["client_session_id"])
    begun, ended = (
        time.mktime(time.strptime(session[name][:19], "%Y-%m-%dT%H:%M:%S"))
        for name in ("started_at", "ended_at"))
    span = ended - begun
    assert 1 <= session["duration"] <= span + 2
    assert session["duration"] >= span - session["paused"] - 2
    for name, series in session["detail"].get("samples", {}).items():
        if name != "interval":
            assert len(series) <= session["duration"] + 1


def test_a_training_is_ridden_and_saved(rider, hills):
    one = rider().come().connect().connect("belt")
    page = one.page
    page.get_by_text(hills, exact=True).click()
    one.drive("machines.bike.pedal({ power: 188, cadence: 84 }); machines.belt.beat(142);")
    one.start()
    one.pass_time(5 * MINUTE + 10_000)
    assert one.figure("main") == "188"
    assert (one.figure("cadence"), one.figure("heart")) == ("84", "142")
    assert one.figure("time") in ("5:09", "5:10")
    assert one.figure("left") in ("4:05", "4:06")
    assert page.locator("[data-stage]").inner_text() == "2 of 4 · Over the hill"
    assert page.locator("[data-aim]").last.inner_text() == "on target · 180 W"
    assert "90/min" in page.locator("[data-next]").inner_text()
    one.drive("machines.bike.pedal({ power: 120 });")
    one.pass_time(4_000)
    assert page.locator("[data-aim]").last.inner_text() == "below · 180 W"
    one.pass_time(4 * MINUTE + 10_000)
    assert "All stages done" in page.locator("[data-next]").inner_text()
    # Control, start, 180 W; then the level, which exceeds its byte.
    assert one.told()[:4] == ["00", "07", "05 b4 00", "04 ff"]
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Continue").click()
    one.pass_time(1_000)
    assert one.uploads == []
    session = one.end().uploaded()
    assert one.told()[-1] == "08 01"
    detail = session["detail"]
    assert session["device_type"] == "bike"
    assert session["training_id"]
    assert 560 <= session["duration"] <= 572 and session["paused"] == 0
    assert session["total_distance"] == pytest.approx(session["duration"] * 30 / 3.6, abs=20)
    assert (detail["max_power"], detail["avg_hr"], detail["max_hr"]) == (188, 142, 142)
    assert detail["samples"]["power"].count(None) <= 2
    assert len(detail["samples"]["heart_rate"]) >= 560
    assert one.page.get_by_test_id("to-workouts").is_visible()
    assert one.kept() is None


def test_a_pause_stops_the_time_and_the_machine(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 150 });")
    one.start()
    one.pass_time(30_000)
    one.page.get_by_role("button", name="Pause").click()
    one.says("Paused")
    stood = one.figure("time")
    one.pass_time(2 * MINUTE)
    assert one.figure("time") == stood
    assert one.told()[-1] == "08 02"
    one.page.get_by_role("button", name="Resume").click()
    one.pass_time(10_000)
    assert one.told()[-1] == "07"
    session = one.end().uploaded()
    assert 38 <= session["duration"] <= 42
    assert 119 <= session["paused"] <= 122
    # The counter continued in between; the workout did not.
    assert session["total_distance"] < 350


def test_a_lost_connection_keeps_the_time_and_comes_back(rider, hills):
    one = rider().come().connect()
    one.page.get_by_text(hills, exact=True).click()
    one.drive("machines.bike.pedal({ power: 180 });")
    one.start()
    one.pass_time(5 * MINUTE + 5_000)
    before = one.told().count("05 b4 00")
    one.drive("machines.bike.lose();")
    one.says("Connection to SF-Bike-2041 lost. The timer keeps running")
    one.pass_time(15_000)
    assert one.figure("main") == "–"
    assert one.figure("time") in ("5:19", "5:20")
    one.drive("machines.bike.comeBack();")
    one.pass_time(20_000)
    one.says("Reconnected.")
    assert one.figure("main") == "180"
    assert one.told().count("05 b4 00") > before
    session = one.end().uploaded()
    power = session["detail"]["samples"]["power"]
    assert power[304 + 6:304 + 10] == [None] * 4
    assert power[-1] == 180
    # The machine's count during the lost connection is included.
    assert session["total_distance"] == pytest.approx(len(power) * 30 / 3.6, abs=20)


def test_a_page_that_dies_loses_five_seconds_at_most(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 200 });")
    one.start()
    one.pass_time(3 * MINUTE)
    one.keep()
    ridden = one.kept()
    one.crash()
    one.context.clock.run_for(10 * MINUTE)
    one.come()
    assert one.page.get_by_role("heading", name="Unfinished workout").is_visible()
    assert re.search(r"(2:5[5-9]|3:0\d) recorded", one.page.locator("[data-offer]").inner_text())
    # The permitted device reconnects by itself.
    one.page.get_by_role("button", name="Continue").click()
    wait_until(lambda: one.drive("return machines.bike.gatt.connected"), 10, "the bike")
    one.drive("machines.bike.pedal({ power: 220 });")
    one.pass_time(MINUTE)
    assert one.figure("main") == "220"
    session = one.end().uploaded()
    assert session["client_session_id"] == ridden["id"]
    assert 235 <= session["duration"] <= 255
    assert session["paused"] >= 590
    assert session["detail"]["max_power"] == 220
    assert session["detail"]["samples"]["power"][60] == 200


def test_what_was_left_can_be_saved_as_it_is(rider):
    one = rider().come().connect().connect("belt")
    one.drive("machines.bike.pedal({ power: 200 }); machines.belt.beat(120);")
    one.start()
    one.pass_time(2 * MINUTE)
    one.keep()
    one.crash()
    one.come()
    one.page.get_by_role("button", name="Save", exact=True).click()
    session = one.uploaded()
    assert 115 <= session["duration"] <= 140 and session["paused"] == 0


def test_what_was_left_is_shown_above_the_workouts(rider):
    one = rider().come()
    one.start()
    one.pass_time(2 * MINUTE)
    one.keep()
    one.crash()
    one.page.goto("/workouts")
    note = one.page.locator("[data-unfinished]")
    left = re.compile(r"Unfinished workout · (1:5\d|2:\d\d)")
    expect(note).to_contain_text(left, use_inner_text=True)
    note.get_by_role("link", name="Continue or save").click()
    one.page.get_by_role("button", name="Save", exact=True).click()
    one.page.locator("form[data-view=figures]").wait_for()
    # It has ended, so it does not go on.
    one.page.goto("/workouts")
    expect(note).to_contain_text("Workout not saved yet", use_inner_text=True)
    note.get_by_role("link", name="Save").click()
    one.page.get_by_role("heading", name="Workout not saved yet").wait_for()
    expect(one.page.get_by_role("button", name="Continue")).to_be_hidden()


def test_what_was_left_is_discarded_only_when_asked_twice(rider):
    one = rider().come().connect()
    one.start()
    one.pass_time(10_000)
    one.keep()
    one.crash()
    one.come()
    one.page.get_by_role("button", name="Discard").click()
    keep = one.page.get_by_role("dialog").get_by_role("button", name="Keep", exact=True)
    expect(keep).to_be_focused()
    keep.click()
    assert one.kept()
    one.page.get_by_role("button", name="Discard").click()
    one.page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    one.page.locator("form[data-view=setup]").wait_for()
    assert one.kept() is None and one.uploads == []


def test_an_offer_that_is_older_than_the_ride_is_made_again(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 200 });")
    one.start()
    one.pass_time(MINUTE)
    one.keep()
    one.crash()
    one.come()
    old = one.open()
    old.goto("/workouts/record")
    old.get_by_role("button", name="Save", exact=True).wait_for()
    one.page.get_by_role("button", name="Continue").click()
    one.page.locator(".dashboard").wait_for()
    one.pass_time(MINUTE)
    one.keep()
    one.page.close()
    one.page = old
    held = "async () => (await navigator.locks.query()).held.map(({ name }) => name)"
    wait_until(lambda: "pairspot-recording" not in old.evaluate(held), 10, "the lock")
    old.get_by_role("button", name="Save", exact=True).click()
    old.locator("[data-offer]", has_text=re.compile(r"(1:5\d|2:\d\d) recorded")).wait_for()
    old.get_by_role("button", name="Save", exact=True).click()
    assert one.uploaded()["duration"] >= 110


@pytest.mark.parametrize("script, words", [
    (NO_BLUETOOTH, "Use Chrome or Edge"), (INSECURE, "only works on https pages")],
    ids=["no Bluetooth", "no https"])
def test_without_bluetooth_there_is_a_stopwatch(rider, script, words):
    one = rider(script).come()
    assert one.page.get_by_text(words).is_visible()
    assert not one.page.locator("[data-devices]").is_visible()
    one.start()
    one.pass_time(20 * MINUTE)
    assert one.figure("main") == "20:00"
    assert not one.page.locator(".fig-cadence").is_visible()
    one.end()
    page = one.page
    page.get_by_text("Rower", exact=True).click()
    page.get_by_label("Distance (km)").fill("four")
    page.get_by_label("Average heart rate").fill("700")
    page.get_by_role("button", name="Save workout").click()
    assert page.get_by_text("number from 0 to 1,000.").is_visible()
    assert page.get_by_text("number from 20 to 250.").is_visible()
    assert page.get_by_label("Distance (km)").evaluate("field => field === document.activeElement")
    page.get_by_label("Distance (km)").fill("420")
    page.get_by_label("Average heart rate").fill("")
    page.get_by_role("button", name="Save workout").click()
    page.get_by_text("Over 100 km/h?").wait_for()
    page.get_by_label("Distance (km)").fill("4,2")
    page.get_by_label("Average heart rate").fill("")
    page.get_by_role("button", name="Save workout").click()
    session = one.uploaded()
    assert (session["device_type"], session["total_distance"]) == ("rower", 4_200)
    assert session["total_energy"] == 0
    assert 1_199 <= session["duration"] <= 1_202
    assert "samples" not in session["detail"]


def test_devices_and_what_runs_a_recording_are_loaded_when_they_are_needed(rider):
    one = rider()
    loaded = set()
    one.page.on("request", lambda request: loaded.add(request.url.rsplit("/", 1)[1]))
    one.come()
    assert "setup.js" in loaded
    assert not loaded & {"ftms.js", "gatt.js", "ride-session.js", "uploads.js"}
    one.connect()
    assert "ftms.js" in loaded and "ride-session.js" not in loaded
    one.start()
    assert "ride-session.js" in loaded


def test_a_press_that_waited_long_for_the_devices_is_asked_for_again(rider):
    one = rider(service_workers="block")
    waiting = []
    one.context.route("**/recorder/devices.js", lambda route: waiting.append(route))
    one.come()
    button = one.page.locator("[data-device=machine] [data-connect]")
    # The second press asks for nothing more.
    button.click()
    button.click()
    wait_until(lambda: one.page.evaluate("1") and waiting, 10, "the request for the devices")
    active = ("Object.defineProperty(navigator, 'userActivation',"
              " { configurable: true, value: { isActive: %s } });")
    one.drive(active % "false")
    for route in waiting:
        route.continue_()
    one.page.get_by_test_id("toast").get_by_text("Press “Connect” again").wait_for()
    assert one.drive("return machines.asked.length") == 0
    one.drive(active % "true")
    one.connect()
    assert one.drive("return machines.asked.length") == 1


@pytest.fixture(scope="module")
def filmed(admin):
    desk = made(admin, "Hills on film")
    assert send_film(admin, desk, film()).status == 303
    return "Hills on film"


def test_the_page_of_a_training_leads_to_its_recording(rider, admin):
    desk = made(admin, "Hills by link")
    one = rider()
    one.page.goto(as_people(desk))
    one.page.get_by_role("link", name="Start", exact=True).click()
    one.page.locator("form[data-view=setup]").wait_for()
    chosen = one.page.locator("label:has(input[name=training]:checked) b")
    assert chosen.inner_text() == "Hills by link"
    one.start()
    assert one.page.locator("[data-name]").inner_text() == "Hills by link"


def ridden_with(rider, training, **answer):
    """A user who rides a training with this answer for the film."""
    one = rider()
    asked = []

    def send(route):
        asked.append(route.request.url)
        route.fulfill(**answer)
    one.context.route("**/media/trainings/**/*.mp4", send)
    one.come().connect()
    one.page.get_by_text(training, exact=True).click()
    one.drive("machines.bike.pedal({ power: 150 });")
    one.start()
    wait_until(lambda: one.page.evaluate("1") and asked, 10, "the film")
    return one


def test_the_film_of_a_training_goes_with_it(rider, filmed, browser):
    page = browser.new_page()
    bytes = base64.b64decode(page.evaluate(FILM))
    page.close()
    one = ridden_with(rider, filmed, body=bytes, content_type="video/webm")
    video = one.page.locator("[data-video]")
    wait_until(lambda: video.evaluate("film => film.currentTime > 0"), 10, "a picture")
    assert video.is_visible()
    one.page.set_viewport_size({"width": 844, "height": 390})
    assert one.page.get_by_role("button", name="End", exact=True).is_visible()
    one.page.get_by_role("button", name="Pause").click()
    wait_until(lambda: video.evaluate("film => film.paused"), 5, "the pause")


def test_a_film_that_cannot_be_shown_leaves_its_room_to_the_figures(rider, filmed):
    one = ridden_with(rider, filmed, body="no film", content_type="video/mp4")
    one.page.locator("[data-video]").wait_for(state="hidden")
    one.pass_time(5_000)
    assert one.figure("main") == "150"


def test_a_rower_s_split_readings_are_one(rider):
    one = rider().come().connect(which="rower")
    one.drive("machines.rower.row({ power: 170, pace: 125 });")
    one.start()
    one.pass_time(MINUTE)
    assert (one.figure("main"), one.figure("cadence")) == ("170", "26")
    assert "2:05/500 m" in one.page.locator("[data-totals]").inner_text()
    assert one.page.get_by_text("Strokes, spm").is_visible()
    session = one.end().uploaded()
    assert session["device_type"] == "rower"
    assert session["detail"]["avg_speed"] == 14.4
    assert session["total_distance"] == pytest.approx(4 * 59, abs=8)


def test_pause_and_start_at_the_machine_count(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 150 });")
    one.start()
    one.pass_time(10_000)
    one.drive("machines.bike.status(2, 2);")
    one.says("Paused")
    one.pass_time(30_000)
    one.drive("machines.bike.status(4);")
    one.page.get_by_role("button", name="Pause").wait_for()
    # A change made on the machine is not sent back to it.
    assert "08 02" not in one.told() and one.told().count("07") == 1
    one.pass_time(5_000)
    session = one.end().uploaded()
    assert 14 <= session["duration"] <= 17


def test_a_machine_that_refuses_a_target_is_told_of(rider, hills):
    one = rider().come().connect()
    one.page.get_by_text(hills, exact=True).click()
    one.drive("machines.bike.refuses.add(5); machines.bike.pedal({ power: 100 });")
    one.start()
    one.pass_time(5 * MINUTE + 2_000)
    one.says("Couldn’t set the target")
    one.pass_time(10_000)
    assert one.figure("main") == "100"


def test_a_machine_that_never_answers_is_ridden_all_the_same(rider):
    one = rider().come()
    one.drive("machines.bike.answers = false;")
    one.page.locator("[data-device=machine] [data-connect]").click()
    one.pass_time(5_000)
    one.page.locator("[data-device=machine][data-at=ready]").wait_for()
    one.drive("machines.bike.pedal({ power: 130 });")
    one.start()
    one.pass_time(10_000)
    assert one.figure("main") == "130"


def test_a_machine_that_is_away_is_told_of(rider):
    one = rider().come()
    one.drive("machines.bike.isNear = false;")
    one.page.locator("[data-device=machine] [data-connect]").click()
    one.page.get_by_text("Couldn’t connect.").wait_for()
    one.page.evaluate("machines.wanted = 'none'")
    one.page.locator("[data-device=machine] [data-connect]").click()
    one.page.get_by_text("Couldn’t connect.").wait_for(state="hidden")
    asked = one.page.evaluate("machines.asked")[0]
    assert {"namePrefix": "SF-Rower-"} in asked["filters"]
    assert 0x180A in asked["optionalServices"]


def test_the_device_that_was_used_last_comes_back_once_it_is_heard_of(rider):
    one = rider().come().connect()
    one.context.add_init_script("""
      machines.bike.isNear = false;
      machines.bike.watchAdvertisements = async function () {
        window.beHeard = () => {
          this.comeBack();
          this.dispatchEvent(new Event("advertisementreceived"));
        };
      };""")
    one.come()
    one.page.get_by_text("Last time: SF-Bike-2041").wait_for()
    wait_until(lambda: one.page.evaluate("'beHeard' in window"), 10, "somebody who listens")
    one.drive("beHeard();")
    one.page.locator("[data-device=machine][data-at=ready]").wait_for()
    assert one.page.evaluate("machines.asked") == []


def test_the_screen_stays_awake_as_long_as_it_is_recorded(rider):
    one = rider(NO_BLUETOOTH, WAKE_LOCK).come()
    one.start()
    held = "locks.filter((lock) => !lock.released).length"
    wait_until(lambda: one.page.evaluate(held) == 1, 5, "a lock")
    # A browser releases the lock whenever the page is hidden.
    one.page.evaluate("locks[0].release()")
    one.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: one.page.evaluate(held) == 1, 5, "another lock")
    one.pass_time(5_000)
    one.end()
    one.page.locator("form[data-view=figures]").wait_for()
    assert one.page.evaluate(held) == 0


def test_without_a_network_it_is_recorded_and_sent_later(rider):
    one = rider()
    one.page = controlled(one.page, "/workouts/record")
    # A sign-out that never succeeded.
    one.page.evaluate(NOTE, ["leaving", one.page.evaluate("document.body.dataset.user")])
    one.context.set_offline(True)
    one.come().connect().connect("belt")
    assert one.page.get_by_text("You’re offline, but you can still record.").is_visible()
    one.drive("machines.bike.pedal({ power: 175 }); machines.belt.beat(131);")
    one.takes_uploads = False
    one.start()
    one.pass_time(MINUTE)
    one.end().done()
    one.page.locator("[data-fate]", has_text="the next time you open PairSpot").wait_for()
    told = one.page.evaluate(ALL, "told")
    assert [row["value"] for row in told if row["name"] == "leaving"] == [None]
    assert one.page.evaluate(ALL, "workouts")[0]["state"] == "pending"
    one.takes_uploads = True
    one.context.set_offline(False)
    one.page.goto("/about")
    one.wait_for_upload()
    sound(one.uploads[0])
    assert one.uploads[0]["detail"]["avg_power"] == 175


def test_another_device_that_is_bound_leads_to_the_devices(rider):
    one = rider().come()
    status = one.page.evaluate("""async () => {
      const { token } = await (await fetch("/csrf")).json();
      const answer = await fetch("/api/v1/devices/binding", {
        method: "PUT",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
        body: JSON.stringify({ device_id: crypto.randomUUID(), name: "The old phone" }),
      });
      return answer.status;
    }""")
    assert status == 200
    one.page.locator("[data-start]").click()
    dialog = one.page.get_by_role("dialog")
    dialog.get_by_text("The old phone").wait_for()
    link = dialog.get_by_role("link").get_attribute("href")
    assert link == "/settings/devices?next=/workouts/record"
    assert not one.page.locator(".dashboard").is_visible()
    assert one.kept() is None


def test_two_tabs_never_record_at_once(rider):
    one = rider().come().connect()
    other = one.open()
    other.goto("/workouts/record")
    other.locator("form[data-view=setup]").wait_for()
    one.start()
    other.locator("[data-start]").click()
    other.get_by_text("in another tab").wait_for()
    assert not other.locator(".dashboard").is_visible()
    other.reload()
    other.get_by_text("in another tab").wait_for()
    assert not other.locator("form[data-view=setup]").is_visible()
    one.pass_time(5_000)
    assert one.figure("time") in ("0:04", "0:05")


def test_a_tab_that_another_one_took_over_from_gives_way(rider):
    one = rider(SCRIPT, NO_LOCKS).come().connect().start()
    one.pass_time(10_000)
    ridden = one.kept()
    one.page.evaluate(NOTE, ["pairspot-recording", {"owner": 2, "until": 9e15}])
    one.pass_time(10_000)
    one.page.get_by_text("in another tab").wait_for()
    assert not one.page.locator(".dashboard").is_visible()
    one.pass_time(10_000)
    assert one.kept()["last_at"] - ridden["last_at"] < 15_000


def test_a_clock_that_is_set_back_stops_nothing(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 150 });")
    one.start()
    one.pass_time(30_000)
    one.page.clock.set_system_time(time.time() - 5 * 3600)
    one.pass_time(30_000)
    assert one.figure("time") in ("0:58", "0:59", "1:00", "1:01")
    assert one.figure("main") == "150"


def test_a_browser_that_keeps_nothing_sends_at_once(rider):
    one = rider(SCRIPT, NO_STORAGE).come()
    sent = []

    def take(route):
        sent.append(route.request.post_data_json)
        if len(sent) == 1:
            route.fulfill(status=503, json={"error": {"code": "unavailable", "message": ""}})
        else:
            route.fulfill(status=201, json={})
    one.context.route("**/api/v1/sessions", take)
    one.connect().start()
    one.drive("machines.bike.pedal({ power: 160, heart: 125 });")
    one.pass_time(30_000)
    one.says("Your browser blocks storage")
    # The warning outlasts other messages, and the browser asks before leaving the page.
    asks = "() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    one.drive("machines.bike.lose();")
    one.says("Your browser blocks storage. Keep this page open until the workout is uploaded, or "
             "it’s lost. Connection to SF-Bike-2041 lost.")
    assert one.page.evaluate(asks)
    one.end().done()
    one.page.get_by_text("Couldn’t save or upload the workout").wait_for()
    assert one.page.evaluate(asks)
    one.page.get_by_role("button", name="Save workout").click()
    one.page.locator("[data-fate=done]").wait_for()
    assert not one.page.evaluate(asks)
    assert len(sent) == 2
    assert sent[0] == sent[1]
    sound(sent[1])


def test_an_expired_sign_in_loses_nothing(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 160, heart: 125 });")
    one.start()
    one.pass_time(20_000)
    cookies = one.context.cookies()
    one.context.clear_cookies()
    one.end().done()
    one.page.get_by_text("You’ve been signed out.").wait_for()
    assert one.page.get_by_role("link", name="Sign in").is_visible()
    assert one.page.evaluate(ALL, "workouts")[0]["state"] == "pending"
    one.context.add_cookies(cookies)
    one.page.goto("/about")
    one.wait_for_upload()


def test_less_than_a_minute_is_asked_about(rider):
    one = rider().come().connect()
    one.drive("machines.bike.pedal({ power: 160 });")
    one.start()
    one.pass_time(20_000)
    short = one.ask_to_end().page.locator("[data-ask=short]")
    short.wait_for()
    check_axe(one.page)
    # Cancelling the question continues.
    one.page.keyboard.press("Escape")
    one.page.locator(".dashboard").wait_for()
    assert one.kept() is not None
    one.ask_to_end()
    short.get_by_role("button", name="Discard").click()
    one.page.locator("form[data-view=setup]").wait_for()
    assert one.kept() is None and one.uploads == []


def test_a_moment_is_no_workout(rider):
    one = rider().come().connect().start()
    one.end()
    one.page.locator("form[data-view=setup]").wait_for()
    assert one.kept() is None and one.uploads == []
    one.drive("machines.bike.pedal({ power: 160 });")
    one.start()
    one.pass_time(5_000)
    assert one.figure("time") in ("0:04", "0:05")


def test_without_javascript_it_says_what_is_needed(rider, browser):
    one = rider()
    with_cookies = one.context.storage_state()
    context = browser.new_context(
        base_url=one.site.url, storage_state=with_cookies, java_script_enabled=False)
    page = context.new_page()
    page.goto("/workouts/record")
    # Playwright finds no text in there.
    assert "Recording needs JavaScript" in page.locator("main noscript").inner_text()
    assert page.locator("main noscript p").first.is_visible()
    links = [link.get_attribute("href") for link in page.locator("main noscript a").all()]
    assert links == ["/workouts/add", "/workouts/import"]
    assert not page.locator("[data-view]:visible").count()
    context.close()


def test_every_view_is_accessible_and_fits(rider, hills):
    one = rider().come().connect().connect("belt")
    page = one.page

    def check():
        page.evaluate("document.fonts.ready")
        check_axe(page)
        check_no_sideways_scroll(page)

    def is_on(colours):
        wait_until(lambda: ground() == colours, 5, f"{colours}, not {ground()}")

    def ground():
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor"), \
            page.locator("meta[name=theme-color]").first.get_attribute("content")

    check()
    # Only the dashboard is dark in the light theme too.
    light = ("rgb(250, 245, 239)", "#FAF5EF")
    is_on(light)
    page.get_by_text(hills, exact=True).click()
    one.drive("machines.bike.pedal({ power: 188 }); machines.belt.beat(142);")
    one.start(stands=False)
    one.pass_time(5 * MINUTE + 10_000)
    check()
    is_on(("rgb(14, 11, 10)", "#0E0B0A"))
    for width, height in [(844, 390), (568, 320), (1280, 800), (320, 568), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        check_axe(page)
        dashboard = page.locator(".dashboard")
        assert dashboard.evaluate("part => part.scrollWidth") <= width
        # On the smallest phones the buttons stay where they are, and the rest scrolls.
        if width != 320:
            assert dashboard.evaluate("part => part.scrollHeight") <= height, f"{width} px wide"
    one.end().done()
    check()
    is_on(light)
