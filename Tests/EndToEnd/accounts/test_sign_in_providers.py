"""Signing in with a provider that is another program: oidc-provider-mock."""

import json
import re
import subprocess
import sys
import urllib.request

import pytest

from instance import free_port, link_in, wait_until
from test_pages import check
from test_passkeys import invite, recover
from test_second_factor import PASSWORD, press


def answers(url):
    try:
        with urllib.request.urlopen(
                f"{url}/.well-known/openid-configuration", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


class Provider:
    """An OpenID provider on a port of its own."""

    def __init__(self, *options):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        users = [{"sub": name, "name": f"{name.capitalize()} Lin", "email_verified": True,
                  "email": f"{name}@provider.example"} for name in ("nia", "kim")]
        known = [text for user in users for text in ("--user-claims", json.dumps(user))]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oidc_provider_mock", "--port", str(self.port), *known,
             *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.url), 30, f"the provider at {self.url}")

    def settings(self, **others):
        return {
            "PAIRSPOT_OIDC_PROVIDERS": "home", "PAIRSPOT_OIDC_HOME_ISSUER": self.url,
            "PAIRSPOT_OIDC_HOME_CLIENT_ID": "pairspot",
            "PAIRSPOT_OIDC_HOME_CLIENT_SECRET": "s3cret",
            "PAIRSPOT_OIDC_HOME_LABEL": "Club", "PAIRSPOT_OIDC_HOME_PRIVATE_NETWORK": "1"} | others

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def provider():
    provider = Provider()
    yield provider
    provider.stop()


def follow(page, provider, name="nia"):
    """Follows the button of the provider and signs in there."""
    page.locator("a[href*='/home']", has_text="Club").first.click()
    page.wait_for_url(f"{provider.url}/**")
    page.get_by_role("button", name=name, exact=True).click()


def text_of(mail):
    return mail.get_body(("plain",)).get_content()


@pytest.mark.parametrize("scripts", [True, False])
def test_registering_signing_in_confirming_and_leaving(own_site, new_page, provider, scripts):
    site = own_site(**provider.settings())
    page = new_page(java_script_enabled=scripts)
    page.goto(f"{site.url}/sign-in")
    if scripts:
        check(page)
    follow(page, provider)
    page.wait_for_url("**/sign-in/with/home/register")
    if scripts:
        check(page)
    assert page.locator("#display_name").input_value() == "Nia Lin"
    page.locator("#accept").check()
    press(page, "Create account")
    page.wait_for_url(f"{site.url}/")
    page.goto(f"{site.url}/settings/sign-in")
    if scripts:
        check(page)
    assert "Linked since" in page.get_by_test_id("ways").inner_text()

    page.goto(f"{site.url}/settings/delete")
    page.wait_for_url("**/settings/confirm?**")
    if scripts:
        check(page)
    press(page, "Email me a code instead")
    code = re.search(r"\b\d{6}\b", text_of(site.mail_to("nia@provider.example"))).group()
    page.locator("#code").fill(code)
    press(page, "Confirm")
    page.wait_for_url("**/settings/delete")
    press(page, "Delete my account")
    page.wait_for_url(f"{site.url}/account-deleted")

    page.goto(f"{site.url}/sign-in")
    follow(page, provider)
    page.wait_for_url("**/restore")


def test_a_member_links_unlinks_and_is_not_taken_over(own_site, new_page, provider):
    site = own_site(**provider.settings())
    page = new_page()
    page.goto(f"{site.url}/register/alone")
    page.locator("#display_name").fill("Nia")
    page.locator("#email").fill("nia@provider.example")
    page.locator("#password").fill(PASSWORD)
    page.locator("#accept").check()
    press(page, "Send link")
    link = re.search(r"http\S+", text_of(site.mail_to("nia@provider.example"))).group()
    page.goto(link)
    press(page, "Confirm")
    page.wait_for_url(f"{site.url}/")

    other = new_page(locale="zh-TW")
    other.goto(f"{site.url}/sign-in")
    follow(other, provider)
    other.wait_for_url("**/sign-in/with/home/link")
    check(other)
    other.locator("#password").fill("not the password")
    other.locator("main form button.button-large").first.click()
    check(other)
    assert other.locator("#password_note").is_visible()
    other.locator("#password").fill(PASSWORD)
    other.locator("main form button.button-large").first.click()
    other.wait_for_url(f"{site.url}/")

    page.goto(f"{site.url}/settings/sign-in")
    page.get_by_role("link", name="Unlink Club").click()
    check(page)
    page.locator("#current_password").fill(PASSWORD)
    press(page, "Unlink Club")
    page.wait_for_url("**/settings/sign-in")
    page.get_by_role("link", name="Link Club").click()
    check(page)
    page.locator("#current_password").fill(PASSWORD)
    press(page, "Continue with Club")
    page.wait_for_url(f"{provider.url}/**")
    page.get_by_role("button", name="kim", exact=True).click()
    page.wait_for_url("**/settings/sign-in")
    assert "Linked since" in page.get_by_test_id("ways").inner_text()


def test_pairing_and_recovering(own_site, new_page, provider):
    site = own_site(**provider.settings())
    invite(site, new_page(), "kim@example.test")
    page = new_page(locale="zh-CN")
    page.goto(link_in(site.mail_to("kim@example.test")))
    follow(page, provider, "kim")
    page.wait_for_url("**/pair/accept?**")
    check(page)
    page.locator("#display_name").fill("Kim")
    page.locator("#accept").check()
    page.locator("main form button.button-large").first.click()
    page.wait_for_url("**/couples/**")
    recover(site, page, "kim@example.test", "密码")
    page.goto(f"{site.url}/settings/sign-in/home")
    assert page.locator("button[name=unlink]").is_visible()


def test_declining_leads_back(own_site, new_page, provider):
    site = own_site(**provider.settings())
    page = new_page()
    page.goto(f"{site.url}/sign-in?next=/album")
    page.locator("a[href*='/home']", has_text="Club").first.click()
    page.get_by_role("button", name="Deny").click()
    page.wait_for_url("**/sign-in?next=**album")
    # This provider leaves out the state, so its answer could be from anywhere.
    page.get_by_text("That didn’t work").wait_for()


def config_check(site, settings):
    done = subprocess.run(
        [str(site.program), "config", "check"], env=site.environment | settings,
        capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr.strip() or done.stdout.strip()


def test_config_check_asks_the_provider(site, provider):
    strict = Provider("--require-registration", "true")
    try:
        assert config_check(site, provider.settings()) == (0, "the configuration is valid")
        assert config_check(site, strict.settings()) == (
            78, "PAIRSPOT_OIDC_HOME_CLIENT_SECRET: the provider refuses the client id or its secret")
        code, problem = config_check(
            site, provider.settings(PAIRSPOT_OIDC_HOME_ISSUER=f"{provider.url}/"))
        assert code == 78 and problem.startswith("PAIRSPOT_OIDC_HOME_ISSUER: ")
    finally:
        strict.stop()
