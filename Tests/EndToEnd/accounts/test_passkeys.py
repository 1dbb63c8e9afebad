"""Passkeys with Chromium's virtual authenticator."""

import re

import pytest

from instance import free_port, link_in
from test_pages import check
from test_second_factor import PASSWORD, press


class Device:
    """A virtual authenticator of a page's browser, which keeps discoverable credentials."""

    def __init__(self, page, touches=True):
        self.session = page.context.new_cdp_session(page)
        self.session.send("WebAuthn.enable")
        self.id = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": touches}})["authenticatorId"]

    def touch(self, touches):
        self.session.send("WebAuthn.setAutomaticPresenceSimulation", {
            "authenticatorId": self.id, "enabled": touches})

    def credentials(self):
        return self.session.send(
            "WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]


@pytest.fixture
def site(own_site):
    """A site at localhost: passkeys have no IP addresses."""
    port = free_port()
    site = own_site(
        PAIRSPOT_PORT=str(port), PAIRSPOT_BASE_URL=f"http://localhost:{port}")
    site.url = f"http://localhost:{port}"
    return site


def register(site, page, name="nia"):
    """Registers a couple up to the form that completes it."""
    page.goto(f"{site.url}/register")
    for field, value in (("email_a", f"{name}@example.test"), ("email_b", "other@example.test"),
                         ("couple_name", "Nia & Kim"), ("anniversary", "2020-01-17")):
        page.locator(f"#{field}").fill(value)
    page.locator("#accept").check()
    page.locator("form.form button.button-large").first.click()
    page.wait_for_url("**/register/waiting")
    page.goto(link_in(site.mail_to(f"{name}@example.test")))
    page.locator("#credential").wait_for()


def invite(site, page, address):
    """Registers Sam with a password, who invites a partner."""
    page.goto(f"{site.url}/register/alone")
    for field, value in (
            ("display_name", "Sam"), ("email", "sam@example.test"), ("password", PASSWORD)):
        page.locator(f"#{field}").fill(value)
    page.locator("#accept").check()
    page.locator("main form button.button-large").first.click()
    page.wait_for_url("**/register/waiting")
    page.goto(link_in(site.mail_to("sam@example.test")))
    page.locator("main form button").first.click()
    page.wait_for_url(f"{site.url}/")
    page.goto(f"{site.url}/pair")
    page.locator("#email").fill(address)
    page.locator("main form button.button-large").first.click()


def recover(site, page, address, subject="password"):
    """Signs out, sets a password by a mailed link, and signs in with it."""
    page.context.clear_cookies()
    page.goto(f"{site.url}/reset")
    page.locator("#email").fill(address)
    page.locator("main form button.button-large").first.click()
    page.goto(link_in(site.mail_to(address, subject)))
    page.locator("#password").fill(PASSWORD)
    with page.expect_navigation():
        page.locator("main form button.button-large").first.click()
    page.locator("#email").fill(address)
    page.locator("#password").fill(PASSWORD)
    page.locator("main form button.button-large").first.click()
    page.wait_for_url(f"{site.url}/")


def test_pairing_recovering_and_removing(site, new_page):
    invite(site, new_page(), "kim@example.test")
    page = new_page()
    device = Device(page)
    page.goto(link_in(site.mail_to("kim@example.test")))
    page.locator("#display_name").fill("Kim")
    page.locator("#accept").check()
    page.locator("#credential").click()
    page.wait_for_url("**/couples/**")

    device.touch(False)
    recover(site, page, "kim@example.test")
    page.goto(f"{site.url}/settings/sign-in")
    page.get_by_role("link", name=re.compile("^Change Chrome")).click()
    check(page)
    page.locator("#name").fill("Old phone")
    press(page, "Save")
    page.wait_for_url("**/settings/sign-in")
    page.get_by_role("link", name="Change Old phone").click()
    page.locator("#current_password").fill(PASSWORD)
    press(page, "Remove")
    page.wait_for_url("**/settings/sign-in")
    assert "Old phone" not in page.get_by_test_id("ways").inner_text()


def test_registering_signing_in_and_confirming(site, new_page):
    page = new_page()
    device = Device(page)
    register(site, page)
    check(page)
    page.get_by_role("button", name="Use a passkey instead").click()
    # The name is missing: the passkey is kept.
    page.get_by_test_id("passkey").wait_for()
    check(page)
    assert not page.locator("#password").count()
    page.locator("#display_name").fill("Nia")
    page.locator("form.form button.button-large").last.click()
    page.wait_for_url("**/register/waiting")
    assert len(device.credentials()) == 1

    page.goto(f"{site.url}/settings/sign-in")
    check(page)
    page.get_by_role("link", name=re.compile("^Change")).click()
    page.wait_for_url("**/settings/confirm?**")
    check(page)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(re.compile(r"^[^?]*/settings/passkeys/"))
    check(page)
    assert page.get_by_test_id("last-way").is_visible()

    device.touch(False)
    page.context.clear_cookies()
    page.goto(f"{site.url}/sign-in?next=/settings/email")
    check(page)
    device.touch(True)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(re.compile("/settings/(email|confirm)"))


def test_registering_alone(site, new_page):
    page = new_page(locale="zh-CN")
    device = Device(page)
    page.goto(f"{site.url}/register/alone")
    page.locator("#display_name").fill("Lan")
    page.locator("#email").fill("lan@example.test")
    page.locator("#accept").check()
    check(page)
    page.locator("button[name=passkey]").click()
    page.wait_for_url("**/register/waiting")
    page.goto(link_in(site.mail_to("lan@example.test")))
    check(page)
    page.locator("#credential").click()
    page.wait_for_url(f"{site.url}/")
    assert len(device.credentials()) == 1


def test_adding_and_being_filled_in(site, new_page):
    page = new_page(locale="zh-TW")
    device = Device(page)
    invite(site, page, "kim@example.test")
    page.goto(f"{site.url}/settings/passkeys/new")
    check(page)
    page.locator("#current_password").fill(PASSWORD)
    page.locator("form.form button.button-large").click()
    page.locator("#name").wait_for()
    check(page)
    assert not page.get_by_test_id("unsupported").is_visible()
    page.locator("#name").fill("藍色鑰匙")
    page.locator("#credential").click()
    page.wait_for_url("**/settings/sign-in")
    check(page)
    assert "藍色鑰匙" in page.get_by_test_id("ways").inner_text()
    assert len(device.credentials()) == 1

    # Without a touch on any button.
    page.context.clear_cookies()
    page.goto(f"{site.url}/sign-in?next=/album")
    page.wait_for_url(f"{site.url}/album")


def test_without_a_script_the_password_is_there(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(f"{site.url}/sign-in")
    assert not page.get_by_test_id("passkey-form").is_visible()
    assert page.locator("#password").is_visible()


def test_a_cancelled_passkey_is_told(site, new_page):
    page = new_page()
    page.goto(f"{site.url}/sign-in")
    Device(page)
    page.get_by_role("button", name="Use a passkey").click()
    page.locator("[data-problem]").wait_for()
    assert "No passkey was used" in page.locator("[data-problem]").inner_text()
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(PASSWORD)
    press(page, "Sign in")
    page.get_by_test_id("error-summary").wait_for()
