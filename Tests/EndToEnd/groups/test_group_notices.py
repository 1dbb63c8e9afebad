"""The live page receives updates under all network conditions, and announces important ones so
that they are not missed."""

import json
import math
import re
import time

import pytest

from instance import wait_until
from test_pages import check
from moving_members import Traveller

HERE = (25.0270, 121.5710)
NEAR = (25.0280, 121.5716)
ALARM = "[data-calls] [data-call=emergency]"
NEWS = re.compile(r"/api/v1/groups/[0-9a-f-]+\?since=")
GROUP = re.compile(r"/api/v1/groups/[0-9a-f-]+(\?since=\d+)?$")


@pytest.fixture
def pair(site, browser, tmp_path):
    """A leader and one follower, who listen."""
    leader = Traveller(site, browser, "Mei", HERE)
    leader.sign_in("mei@example.test")
    leader.make_group("Night Market")
    follower = Traveller(site, browser, "Joren", NEAR).join(leader.invitation(tmp_path))
    for traveller in (leader, follower):
        traveller.id_known = traveller.id
        traveller.wait_for_stream()
    yield leader, follower
    for traveller in (leader, follower):
        assert traveller.complaints == []
        traveller.close()


def call(traveller, kind, note=None):
    answer = traveller.ask(
        "POST", "/commands", data={"kind": kind} | ({"note": note} if note else {}))
    assert answer.ok, answer.text()


def answers_once(page, pattern, **answer):
    """Answers the next request like this; returns the number of requests, including that one."""
    asked = []

    def meet(route):
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(**answer)
        else:
            route.continue_()

    page.route(pattern, meet)
    return asked


def rewritten(traveller, change):
    """The API's answer to one browser, changed by a function of the group and its members."""
    def meet(route):
        answer = route.fetch()
        # Nothing new: there is no group in the answer.
        if answer.status != 200:
            route.fulfill(response=answer)
            return
        group = answer.json()
        change(group, {member["display_name"]: member for member in group["members"]})
        route.fulfill(response=answer, json=group)

    traveller.page.route(GROUP, meet)


def events(traveller):
    return traveller.ask("GET", "").json()["events"]


def test_an_emergency_stands_on_top_until_it_is_put_away(pair):
    leader, follower = pair
    call(leader, "emergency", "By the north gate")
    alarm = follower.page.locator(ALARM)
    alarm.wait_for()
    words = alarm.locator("[role=alert]").inner_text()
    assert "emergency" in words and "Mei" in words and "By the north gate" in words
    assert "now" in alarm.locator("[data-call-where]").inner_text()
    check(follower.page)
    # The next event renders the page again; the scroll position is kept.
    call(leader, "rest")
    follower.page.locator("[data-call=rest]").wait_for()
    follower.page.wait_for_selector("[data-log-entry][data-kind=rest]", state="attached")
    follower.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert alarm.evaluate("(place) => place.getBoundingClientRect().top") >= 0
    # Another call of the leader replaces the previous one, not the alarm.
    call(leader, "move")
    follower.page.locator("[data-call=move]").wait_for()
    assert follower.page.locator("[data-call=rest]").count() == 0
    # A page opened now shows it too, until it is dismissed.
    follower.page.reload()
    alarm.wait_for()
    alarm.get_by_role("button", name="Dismiss").click()
    assert alarm.count() == 0
    follower.page.reload()
    follower.page.locator("[data-call=move]").wait_for()
    assert alarm.count() == 0
    # Members do not get their own calls.
    assert leader.page.locator("[data-call]").count() == 0


def test_a_call_says_where_whoever_called_is(pair):
    leader, follower = pair
    leader.share()
    follower.share()
    call(follower, "need_help")
    place = leader.page.locator("[data-call=need_help] [data-call-where]")
    place.wait_for()
    leader.shows(
        """() => /^1[0-9]0 m, north-?.* of you · now$/.test(
          document.querySelector("[data-call=need_help] [data-call-where]").textContent)""",
        None, 10)


def test_history_is_no_call(pair):
    leader, follower = pair
    call(leader, "gather")
    follower.page.locator("[data-call=gather]").wait_for()

    def age(group, _):
        for event in group["events"]:
            event["created_at"] = "2020-01-01T00:00:00Z"

    rewritten(follower, age)
    follower.page.reload()
    follower.shows("() => document.querySelector('[data-age]') !== null", None, 5)
    follower.wait_for_stream()
    assert follower.page.locator("[data-call]").count() == 0


def test_an_emergency_is_heard_though_one_question_fails(pair):
    leader, follower = pair
    asked = answers_once(follower.page, NEWS, status=503, body="{}")
    call(leader, "emergency")
    follower.page.wait_for_selector(
        "[data-connection][data-state=unreachable]", state="attached")
    follower.page.locator(ALARM).wait_for(timeout=5_000)
    follower.wait_for_stream()
    assert len(asked) >= 2


def test_news_are_written_though_the_page_fails_once(pair):
    leader, follower = pair
    # The API has a path with the same ending: only the page shall fail.
    asked = answers_once(
        follower.page, lambda url: "/api/" not in url and url.endswith(leader.group), status=503,
        body="later")
    call(leader, "gather", "At the tea house")
    follower.page.locator("[data-log-entry]", has_text="At the tea house").wait_for(
        state="attached", timeout=6_000)
    assert len(asked) == 2


def test_a_stream_that_never_begins_hides_nothing(pair):
    leader, follower = pair
    waiting = []
    follower.page.route(re.compile("/events$"), lambda route: waiting.append(route))
    follower.page.reload()
    call(leader, "rest", "While it hangs")
    # Known data are shown at once, and after a while that they aren't live.
    follower.shows(
        "() => document.querySelector('[data-radar]').childElementCount > 0", None, 5)
    follower.page.wait_for_selector(
        "[data-connection][data-state=polling]", state="attached", timeout=14_000)
    follower.page.locator("[data-log-entry]", has_text="While it hangs").wait_for(
        state="attached", timeout=6_000)
    for route in waiting:
        route.abort()


def test_streams_that_break_off_at_once_are_tried_less_and_less(pair):
    follower = pair[1]
    tries = []

    def drop(route):
        tries.append(time.monotonic())
        route.fulfill(status=200, content_type="text/event-stream", body="event: ping\ndata: 1\n\n")

    follower.page.route(re.compile("/events$"), drop)
    follower.page.reload()
    wait_until(lambda: len(tries) >= 2, 5, "the second try", lambda: follower.page.wait_for_timeout(50))
    follower.page.wait_for_timeout(6_000)
    assert [each for each in tries[2:] if each < tries[1] + 6] == []


def test_without_a_network_the_page_says_so_and_comes_back(pair):
    follower = pair[1]
    follower.context.set_offline(True)
    follower.page.wait_for_selector(
        "[data-connection][data-state=unreachable]", state="attached", timeout=2_000)
    follower.context.set_offline(False)
    follower.wait_for_stream()


def test_the_emergency_takes_the_words_along(pair):
    leader, follower = pair
    page = leader.page
    page.locator(".group-note summary").click()
    page.locator("#note").fill("Steps & ice")
    with page.expect_request(re.compile("/emergency")) as asked:
        page.get_by_role("button", name="Emergency").click()
    assert asked.value.method == "GET"
    assert asked.value.url.endswith("/emergency?note=Steps+%26+ice")
    page.locator("dialog [data-dialog-close]").wait_for()
    check(page)


def test_without_scripts_the_emergency_asks_too_and_takes_the_words_along(pair, browser):
    leader, _ = pair
    context = browser.new_context(
        base_url=leader.site.url, java_script_enabled=False,
        storage_state=leader.context.storage_state())
    page = context.new_page()
    page.goto(f"/groups/{leader.group}")
    page.locator(".group-note summary").click()
    page.locator("#note").fill("Ice")
    # A stray Enter sends nothing.
    page.locator("#note").press("Enter")
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Emergency").click()
    page.wait_for_url("**/emergency?*note=Ice*")
    assert [event["kind"] for event in events(leader) if event["kind"] in ("gather", "emergency")] \
        == []
    context.close()


def test_enter_among_the_words_calls_nobody(pair):
    leader, follower = pair
    for traveller in pair:
        traveller.page.locator(".group-note summary").click()
        traveller.page.locator("#note").fill("Wait")
        traveller.page.locator("#note").press("Enter")
    leader.page.wait_for_timeout(500)
    assert not [event for event in events(leader) if event["note"] == "Wait"]


def test_a_double_tap_calls_once(pair):
    leader, follower = pair
    button = follower.page.locator("[data-group-commands] [value=need_help]")
    ok = follower.page.locator("[data-group-commands] [value=is_ok]")
    button.dblclick()
    follower.page.wait_for_selector("[data-log-entry][data-kind=need_help]", state="attached")
    ok.click()
    follower.page.wait_for_timeout(700)
    kinds = [event["kind"] for event in events(leader)]
    assert kinds.count("need_help") == 1 and "is_ok" not in kinds
    # Later, it is intended.
    follower.page.wait_for_timeout(600)
    ok.click()
    leader.page.locator("[data-call=is_ok]").wait_for()
    assert leader.page.locator("[data-call=need_help]").count() == 0


RADAR = """async (people) => {
  const { Radar } = await import("/js/groups/radar.js");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const words = { distance: (metres) => `${Math.round(metres)} m`, age: () => "", say: () => "N" };
  new Radar(svg, words, "metres").show(people, []);
  const spots = [...svg.querySelectorAll(".person")].reverse().map((person) => {
    const mark = person.querySelector(".face, .dot");
    return {
      x: Number(mark.getAttribute("cx")), y: Number(mark.getAttribute("cy")),
      isFar: Boolean(person.querySelector(".far")), isFace: mark.matches(".face"),
      label: person.querySelector(".label")?.textContent ?? "",
    };
  });
  return spots;
}"""


def drawn(page, *ways):
    people = [
        {"name": f"Person {number}", "initials": "P", "age": 0, "distance": far, "bearing": angle}
        for number, (far, angle) in enumerate(ways)]
    return page.evaluate(RADAR, people)


def test_one_who_is_far_away_leaves_the_others_their_room(pair):
    near, other, far = drawn(pair[0].page, (90, 0), (180, 90), (300_000, 180))
    assert math.isclose(near["y"], -131 * math.sqrt(90 / 400), abs_tol=0.5)
    assert math.isclose(other["x"], 131 * math.sqrt(180 / 400), abs_tol=0.5)
    assert math.isclose(far["y"], 131, abs_tol=0.5)
    assert [each["isFar"] for each in (near, other, far)] == [False, False, True]
    assert far["label"].endswith("300000 m")


def test_who_is_here_stands_beside_me_and_not_on_me(pair):
    spots = drawn(pair[0].page, *[(0, 0)] * 5, (300, 45))
    here = spots[:5]
    assert all(spot["isFace"] for spot in spots)
    for index, spot in enumerate(here):
        assert math.hypot(spot["x"], spot["y"]) > 28
        for other in here[index + 1:]:
            assert math.dist((spot["x"], spot["y"]), (other["x"], other["y"])) > 24


def test_many_people_are_no_blot(pair):
    spots = drawn(pair[0].page, *[(20 + number * 5, number * 37 % 360) for number in range(60)])
    assert len(spots) == 60
    assert sum(bool(spot["label"]) for spot in spots) <= 6
    assert sum(spot["isFace"] for spot in spots) <= 14


def test_nearer_than_places_are_known_there_is_no_direction(pair):
    leader, follower = pair
    leader.share()
    follower.place = (HERE[0] + 0.00003, HERE[1])
    follower.context.set_geolocation(follower.spot())
    follower.share()
    leader.shows(
        """(id) => {
          const row = document.querySelector(`[data-user-id="${id}"]`);
          return row.querySelector("[data-distance]").textContent === "3 m"
            && row.querySelector("[data-direction]").textContent === "right here"
            && row.querySelector("[data-arrow]").hasAttribute("hidden");
        }""", follower.id_known, 10)


def test_a_place_goes_from_the_screen_when_its_time_is_over(pair):
    leader, follower = pair
    leader.share()
    follower.share()
    leader.sees(follower, within=10)
    ends = time.gmtime(time.time() + 5)

    def end(_, members):
        members["Joren"]["sharing_until"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", ends)

    rewritten(leader, end)
    leader.page.reload()
    leader.sees(follower, within=4, has_moved=False)
    leader.shows(
        """(id) => {
          const row = document.querySelector(`[data-user-id="${id}"]`);
          return row.querySelector("[data-distance]").textContent === ""
            && row.textContent.includes("Not sharing");
        }""", follower.id_known, 15)


def test_a_clock_that_is_set_back_keeps_nobody_waiting(pair):
    leader, follower = pair
    leader.share()
    follower.page.evaluate("""() => {
      const now = Date.now;
      Date.now = () => now() - 3_600_000;
    }""")
    call(leader, "rest")
    follower.page.locator("[data-call=rest]").wait_for(timeout=3_000)
    assert follower.page.locator(
        f"[data-user-id='{leader.id_known}'] [data-age]").inner_text() in ("now", "10 s ago")


def test_a_restored_server_is_believed(pair):
    leader, follower = pair
    answered = []

    def restore(group, _):
        group |= {"version": 1, "name": "Restored"}
        answered.append(group)

    rewritten(follower, restore)
    call(leader, "rest")
    wait_until(lambda: answered, 5, "the answer", lambda: follower.page.wait_for_timeout(50))
    with follower.page.expect_request(NEWS) as asked:
        call(leader, "move")
    assert asked.value.url.endswith("?since=1")
    # Pending requests need no answer any more.
    follower.page.unroute_all(behavior="ignoreErrors")


def test_the_calls_are_in_reach_and_hide_nothing(pair):
    page = pair[0].page
    for width, height in [(320, 568), (390, 844), (844, 390), (1280, 800)]:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        button = page.locator("[data-group-commands] [data-emergency]").bounding_box()
        tabs = page.locator(".tabs").bounding_box()
        assert button["y"] + button["height"] <= height
        assert width >= 900 or button["y"] + button["height"] <= tabs["y"]
        tops = page.locator(".group-calls button").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().top)")
        assert len(tops) == 5 and len(set(tops)) == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # At the page's end the last line is above the bar, or beside it.
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.locator(".group-fold").evaluate("(fold) => fold.open = true")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = page.locator("[data-log-entry]").last.bounding_box()
        bar = page.locator(".group-bar").bounding_box()
        assert last["y"] + last["height"] <= bar["y"] + 0.5 \
            or last["x"] >= bar["x"] + bar["width"]


def test_members_are_in_the_first_view_as_long_as_the_radar_shows_nothing(pair):
    leader = pair[0].open()
    leader.wait_for_stream()
    page = leader.page
    # Asked if an earlier test used a browser in another time zone.
    other_zone = page.locator("[data-travel]")
    if other_zone.count():
        other_zone.get_by_role("button").last.click()
        leader.wait_for_stream()
    radar, bar = page.locator("[data-radar]"), page.locator(".group-bar").bounding_box()
    assert not radar.is_visible()
    assert "to see distances" in page.get_by_test_id("sharing").inner_text()
    for row in page.get_by_test_id("member").all():
        box = row.bounding_box()
        assert box["y"] + box["height"] <= bar["y"]
    check(page)
    leader.share()
    radar.wait_for()
    assert "to see distances" not in page.get_by_test_id("sharing").inner_text()


def test_wide_screens_show_people_points_and_log_beside_the_radar(pair):
    page = pair[0].page
    page.set_viewport_size({"width": 1280, "height": 800})
    pair[0].share()
    page.locator("[data-radar]").wait_for()
    # All at once: sections are replaced when the page learns that locations are shared.
    names = ["[data-radar]", ".group-bar"] + [
        f"[data-fragment={name}]" for name in ("members", "waypoints", "log")]
    radar, commands, *parts = page.evaluate(
        "(names) => names.map((name) => document.querySelector(name).getBoundingClientRect()"
        ".toJSON())", names)
    assert all(part["x"] >= radar["x"] + radar["width"] for part in parts)
    tops = [part["y"] for part in parts]
    assert tops == sorted(tops) and tops[0] < radar["y"]
    assert commands["x"] + commands["width"] <= parts[0]["x"]


def test_where_everybody_is_is_read_out_when_asked_for(pair):
    leader, follower = pair
    leader.share()
    follower.share()
    leader.sees(follower, within=10)
    assert "of you" not in leader.page.locator("[data-spoken]").text_content()
    leader.page.locator("[data-say]").focus()
    leader.page.locator("[data-say]").press("Enter")
    said = leader.page.locator("[data-spoken]").text_content()
    assert re.search(r"Joren.*: 1\d0 m, north.* of you", said)


def test_a_compass_that_says_nothing_says_so(pair):
    page = pair[0].page
    # Without a position there are no directions to turn.
    button = page.locator("[data-compass]")
    assert not button.is_visible()
    pair[0].share()
    page.evaluate("() => { DeviceOrientationEvent.requestPermission = undefined; }")
    button.click()
    page.locator("dialog[open]").get_by_text("has no compass").wait_for(timeout=5_000)
    page.keyboard.press("Escape")
    assert button.is_enabled()
    turned = page.evaluate("""async () => {
      const { headingOf } = await import("/js/groups/compass.js");
      const { turnArrows } = await import("/js/groups/lists.js");
      const list = document.createElement("p");
      list.innerHTML = '<i data-arrow data-bearing="0"></i>';
      const turns = [1, 359, 358, 2].map((heading) => {
        turnArrows(list, heading);
        return Number(list.firstChild.dataset.turn);
      });
      Object.defineProperty(screen.orientation, "angle", { value: 90, configurable: true });
      return [turns, headingOf({ webkitCompassHeading: 300 })];
    }""")
    assert json.dumps(turned) == "[[-1, 1, 2, -2], 30]"
