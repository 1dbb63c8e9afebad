"""Moving group members, each with a browser of their own, and checks of what they see."""

import json
import math
import re
import subprocess
import time

from conftest import PHONE, parted

RADIUS = 6371008.8
# Maximum time for a change to reach all members, in s: one, and half of one for querying six
# browsers.
SECOND = 1.5


def distance(one, other):
    """Metres on the globe, with vectors: another method than the product's."""
    def vector(place):
        a, o = (math.radians(degrees) for degrees in place)
        return math.cos(a) * math.cos(o), math.cos(a) * math.sin(o), math.sin(a)
    u, v = vector(one), vector(other)
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return RADIUS * math.atan2(math.hypot(*cross), sum(a * b for a, b in zip(u, v)))


def measured(metres):
    """In the format of the pages."""
    if metres >= 995:
        kilometres = metres / 1000
        return f"{kilometres:.1f} km" if kilometres < 9.95 else f"{round(kilometres):,} km"
    return f"{round(metres)} m" if metres < 99.5 else f"{round(metres / 10) * 10} m"


class Traveller:
    def __init__(self, site, browser, name, place):
        self.site, self.name, self.place = site, name, place
        self.context = browser.new_context(
            base_url=site.url, permissions=["geolocation"], geolocation=self.spot(), **PHONE)
        self.context.set_default_timeout(15_000)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def spot(self):
        return {"latitude": self.place[0], "longitude": self.place[1], "accuracy": 8}

    def sign_in(self, address):
        self.page.goto("/sign-in")
        self.page.locator("#email").fill(address)
        self.page.locator("#password").fill(self.site.demo_password())
        self.page.locator("#password").press("Enter")
        self.page.wait_for_selector("[data-user]")

    def make_group(self, name):
        self.page.goto("/groups")
        self.page.locator("#name").fill(name)
        self.page.get_by_role("button", name="Create group").click()
        self.page.wait_for_url("**/invite")
        self.group = re.search("[0-9a-f-]{36}", self.page.url)[0]
        self.open()

    def invitation(self, folder):
        """The link in the QR code on the leader's screen, read by another phone."""
        picture = folder / "screen.png"
        screen = self.context.new_page()
        screen.goto(f"/groups/{self.group}/invite")
        screen.get_by_test_id("qr").wait_for()
        screen.screenshot(path=picture)
        screen.close()
        read = subprocess.run(
            ["zbarimg", "-q", "--raw", "-Sbinary", "--oneshot", picture], capture_output=True,
            check=True)
        return read.stdout.decode().strip()

    def join(self, link):
        self.page.goto(link)
        self.page.locator("#display_name").fill(self.name)
        self.page.get_by_role("button", name="Join group").click()
        self.page.wait_for_url(re.compile("/groups/[0-9a-f-]{36}$"))
        self.group = re.search("[0-9a-f-]{36}", self.page.url)[0]
        return self

    def open(self):
        self.page.goto(f"/groups/{self.group}")
        return self

    @property
    def id(self):
        return self.page.locator("[data-group]").get_attribute("data-me")

    def share(self):
        with self.page.expect_response(re.compile("/location$")) as sent:
            self.page.locator("[data-group-sharing] button").click()
        assert sent.value.status == 204, sent.value.text()
        self.sent_at = time.monotonic()
        return self

    def wait_for_stream(self):
        self.page.wait_for_selector("[data-connection][data-state=live]", state="attached")

    def walk(self, place):
        """Moves, and waits until the location is sent: at most every 5 s."""
        time.sleep(max(0, 5.2 - (time.monotonic() - self.sent_at)))
        self.place = place
        with self.page.expect_response(re.compile("/location$")) as sent:
            self.context.set_geolocation(self.spot())
        assert sent.value.status == 204, sent.value.text()
        self.sent_at = time.monotonic()

    def sees(self, other, within=SECOND, since=None, has_moved=True):
        """The right distance of another member, and after a move a new location."""
        words = measured(distance(self.place, other.place))
        self.shows(
            """([id, words, now]) => {
              const row = document.querySelector(`[data-user-id="${id}"]`);
              return row?.querySelector("[data-distance]").textContent === words
                && (!now || row.querySelector("[data-age]").textContent === "now");
            }""", [other.id_known, words, has_moved], within, since,
            f"{self.name} sees {other.name} {words} away")

    def shows(self, condition, argument, within=SECOND, since=None, what=""):
        since = since or time.monotonic()
        left = within - (time.monotonic() - since)
        try:
            self.page.wait_for_function(
                condition, arg=argument, timeout=max(50, left * 1000), polling=25)
        except Exception as failure:
            shown = self.page.locator("main").inner_text()
            raise AssertionError(f"{what or condition} ({argument}) not in {within} s:\n{shown}") \
                from failure

    def hears(self, words, within=SECOND, since=None):
        """A line of the log, and the same for screen readers."""
        self.shows(
            """(words) => document.querySelector("[data-log-entry]").textContent.includes(words)
              && document.querySelector("[data-spoken]").textContent.includes(words)""",
            words, within, since, f"{self.name} hears “{words}”")

    def call(self, kind):
        self.page.locator(f"[data-group-commands] [value={kind}]").click()

    def ask(self, method, path, **options):
        """A call of the API, like this browser's scripts."""
        token = json.loads(self.context.request.get("/csrf").text())["token"]
        return self.context.request.fetch(
            f"/api/v1/groups/{self.group}{path}", method=method,
            headers={"X-CSRF-Token": token, "Origin": self.site.url}, **options)

    def cookies(self):
        return "; ".join(
            f"{cookie['name']}={cookie['value']}" for cookie in self.context.cookies())

    def close(self):
        parted(self.context)
