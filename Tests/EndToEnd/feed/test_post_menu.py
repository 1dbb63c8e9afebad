"""The menu of a post: copying its link, and moving by arrow keys; a like without a network."""

import contextlib

import pytest

import pictures
from test_pages import check


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


def test_a_like_without_a_network_is_taken_back_without_a_dialog(page):
    like = page.locator("[data-like]").first
    before = like.get_attribute("aria-pressed")
    page.context.set_offline(True)
    like.click()
    page.get_by_text("You’re offline.").wait_for()
    assert like.get_attribute("aria-pressed") == before
    assert page.locator("dialog[open]").count() == 0


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
