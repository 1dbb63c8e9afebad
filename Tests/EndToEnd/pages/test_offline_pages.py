"""Pages without a network read like the server's own: the same days, figures, texts and tabs."""

from datetime import datetime, timedelta

import pytest

from instance import wait_until
from phone import ALL, controlled
from test_workouts_offline import (  # noqa: F401  (a fixture too)
    LANGUAGES, finish, riders, states, workout)

TABS = ["/", "/checkin", "/album", "/workouts", "/groups"]
# The texts of a row, a page, its header, and the tabs.
ROWS = """(rows) => Object.fromEntries(rows.map((row) =>
  [row.dataset.clientSessionId, row.innerText.replace(/\\s+/g, " ").trim()]))"""
TEXTS = """(found) => found.filter((one) => one.checkVisibility())
  .map((one) => one.innerText.replace(/\\s+/g, " ").trim())"""
CURRENT = "(tabs) => tabs.map((tab) => [tab.pathname, tab.ariaCurrent, tab.innerText.trim()])"


def lasting(seconds, session):
    """A workout of this duration in s."""
    end = datetime.fromisoformat(session["started_at"]) + timedelta(seconds=seconds)
    return session | {"duration": seconds, "ended_at": end.isoformat()}


def all_kinds():
    """Workouts with all formats of days and figures."""
    rower = {"avg_cadence": 24.4, "max_cadence": 31, "samples": {
        "interval": 1, "cadence": [20 + n % 10 for n in range(60)], "speed": [11.25] * 60}}
    return [
        workout(0), workout(1, device_type="rower", total_distance=9_961, detail=rower),
        lasting(3_723, workout(
            9, device_type="other", total_distance=0, total_energy=1_234.5, detail={})),
        lasting(5 * 3600, workout(
            400, total_distance=123_456, total_energy=0, paused=61,
            detail={"avg_speed": 24.66, "avg_hr": 141.5})),
    ]


def texts(page, selector):
    return page.locator(selector).evaluate_all(TEXTS)


def tabs(page):
    return page.locator("nav.tabs ul:first-of-type > li > a").evaluate_all(CURRENT)


def workouts(page):
    """The texts of the history."""
    page.goto("/workouts")
    page.locator("[data-kept-list] li, [data-history] li.workout").first.wait_for()
    return {
        "rows": page.locator("[data-testid=workout]").evaluate_all(ROWS),
        "sums": texts(page, ".sums .facts > div"), "streak": texts(page, ".sums-streak"),
        "title": texts(page, "h1"), "tabs": tabs(page)}


def one(page, link):
    """The texts of a workout's page, and the beginning of its title."""
    page.goto(link)
    page.locator(".facts .figure").first.wait_for()
    return {
        "left": page.locator("h1").bounding_box()["x"],
        "moment": texts(page, ".workout-moment"), "figures": texts(page, ".facts > div"),
        "charts": texts(page, ".chart-head"), "title": texts(page, "h1"), "tabs": tabs(page)}


def checkin(page):
    page.goto("/checkin")
    page.locator(".checkin-head .lead:not(:empty)").wait_for()
    return {
        "head": texts(page, ".checkin-head .title, .checkin-head .lead"),
        "title": texts(page, "h1"), "tabs": tabs(page)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_without_a_network_read_as_the_servers(riders, language):
    rider = riders().come(language=language)
    page = rider.page
    names = finish(page, *all_kinds())
    wait_until(lambda: set(states(page)) == {"synced"}, 30, "the upload")
    # The history contains the URLs of uploaded workouts.
    page.goto("/workouts")
    wait_until(
        lambda: all(row.get("serverID") for row in page.evaluate(ALL, "workouts")), 30,
        "addresses")
    ids = {one["client_session_id"]: one["id"]
           for one in page.request.get("/api/v1/sessions?limit=200").json()["sessions"]}
    links = [f"/workouts/{ids[name]}" for name in names]

    def seen():
        # A history of several pages is shorter in the server's version.
        return workouts(page), [one(page, link) for link in links], checkin(page)

    online = seen()
    page.goto("/workouts/trainings")
    trainings = texts(page, "[data-testid=training] .training-words > .quiet:first-of-type")
    rider.context.set_offline(True)
    offline = seen()
    assert page.locator("body[data-shell]").count() == 1
    assert set(names) <= set(online[0]["rows"]) <= set(offline[0]["rows"])
    for name, row in online[0]["rows"].items():
        assert offline[0]["rows"][name] == row
    for there, here in zip([online[0], *online[1], online[2]], [offline[0], *offline[1], offline[2]]):
        there.pop("rows", None), here.pop("rows", None)
        assert here == there
    page.goto("/workouts/trainings")
    page.locator("[data-part=summary]:not(:empty)").first.wait_for()
    for there, here in zip(trainings, texts(page, "[data-part=summary]"), strict=True):
        assert there.startswith(here)


def test_the_tabs_lead_on_without_a_network(riders):
    rider = riders().come()
    page = rider.page
    rider.context.set_offline(True)
    page.goto("/workouts")
    for path in [*TABS, "/workouts"]:
        page.locator(f"nav.tabs li > a[href='{path}']").click()
        page.wait_for_url(f"**{path}")
        page.locator(f"body[data-shell] nav.tabs a[href='{path}'][aria-current=page]").wait_for()
        current = [tab for tab, mark, _ in tabs(page) if mark == "page"]
        assert current == [path]
    assert page.locator("[data-workouts-shell]").count() == 1
    # The end of the page is not below the tabs.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    bar = page.locator("nav.tabs").bounding_box()
    last = page.locator(".workout-start").bounding_box()
    assert last["y"] + last["height"] <= bar["y"]


def test_who_is_not_known_here_has_no_tabs(riders):
    rider = riders()
    controlled(rider.page)
    rider.context.set_offline(True)
    rider.page.goto("/workouts")
    rider.page.locator("[data-workouts-shell][data-state=nobody]").wait_for()
    rider.page.locator("nav.tabs").wait_for(state="hidden")
    assert rider.page.locator("body.has-rail").count() == 0
