"""A moving group: six users, each with a browser of their own, who see each other's locations."""

import base64
import http.client
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from instance import PROGRAM, wait_until
from moving_members import SECOND, Traveller, distance, measured

# Around Elephant Mountain in Taipei.
PLACES = [
    (25.0270, 121.5710), (25.0275, 121.5716), (25.0262, 121.5705), (25.0281, 121.5722),
    (25.0255, 121.5731), (25.0300, 121.5690),
]
# One grey pixel.
TILE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mM4c+bMfwAIMANkq3cY2wAAAABJRU5ErkJggg==")
NAMES = ["Mei", "Joren", "Yuna", "Oskar", "Rhea", "Lio"]


@pytest.fixture
def six(own_site, browser, tmp_path):
    """Six users in one group, all sharing their locations and listening."""
    site = own_site(PAIRSPOT_DEMO="1")
    people = [
        Traveller(site, browser, name, place) for name, place in zip(NAMES, PLACES, strict=True)]
    leader = people[0]
    leader.sign_in("mei@example.test")
    leader.make_group("Harvest Walk")
    link = leader.invitation(tmp_path)
    for follower in people[1:]:
        follower.join(link)
    for traveller in people:
        traveller.id_known = traveller.id
        traveller.share()
        traveller.wait_for_stream()
    yield people
    for traveller in people:
        traveller.close()
    assert [words for traveller in people for words in traveller.complaints] == []


def all_see(people, mover, since, within=SECOND):
    for other in people:
        if other is not mover:
            other.sees(mover, within, since)


@pytest.mark.timed
def test_six_people_see_each_other_move_and_hear_the_leader(six):
    leader, joren, *others = six
    for traveller in six:
        for other in six:
            if other is not traveller:
                traveller.sees(other, within=10, has_moved=False)

    # Each of them moves; all see it within a second.
    for index, mover in enumerate(six):
        mover.walk((mover.place[0] + 0.0004 * (index + 1), mover.place[1] - 0.0003))
        all_see(six, mover, time.monotonic())

    # And all at once.
    time.sleep(max(0, 5.2 - (time.monotonic() - max(each.sent_at for each in six))))
    for mover in six:
        mover.walk((mover.place[0] - 0.0006, mover.place[1] + 0.0005))
    now = time.monotonic()
    for mover in six:
        all_see(six, mover, now)

    # A waypoint at the leader's location.
    leader.page.locator("summary", has_text="waypoint").or_(
        leader.page.locator(".group-add summary")).first.click()
    form = leader.page.locator("[data-group-waypoint]")
    form.locator("[name=name]").fill("Tea house")
    form.locator("[name=place]").fill("25.0290, 121.5700")
    form.locator("button").last.click()
    since = time.monotonic()
    for traveller in six:
        traveller.shows(
            """() => [...document.querySelectorAll("[data-waypoint]")].some((row) =>
              row.textContent.includes("Tea house")
              && /\\d (m|km)/.test(row.querySelector("[data-distance]").textContent))""",
            None, SECOND + 0.5, since, f"{traveller.name} sees the tea house")

    # A call by the leader, and an answer.
    for traveller in six:
        traveller.wait_for_stream()
    leader.call("gather")
    leader.page.wait_for_selector("[data-log-entry][data-kind=gather]", state="attached")
    since = time.monotonic()
    for traveller in six[1:]:
        traveller.hears("gather here", since=since)
        newest = traveller.page.locator("[data-log-entry]").first
        assert newest.get_attribute("data-kind") == "gather"
    joren.call("on_my_way")
    joren.page.wait_for_selector("[data-log-entry][data-kind=on_my_way]", state="attached")
    since = time.monotonic()
    for traveller in [leader, *others]:
        traveller.hears("Joren is on the way", since=since)

    # One is removed: their stream ends, and they see nothing more.
    lio = others[-1]
    stream = Stream(lio)
    assert stream.status == 200 and stream.is_open()
    assert leader.ask("DELETE", f"/members/{lio.id_known}").ok
    since = time.monotonic()
    lio.page.wait_for_selector("[data-group]", state="detached", timeout=5_000)
    wait_until(lambda: not stream.is_open(), 3, "the end of the stream of who was removed")
    assert Stream(lio).status == 404
    assert lio.ask("GET", "").status in (403, 404)
    for traveller in six[:-1]:
        traveller.shows(
            "(id) => !document.querySelector(`[data-user-id='${id}']`)", lio.id_known, SECOND, since)

    # The leader closes the tab, and leaves: the longest member leads.
    leader.page.close()
    leader.page = leader.context.new_page()
    leader.page.goto(f"/groups/{leader.group}/leave")
    leader.page.locator("form button", has_text="Leave").click()
    leader.page.wait_for_url("**/groups")
    since = time.monotonic()
    joren.shows(
        "() => document.querySelector('[data-group-commands] [value=gather]')", None,
        SECOND + 0.5, since, "Joren leads")
    for traveller in others[:-1]:
        traveller.shows(
            "(id) => !document.querySelector(`[data-user-id='${id}']`)", leader.id_known,
            SECOND + 0.5, since)

    # The others still see each other.
    yuna = others[0]
    yuna.walk((25.0310, 121.5740))
    all_see([joren, *others[:-1]], yuna, time.monotonic())


@pytest.mark.timed
def test_pages_catch_up_by_themselves_after_nginx_and_handlers_were_killed(six):
    site, mover = six[0].site, six[1]
    masters = [id for id in site.processes("nginx")
               if b"master" in Path(f"/proc/{id}/cmdline").read_bytes()]
    for id in masters + site.processes("pairspot handlers"):
        os.kill(id, signal.SIGKILL)
    wait_until(site.is_healthy, 20, "the restart")
    mover.sent_at = time.monotonic()
    mover.place = (25.0333, 121.5777)
    mover.context.set_geolocation(mover.spot())
    for traveller in six:
        if traveller is not mover:
            traveller.shows(
                """([id, far]) => document.querySelector(`[data-user-id="${id}"] [data-distance]`)
                  .textContent === far""",
                [mover.id_known, measured(distance(traveller.place, mover.place))], 30, None,
                f"{traveller.name} has caught up")
    for traveller in six:
        traveller.wait_for_stream()
    # Within a second again.
    mover.sent_at = time.monotonic()
    mover.walk((25.0300, 121.5760))
    all_see(six, mover, time.monotonic())


@pytest.fixture
def pair(site, browser, tmp_path):
    """A leader and one follower, not sharing yet."""
    leader = Traveller(site, browser, "Mei", PLACES[0])
    leader.sign_in("mei@example.test")
    leader.make_group("Night Market")
    follower = Traveller(site, browser, "Joren", PLACES[1]).join(leader.invitation(tmp_path))
    for traveller in (leader, follower):
        traveller.id_known = traveller.id
    yield leader, follower
    for traveller in (leader, follower):
        traveller.close()


def test_without_streams_pages_ask_every_now_and_then(pair):
    leader, follower = pair
    follower.context.route(re.compile("/events$"), lambda route: route.abort())
    follower.open()
    follower.page.wait_for_selector("[data-connection][data-state=polling]", state="attached")
    leader.share()
    follower.share()
    # The pauses between requests grow: about 1, 10, 20 and 40 s.
    follower.sees(leader, within=80, has_moved=False)


def test_sharing_is_off_at_first_and_stopping_forgets_the_place(pair):
    leader, follower = pair
    row = f"[data-user-id='{leader.id_known}'] [data-age]"
    follower.wait_for_stream()
    assert follower.page.locator(row).inner_text() == ""
    place = {"latitude": 25.0, "longitude": 121.5}
    assert leader.ask("PUT", "/location", data=place).status == 409
    leader.share()
    follower.shows("(row) => document.querySelector(row).textContent === 'now'", row, 5)
    note = leader.page.locator("[data-sharing-note]")
    assert "hidden" in note.inner_text() and "locked" in note.inner_text()
    leader.page.locator("[data-group-sharing] button").click()
    follower.shows("(row) => document.querySelector(row).textContent === ''", row, 5)
    known = follower.ask("GET", "").json()
    assert [member["location"] for member in known["members"]] == [None, None]


def test_a_reloaded_page_goes_on_sharing(pair):
    leader, follower = pair
    leader.share()
    with leader.page.expect_response(re.compile("/location$")) as sent:
        time.sleep(5.2)
        leader.page.reload()
    assert sent.value.status == 204
    assert "Stop" in leader.page.locator("[data-group-sharing] button").inner_text()


def test_while_offline_the_newest_place_is_kept_and_sent_later(pair):
    leader, follower = pair
    leader.share()
    follower.share()
    time.sleep(5.2)
    leader.context.set_offline(True)
    for step in range(3):
        leader.place = (25.0270 + 0.002 * (step + 1), 121.5710)
        leader.context.set_geolocation(leader.spot())
        time.sleep(0.5)
    sent = []
    leader.page.on("request", lambda request: sent.append(request.post_data_json)
                   if request.url.endswith("/location") else None)
    leader.context.set_offline(False)
    follower.sees(leader, within=20)
    assert len(sent) == 1 and abs(sent[0]["latitude"] - leader.place[0]) < 1e-9
    assert "at" in sent[0]


def test_feet_are_a_choice(pair):
    leader, follower = pair
    leader.share()
    follower.share()
    follower.sees(leader, within=10)
    group = follower.page.url
    follower.page.goto("/settings/language")
    follower.page.locator("label", has_text="Miles").click()
    follower.page.get_by_role("button", name="Save").click()
    follower.page.goto(group)
    follower.page.wait_for_selector("[data-group][data-units=feet]")
    follower.shows(
        """(id) => / ft$/.test(
          document.querySelector(`[data-user-id="${id}"] [data-distance]`).textContent)""",
        leader.id_known, 10)


def test_a_map_shows_everybody_when_the_operator_has_named_tiles(own_site, browser, tmp_path):
    asked = []

    class Tiles(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.end_headers()
            self.wfile.write(TILE)

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tiles)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tiles = f"http://127.0.0.1:{server.server_port}/{{z}}/{{x}}/{{y}}.png"
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_TILE_URL=tiles)
    leader = Traveller(site, browser, "Mei", PLACES[0])
    refused = []
    leader.page.on("console", lambda message: refused.append(message.text)
                   if "Content Security Policy" in message.text else None)
    leader.sign_in("mei@example.test")
    leader.make_group("Night Market")
    follower = Traveller(site, browser, "<b>Joren</b>", PLACES[1]).join(
        leader.invitation(tmp_path))
    leader.share()
    follower.share()
    leader.page.wait_for_function("() => document.querySelectorAll('.map-mark').length === 2")
    wait_until(lambda: asked, 10, "the first tile")
    assert all(re.fullmatch(r"/\d+/\d+/\d+\.png", path) for path in asked)
    # A name is plain text on the map, too.
    assert "<b>Joren</b>" in leader.page.locator("[data-map]").inner_text()
    assert refused == [] and leader.complaints == []
    for traveller in (leader, follower):
        traveller.close()
    server.shutdown()


def test_outsiders_hear_nothing_and_say_nothing(pair, visitor, sam):
    leader, follower = pair
    group = leader.group
    for somebody in (visitor, sam):
        answer = somebody.get(f"/api/v1/groups/{group}/events", Accept="text/event-stream")
        assert answer.status == (401 if somebody is visitor else 404)
    names = [f"g.{group}", f"m.{group}.{leader.id_known}"]
    for path in [f"/live/{names[0]}/{names[1]}", f"/live/{names[0]}", f"/publish/{names[0]}"]:
        for method in ("GET", "POST", "PUT", "DELETE"):
            answer = sam.ask(method, path, b'{"version":99}' if method != "GET" else None, {
                "Accept": "text/event-stream", "Origin": sam.site.url,
                "Content-Type": "application/json"})
            assert answer.status in (403, 404, 405), (method, path, answer.status)
    # Nor with a header that only our own answers may have.
    answer = sam.get("/healthz", **{"X-Accel-Redirect": f"/live/{names[0]}/{names[1]}"})
    assert answer.headers["Content-Type"] != "text/event-stream"
    stream = Stream(leader)
    assert stream.status == 200
    time.sleep(0.5)
    assert b"99" not in stream.heard


def test_a_stream_tells_versions_and_never_a_place(pair):
    leader, follower = pair
    stream = Stream(follower)
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert stream.headers["Cache-Control"] == "no-store"
    leader.share()
    wait_until(lambda: b"event: group" in stream.heard, 3, "word of the change")
    time.sleep(0.3)
    datas = re.findall(rb"event: group\r?\n(?:id: .*\r?\n)?data: (.*?)\r?\n", stream.heard)
    assert datas and all(list(json.loads(data)) == ["version"] for data in datas), stream.heard
    assert b"121.5" not in stream.heard and b"25.0" not in stream.heard


def test_a_stream_asked_for_as_something_else_is_the_newest_version(pair):
    leader = pair[0]
    version = leader.ask("GET", "").json()["version"]
    for accept in ("*/*", "application/json", "text/event-stream;q=0", "TEXT/EVENT-STREAM"):
        stream = Stream(leader, accept=accept)
        assert stream.status == 200
        wait_until(lambda: not stream.is_open(), 3, f"the end of {accept}")
        assert stream.heard == b'event: group\ndata: {"version":%d}\n\n' % version


def test_head_is_answered(pair, sam):
    leader = pair[0]
    stream = Stream(leader, method="HEAD")
    assert stream.status == 200
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    wait_until(lambda: not stream.is_open(), 3, "the end of the answer")
    assert stream.heard == b""
    answer = sam.ask("HEAD", f"/api/v1/groups/{leader.group}/events", None, {
        "Accept": "text/event-stream"})
    assert answer.status == 404


def test_the_streams_of_who_signs_out_end_and_no_other(pair):
    leader, follower = pair
    streams = Stream(leader), Stream(follower)
    assert all(stream.status == 200 and stream.is_open() for stream in streams)
    request = leader.context.request
    token = json.loads(request.get("/csrf").text())["token"]
    assert request.post("/sign-out", form={"csrf_token": token}, headers={
        "Origin": leader.site.url}).ok
    wait_until(lambda: not streams[0].is_open(), 3, "the end of the stream of who signed out")
    assert Stream(leader).status == 401
    # Longer than until the next cut.
    time.sleep(4)
    assert streams[1].is_open()


def test_a_stream_that_begins_while_its_member_is_removed_ends_too(pair):
    leader, follower = pair
    # They repeat: a handler may admit one just before, and nginx connect it to the channel just
    # after the cut.
    streams = []
    done = threading.Event()
    cookies = follower.cookies()

    def come_again():
        while not done.is_set():
            streams.append(Stream(follower, cookies=cookies))
            time.sleep(0.02)

    comer = threading.Thread(target=come_again)
    comer.start()
    time.sleep(0.3)
    assert leader.ask("DELETE", f"/members/{follower.id_known}").ok
    time.sleep(0.5)
    done.set()
    comer.join()
    assert streams[0].status == 200 and streams[-1].status == 404
    wait_until(
        lambda: not any(stream.is_open() for stream in streams), 6, "the end of all their streams")


def test_a_stream_that_ends_now_and_then_is_no_failure(pair):
    """As after nginx's ten minutes without updates."""
    leader, follower = pair
    follower.wait_for_stream()
    states = """() => {
      const place = document.querySelector("[data-connection]");
      window.states = [];
      new MutationObserver(() => window.states.push(place.dataset.state))
        .observe(place, { attributes: true, attributeFilter: ["data-state"] });
    }"""
    follower.page.evaluate(states)
    # Minutes later.
    follower.page.evaluate("""() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + 600_000;
    }""")
    asked = []
    follower.page.on("request", lambda request: asked.append(request.url)
                     if request.url.endswith("/events") else None)
    cut_streams(leader.site, f"m.{leader.group}.{follower.id_known}")
    wait_until(lambda: follower.page.wait_for_timeout(50) or asked, 3, "another stream")
    leader.share()
    follower.shows(
        "(row) => document.querySelector(row).textContent === 'now'",
        f"[data-user-id='{leader.id_known}'] [data-age]", 3)
    assert follower.page.evaluate("() => window.states") == []


def cut_streams(site, channel):
    """Cuts streams like the worker, at nginx's own socket."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(site.data / "run/live.sock"))
        asking.sendall(
            f"DELETE /publish/{channel} HTTP/1.0\r\nHost: live\r\n\r\n".encode())
        assert b" 200 " in asking.recv(1000)


def test_work_is_done_once_though_nginx_is_down(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    site.stop()
    site.sql(
        "INSERT INTO live_news (channel, mark, version, cuts, due) VALUES (?, ?, 1, 0, 0)",
        "g.walk", int(time.time() * 1000).to_bytes(6, "big") + bytes(10))
    done = subprocess.run(
        [PROGRAM, "worker", "--once"], env=site.environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert b"live: " in done.stdout + done.stderr


class Stream:
    """Listens to a group's events like its member's browser."""

    def __init__(self, traveller, method="GET", accept="text/event-stream", cookies=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", traveller.site.port, timeout=60)
        self.connection.request(method, f"/api/v1/groups/{traveller.group}/events", headers={
            "Host": traveller.site.host, "Cookie": cookies or traveller.cookies(),
            "Accept": accept})
        self.answer = self.connection.getresponse()
        self.status, self.headers = self.answer.status, self.answer.headers
        self.heard = b""
        self.thread = threading.Thread(target=self.listen, daemon=True)
        if self.status == 200:
            self.thread.start()

    def listen(self):
        try:
            while part := self.answer.read1():
                self.heard += part
        except (OSError, http.client.HTTPException, socket.timeout):
            pass

    def is_open(self):
        return self.thread.is_alive()
