"""One time zone per user: first visits, travellers, pages without scripts, and Chinese."""

import os
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from test_pages import wait_for_script

SHOTS = os.environ.get("PAIRSPOT_SHOTS") and Path(os.environ["PAIRSPOT_SHOTS"])
WIDE = {"viewport": {"width": 1280, "height": 900}, "is_mobile": False, "has_touch": False}


def shoot(page, name):
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def sign_in(page, site, address):
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(site.demo_password())
    page.locator("main form .button").first.click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def zone_words(page):
    return page.get_by_test_id("zone")


def day(zone):
    now = datetime.now(timezone.utc).astimezone(ZoneInfo(zone))
    return f"{now.day} {now:%B %Y}"


@pytest.mark.parametrize("zone, words", [
    ("America/Los_Angeles", "Los Angeles time"), ("Europe/Berlin", "Berlin time"),
    ("Asia/Kathmandu", "Kathmandu time"), ("UTC", "UTC"),
])
def test_a_first_view_shows_the_day_of_the_browser(new_page, zone, words):
    page = new_page(timezone_id=zone, locale="en-GB")
    said = []
    page.on("response", lambda answer: said.append(answer.text())
            if answer.request.is_navigation_request() else None)
    page.goto("/checkin")
    zone_words(page).get_by_text(words, exact=True).wait_for()
    assert day(zone) in page.locator(".checkin-head .lead").inner_text()
    sent = page.locator("input[name=time_zone]").first.input_value()
    # Chromium has an old name for some places.
    assert datetime.now(ZoneInfo(sent)).utcoffset() == datetime.now(ZoneInfo(zone)).utcoffset()
    # The page as sent named a zone for viewers without scripts only.
    assert "Taipei time" not in said[0].split("<noscript>")[0]
    shoot(page, f"first-view-{zone.replace('/', '-')}")


def test_a_first_view_does_not_jump(new_page):
    page = new_page(timezone_id="America/Los_Angeles", locale="en-GB")
    page.add_init_script("""
        window.shifts = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shifts += entry.value;
        }).observe({ type: "layout-shift", buffered: true });""")
    page.goto("/checkin")
    zone_words(page).get_by_text("Los Angeles time").wait_for()
    page.wait_for_function("document.fonts.status === 'loaded'")
    assert page.evaluate("window.shifts") == 0


def test_without_scripts_the_zone_is_named_as_the_site_s(new_page):
    page = new_page(java_script_enabled=False, locale="en-GB")
    page.goto("/checkin")
    assert "Taipei time (site default)" in zone_words(page).inner_text()
    assert page.locator("#chosen_time_zone").input_value() == ""
    shoot(page, "without-scripts")
    page.locator("#display_name").fill("Gia")
    page.locator("#contact_email").fill("kin.zone@example.test")
    page.locator("#chosen_time_zone").select_option("Europe/Berlin")
    page.locator("button[name=button][value=save]").click()
    assert zone_words(page).inner_text() == "Berlin time"


@pytest.mark.parametrize("locale, words", [("zh-TW", "洛杉磯時間"), ("zh-CN", "洛杉矶时间")])
def test_in_chinese_no_zone_has_an_english_name(new_page, locale, words):
    page = new_page(timezone_id="America/Los_Angeles", locale=locale)
    page.goto("/checkin")
    zone_words(page).get_by_text(words, exact=True).wait_for()
    shoot(page, f"first-view-{locale}")


@pytest.mark.parametrize("options", [{}, WIDE], ids=["phone", "wide"])
def test_a_traveller_is_asked_once_wherever_they_are(new_page, site, options):
    home = new_page(timezone_id="Europe/Berlin", locale="en-GB", **options)
    name = "wide" if options else "phone"
    address = "sam@example.test" if options else "jun@example.test"
    sign_in(home, site, address)
    home.goto("/settings/language")
    home.locator("#time_zone").select_option("Europe/Berlin")
    home.locator("main form .button-large").click()
    home.goto("/checkin")
    assert zone_words(home).inner_text() == "Berlin time"
    shoot(home, f"checkin-{name}")

    away = new_page(timezone_id="America/Los_Angeles", locale="en-GB", **options)
    sign_in(away, site, address)
    for path in ["/", "/workouts", "/checkin", "/album", "/groups"]:
        away.goto(path)
        assert away.locator("[data-travel] p").first.inner_text() == (
            "You seem to be in Los Angeles. Your days follow Berlin time.")
        width = away.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0
        shoot(away, f"travel-{name}{path.replace('/', '-')}")
    away.goto("/workouts")
    away.get_by_role("button", name="Use Los Angeles time").click()
    away.locator("[data-travel]").wait_for(state="detached")
    assert away.url.endswith("/workouts")
    away.goto("/settings/language")
    assert away.locator("#time_zone").input_value() == "America/Los_Angeles"
    shoot(away, f"language-{name}")

    home.goto("/checkin")
    home.get_by_role("button", name="Keep Los Angeles time").click()
    home.locator("[data-travel]").wait_for(state="detached")
    home.goto("/")
    assert home.locator("[data-travel]").count() == 0


def test_a_browser_that_moves_is_asked_on_the_page_that_stands_open(new_page, site):
    page = new_page(timezone_id="Europe/Berlin", locale="en-GB")
    sign_in(page, site, "mei@example.test")
    page.context.add_cookies([{"name": "tz", "value": "Asia%2FTokyo", "url": site.url}])
    page.goto("/settings/language")
    # The script sets the cookie when it starts, not later.
    wait_for_script(page, "app.js")
    page.locator("#time_zone").select_option("Asia/Tokyo")
    page.context.add_cookies([{"name": "tz", "value": "Asia%2FTokyo", "url": site.url}])
    page.locator("main form .button-large").click()
    page.locator("[data-travel]").wait_for()
    assert "Berlin" in page.locator("[data-travel] p").first.inner_text()
    page.goto("/settings/language")
    page.locator("#time_zone").select_option("")
    page.locator("main form .button-large").click()
    page.locator("[data-travel]").wait_for(state="detached")
    first = page.locator("#time_zone option").first
    assert first.inner_text() == "Automatic (this browser: Berlin)"
