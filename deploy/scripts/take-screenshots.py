#!/usr/bin/env python3
"""Takes the pictures of the README from a running instance with demonstration data.

    make run DEMO=1
    .build/venv/bin/python deploy/scripts/take-screenshots.py http://127.0.0.1:8080 PASSWORD

The password is the one that `make run` prints.
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parents[1] / "screenshots"
PHONE, DESKTOP = (390, 844), (1280, 800)
# Name, path, size, theme and user.
PICTURES = [
    ("feed-desktop", "/", DESKTOP, "light", "mei"),
    ("profile-phone", "couple", PHONE, "dark", "mei"),
    ("checkin-phone", "/checkin", PHONE, "light", "mei"),
    ("album-phone", "/album", PHONE, "light", "mei"),
    ("workouts-desktop", "/workouts", DESKTOP, "dark", "mei"),
    ("group-phone", "/groups", PHONE, "light", "mei"),
]


def main(url, password):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for name, path, (width, height), theme, user in PICTURES:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme, locale="en")
            page = context.new_page()
            page.goto(f"{url}/sign-in")
            page.fill("[name=email]", f"{user}@example.test")
            page.fill("[name=password]", password)
            page.click("main form button.button")
            page.wait_for_url(f"{url}/")
            if path == "couple":
                path = page.locator(".post-name a").first.get_attribute("href")
            page.goto(f"{url}{path}")
            prepare(page, name)
            page.wait_for_load_state("networkidle")
            # No message of what was done before.
            page.locator("[data-toast]").evaluate("toast => toast.remove()")
            file = FOLDER / f"{name}.png"
            page.screenshot(path=file)
            subprocess.run(["convert", file, "-strip", "-colors", "256", f"PNG8:{file}"], check=True)
            context.close()
        browser.close()


def prepare(page, name):
    """Opens what the picture shows."""
    if name == "checkin-phone" and page.locator("[name=contact_email]").count():
        page.fill("[name=contact_email]", "lee@example.test")
        page.locator("main form .button").first.click()
    if name == "group-phone":
        page.locator("main a[href^='/groups/']").first.click()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
