"""Following, searching, and viewing pictures in full size, on a phone; scrolling during new
posts."""

import re
import threading

import pytest

import pictures
from instance import wait_until
from people import Visitor
from test_pages import check, signed_in


@pytest.fixture
def sams(sam):
    """Path of Sam's page."""
    post = sam.write("A post of Sam’s.").made
    return "/couples/" + re.search(r'href="/couples/([0-9a-f-]{36})"', sam.get(post).text)[1]


def unfollow(mei, page):
    mei.post(f"{page}/unfollow", {"csrf_token": mei.token(page)})


def test_following_in_place_on_a_phone(site, new_page, mei, sam, sams):
    unfollow(mei, sams)
    page = new_page()
    signed_in(page, site)
    page.goto(sams)
    page.evaluate("window.stays = true")
    counts = page.get_by_test_id("follow-counts")
    assert counts.inner_text().startswith("0 followers")
    page.get_by_role("button", name="Follow", exact=True).tap()
    page.get_by_role("button", name="Following", exact=True).wait_for()
    assert counts.inner_text().startswith("1 follower ")
    assert page.get_by_test_id("toast").inner_text().strip() == "You’re following them"
    assert page.evaluate("window.stays === true")
    check(page)
    sam.write("For followers of Sam.", visibility="followers")
    page.goto("/")
    page.get_by_role("link", name="Following", exact=True).tap()
    page.wait_for_url("**/?scope=following")
    page.get_by_text("For followers of Sam.").first.wait_for()
    check(page)
    page.goto(f"{sams}/followers")
    page.get_by_test_id("followers").get_by_text("Mei & Jun").wait_for()
    check(page)
    page.goto(sams)
    page.get_by_role("button", name="Following", exact=True).tap()
    page.get_by_role("button", name="Follow", exact=True).wait_for()
    assert "For followers of Sam." not in mei.get("/").text


def test_following_without_scripts(site, new_page, mei, sams):
    unfollow(mei, sams)
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto(sams)
    page.get_by_role("button", name="Follow", exact=True).click()
    assert page.url.endswith(sams)
    assert page.get_by_test_id("toast").inner_text().strip() == "You’re following them"
    page.get_by_role("button", name="Following", exact=True).click()
    assert page.get_by_test_id("follow-counts").inner_text().startswith("0 followers")


def test_searching_on_a_phone(site, new_page, sam):
    sam.write("在河邊喝咖啡")
    page = new_page()
    signed_in(page, site)
    page.get_by_role("link", name="Search").first.tap()
    page.wait_for_url("**/search")
    check(page)
    page.locator("#q").fill("咖啡")
    page.locator("#q").press("Enter")
    page.get_by_text("在河邊喝咖啡").first.wait_for()
    check(page)
    page.locator("#q").fill("jun")
    page.locator("#q").press("Enter")
    page.get_by_test_id("found-couples").get_by_text("Mei & Jun").wait_for()
    check(page)
    for words in ["z", "nothing-of-that-kind"]:
        page.goto(f"/search?q={words}")
        page.get_by_role("status").first.wait_for()
        check(page)


SWIPE = """([place, from, to]) => {
  const touch = (x) => new Touch({ identifier: 1, target: place, clientX: x, clientY: 300 });
  const tell = (kind, x, down) => place.dispatchEvent(new TouchEvent(kind, {
    bubbles: true, touches: down ? [touch(x)] : [], changedTouches: [touch(x)] }));
  tell("touchstart", from, true);
  tell("touchend", to, false);
}"""


@pytest.fixture
def lakes(mei):
    """A post with three described pictures."""
    fields = mei.composer() | {f"description_{number}": f"Lake {number}" for number in (1, 2, 3)}
    files = [(f"{number}.png", pictures.png_bytes()) for number in (1, 2, 3)]
    return mei.write("Three lakes.", files=files, fields=fields).made


def swipe(page, place, start, end):
    page.evaluate(SWIPE, [place.element_handle(), start, end])


def test_pictures_in_full_size_by_keyboard_and_by_swiping(new_page, lakes):
    page = new_page()
    page.goto(lakes)
    page.locator(".pictures a").first.tap()
    dialog = page.locator("dialog.viewer-dialog")
    dialog.get_by_text("Lake 1").wait_for()
    check(page)
    page.keyboard.press("ArrowRight")
    dialog.get_by_text("Lake 2").wait_for()
    assert dialog.get_by_test_id("full-picture").get_attribute("alt") == "Lake 2"
    swipe(page, dialog, 300, 60)
    dialog.get_by_text("Lake 3").wait_for()
    page.keyboard.press("ArrowRight")
    swipe(page, dialog, 60, 300)
    dialog.get_by_text("Lake 2").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page.url.endswith(lakes)
    page.locator(".pictures a").nth(2).tap()
    dialog.get_by_text("Lake 3").wait_for()
    page.go_back()
    dialog.wait_for(state="detached")
    assert page.url.endswith(lakes)
    # The page itself has the same keys.
    page.goto(f"{lakes}/pictures/1")
    check(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**{lakes}/pictures/2")
    swipe(page, page.locator("[data-viewer]"), 60, 300)
    page.wait_for_url(f"**{lakes}/pictures/1")


def test_pictures_in_full_size_without_scripts(new_page, lakes):
    page = new_page(java_script_enabled=False)
    page.goto(lakes)
    page.locator(".pictures a").first.click()
    page.get_by_text("1 of 3").wait_for()
    page.get_by_role("link", name="Next picture").click()
    page.get_by_text("Lake 2").wait_for()
    page.get_by_role("link", name="Back to the post").click()
    assert page.url.endswith(lakes)


def test_two_who_look_see_each_others_posts_without_loading_anew(site, new_page, mei, sam):
    sam.write("Here before.")
    page = new_page()
    signed_in(page, site)
    page.goto("/")
    page.evaluate("window.stays = true")
    assert page.get_by_test_id("newer").is_hidden()
    sam.write("Just said.")
    page.get_by_test_id("newer").tap()
    page.get_by_text("Just said.").wait_for()
    assert page.locator(".post-text").first.inner_text() == "Just said."
    assert page.evaluate("window.stays === true")
    assert page.get_by_test_id("newer").is_hidden()
    check(page)


def test_a_reader_scrolls_through_everything_once_while_others_post(own_site, browser):
    house = own_site(PAIRSPOT_DEMO="1")
    writers = [Visitor(house).sign_in(f"{name}@example.test") for name in ("jun", "sam")]
    for number in range(60):
        assert writers[number % 2].write(f"Old {number}.").status == 303
    ended = threading.Event()

    def pour(writer, name):
        number = 0
        while not ended.is_set():
            writer.write(f"New {name} {number}.")
            number += 1

    threads = [threading.Thread(target=pour, args=(writer, name))
               for writer, name in zip(writers, "ab")]
    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844}, locale="en-GB",
        reduced_motion="reduce")
    page = context.new_page()
    signed_in(page, house)
    for thread in threads:
        thread.start()
    try:
        page.goto("/")
        def scrolled():
            page.mouse.wheel(0, 4000)
            page.wait_for_timeout(100)
            return page.locator("[data-older]").is_hidden() and page.get_by_text("Old 0.").count()
        wait_until(scrolled, 60, "the oldest post")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    texts = page.locator(".post-text").all_inner_texts()
    old = [text for text in texts if text.startswith("Old ")]
    assert sorted(old) == sorted(f"Old {number}." for number in range(60))
    ids = page.eval_on_selector_all("[data-posts] > [data-id]", "all => all.map(e => e.dataset.id)")
    assert len(ids) == len(set(ids))
    context.close()
