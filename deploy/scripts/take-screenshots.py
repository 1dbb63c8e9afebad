#!/usr/bin/env python3
"""Takes the pictures of the users' documentation, the README and the front page.

    .build/venv/bin/python deploy/scripts/take-screenshots.py [NAME…]

Starts the release program, or the one that TEST_PROGRAM names, with demonstration data of its own,
and writes docs/user/images (each page at two widths, in both themes) and public/pictures (parts of
pages for the front page, in three languages). With names only those pages. Needs ImageMagick and the
virtual environment of the end-to-end tests (docs/developer/tests.md). Look at each picture
before it is committed: it needs a Latin font beside the Chinese ones (fonts-noto-core).
"""

import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from playwright.sync_api import sync_playwright

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(folder) for folder in (CHECKOUT / "Tests/EndToEnd").iterdir() if folder.is_dir()]

from instance import Instance  # noqa: E402
from people import Visitor  # noqa: E402
from test_messages import path_of_two, write  # noqa: E402
from test_trainings import as_admin, enrolled  # noqa: E402

DOCUMENTS = CHECKOUT / "docs/user/images"
PICTURES = CHECKOUT / "public/pictures"
SIZES = {390: 844, 1280: 800}
THEMES = ["light", "dark"]
# Latitude and longitude of the group's members.
PLACES = {"mei": (24.9673, 121.5862), "jun": (24.9681, 121.5870), "sam": (24.9664, 121.5850)}
# What the two write to each other.
TALK = [
    ("mei", "Train’s on time. See you at the lake at six?"),
    ("jun", "Yes! I’ll bring tea. 要帶傘嗎？"),
    ("mei", "No need, the sky is clear here."),
]
TAIPEI = ZoneInfo("Asia/Taipei")
LANGUAGES = ["en", "zh-Hant", "zh-Hans"]
# The most bytes of a picture.
MOST = 60_000
# Parts of pages: the page, the element at the top, and the height in CSS pixels.
PARTS = {
    "feed": ("feed", ".post:has(.pictures)", 540),
    "checkin": ("check-in", "main", 540),
    "album": ("album", ".album-grid", 244),
    "workouts": ("workouts", ".sums", 244),
    "groups": ("group", ".radar", 300),
}


def act(site):
    """Does what the pages show beside the demonstration data; returns their paths."""
    mei, jun, sam = (
        Visitor(site).sign_in(f"{name}@example.test") for name in ["mei", "jun", "sam"])
    post = re.findall(r'data-testid="post"[^>]*data-id="([^"]+)"', mei.get("/").text)[0]
    couple = re.search(r'href="(/couples/[^"/]+)"', sam.get(f"/posts/{post}").text)[1]
    sam.post(f"{couple}/follow", {"csrf_token": sam.token(couple)})
    for visitor in [sam, jun]:
        visitor.post(f"/posts/{post}/like", {"csrf_token": visitor.token()})
    jun.write("Soup’s on. 晚上見。", "couple")
    mei.post("/checkin", {
        "csrf_token": mei.token("/checkin"), "display_name": "Mei", "button": "save",
        "contact_email": "lee@example.test"})
    morning = datetime.now(TAIPEI).replace(hour=8, minute=30, second=0, microsecond=0)
    for days in [2, 1]:
        mei.post("/checkin", {
            "csrf_token": mei.token("/checkin"), "button": "check-in",
            "tapped_at": (morning - timedelta(days=days)).isoformat()})
    messages = path_of_two(mei)
    for visitor, text in TALK:
        write({"mei": mei, "jun": jun}[visitor], messages, text)
    photo = re.findall(r'href="(/album/[0-9a-f-]{36})"', mei.get("/album").text)[0]
    workout = re.findall(r'href="(/workouts/[0-9a-f-]{36})"', mei.get("/workouts").text)[0]
    group = re.findall(r'href="(/groups/[0-9a-f-]{36})"', mei.get("/groups").text)[0]
    return {
        "front": "/", "feed": "/", "post": f"/posts/{post}", "check-in": "/checkin",
        "album": "/album", "photo": photo, "workouts": "/workouts", "workout": workout,
        "group": group, "messages": messages, "settings": "/settings", "notifications": "/notifications",
        "moderation": "/admin/reports",
    }


def window(browser, site, visitor, width, theme, place=None):
    """A page of a visitor."""
    latitude, longitude = place or PLACES["mei"]
    context = browser.new_context(
        base_url=site.url, viewport={"width": width, "height": SIZES[width]}, color_scheme=theme,
        locale="en", device_scale_factor=2 if width == 390 else 1, reduced_motion="reduce",
        timezone_id="Asia/Taipei",
        geolocation={"latitude": latitude, "longitude": longitude, "accuracy": 8})
    return as_admin(context.new_page(), visitor)


def show(page, path):
    """Opens a page, and waits until everything on it is there."""
    if "/groups/" in path:
        page.context.grant_permissions(["geolocation"])
    page.goto(path)
    if "/groups/" in path:
        # Its script has started.
        page.locator("[data-radar] > *").first.wait_for(state="attached")
        page.locator("[data-group-sharing] [value='1']").click()
        page.locator(".radar:not(.is-blind)").wait_for()
        page.wait_for_timeout(3_000)
    page.wait_for_load_state("load" if "/groups/" in path else "networkidle")
    # No message of what was done before.
    page.locator("[data-toast]").evaluate("toast => toast.replaceChildren()")
    # Nor posts that Mei has reported, for the moderators' picture.
    page.evaluate(
        """document.querySelectorAll(".post-folded").forEach((post) => post.remove())""")
    return page


def keep(page, file, **options):
    """Writes a picture of the page as WebP that is small enough."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(suffix=".png") as whole:
        page.screenshot(path=whole.name, **options)
        for quality in range(80, 20, -10):
            subprocess.run(
                ["convert", whole.name, "-strip", "-quality", str(quality),
                 "-define", "webp:method=6", file], check=True)
            if file.stat().st_size <= MOST:
                break
    if "/groups/" in page.url:
        # The next window shares the place.
        page.locator("[data-group-sharing] [value='0']").click()
        page.locator("[data-group-sharing] [value='1']").wait_for()
    page.context.close()
    print(f"{file.relative_to(CHECKOUT)}: {file.stat().st_size:,} bytes")


def part(page, name, language, theme):
    """Keeps a part of a page for the front page."""
    _, top, height = PARTS[name]
    page.evaluate("""document.querySelectorAll(".tabs, .group-bar").forEach(
      (fixed) => { fixed.style.visibility = "hidden"; })""")
    box = page.locator(top).first.bounding_box()
    keep(page, PICTURES / f"{name}-{language}-{theme}.webp", full_page=True,
         clip={"x": 0, "y": box["y"], "width": 390, "height": height})


def main(names):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Instance(folder, PAIRSPOT_DEMO="1").start()
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            paths = act(site)
            people = {name: Visitor(site).sign_in(f"{name}@example.test") for name in PLACES}
            for name in ["jun", "sam"]:
                show(window(browser, site, people[name], 390, "light", PLACES[name]),
                     paths["group"])
            for name, (path, _, _) in PARTS.items() if not names else []:
                for language in LANGUAGES:
                    people["mei"].read_in(language)
                    for theme in THEMES:
                        page = window(browser, site, people["mei"], 390, theme)
                        part(show(page, paths[path]), name, language, theme)
            people["mei"].read_in("en")
            people["mei"].post("/checkin", {
                "csrf_token": people["mei"].token("/checkin"), "button": "check-in"})
            # A start copies new files of public/, which the front page shows.
            site.stop()
            site.start()
            people |= {"front": Visitor(site), "moderation": enrolled(site, "ada")}
            for name in names or paths:
                for width in SIZES:
                    for theme in THEMES:
                        page = window(browser, site, people.get(name, people["mei"]), width, theme)
                        keep(show(page, paths[name]),
                             DOCUMENTS / f"{name}-{width}-{theme}.webp")
        finally:
            browser.close()
            site.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
