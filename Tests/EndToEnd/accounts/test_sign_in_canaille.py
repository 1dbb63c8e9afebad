"""Signing in with canaille, an OpenID provider from PyPI. It verifies no addresses."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from instance import free_port, link_in, wait_until
from test_pages import check
from test_passkeys import recover
from test_second_factor import PASSWORD, press
from test_sign_in_providers import answers

SECRET = "correct horse battery"

CONFIGURATION = """
SECRET_KEY = "test"
SERVER_NAME = "127.0.0.1:{port}"
PREFERRED_URL_SCHEME = "http"
[CANAILLE]
DATABASE = "sql"
[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{folder}/canaille.sqlite"
[CANAILLE_OIDC]
[CANAILLE_HYPERCORN]
BIND = "127.0.0.1:{port}"
"""


class Canaille:
    def __init__(self, folder, callback):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.configuration = folder / "canaille.toml"
        self.configuration.write_text(CONFIGURATION.format(port=port, folder=folder))
        self.run("install")
        for name in ("nia", "kim"):
            self.run(
                "create", "user", "--user-name", name, "--given-name", name.capitalize(),
                "--family-name", "Lin", "--formatted-name", f"{name.capitalize()} Lin",
                "--emails", f"{name}@provider.example", "--password", SECRET)
        scopes = [word for scope in ("openid", "profile", "email") for word in ("--scope", scope)]
        self.run(
            "create", "client", "--client-id", "pairspot", "--client-secret", "s3cret",
            "--client-name", "PairSpot", "--redirect-uris", callback, *scopes,
            "--grant-types", "authorization_code", "--response-types", "code",
            "--token-endpoint-auth-method", "client_secret_basic",
            "--id-token-signed-response-alg", "RS256")
        self.run("set", "client", "pairspot", "--audience", "pairspot")
        with open(folder / "canaille.log", "wb") as log:
            self.process = subprocess.Popen(
                self.command("run"), env=self.environment(), stdout=log, stderr=log)
        wait_until(lambda: answers(self.url), 30, f"canaille at {self.url}")

    def environment(self):
        return os.environ | {"CANAILLE_CONFIG": str(self.configuration)}

    @staticmethod
    def command(*words):
        return [str(Path(sys.executable).with_name("canaille")), *words]

    def run(self, *words):
        subprocess.run(
            self.command(*words), env=self.environment(), check=True, capture_output=True,
            timeout=60)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def club(own_site, tmp_path):
    """A site and its provider."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    provider = Canaille(tmp_path, f"{address}/sign-in/with/home/callback")
    try:
        yield own_site(
            PAIRSPOT_PORT=str(port), PAIRSPOT_OIDC_PROVIDERS="home",
            PAIRSPOT_OIDC_HOME_ISSUER=provider.url, PAIRSPOT_OIDC_HOME_CLIENT_ID="pairspot",
            PAIRSPOT_OIDC_HOME_CLIENT_SECRET="s3cret", PAIRSPOT_OIDC_HOME_LABEL="Club",
            PAIRSPOT_OIDC_HOME_PRIVATE_NETWORK="1"), provider
    finally:
        provider.stop()


def follow(page, provider, name="nia"):
    """Follows the button of the provider, and signs in and consents there if it asks."""
    with page.expect_navigation():
        page.locator("a[href*='/home']", has_text="Club").first.click()
    sign_in(page, provider, name)


def sign_in(page, provider, name):
    while page.url.startswith(provider.url):
        for field, value in (("login", name), ("password", SECRET)):
            if page.locator(f"input[name={field}]:visible").count():
                page.locator(f"input[name={field}]").fill(value)
        with page.expect_navigation():
            page.locator("button[type=submit]:visible").last.click()


def register(page, site, name):
    page.goto(f"{site.url}/register/alone")
    page.locator("#display_name").fill(name.capitalize())
    page.locator("#email").fill(f"{name}@example.test")
    page.locator("#password").fill(PASSWORD)
    page.locator("#accept").check()
    page.locator("main form button.button-large").first.click()
    page.goto(link_in(site.mail_to(f"{name}@example.test")))
    page.locator("main form button").first.click()
    page.wait_for_url(f"{site.url}/")


@pytest.mark.parametrize("scripts", [True, False])
def test_linking_signing_in_pairing_and_unlinking(club, new_page, scripts):
    site, provider = club
    page = new_page(provider.url, java_script_enabled=scripts)
    # An address that is not verified is not enough to register.
    page.goto(f"{site.url}/sign-in")
    follow(page, provider)
    page.wait_for_url("**/sign-in/with/home/register")
    assert not page.locator("#display_name").count()
    if scripts:
        check(page)

    register(page, site, "nia")
    page.goto(f"{site.url}/settings/sign-in/home")
    page.locator("#current_password").fill(PASSWORD)
    press(page, "Continue with Club")
    # Nia is still signed in there.
    page.wait_for_url("**/settings/sign-in")
    assert "Linked since" in page.get_by_test_id("ways").inner_text()

    # Kim accepts an invitation with an account of the provider.
    page.goto(f"{site.url}/pair")
    page.locator("#email").fill("kim@example.test")
    page.locator("main form button.button-large").first.click()
    kim = new_page(provider.url, java_script_enabled=scripts, locale="zh-CN")
    kim.goto(link_in(site.mail_to("kim@example.test")))
    follow(kim, provider, "kim")
    kim.wait_for_url("**/pair/accept?**")
    if scripts:
        check(kim)
    kim.locator("#display_name").fill("Kim")
    kim.locator("#accept").check()
    kim.locator("main form button.button-large").first.click()
    kim.wait_for_url("**/couples/**")

    # Kim has no password, and confirms with the provider.
    kim.goto(f"{site.url}/settings/sign-in/home")
    kim.wait_for_url("**/settings/confirm?**")
    follow(kim, provider, "kim")
    kim.wait_for_url(re.compile(r"^[^?]*/settings/sign-in/home"))
    assert kim.get_by_test_id("last-way").is_visible()

    # The account was made with the provider, which stays a way in.
    recover(site, kim, "kim@example.test", "密码")
    kim.goto(f"{site.url}/settings/sign-in/home")
    assert kim.locator("button[name=unlink]").is_visible()

    again = new_page(provider.url, java_script_enabled=scripts, locale="zh-TW")
    again.goto(f"{site.url}/sign-in?next=/album")
    follow(again, provider)
    again.wait_for_url("**/album")
    page.goto(f"{site.url}/settings/sign-in/home")
    page.locator("#current_password").fill(PASSWORD)
    press(page, "Unlink Club")
    page.wait_for_url("**/settings/sign-in")
    assert "Not linked" in page.get_by_test_id("ways").inner_text()
