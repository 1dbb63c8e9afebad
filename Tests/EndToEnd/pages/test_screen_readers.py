"""Texts for screen readers, and buttons enabled by a form's fields."""

import pytest
from playwright.sync_api import expect

from people import Visitor
from test_pages import signed_in


def test_a_like_is_counted_in_the_right_number(site, new_page):
    link = Visitor(site).sign_in("sam@example.test").write("Nobody likes this yet.").made
    page = new_page()
    signed_in(page, site)
    page.goto(link)
    like = page.locator("[data-like]")
    assert like.inner_text().split()[-2:] == ["0", "likes"]
    like.click()
    page.wait_for_function("() => /1\\s+like$/.test(document.querySelector('[data-like]').innerText.trim())")
    like.click()
    page.wait_for_function("() => /0\\s+likes$/.test(document.querySelector('[data-like]').innerText.trim())")


def test_a_member_of_a_group_is_read_without_empty_parts(mei, site, new_page):
    group = mei.get("/groups").text.split('href="/groups/')[1].split('"')[0]
    page = new_page()
    signed_in(page, site)
    page.goto(f"/groups/{group}")
    for row in page.get_by_test_id("member").all():
        parts = [part.strip() for part in row.inner_text().replace("\n", " ").split(",")]
        assert all(parts), parts


@pytest.mark.parametrize("address, is_one", [
    ("brother@example", False), ("brother@example.", False), ("@example.test", False),
    ("brother@example.test", True), ("brother@example.test.", True), (" b@mail.example.org ", True),
    ("brother＠example。test", True)])
def test_the_check_in_button_waits_for_an_address_that_the_server_takes(new_page, address, is_one):
    page = new_page()
    page.goto("/checkin")
    page.locator("#display_name").fill("Ines")
    page.locator("#contact_email").press_sequentially(address)
    button = page.get_by_test_id("check-in-button")
    if is_one:
        expect(button).to_be_enabled()
    else:
        expect(button).to_be_disabled()
