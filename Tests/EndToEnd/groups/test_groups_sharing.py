"""Sharing a location with a group: the page agrees with the server, in all failures."""

import json
import re
import time

import pytest

from conftest import CHROMIUM, PHONE
from instance import wait_until
from moving_members import Traveller

HERE, THERE, ELSEWHERE = (25.0270, 121.5710), (25.0300, 121.5740), (25.0400, 121.5800)
OFF = "not sharing your location"
ON = "Sharing your location"
STOPPING = "Stopping…"
OTHER = "Shared from another device"
REMAINS = "last location is still visible"

# A phone with a simulated location and screen: `window.fix(…)`, `window.miss(code)`.
GEOLOCATION = """
  const watches = new Map();
  let last = 0;
  const geolocation = {
    watchPosition(found, missed) { watches.set(++last, [found, missed]); return last; },
    clearWatch(id) { watches.delete(id); },
    getCurrentPosition() {},
  };
  Object.defineProperty(Navigator.prototype, "geolocation", { get: () => geolocation });
  window.watches = watches;
  window.fix = (latitude, longitude) => watches.forEach(([found]) => found({
    coords: { latitude, longitude, accuracy: 8 }, timestamp: Date.now() }));
  window.miss = (code) => [...watches.values()].forEach(([, missed]) => missed({ code }));
"""
WAKE_LOCK = """
  window.held = 0;
  window.asked = 0;
  Object.defineProperty(Navigator.prototype, "wakeLock", { get: () => ({ async request() {
    window.asked += 1;
    await new Promise((over) => setTimeout(over, PAUSE));
    window.held += 1;
    return Object.assign(new EventTarget(), { async release() {
      if (!this.released) window.held -= 1;
      this.released = true;
    } });
  } }) });
"""


@pytest.fixture
def pair(site, browser, tmp_path):
    """A leader and one follower, not sharing yet."""
    leader = Traveller(site, browser, "Mei", HERE)
    leader.sign_in("mei@example.test")
    leader.make_group("Night Market")
    follower = Traveller(site, browser, "Joren", THERE).join(leader.invitation(tmp_path))
    for traveller in (leader, follower):
        traveller.id_known = traveller.id
    yield leader, follower
    for traveller in (leader, follower):
        traveller.close()
    assert leader.complaints + follower.complaints == []


@pytest.fixture
def laptop(pair, site, browser):
    """Another device of the leader's, not on the group's page yet."""
    other = Traveller(site, browser, "Mei", ELSEWHERE)
    other.sign_in("mei@example.test")
    other.group = pair[0].group
    yield other
    other.close()
    assert other.complaints == []


def says(traveller, title, note=None, within=15):
    traveller.shows(
        """([title, note]) => document.querySelector("[data-sharing-title]").textContent
            .includes(title)
          && (note === null || (note ? document.querySelector("[data-sharing-note]").textContent
            .includes(note) : !document.querySelector("[data-sharing-note]").textContent))""",
        [title, note], within, None, f"{traveller.name} reads “{title}” and “{note}”")


def press(traveller, words):
    traveller.page.locator("[data-group-sharing]").get_by_role("button", name=words).click()


def hear(traveller, condition, what):
    """Waits for events from a page: Playwright delivers them only during its calls."""
    wait_until(lambda: traveller.page.wait_for_timeout(50) or condition(), 20, what)


def member(asked, of):
    """The group's data about a member."""
    members = asked.ask("GET", "").json()["members"]
    return next(each for each in members if each["user_id"] == of.id_known)


def requests(traveller, path):
    """Requests of this page's scripts from now on: method and fields."""
    sent = []
    traveller.page.on("request", lambda request: sent.append(request.post_data_json)
                      if request.url.endswith(path) and request.method == "PUT" else None)
    return sent


def hide(traveller, state):
    traveller.page.evaluate(
        """(state) => {
          Object.defineProperty(document, "visibilityState", {
            configurable: true, get: () => state });
          document.dispatchEvent(new Event("visibilitychange"));
        }""", state)


# MARK: Stopping


def test_a_stop_while_offline_is_sent_as_soon_as_there_is_a_connection(pair):
    leader, follower = pair
    leader.share()
    leader.context.set_offline(True)
    press(leader, "Stop")
    says(leader, STOPPING, "is still visible")
    assert member(follower, leader)["sharing"]
    leader.context.set_offline(False)
    wait_until(lambda: not member(follower, leader)["sharing"], 15, "the stop")
    assert member(follower, leader)["location"] is None
    says(leader, OFF, "")


def test_a_stop_that_did_not_get_through_is_sent_by_the_next_page(pair):
    leader, follower = pair
    leader.share()
    leader.page.route("**/sharing", lambda route: route.abort())
    press(leader, "Stop")
    says(leader, STOPPING, "is still visible")
    leader.page.unroute_all()
    sent, places = requests(leader, "/sharing"), requests(leader, "/location")
    leader.open()
    says(leader, OFF)
    assert sent == [{"on": False}] and places == []
    assert not member(follower, leader)["sharing"]
    # Once is enough.
    leader.open()
    says(leader, OFF)
    leader.wait_for_stream()
    assert sent == [{"on": False}]


def test_a_stop_that_did_not_get_through_is_sent_from_another_groups_page(pair):
    leader, follower = pair
    leader.share()
    leader.page.route("**/sharing", lambda route: route.abort())
    press(leader, "Stop")
    says(leader, STOPPING, "is still visible")
    leader.page.unroute_all()
    first = leader.group
    leader.make_group("Another one")
    wait_until(lambda: not member(follower, leader)["sharing"], 15, "the stop")
    assert leader.group != first


def test_a_stop_that_the_server_refuses_does_not_look_done(pair):
    leader, follower = pair
    leader.share()
    answers = [500, 429]
    leader.page.route("**/sharing", lambda route: route.fulfill(
        status=answers.pop(0), body="{}") if answers else route.continue_())
    # Records every text of the page.
    leader.page.evaluate(
        """() => {
          const title = document.querySelector("[data-sharing-title]");
          window.titles = [];
          new MutationObserver(() => window.titles.push(title.textContent)).observe(
            title, { childList: true, characterData: true, subtree: true });
        }""")
    press(leader, "Stop")
    says(leader, STOPPING, "is still visible")
    hear(leader, lambda: not answers, "another try")
    assert member(follower, leader)["sharing"]
    assert leader.page.evaluate("() => window.titles") == [STOPPING]
    # An impatient user needn't wait.
    press(leader, "Stop")
    says(leader, OFF, "")
    assert not member(follower, leader)["sharing"]


def test_a_stop_while_the_start_is_under_way_holds(pair):
    leader, follower = pair
    held = []
    places = requests(leader, "/location")
    leader.page.route("**/sharing", lambda route: held.append(route))
    press(leader, "Share for 8 hours")
    hear(leader, lambda: held, "the start")
    press(leader, "Stop")
    says(leader, STOPPING)
    held[0].continue_()
    hear(leader, lambda: len(held) == 2, "the stop")
    assert [route.request.post_data_json["on"] for route in held] == [True, False]
    held[1].continue_()
    says(leader, OFF, "")
    assert not member(follower, leader)["sharing"] and places == []


# MARK: Closing the page


@pytest.fixture
def guests(pair, site, playwright, tmp_path):
    """Two guests who share, on a browser that may be closed."""
    browser = playwright.chromium.launch(**CHROMIUM)
    link = pair[0].invitation(tmp_path)
    found = [Traveller(site, browser, name, THERE).join(link) for name in ["Karl", "Ida"]]
    for guest in found:
        guest.id_known = guest.id
        guest.share()
    yield found
    browser.close()


@pytest.mark.parametrize("closed", ["pages", "windows", "browser"])
def test_pages_that_are_closed_at_once_stop_nobody(pair, guests, closed):
    leader, _ = pair
    others = [guest.context.new_page() for guest in guests]
    if closed == "browser":
        guests[0].context.browser.close()
    for guest in guests if closed != "browser" else []:
        guest.page.close() if closed == "pages" else guest.context.close()
    # Requests sent while the page closes have arrived by now.
    time.sleep(3)
    assert [member(leader, guest)["sharing"] for guest in guests] == [True, True]
    assert None not in [member(leader, guest)["location"] for guest in guests]
    log = leader.open().page.locator("[data-log-entry]").all_text_contents()
    assert not [line for line in log if "no longer" in line]
    if closed != "pages":
        return
    # A page that is opened again continues by itself, and stops on request.
    for guest, page in zip(guests, others):
        guest.page = page
        guest.open()
        says(guest, ON)
        press(guest, "Stop")
        says(guest, OFF, "")
    assert [member(leader, guest)["sharing"] for guest in guests] == [False, False]


def test_a_page_that_stays_stops_when_it_may_know_no_place_any_more(pair):
    leader, follower = pair
    leader.share()
    leader.context.clear_permissions()
    says(leader, OFF, "blocks location access")
    assert not member(follower, leader)["sharing"]


# MARK: Signing out


def test_who_is_signed_out_is_not_told_that_their_place_was_forgotten(pair):
    leader, follower = pair
    leader.share()
    # The page learns it only from the answer to a location.
    for path in ("/events$", f"/api/v1/groups/{leader.group}([?].*)?$"):
        leader.page.route(re.compile(path), lambda route: route.abort())
    other = leader.context.new_page()
    other.goto("/groups")
    token = json.loads(leader.context.request.get("/csrf").text())["token"]
    assert leader.context.request.post(
        "/sign-out", form={"csrf_token": token}, headers={"Origin": leader.site.url}).ok
    time.sleep(5.2)
    leader.place = THERE
    leader.context.set_geolocation(leader.spot())
    says(leader, REMAINS, "You’re signed out here")
    press(leader, "Stop")
    says(leader, REMAINS, "You’re signed out here")


# MARK: Other devices


def test_a_page_hears_that_another_device_shares_and_stops_it(pair, laptop):
    leader, follower = pair
    laptop.open()
    says(laptop, OFF)
    places = requests(laptop, "/location")
    laptop.wait_for_stream()
    leader.wait_for_stream()
    leader.share()
    says(laptop, OTHER, "")
    press(laptop, "Stop")
    says(laptop, OFF, "")
    # Quietly, because it was intended.
    says(leader, OFF, "")
    assert places == [] and leader.page.locator("dialog[open]").count() == 0
    assert not member(follower, leader)["sharing"]


def test_opening_the_page_elsewhere_sends_nothing_from_there(pair, laptop):
    leader, follower = pair
    leader.share()
    places = requests(laptop, "/location")
    laptop.open()
    says(laptop, OTHER)
    laptop.wait_for_stream()
    time.sleep(3)
    assert places == []
    assert abs(member(follower, leader)["location"]["latitude"] - HERE[0]) < 1e-6
    # With a tap it does.
    with laptop.page.expect_response(re.compile("/location$")):
        press(laptop, "Share from this device")
    says(laptop, ON)
    assert laptop.page.locator("[data-group-sharing] button").count() == 1
    # And by itself from then on.
    laptop.open()
    says(laptop, ON)


def test_a_device_gives_way_to_the_one_that_shares_since(pair, laptop):
    leader, _ = pair
    leader.share()
    laptop.open()
    says(laptop, OTHER)
    leader.wait_for_stream()
    # The API has times in whole seconds.
    time.sleep(3)
    with laptop.page.expect_response(re.compile("/location$")):
        press(laptop, "Share from this device")
    says(leader, OTHER, "")
    places = requests(leader, "/location")
    leader.place = THERE
    leader.context.set_geolocation(leader.spot())
    time.sleep(6)
    assert places == []
    # Nor by itself after it is reopened.
    leader.open()
    says(leader, OTHER)
    assert places == []
    says(laptop, ON)


def test_a_browser_that_lost_its_permission_does_not_switch_off_what_is_shared(pair):
    leader, follower = pair
    leader.share()
    # Not while the page is open: revoking the permission means to stop.
    leader.page.goto("/groups")
    leader.context.clear_permissions()
    leader.open()
    says(leader, REMAINS, "blocks location access")
    assert member(follower, leader)["sharing"]
    press(leader, "Stop")
    says(leader, OFF)
    assert not member(follower, leader)["sharing"]


# MARK: Starting


def test_a_denial_leaves_nothing_at_the_server(pair):
    leader, follower = pair
    leader.context.clear_permissions()
    sent = requests(leader, "/sharing")
    press(leader, "Share for 8 hours")
    leader.page.locator("dialog[open]").get_by_text("blocks location access").wait_for()
    says(leader, OFF, "blocks location access")
    assert sent == []
    assert not member(follower, leader)["sharing"]


def test_nothing_is_shared_before_there_is_a_place(pair):
    leader, follower = pair
    leader.page.add_init_script(GEOLOCATION)
    leader.open()
    leader.page.wait_for_selector("[data-connection][data-state]", state="attached")
    sent = requests(leader, "/sharing")
    press(leader, "Share for 8 hours")
    for code in (None, 2, 3):
        if code:
            leader.page.evaluate("(code) => miss(code)", code)
        says(leader, "Finding your location…", "The group can’t see it yet")
    assert sent == [] and not member(follower, leader)["sharing"]
    # The user does not wait any longer.
    press(leader, "Stop")
    says(leader, OFF, "")
    assert leader.page.evaluate("() => watches.size") == 0
    press(leader, "Share for 8 hours")
    says(leader, "Finding your location…")
    with leader.page.expect_response(re.compile("/location$")):
        leader.page.evaluate("([latitude, longitude]) => fix(latitude, longitude)", THERE)
    says(leader, ON, "hidden")
    assert sent == [{"on": True}]
    assert abs(member(follower, leader)["location"]["latitude"] - THERE[0]) < 1e-6


def test_a_hidden_page_sends_nothing(pair):
    leader, _ = pair
    leader.share()
    hide(leader, "hidden")
    places = requests(leader, "/location")
    time.sleep(5.2)
    leader.place = ELSEWHERE
    leader.context.set_geolocation(leader.spot())
    leader.page.wait_for_timeout(3_000)
    assert places == []
    with leader.page.expect_response(re.compile("/location$")):
        hide(leader, "visible")
    assert abs(places[0]["latitude"] - ELSEWHERE[0]) < 1e-6


def test_a_clock_that_is_set_back_silences_nobody(pair):
    leader, _ = pair
    leader.share()
    leader.page.evaluate(
        "() => { const now = Date.now; Date.now = () => now() - 3_600_000; }")
    before = member(leader, leader)["last_location_update"]
    leader.walk(THERE)
    known = member(leader, leader)
    assert abs(known["location"]["latitude"] - THERE[0]) < 1e-6
    assert known["last_location_update"] > before


# MARK: The screen


@pytest.mark.parametrize("pause", [0, 1_500])
def test_the_screen_is_let_go_when_sharing_is_over(pair, pause):
    leader, _ = pair
    leader.page.add_init_script(WAKE_LOCK.replace("PAUSE", str(pause)))
    leader.open()
    leader.wait_for_stream()
    leader.share()
    leader.page.wait_for_function("() => window.asked === 1")
    if not pause:
        says(leader, ON, "screen stays on")
        # Requested again when the page is visible again, and never twice.
        hide(leader, "visible")
        leader.page.wait_for_function("() => window.asked === 2 && window.held === 1")
    press(leader, "Stop")
    says(leader, OFF, "")
    leader.page.wait_for_timeout(pause + 500)
    assert leader.page.evaluate("() => window.held") == 0


def test_a_screen_that_goes_dark_is_not_said_to_stay_on(pair):
    leader, _ = pair
    leader.page.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'wakeLock', { get: () => ({"
        " request: () => Promise.reject(new DOMException('no', 'NotAllowedError')) }) });")
    leader.open()
    leader.wait_for_stream()
    leader.share()
    says(leader, ON, "hidden")
    assert "screen" not in leader.page.locator("[data-sharing-note]").inner_text()


# MARK: Missing browser features


def test_without_scripts_nobody_is_offered_to_share(pair, site, browser):
    leader, _ = pair
    context = browser.new_context(
        base_url=site.url, java_script_enabled=False,
        storage_state=leader.context.storage_state(), **PHONE)
    page = context.new_page()
    page.goto(f"/groups/{leader.group}")
    bar = page.get_by_test_id("sharing")
    assert OFF in bar.inner_text()
    assert bar.get_by_role("button", name="Share for 8 hours").count() == 0
    leader.share()
    page.reload()
    assert not page.locator("[data-sharing-note]").is_visible()
    bar.get_by_role("button", name="Stop").click()
    assert OFF in bar.inner_text()
    context.close()
    says(leader, OFF)


def test_a_browser_without_places_says_so(pair):
    leader, _ = pair
    leader.page.add_init_script("delete Navigator.prototype.geolocation;")
    leader.open()
    says(leader, OFF, "can’t find your location")
    assert leader.page.locator("[data-group-sharing] button").is_disabled()


# MARK: The code


@pytest.mark.parametrize("knows", [True, False])
def test_a_code_is_counted_by_the_servers_clock(pair, knows):
    page = pair[0].context.new_page()
    page.add_init_script("{ const now = Date.now; Date.now = () => now() + 2 * 86_400_000; }")
    if not knows:
        # Like a page from before the server sent its time.
        page.add_init_script(
            """document.addEventListener("readystatechange", () =>
              document.querySelector("[data-invite]")?.removeAttribute("data-now"));""")
    loads = []
    page.on("load", lambda: loads.append(page.url))
    page.goto(f"/groups/{pair[0].group}/invite")
    page.wait_for_timeout(4_000)
    assert len(loads) <= (1 if knows else 2)
    assert re.search("Expires in 2[34] h", page.locator("[data-left]").inner_text())


def test_a_link_that_may_not_be_copied_is_shown(pair):
    page = pair[0].context.new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'));")
    page.goto(f"/groups/{pair[0].group}/invite")
    page.locator("[data-copy-link]").click()
    page.wait_for_function(
        """() => getSelection().toString().trim()
          === document.querySelector("[data-share]").dataset.link""")
    assert page.locator(".invite-link p").first.is_visible()


# MARK: The camera


@pytest.mark.parametrize("plays", [True, False])
def test_scanning_can_be_cancelled_and_the_camera_goes_off(pair, plays):
    page = pair[0].context.new_page()
    page.add_init_script(
        """
        window.BarcodeDetector = class {
          static getSupportedFormats() { return Promise.resolve(["qr_code"]); }
          detect() { return Promise.resolve([]); }
        };
        const canvas = document.createElement("canvas");
        canvas.getContext("2d");
        const stream = canvas.captureStream(5);
        window.isOn = () => stream.getTracks().some((track) => track.readyState === "live");
        Object.defineProperty(Navigator.prototype, "mediaDevices", {
          get: () => ({ getUserMedia: () => Promise.resolve(stream) }) });
        HTMLMediaElement.prototype.play = () => PLAYS;
        """.replace("PLAYS", "Promise.resolve()" if plays else "Promise.reject(new Error('no'))"))
    page.goto("/join")
    start = page.locator("[data-scan-start]")
    assert page.evaluate("() => isOn()")
    start.click()
    if plays:
        page.get_by_role("button", name="Stop scanning").click()
    page.wait_for_function("() => !isOn()")
    page.wait_for_function("() => !document.querySelector('[data-scan-start]').disabled")
    assert not page.locator("[data-scan-cancel]").is_visible()
    assert not page.locator("video").is_visible()


# MARK: A waypoint at the own location


@pytest.mark.parametrize(("code", "words"), [(1, "blocks location access"), (3, "Couldn’t find your location")])
def test_a_place_that_is_not_to_be_had_is_said_as_it_is(pair, code, words):
    leader, _ = pair
    leader.page.add_init_script(
        "navigator.geolocation.getCurrentPosition = (found, missed) => missed({ code: CODE });"
        .replace("CODE", str(code)))
    leader.open()
    leader.page.locator(".group-add summary").click()
    leader.page.locator("[data-here]").click()
    leader.page.locator("dialog[open]").get_by_text(words).wait_for()
