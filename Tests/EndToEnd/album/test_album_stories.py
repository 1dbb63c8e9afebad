"""The story of a photo in the album, written by its owner."""

import re

import pytest

from people import Visitor
from test_pages import check, signed_in
from test_photo_stories import (  # noqa: F401  (fixtures too)
    FAMILY, STORIES, end_reader, exiftool, expect_everywhere, expect_private, expect_sound, photos,
    same_pixels)


def add(visitor, photo):
    """Adds a photo to the album; returns its path."""
    fields = visitor.get("/album").form("/album")
    # An unchecked box isn't sent.
    fields = {name: fields[name] for name in ("csrf_token", "nonce")}
    answer = visitor.post("/album", fields, [("file", photo.name, photo.read_bytes())])
    assert answer.status == 303, answer.text
    return re.search(r'href="(/album/[0-9a-f-]{36})"', visitor.get("/album").text)[1]


def guest(site, language):
    """A guest with an album who reads this language."""
    visitor = Visitor(site, language)
    fields = visitor.get("/checkin").form("/checkin")
    saved = visitor.post("/checkin", fields | {
        "display_name": "Gia", "contact_email": "gia-knows@example.test", "button": "save"})
    assert saved.status == 303, saved.text
    return visitor


def stored(visitor, photo, folder):
    """The photo's own file, downloaded by its owner."""
    answer = visitor.get(f"{photo}/file")
    assert answer.status == 200
    file = folder / ("stored.jpg" if answer.headers["Content-Type"] == "image/jpeg" else "a.png")
    file.write_bytes(answer.body)
    return file


def tell(visitor, photo, story, **fields):
    form = visitor.get(f"{photo}/story").form(f"{photo}/story")
    return visitor.post(f"{photo}/story", form | {"story": story} | fields)


@pytest.mark.parametrize("script", ["chinese", "family"])
@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_a_story_gets_into_every_block_and_the_picture_stays(
        site, photos, texts, tmp_path, language, script):
    source = photos["much.jpg"]
    assert any("GPS" in key for key in exiftool(source))
    visitor = guest(site, language)
    photo = add(visitor, source)
    expect_private(stored(visitor, photo, tmp_path))
    question = tell(visitor, photo, STORIES[script])
    assert question.status == 200
    assert texts(language)["album.story.confirm_text"] in question.text
    answer = visitor.post(
        f"{photo}/story", question.form(f"{photo}/story") | {"confirm": "1"})
    assert answer.status == 303 and answer.location == photo
    file = stored(visitor, photo, tmp_path)
    expect_everywhere(file, STORIES[script])
    expect_private(file)
    expect_sound(file)
    same_pixels(source, file)


@pytest.fixture
def photo(mei, photos):
    return add(mei, photos["much.jpg"])


@pytest.fixture
def editor(site, new_page, photo):
    page = new_page()
    signed_in(page, site)
    page.goto(f"{photo}/story")
    page.wait_for_function("performance.getEntriesByType('resource')"
                           ".some(e => e.name.includes('album/story.js'))")
    return page


def test_the_question_is_a_dialog_that_keeps_the_words(editor, mei, photo, tmp_path):
    page = editor
    page.get_by_role("button", name="Use this text").click()
    page.locator("#story").press("End")
    page.locator("#story").press_sequentially(f", {FAMILY}")
    page.get_by_role("button", name="Save story").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_text("Saving overwrites the original photo file. Continue?").wait_for()
    dialog.get_by_role("button", name="Not now").click()
    dialog.wait_for(state="detached")
    assert page.locator("#story").input_value() == f"old words, {FAMILY}"
    page.get_by_role("button", name="Save story").click()
    page.locator("dialog[open]").get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{photo}")
    page.locator("[data-toast] .toast-pill").wait_for()
    expect_everywhere(stored(mei, photo, tmp_path), f"old words, {FAMILY}")


def test_a_copy_from_the_dialog_leaves_the_photo_alone(editor, mei, photo, tmp_path):
    editor.locator("#story").fill("only in the copy")
    editor.get_by_role("button", name="Save story").click()
    editor.locator("dialog[open]").get_by_role("button", name="Save as a copy").click()
    editor.wait_for_url(lambda url: "/album/" in url and not url.endswith("/story"))
    copy = "/album/" + editor.url.rsplit("/", 1)[1]
    assert copy != photo
    expect_everywhere(stored(mei, copy, tmp_path), "only in the copy")
    assert "ai.album.story" not in str(exiftool(stored(mei, photo, tmp_path)))


def test_the_preview_shows_the_words_under_the_photo(editor, photo):
    editor.locator("#story").fill("first line\nsecond line")
    editor.get_by_role("button", name="Preview").click()
    editor.get_by_test_id("story-preview").wait_for()
    assert editor.get_by_test_id("story-preview").inner_text() == "first line\nsecond line"
    editor.get_by_role("button", name="Back to editing").click()
    editor.locator("dialog[open]").wait_for(state="detached")
    assert editor.locator("#story").input_value() == "first line\nsecond line"


def test_an_empty_story_is_told_beside_the_field(editor):
    editor.get_by_role("button", name="Save story").click()
    editor.get_by_test_id("error-summary").wait_for()
    assert editor.locator("#story").get_attribute("aria-invalid") == "true"
    # It is gone as soon as there is another text.
    editor.locator("#story").press_sequentially("A")
    editor.get_by_test_id("error-summary").wait_for(state="hidden")
    assert editor.locator("#story").get_attribute("aria-invalid") is None
    assert editor.locator("#story_note").is_hidden()


def test_photo_field_and_button_of_a_story_fit_on_a_phone(editor):
    assert editor.locator("#story").evaluate("(field) => field === document.activeElement")
    assert editor.locator(".story-photo img").bounding_box()["height"] <= 0.3 * 844 + 1
    button = editor.get_by_role("button", name="Save story").bounding_box()
    tabs = editor.locator(".tabs").bounding_box()
    assert button["y"] + button["height"] <= tabs["y"]


def test_two_browsers_at_one_story(editor, mei, photo, tmp_path):
    editor.locator("#story").fill("mine")
    assert tell(mei, photo, "theirs", confirm="1").status == 303
    editor.get_by_role("button", name="Save story").click()
    editor.locator("dialog[open]").get_by_role("button", name="Save", exact=True).click()
    editor.get_by_test_id("conflict").get_by_text("theirs").wait_for()
    assert editor.locator("#story").input_value() == "mine"
    editor.get_by_role("button", name="Save story").click()
    editor.locator("dialog[open]").get_by_role("button", name="Save", exact=True).click()
    editor.wait_for_url(f"**{photo}")
    expect_everywhere(stored(mei, photo, tmp_path), "mine")


def test_without_scripts_the_question_is_a_page(new_page, site, mei, photo, tmp_path):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto(f"{photo}/story")
    page.get_by_role("button", name="Use this text").click()
    assert page.locator("#story").input_value() == "old words"
    page.locator("#story").fill("one\ntwo")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Back to editing").click()
    page.get_by_role("button", name="Save story").click()
    page.get_by_role("button", name="Not now").click()
    assert page.locator("#story").input_value() == "one\ntwo"
    page.get_by_role("button", name="Save story").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{photo}")
    expect_everywhere(stored(mei, photo, tmp_path), "one\ntwo")
    page.goto(f"{photo}/story")
    page.get_by_role("button", name="Delete story").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url(f"**{photo}")
    assert "ai.album.story" not in str(exiftool(stored(mei, photo, tmp_path)))


def test_the_pages_of_a_story_are_accessible_and_fit(site, new_page, mei, photo):
    page = new_page()
    signed_in(page, site)
    page.goto(f"{photo}/story")
    check(page)
    page.get_by_role("button", name="Save story").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.locator("#story").fill("words")
    for button in ["Save story", "Preview"]:
        page.get_by_role("button", name=button).click()
        page.locator("dialog[open]").wait_for()
        check(page)
        page.locator("dialog[open] [data-dialog-close]").click()
        page.locator("dialog[open]").wait_for(state="detached")
    tell(mei, photo, "theirs", confirm="1")
    page.get_by_role("button", name="Save story").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("conflict").wait_for()
    check(page)
    page.get_by_role("button", name="Delete story").click()
    page.locator("dialog[open]").wait_for()
    check(page)
