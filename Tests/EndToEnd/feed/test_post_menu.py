"""The menu of a post: copying its link, and moving by arrow keys; likes and posts without a network."""

import contextlib
import re

import pytest

import pictures
from instance import wait_until
from phone import outbox
from test_pages import check, wait_for_script


@pytest.fixture
def page(site, browser):
    with contextlib.closing(browser.new_context(
            base_url=site.url, permissions=["clipboard-read", "clipboard-write"])) as context:
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("#email").fill("mei@example.test")
        page.locator("#password").fill(site.demo_password())
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url("**/")
        yield page


def test_the_link_of_a_post_is_copied(page):
    card = page.get_by_test_id("post").first
    card.locator(".post-more summary").click()
    card.get_by_role("button", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()
    link = card.locator(".post-line a").evaluate("link => link.href")
    assert page.evaluate("navigator.clipboard.readText()") == link


def test_arrow_keys_move_in_a_menu(page):
    card = page.get_by_test_id("post").first
    card.locator(".post-more summary").press("Enter")
    items = card.locator(".post-more .menu-item")
    items.first.wait_for()
    count = items.count()
    for key, at in [("ArrowDown", 0), ("ArrowDown", 1), ("End", count - 1), ("ArrowDown", 0),
                    ("ArrowUp", count - 1), ("Home", 0)]:
        page.keyboard.press(key)
        assert items.nth(at).evaluate("item => item === document.activeElement"), key
    page.keyboard.press("Escape")
    assert card.locator(".post-more").evaluate("menu => !menu.open")


def test_a_post_is_saved_in_place_and_found_again(page):
    card = page.get_by_test_id("post").first
    post = card.get_attribute("data-id")
    card.locator(".post-more summary").click()
    card.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Post saved").wait_for()
    page.goto("/posts/saved")
    saved = page.locator(f"[data-testid=post][data-id='{post}']")
    saved.wait_for()
    check(page)
    saved.locator(".post-more summary").click()
    saved.get_by_role("button", name="Remove from saved").click()
    page.get_by_text("Removed from saved").wait_for()
    page.reload()
    page.get_by_text("No saved posts yet").wait_for()


def test_a_like_without_a_network_is_taken_back_without_a_dialog(page):
    like = page.locator("[data-like]").first
    before = like.get_attribute("aria-pressed")
    page.context.set_offline(True)
    like.click()
    page.get_by_text("You’re offline.").wait_for()
    assert like.get_attribute("aria-pressed") == before
    assert page.locator("dialog[open]").count() == 0


def test_a_post_without_a_network_waits_and_is_sent_once_with_its_picture(page):
    page.locator("#content").fill("Words for later")
    sees = page.locator("#sees")
    assert sees.inner_text() == "Everyone can see this."
    page.locator("#visibility").select_option("couple")
    assert sees.inner_text() == "Only the two of you can see this."
    page.locator("#visibility").select_option("public")
    page.locator("#images").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.locator(".draft-thumb").wait_for()
    page.context.set_offline(True)
    page.locator("[data-composer] [data-send]").click()
    page.get_by_text("You’re offline.").wait_for()
    assert page.locator("dialog[open]").count() == 0
    waiting = page.get_by_test_id("waiting-post").filter(has_text="Words for later")
    waiting.get_by_text("Waiting until you’re online").wait_for()
    assert waiting.locator("img").count() == 1
    assert page.locator("#content").input_value() == ""
    check(page)
    page.context.set_offline(False)
    waiting.wait_for(state="detached")
    page.goto("/")
    card = page.get_by_test_id("post").filter(has_text="Words for later")
    card.locator("picture img").wait_for()
    assert card.count() == 1
    assert page.locator("#content").input_value() == ""


def test_a_post_whose_session_has_ended_is_sent_after_signing_in(site, page):
    page.locator("#content").fill("Words of an ended session")
    page.locator("#images").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.locator(".draft-thumb").wait_for()
    page.context.clear_cookies()
    page.locator("[data-composer] [data-send]").click()
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("[data-composer]").wait_for()
    wait_until(lambda: outbox(page) == [], 20, "an empty outbox")
    page.goto("/")
    card = page.get_by_test_id("post").filter(has_text="Words of an ended session")
    card.locator("picture img").wait_for()
    assert card.count() == 1
    assert page.locator("#content").input_value() == ""


def test_a_waiting_post_is_discarded(page):
    page.locator("#content").fill("Words for nobody")
    page.context.set_offline(True)
    page.locator("[data-composer] [data-send]").click()
    page.get_by_test_id("waiting-post").get_by_role("button", name="Discard").click()
    page.get_by_test_id("waiting-post").wait_for(state="detached")


def test_a_comment_is_written_deleted_and_restored(page):
    page.get_by_test_id("post").first.locator(".comment-link").click()
    page.wait_for_url("**#comments")
    page.get_by_label("Add a comment").fill("A comment from the browser")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.wait_for_url("**#comment-*")
    comment = page.get_by_test_id("comment").filter(has_text="A comment from the browser")
    comment.get_by_role("button", name="Delete the comment by Mei").click()
    page.get_by_text("Comment deleted.").wait_for()
    assert comment.count() == 0
    check(page)
    page.get_by_role("button", name="Undo").click()
    comment.wait_for()


def test_a_comment_without_a_network_stays_in_its_form(page):
    page.get_by_test_id("post").first.locator(".comment-link").click()
    page.wait_for_url("**#comments")
    page.get_by_label("Add a comment").fill("A comment for later")
    page.context.set_offline(True)
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("dialog").get_by_text("You’re offline.").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="OK").click()
    assert page.get_by_label("Add a comment").input_value() == "A comment for later"
    page.context.set_offline(False)
    page.get_by_role("button", name="Comment", exact=True).click()
    page.wait_for_url("**#comment-*")
    page.get_by_test_id("comment").filter(has_text="A comment for later").wait_for()


def test_the_album_uses_a_wide_screen(page):
    page.set_viewport_size({"width": 1600, "height": 900})
    page.goto("/album")
    main = page.locator("main").bounding_box()
    assert main["width"] > 1000


def test_pictures_of_a_new_post_are_ordered_described_and_removed(page, tmp_path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#images").set_input_files(
        [pictures.TURNED, pictures.WITH_PLACE, pictures.drawn_png(tmp_path)])
    thumbs = page.locator(".draft-thumb")
    thumbs.nth(2).wait_for()

    def names():
        return thumbs.locator("> [data-open] img").evaluate_all(
            "images => images.map((image) => image.alt)")

    first, second, third = names()
    thumbs.nth(2).locator("[data-open]").press("ArrowLeft")
    assert names() == [first, third, second]
    start, end = thumbs.nth(0).bounding_box(), thumbs.nth(2).bounding_box()
    page.mouse.move(start["x"] + 40, start["y"] + 60)
    page.mouse.down()
    page.mouse.move(end["x"] + 70, end["y"] + 60, steps=10)
    page.mouse.up()
    assert names() == [third, second, first]
    assert page.locator("dialog[open]").count() == 0

    thumbs.nth(0).locator("[data-open]").click()
    sheet = page.locator("dialog[open]")
    sheet.get_by_label("Describe this picture").fill("A hill")
    check(page)
    sheet.get_by_label("Describe this picture").press("Enter")
    sheet.wait_for(state="detached")
    assert "is-described" in thumbs.nth(0).get_attribute("class")
    check(page)
    thumbs.nth(1).get_by_role("button", name="Remove this picture from the post").click()
    page.locator("#content").fill("Two pictures in order")
    page.get_by_role("button", name="Post", exact=True).click()
    card = page.get_by_test_id("post").filter(has_text="Two pictures in order")
    card.wait_for()
    alts = card.locator(".pictures img").evaluate_all("images => images.map((image) => image.alt)")
    assert alts == ["A hill", ""]


def described(card):
    return card.locator(".pictures img").evaluate_all("images => images.map((image) => image.alt)")


def test_pictures_are_added_to_a_post_and_ordered(page, tmp_path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#images").set_input_files([pictures.TURNED])
    page.locator(".draft-thumb [data-open]").click()
    page.locator("dialog[open]").get_by_label("Describe this picture").fill("Old")
    page.locator("dialog[open]").get_by_role("button", name="Done").click()
    page.locator("#content").fill("One picture, and then two")
    page.get_by_role("button", name="Post", exact=True).click()
    card = page.get_by_test_id("post").filter(has_text="One picture, and then two")
    card.wait_for()
    page.goto(card.locator(".post-line a").get_attribute("href") + "/edit")
    thumbs = page.locator(".draft-thumb")
    thumbs.first.wait_for()
    page.locator("#images").set_input_files([pictures.drawn_png(tmp_path), pictures.WITH_PLACE])
    thumbs.nth(2).wait_for()
    thumbs.nth(1).locator("[data-open]").press("ArrowLeft")
    thumbs.nth(0).locator("[data-open]").click()
    page.locator("dialog[open]").get_by_label("Describe this picture").fill("New")
    page.locator("dialog[open]").get_by_role("button", name="Done").click()
    thumbs.nth(2).get_by_role("button", name="Remove this picture from the post").click()
    check(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(r"/posts/[0-9a-f-]+$"))
    assert described(page.get_by_test_id("post").first) == ["New", "Old"]
    page.goto(page.url + "/edit")
    thumbs.nth(1).get_by_role("button", name="Remove this picture from the post").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(r"/posts/[0-9a-f-]+$"))
    assert described(page.get_by_test_id("post").first) == ["New"]


def test_an_edited_post_that_is_refused_keeps_the_order_of_its_pictures(page, mei):
    post = mei.write("In order.", files=[
        (f"{number}.png", pictures.png_bytes()) for number in range(2)]).made
    page.goto(f"{post}/edit")
    wait_for_script(page, "feed/composer.js")
    thumbs = page.locator(".draft-thumb")
    thumbs.nth(1).locator("[data-open]").click()
    page.locator("dialog[open]").get_by_label("Describe this picture").fill("Last")
    page.locator("dialog[open]").get_by_role("button", name="Done").click()
    thumbs.nth(1).locator("[data-open]").press("ArrowLeft")
    page.locator("#content").fill("w" * 2001)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    assert "is-described" in thumbs.first.get_attribute("class")
    page.locator("#content").fill("In another order.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{post}")
    assert described(page.get_by_test_id("post").first) == ["Last", ""]


def test_an_edited_post_that_is_refused_twice_keeps_its_pictures(page, mei, tmp_path):
    post = mei.write("To be edited.").made
    page.goto(f"{post}/edit")
    wait_for_script(page, "feed/composer.js")
    thumbs = page.locator(".draft-thumb")
    page.locator("#images").set_input_files([pictures.TURNED])
    thumbs.first.wait_for()
    page.locator("#content").fill("w" * 2001)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    thumbs.first.wait_for()
    # Meanwhile the post gets eight pictures on another device.
    form = mei.get(f"{post}/edit").form(f"{post}/edit")
    others = [("images", f"{number}.png", pictures.png_bytes()) for number in range(8)]
    assert mei.post(f"{post}/edit", form, others).status == 303

    page.locator("#content").fill("Edited with all pictures.")
    page.locator("#images").set_input_files([pictures.drawn_png(tmp_path)])
    drawn = thumbs.filter(has=page.locator("[data-open] img[alt='drawn.png']"))
    drawn.locator("[data-open]").click()
    page.locator("dialog[open]").get_by_label("Describe this picture").fill("Drawn")
    page.locator("dialog[open]").get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#images_note").get_by_text("You can add up to 9 pictures.").wait_for()
    drawn.wait_for()
    assert thumbs.count() == 10
    assert "is-described" in drawn.get_attribute("class")
    check(page)
    thumbs.first.get_by_role("button", name="Remove this picture from the post").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{post}")
    assert "Drawn" in described(page.get_by_test_id("post").first)


def test_an_open_feed_offers_a_new_post_at_once(site, browser, page):
    page.goto("/")
    with contextlib.closing(browser.new_context(base_url=site.url)) as context:
        other = context.new_page()
        other.goto("/sign-in")
        other.locator("#email").fill("sam@example.test")
        other.locator("#password").fill(site.demo_password())
        other.get_by_role("button", name="Sign in", exact=True).click()
        other.wait_for_url("**/")
        other.locator("#content").fill("Seen by the others at once")
        other.get_by_role("button", name="Post", exact=True).click()
        other.get_by_test_id("post").filter(has_text="Seen by the others at once").wait_for()
    page.get_by_test_id("newer").click(timeout=8_000)
    page.get_by_test_id("post").filter(has_text="Seen by the others at once").wait_for()
