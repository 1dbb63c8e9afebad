"""Pages do not shift while they load: measured by the browser, with late scripts."""

import pytest

from test_pages import signed_in

OBSERVER = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      shifts.push({ at: entry.startTime, value: entry.value, what: entry.sources.map(
        ({ node, previousRect: from, currentRect: to }) =>
          `${node?.nodeName}.${node?.className} ${from.y}+${from.height} to ${to.y}+${to.height}`) });
    }
  }).observe({ type: "layout-shift", buffered: true });
"""
MOST = 0.02


@pytest.mark.parametrize("name", ["workouts", "group", "notifications"])
def test_nothing_moves_while_a_page_loads(site, mei, new_page, name):
    path = f"/{name}"
    if name == "group":
        path = "/groups/" + mei.get("/groups").text.split('href="/groups/')[1].split('"')[0]
    page = new_page(service_workers="block")
    signed_in(page, site)
    page.context.add_init_script(OBSERVER)
    # On a slow phone the scripts come after the first paint of the page, and answers after those.
    held = []
    page.route("**/js/app.js", lambda route: held.append(route))
    page.route("**/api/**", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.goto(path, wait_until="commit")
    page.wait_for_function(
        "() => performance.getEntriesByName('first-contentful-paint').length > 0")
    page.wait_for_timeout(300)
    for route in held:
        route.continue_()
    page.wait_for_timeout(4_000)
    shifts = page.evaluate("shifts")
    assert held and sum(each["value"] for each in shifts) < MOST, shifts
