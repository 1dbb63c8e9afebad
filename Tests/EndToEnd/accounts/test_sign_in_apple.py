"""Signing in with Apple, for which a stand-in has its peculiarities."""

import re

import pytest

from apple_stand_in import ADDRESS, AppleStandIn
from instance import free_port, link_in
from test_pages import check
from test_passkeys import invite
from test_second_factor import PASSWORD, press


@pytest.fixture
def apple(tmp_path):
    stand_in = AppleStandIn(tmp_path, free_port())
    yield stand_in
    stand_in.stop()


def follow(page, apple, button="Continue"):
    page.locator("a[href*='/apple']").first.click()
    page.wait_for_url(f"{apple.url}/**")
    page.get_by_role("button", name=button).click()


def settings(page, site):
    page.goto(f"{site.url}/settings/sign-in")
    return page.locator("main").inner_text()


@pytest.mark.parametrize("scripts", [True, False])
def test_registering_confirming_notices_and_recovering(
        own_site, new_page, apple, scripts):
    site = own_site(**apple.settings())
    page = new_page(java_script_enabled=scripts)
    page.goto(f"{site.url}/sign-in?next=/album")
    if scripts:
        check(page)
    follow(page, apple)
    page.wait_for_url("**/sign-in/with/apple/register")
    assert page.locator("#display_name").input_value() == "Nia Lin"
    page.locator("#accept").check()
    press(page, "Create account")
    page.wait_for_url(f"{site.url}/album")

    # The name comes only once.
    page.context.clear_cookies()
    page.goto(f"{site.url}/sign-in")
    follow(page, apple)
    page.wait_for_url(f"{site.url}/")
    page.goto(f"{site.url}/settings/delete")
    page.wait_for_url("**/settings/confirm?**")
    follow(page, apple)
    page.wait_for_url("**/settings/delete")

    assert apple.notify(site, "email-disabled") == 200
    assert "no longer forwards email" in settings(page, site)
    if scripts:
        check(page)
    assert apple.notify(site, "email-enabled") == 200
    assert "no longer forwards email" not in settings(page, site)
    assert apple.notify(site, "consent-revoked") == 200
    page.goto(f"{site.url}/settings/sign-in")
    page.wait_for_url("**/sign-in?next=**")
    follow(page, apple)
    page.wait_for_url("**/settings/sign-in")
    assert apple.notify(site, "account-delete") == 200
    page.goto(f"{site.url}/settings")
    page.wait_for_url("**/sign-in?next=**")

    # No way in is left but the address.
    page.goto(f"{site.url}/reset")
    page.locator("#email").fill(ADDRESS)
    press(page, "Send link")
    page.goto(link_in(site.mail_to(ADDRESS, "password")))
    page.locator("#password").fill(PASSWORD)
    page.locator("main form button.button-large").click()
    page.goto(f"{site.url}/sign-in")
    if page.url.endswith("/sign-in"):
        page.locator("#email").fill(ADDRESS)
        page.locator("#password").fill(PASSWORD)
        press(page, "Sign in")
        page.wait_for_url(f"{site.url}/")
    assert "Not linked" in settings(page, site)


@pytest.mark.parametrize("language", ["zh-TW", "zh-CN"])
def test_cancelling_leads_back(own_site, new_page, apple, language):
    site = own_site(**apple.settings())
    page = new_page(locale=language)
    page.goto(f"{site.url}/sign-in?next=/album")
    check(page)
    follow(page, apple, "Cancel")
    page.wait_for_url(re.compile(r"/sign-in\?next=.*album"))
    check(page)


def test_pairing_unlinking_and_linking(own_site, new_page, apple):
    site = own_site(**apple.settings())
    invite(site, new_page(), "kim@example.test")
    page = new_page(locale="zh-TW")
    page.goto(link_in(site.mail_to("kim@example.test", least=1)))
    follow(page, apple)
    page.wait_for_url("**/pair/accept?**")
    check(page)
    page.locator("#display_name").fill("Kim")
    page.locator("#accept").check()
    page.locator("main form button.button-large").first.click()
    page.wait_for_url("**/couples/**")

    # Kim chooses a password: Apple is no longer the only way.
    page.goto(f"{site.url}/settings/password")
    page.wait_for_url("**/settings/confirm?**")
    follow(page, apple)
    page.wait_for_url("**/settings/password")
    page.locator("#password").fill(PASSWORD)
    with page.expect_navigation():
        page.locator("main form button.button-large").first.click()
    page.goto(f"{site.url}/settings/sign-in/apple")
    page.locator("#current_password").fill(PASSWORD)
    page.locator("button[name=unlink]").click()
    page.wait_for_url("**/settings/sign-in")
    page.locator("a[href='/settings/sign-in/apple']").click()
    check(page)
    page.locator("#current_password").fill(PASSWORD)
    page.locator("main form button.button-large").first.click()
    page.wait_for_url(f"{apple.url}/**")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/settings/sign-in")
    page.goto(f"{site.url}/settings/sign-in/apple")
    assert page.locator("button[name=unlink]").is_visible()
