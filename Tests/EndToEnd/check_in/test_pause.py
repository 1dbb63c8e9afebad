"""Pausing alerts on the check-in page."""

from datetime import date, timedelta

import pytest

from test_guests import begin
from test_pages import check


@pytest.mark.parametrize("script", [True, False])
def test_a_pause_of_three_days_takes_two_taps(new_page, script):
    page = new_page(java_script_enabled=script)
    if script:
        begin(page)
    else:
        page.goto("/checkin")
        page.locator("#display_name").fill("Gia")
        page.locator("#contact_email").fill("kin.pause@example.test")
        page.get_by_test_id("check-in-button").click()
        page.locator("[data-state=done]").wait_for()
    page.get_by_text("Pause alerts").click()
    if script:
        check(page)
    page.get_by_role("button", name="3 days").click()
    page.get_by_text("Alerts paused").wait_for()
    page.get_by_text("On a break until").wait_for()
    assert page.get_by_test_id("pause-form").count() == 0


def test_a_pause_until_a_day_keeps_what_was_entered_if_it_is_too_late(new_page):
    page = new_page()
    begin(page)
    page.get_by_text("Pause alerts").click()
    late = (date.today() + timedelta(days=100)).isoformat()
    page.locator("#paused_until").fill(late)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.locator("#paused_until").input_value() == late
    check(page)
    page.locator("#paused_until").fill((date.today() + timedelta(days=10)).isoformat())
    page.get_by_role("button", name="Save").click()
    page.get_by_test_id("pause").wait_for()


def test_the_enter_key_pauses_until_the_day_that_was_entered(new_page):
    page = new_page()
    begin(page)
    page.get_by_text("Pause alerts").click()
    day = (date.today() + timedelta(days=10)).isoformat()
    page.locator("#paused_until").fill(day)
    page.locator("#paused_until").press("Enter")
    page.get_by_text("Alerts paused").wait_for()
    page.goto("/checkin/settings")
    assert page.locator("#paused_until").input_value() == day
