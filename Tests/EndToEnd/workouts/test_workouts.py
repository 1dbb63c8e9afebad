"""Viewing workouts: the list, one of them, and its deletion."""

import gzip
import re

import pytest

from people import Visitor
from test_pages import check, check_axe, signed_in, wait_for_script


def first_workout(visitor):
    return re.search("/workouts/[0-9a-f-]{36}", visitor.get("/workouts").text)[0]


def test_the_history_shows_what_was_done(site, new_page):
    page = new_page()
    signed_in(page, site)
    page.get_by_role("link", name="Workouts").click()
    page.get_by_test_id("totals").wait_for()
    rows = page.get_by_test_id("workout")
    assert rows.count() == 12
    for row in rows.all():
        assert row.get_attribute("data-state") == "stored"
        assert re.fullmatch("[0-9a-f-]{36}", row.get_attribute("data-client-session-id"))
    assert re.match(r"(Morning|Afternoon|Evening) ride\s+(Today|Yesterday), \d\d:\d\d\s+30:00\s+\d+ W",
                    rows.first.inner_text())
    # The link covers the whole row, not only its title. A note above may have moved the row below
    # the tabs, which a forced click would hit.
    rows.first.evaluate("row => row.scrollIntoView({ block: 'center' })")
    rows.first.locator(".workout-time").click(force=True)
    page.get_by_test_id("figures").wait_for()
    assert page.get_by_test_id("chart").count() == 4
    assert page.locator("nav.tabs [aria-current]").inner_text() == "Workouts"


def test_weeks_and_months_fold_out_and_the_figures_as_a_table(site, new_page):
    page = new_page()
    signed_in(page, site)
    page.goto("/workouts")
    # The weeks as bars are there at once, with a toggle; their tables fold out.
    assert page.get_by_role("table").count() == 0 and page.locator(".bars-time").is_visible()
    page.locator(".bars label", has_text="Energy").click()
    assert page.locator(".bars-energy").is_visible() and not page.locator(".bars-time").is_visible()
    page.get_by_text("By week and month").click()
    assert page.get_by_role("table").count() == 2
    check(page)
    page.get_by_test_id("workout").get_by_role("link").first.click()
    page.get_by_text("Show data as a table").click()
    page.get_by_role("columnheader", name="Power, W").wait_for()
    check(page)


def test_wide_screens_show_two_charts_a_row_and_start_in_the_head(site, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    signed_in(page, site)
    page.goto("/workouts")
    start = page.get_by_role("link", name="Start a workout")
    assert start.count() == 1 and page.locator(".workout-start-top").is_visible()
    check_axe(page)
    page.get_by_test_id("workout").get_by_role("link").first.click()
    left, right, below = [box.bounding_box() for box in page.get_by_test_id("chart").all()[:3]]
    assert left["y"] == right["y"] and below["y"] > left["y"] + left["height"]
    check_axe(page)
    page.set_viewport_size({"width": 390, "height": 844})
    first, second = [box.bounding_box() for box in page.get_by_test_id("chart").all()[:2]]
    assert second["y"] > first["y"] + first["height"]
    page.goto("/workouts")
    assert start.count() == 1 and not page.locator(".workout-start-top").is_visible()


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_pages_fit_in_every_language(site, new_page, texts, language):
    mei = Visitor(site).sign_in("mei@example.test")
    paths = ["/workouts", first_workout(mei), first_workout(mei) + "/delete"]
    page = new_page()
    signed_in(page, site)
    mei.read_in(language)
    try:
        for path in paths:
            page.goto(path)
            assert page.locator("html").get_attribute("lang") == language
            check(page)
        page.goto("/workouts")
        assert page.locator("h1").inner_text() == texts(language)["workout.title"]
    finally:
        mei.read_in("en")


def test_pages_are_small_before_pictures(site, mei):
    for path in ["/workouts", first_workout(mei)]:
        assert len(gzip.compress(mei.get(path).body, 6)) < 14 * 1024, path


def test_deleting_asks_first_and_works_without_scripts(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("jun@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/workouts")
    rows = page.get_by_test_id("workout")
    before = rows.count()
    session = rows.last.get_attribute("data-client-session-id")
    rows.last.get_by_role("link").click()
    page.get_by_role("link", name="Delete workout").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Delete workout").click()
    page.get_by_role("button", name="Delete workout").click()
    assert "Workout deleted" in page.get_by_test_id("toast").inner_text()
    assert rows.count() == before - 1
    assert page.locator(f"[data-client-session-id='{session}']").count() == 0
    page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Workout restored").wait_for()
    page.goto("/workouts")
    assert rows.count() == before
    assert page.locator(f"[data-client-session-id='{session}']").count() == 1


def test_deleting_asks_in_a_dialog_with_scripts(site, new_page):
    page = new_page()
    signed_in(page, site, "jun@example.test")
    page.goto("/workouts")
    rows = page.get_by_test_id("workout")
    before = rows.count()
    rows.last.get_by_role("link").click()
    page.get_by_role("link", name="Delete workout").wait_for()
    wait_for_script(page, "confirm.js")
    page.get_by_role("link", name="Delete workout").click()
    dialog = page.locator("dialog")
    dialog.get_by_role("link", name="Cancel").click()
    dialog.wait_for(state="detached")
    page.get_by_role("link", name="Delete workout").click()
    check(page)
    dialog.get_by_role("button", name="Delete workout").click()
    page.wait_for_url("**/workouts")
    assert rows.count() == before - 1, page.locator("body").inner_text()


def test_nobody_sees_those_of_others_and_guests_have_their_own(site, mei, jun, new_page):
    path = first_workout(mei)
    assert jun.get(path).status == 404 and jun.get(path + "/delete").status == 404
    fields = {"csrf_token": jun.token()}
    assert jun.post(path + "/delete", fields).status == 404
    assert mei.get(path).status == 200
    page = new_page()
    page.goto("/checkin")
    page.locator("#display_name").fill("Gia")
    page.locator("#contact_email").fill("gia-sport@example.test")
    page.locator("button[value=save]").first.click()
    site.mail_to("gia-sport@example.test")
    page.goto("/workouts")
    page.get_by_role("link", name="Start a workout").wait_for()
    assert page.get_by_test_id("workout").count() == 0
    check(page)
