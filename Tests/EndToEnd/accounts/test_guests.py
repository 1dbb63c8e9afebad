"""Guests in a browser: from the first check-in to an account, and back with a code."""

import re
import secrets


from instance import link_in
from test_pages import check


def begin(page, name="Gia", contact=None):
    """The first check-in of a visitor without an account; returns the contact's address."""
    contact = contact or f"{secrets.token_hex(6)}@example.test"
    page.goto("/checkin")
    page.locator("#display_name").fill(name)
    page.locator("#contact_email").fill(contact)
    page.get_by_test_id("check-in-button").click()
    page.locator("[data-state=done]").wait_for()
    return contact


def recovery_code(page):
    page.goto("/settings/recovery-code")
    return page.get_by_test_id("recovery-code").inner_text().strip()


def test_the_pages_of_guests_are_accessible_and_fit(new_page):
    page = new_page()
    page.goto("/checkin")
    check(page)
    page.locator("button[value=save]").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    begin(page)
    check(page)
    for path in ["/settings/recovery-code", "/settings", "/settings/delete", "/become-a-member"]:
        page.goto(path)
        check(page)


def test_a_code_brings_a_guest_back_in_another_browser(new_page):
    page = new_page()
    begin(page)
    code = recovery_code(page)
    # Shown once only: a second view shows nothing.
    page.reload()
    assert code not in page.content()
    other = new_page()
    other.goto("/recover")
    other.locator("#recovery_code").fill("ABCD-EFGH-JKLM-NPQR")
    other.locator("main form .button").click()
    other.get_by_test_id("error-summary").wait_for()
    check(other)
    other.locator("#recovery_code").fill(code)
    other.locator("main form .button").click()
    other.wait_for_url("**/checkin")
    assert other.locator("[data-checkin-state]").get_attribute("data-state") == "done"


def test_a_guest_becomes_a_member_and_keeps_the_check_in(site, new_page):
    page = new_page()
    begin(page)
    address = f"{secrets.token_hex(6)}@example.test"
    page.goto("/become-a-member")
    page.locator("#email").fill(address)
    page.locator("#password").fill("lantern river seven")
    page.locator("main form .button").click()
    page.wait_for_url("**/register/waiting")
    page.goto(link_in(site.mail_to(address)))
    page.locator("main form .button").last.click()
    page.wait_for_url("**/checkin")
    assert "You’re a member now" in page.get_by_test_id("toast").inner_text()
    assert page.locator("[data-checkin-state]").get_attribute("data-state") == "done"
    page.goto("/settings/email")
    assert address in page.content()


def test_a_heart_leads_a_guest_to_become_a_member_and_back_to_the_post(site, new_page):
    page = new_page()
    begin(page)
    page.goto("/")
    heart = page.locator("a.like").first
    post = heart.get_attribute("href").split("next=")[1]
    heart.click()
    page.wait_for_url("**/become-a-member?next=**")
    check(page)
    address = f"{secrets.token_hex(6)}@example.test"
    page.locator("#email").fill(address)
    page.locator("#password").fill("lantern river seven")
    page.locator("main form .button").click()
    page.wait_for_url("**/register/waiting")
    page.goto(link_in(site.mail_to(address)))
    page.locator("main form .button").last.click()
    page.wait_for_url(f"**{post}")
    page.get_by_role("button", name="Like").wait_for()


def test_who_signs_in_is_asked_whether_to_take_the_guest_along(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto("/checkin")
    page.locator("#display_name").fill("Gia")
    page.locator("#contact_email").fill(f"{secrets.token_hex(6)}@example.test")
    page.locator("button[value=save]").click()
    page.get_by_test_id("check-in-button").click()
    page.locator("[data-state=done]").wait_for()
    page.goto("/sign-in?next=/checkin")
    page.locator("#email").fill("jun@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile(r"/merge\?next="))
    page.locator("button[name=take][value='1']").click()
    page.wait_for_url("**/checkin")
    assert page.locator("[data-checkin-state]").get_attribute("data-state") == "done"
