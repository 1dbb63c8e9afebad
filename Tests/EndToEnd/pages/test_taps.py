"""Taps and filled fields of the first journeys on a phone are those of docs/developer/taps.md."""

import re
import secrets

import pictures
from instance import CHECKOUT, link_in
from test_pages import signed_in, wait_for_script
from test_recorder import MINUTE, NO_BLUETOOTH, Rider

ROW = re.compile(r"^\| ([A-Z][^|]+) \| (\d+) \| (\d+) \|", re.MULTILINE)
STATED = {
    name: (int(taps), int(fields)) for name, taps, fields
    in ROW.findall((CHECKOUT / "docs/developer/taps.md").read_text())}


class Thumb:
    """Counts what a user taps and fills."""

    def __init__(self):
        self.taps = self.fields = 0

    def tap(self, target):
        target.click()
        self.taps += 1

    def fill(self, field, words):
        field.fill(words)
        self.fields += 1

    def follow(self, page, link):
        page.goto(link)
        self.taps += 1

    def choose(self, page, target, file):
        """Opens the system's dialog, and chooses a file there."""
        with page.expect_file_chooser() as chooser:
            self.tap(target)
        chooser.value.set_files(file)
        self.taps += 1

    def has_counted(self, journey):
        assert (self.taps, self.fields) == STATED[journey], journey


def tab(page, name):
    return page.locator("nav.tabs").get_by_role("link", name=name, exact=True)


def check_in(page, thumb):
    thumb.tap(page.get_by_test_id("check-in-button"))
    page.locator("[data-checkin-state][data-state=done]").wait_for()


def test_a_couple_registers_posts_likes_and_checks_in(site, new_page):
    thumb = Thumb()
    name = secrets.token_hex(4)
    addresses = f"ann-{name}@example.test", f"ben-{name}@example.test"
    ann, ben = new_page(), new_page()
    ann.goto("/")
    thumb.tap(ann.get_by_role("link", name="Register together").first)
    thumb.fill(ann.locator("#email_a"), addresses[0])
    thumb.fill(ann.locator("#email_b"), addresses[1])
    thumb.fill(ann.locator("#couple_name"), "Ann & Ben")
    thumb.tap(ann.locator("#accept"))
    thumb.tap(ann.get_by_role("button", name="Send both links"))
    ann.wait_for_url("**/register/waiting")
    for page, address, person in zip((ann, ben), addresses, ("Ann", "Ben")):
        thumb.follow(page, link_in(site.mail_to(address)))
        thumb.fill(page.locator("#display_name"), person)
        thumb.fill(page.locator("#password"), f"seven quiet lamps {name}")
        thumb.tap(page.get_by_role("button", name="Finish"))
        page.wait_for_url(lambda url: "/verify" not in url and "/complete" not in url)
    words = f"Our first words {name}"
    thumb.tap(ben.locator("#content"))
    thumb.fill(ben.locator("#content"), words)
    thumb.tap(ben.locator("[data-composer] .composer-tools .button"))
    ben.get_by_test_id("post").filter(has_text=words).wait_for()
    # The page on which she waits leads there by itself.
    ann.goto("/")
    card = ann.get_by_test_id("post").filter(has_text=words)
    thumb.tap(card.get_by_role("button", name="Like"))
    card.locator("[data-testid=like-count]", has_text="1").wait_for()
    thumb.has_counted("Two people register, one posts words, the other likes them")

    thumb = Thumb()
    thumb.tap(tab(ann, "Check-in"))
    thumb.tap(ann.locator(".checkin-offer button[value=partner]"))
    ann.locator("[data-checkin-state]:not([data-state=missing])").wait_for()
    check_in(ann, thumb)
    thumb.has_counted("First check-in in a couple")


def test_a_guest_checks_in_and_adds_a_photo_with_a_story(new_page, tmp_path):
    page, thumb = new_page(), Thumb()
    page.goto("/")
    thumb.tap(page.locator(".hero-buttons a[href='/checkin']"))
    thumb.fill(page.locator("#display_name"), "Gia")
    thumb.fill(page.locator("#contact_email"), f"{secrets.token_hex(6)}@example.test")
    check_in(page, thumb)
    thumb.has_counted("First check-in without an account")

    thumb = Thumb()
    page.goto("/")
    thumb.tap(tab(page, "Album"))
    page.wait_for_url("**/album")
    wait_for_script(page, "album.js")
    thumb.choose(page, page.get_by_text("Add photos"), pictures.drawn_png(tmp_path))
    thumb.fill(page.get_by_role("dialog").locator("#story"), "The lake after the rain")
    thumb.tap(page.get_by_role("dialog").get_by_role("button", name="Add", exact=True))
    page.get_by_test_id("toast").get_by_text("Added to your album").wait_for()
    page.get_by_test_id("photo").get_by_text("The lake after the rain").wait_for()
    thumb.has_counted("First photo with a story in the album")


def test_a_visitor_writes_a_photo_story(new_page, tmp_path):
    page, thumb = new_page(), Thumb()
    page.goto("/")
    thumb.tap(page.get_by_role("link", name="Write a photo story"))
    page.wait_for_url("**/stories")
    wait_for_script(page, "album/stories.js")
    thumb.choose(page, page.locator("#file"), pictures.drawn_png(tmp_path))
    page.get_by_test_id("story-found").wait_for()
    thumb.fill(page.locator("#story"), "The lake after the rain")
    with page.expect_download():
        thumb.tap(page.get_by_role("button", name="Save and download"))
    thumb.has_counted("First photo story without an account")


def test_a_first_workout_is_recorded_without_devices(site, browser):
    one, thumb = Rider(site, browser, (NO_BLUETOOTH,), {}), Thumb()
    try:
        page = one.page
        page.goto("/")
        thumb.tap(tab(page, "Workouts"))
        thumb.tap(page.locator(".workout-start a"))
        page.locator("form[data-view=setup]").wait_for()
        one.start()
        thumb.taps += 1
        thumb.has_counted("First workout, until it runs")
        one.pass_time(2 * MINUTE)
        thumb.tap(page.get_by_role("button", name="End", exact=True))
        thumb.tap(page.get_by_role("button", name="End and save"))
        one.go_on()
        thumb.tap(page.get_by_role("button", name="Save workout"))
        one.done()
        thumb.has_counted("First workout, saved")
    finally:
        one.context.close()
    assert one.complaints == []


def test_a_first_group_is_led_and_its_link_copied(site, new_page):
    page, thumb = new_page(permissions=["clipboard-read", "clipboard-write"]), Thumb()
    signed_in(page, site, "jun@example.test")
    thumb.tap(tab(page, "Groups"))
    thumb.tap(page.get_by_role("button", name="Create group"))
    page.wait_for_url("**/invite")
    thumb.tap(page.locator("[data-copy-link]"))
    page.get_by_test_id("toast").locator(".toast-pill").last.wait_for()
    thumb.has_counted("First group, with the copied invitation")
